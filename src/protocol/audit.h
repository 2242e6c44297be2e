/* Metric audit: does a decision metric count what it says? Identities over the frozen workload, held against what the driver
 * wrote. */
#ifndef ASSAY_PROTOCOL_AUDIT_H
#define ASSAY_PROTOCOL_AUDIT_H

#include "base/json.h"

/* `audit`: [{metric, identities, ...}] or NULL. Names in an identity: the correctness metrics of the role, `value` (the metric's
 * aggregate in this call), `samples` (how many). Adds {metric, identity, reason} to `findings` for every identity that does not
 * hold or cannot be evaluated. */
void audit_answer(struct json *findings, const struct json *audit, const struct json *objective,
		  const struct json *result, struct str role);
/* One number from a call's samples: median, mean, p95, p99, or throughput (harmonic mean: equal work a sample). False when
 * there are too few samples for it (59 for p95, 299 for p99). */
MUST_USE bool audit_aggregate(double *out, const struct json *samples, struct str aggregation, struct arena *scratch);

#endif
