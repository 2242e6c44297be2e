/* What a Target's invocations may take together: wall seconds, and seconds times the GPUs held. */
#ifndef ASSAY_PROTOCOL_EVALUATE_BUDGET_H
#define ASSAY_PROTOCOL_EVALUATE_BUDGET_H

#include "protocol/target.h"

/* Seconds that another invocation may run; INFINITY without a budget. At or below 0 nothing is left. */
MUST_USE bool budget_left(double *seconds, struct protocol *p, const struct target *t, struct err *e);
/* Counts an invocation; once, when its result is published. */
MUST_USE bool budget_spend(struct protocol *p, const char *id, double seconds, struct err *e);

#endif
