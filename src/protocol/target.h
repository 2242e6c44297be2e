/* A Target on the disk: loading it by reference, and the parts of a request that name where and how long. */
#ifndef ASSAY_PROTOCOL_TARGET_H
#define ASSAY_PROTOCOL_TARGET_H

#include "protocol/evidence.h"

#define PROTOCOL(name) "cuda-kernel-optimizer/" name

struct target {
	struct json *record;
	struct json *ref; /* {id, sha256} */
};
/* p->code becomes target_not_found, target_changed or target_invalid. `ref` NULL: whatever is there. */
MUST_USE bool target_load(struct target *out, struct protocol *p, const struct json *ref, struct err *e);
/* The same, and it has a workload: else target_not_optimizable. */
MUST_USE bool target_load_optimizable(struct target *out, struct protocol *p, const struct json *ref, struct err *e);
/* kernel 1, workload 2, serving 3, diagnostic 0; -1: no such word */
int target_layer(struct str word);
const struct json *target_gpus(const struct target *t); /* environment.runtime.gpu_uuids, sorted */

#define TARGET_LIMIT_FIELDS                                                                                            \
	"operation_timeout_seconds:n command_timeout_seconds:n resource_wait_timeout_seconds:n "                       \
	"cleanup_timeout_seconds:n"
/* The four limits of an object are above 0 and at most a year. */
MUST_USE bool target_limits(const struct json *j, const char *where, struct err *e);
MUST_USE bool target_resources(const struct json *j, const char *where, struct err *e);
MUST_USE bool target_metric(const struct json *j, const char *where, bool is_constraint, struct err *e);
MUST_USE bool target_acceptance(const struct json *j, const char *where, struct err *e);

#endif
