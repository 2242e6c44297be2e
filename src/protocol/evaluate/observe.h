/* Watching the machine while formal samples are taken: is it idle before, does anybody else use it meanwhile. */
#ifndef ASSAY_PROTOCOL_EVALUATE_OBSERVE_H
#define ASSAY_PROTOCOL_EVALUATE_OBSERVE_H

#include "protocol/target.h"

struct observer;
/* One helper process a GPU of the Target, or one for the CPUs. Required for GPUs, and where the Target says `observation`
 * "required": then it waits for an idle machine first. A helper that cannot be started makes every call unobserved. */
struct observer *observe_start(struct protocol *p, const char *folder, const struct target *t);
/* What others did between the two instants (monotonic): {required, idle, watched, contaminated, unobserved, throttled,
 * worst_foreign, because}; counts are of intervals between samples. */
struct json *observe_call(struct observer *o, int64_t begin_ns, int64_t end_ns);
const int *observe_pids(const struct observer *o, size_t *n); /* of the helpers: they outlive a driver's end */
void observe_stop(struct observer *o);                        /* NULL is fine */

/* Pure, over the calls of an execution: why their times say nothing ("not_idle", "contaminated", "unobserved"), or NULL. */
const char *observe_problem(const struct json *calls);

#endif
