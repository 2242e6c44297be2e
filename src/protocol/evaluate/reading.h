/* Executions that measure nothing: frozen evidence is read in a process of its own and becomes a result. They hold no lease, so they
 * run beside anything; those that collect (member `driver`) make one call and hold the Target's. */
#ifndef ASSAY_PROTOCOL_EVALUATE_READING_H
#define ASSAY_PROTOCOL_EVALUATE_READING_H

#include "protocol/evaluate/execute.h"

/* A frozen request without an evidence plan. */
bool reading_is(const struct json *frozen);
/* The guardian: forks the reader (x->p->read), watches deadlines and the cancel file, sees to it that there is a result. */
MUST_USE bool reading_guard(struct execution *x, struct err *e);
/* Nobody runs it any more: ends what is left of it and publishes `reason`. */
MUST_USE bool reading_lost(struct execution *x, const char *reason, struct err *e);

#endif
