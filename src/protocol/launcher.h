/* Launchers of several processes: a bounded probe before any workload, and the memory of what failed. */
#ifndef ASSAY_PROTOCOL_LAUNCHER_H
#define ASSAY_PROTOCOL_LAUNCHER_H

#include "protocol/evidence.h"

/* Runs the probe once. A failure is ERR_ENVIRONMENT, noted beside the root (ROOT.launchers.jsonl), and the same command line is
 * refused from then on without being started. Everything that it started is ended. */
MUST_USE bool launcher_probe(struct protocol *p, const char *root, const struct json *launcher, struct err *e);
/* The same memory for a driver whose call failed for a name or a rendezvous: text is its output. */
MUST_USE bool launcher_is_refused(struct protocol *p, const char *root, const struct json *command, struct err *e);
bool launcher_failed_by_name(struct str text); /* name resolution or rendezvous, by its usual messages */
void launcher_note(struct protocol *p, const char *root, const struct json *command, const char *reason);

#endif
