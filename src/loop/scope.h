/* The scope of strategy memory (RULES R1.10): what an outcome is about. Entries of another scope are shown as elsewhere and
 * never block. */
#ifndef ASSAY_LOOP_SCOPE_H
#define ASSAY_LOOP_SCOPE_H

#include "base/json.h"
#include "operator/operator.h"

struct scope {
	const char *key;   /* "<backend>__<entry>__<16 hex digits of the sha256 over meta>" */
	struct json *meta; /* backend, entry, signature, reference_sha256, dims, dtype, sm */
};
/* sm: "sm_90", or "cpu:<model>" of the C backend. Dims are those of the timed case. */
void scope_make(struct scope *out, struct arena *a, const struct operator* op, const char *sm);
/* "sm_90" or "cpu:..." of a device's facts as records carry them. */
const char *scope_sm(struct arena *a, const struct json *device);

#endif
