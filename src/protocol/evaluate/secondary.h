/* Secondary metrics that an Experiment declared: what the pairs say of each. They decide nothing. */
#ifndef ASSAY_PROTOCOL_EVALUATE_SECONDARY_H
#define ASSAY_PROTOCOL_EVALUATE_SECONDARY_H

#include "base/json.h"

/* assay.secondaries of a target result: [{name, direction, threshold_pct, n_pairs, estimate_pct, lower_pct, upper_pct, reached, value,
 * note}]; reached: the whole interval lies at or above the threshold. */
void secondary_put(struct json *result, const struct json *experiment);
/* Every declared one is a metric that the Target measures beside its primary one. */
MUST_USE bool secondary_check(const struct json *request, const struct json *target, struct err *e);
bool secondary_declares(const struct json *experiment, struct str name);

#endif
