/* Result messages of a .ncu-rep: identity and metrics of kernels, ranges, command lists and graphs. */
#ifndef ASSAY_READ_NCU_RESULT_H
#define ASSAY_READ_NCU_RESULT_H

#include "read/ncu/ncu.h"

/* Which field of a result holds what; the kinds number them differently. 0: the kind has no such field. */
struct result_fields {
	uint32_t metrics, created, sections, comments, nvtx, context, stream, clock, reference, rules;
};
const struct result_fields *result_fields(enum ncu_kind k);
const char *result_kind_name(enum ncu_kind k);

/* Decodes `body`. Name ids of metrics are looked up in `remap` (n_remap of them: position in the string table -> index in
 * r->names). Strings point into body. False: *offset is the place in r->bytes and reason says why. */
struct result_error {
	size_t offset;
	const char *reason;
};
MUST_USE bool result_decode(struct ncu_report *r, struct ncu_result *out, const uint32_t *remap, size_t n_remap,
			    struct result_error *why);
/* A MetricValue message. */
MUST_USE bool result_value(struct str raw, struct ncu_metric *out);

#endif
