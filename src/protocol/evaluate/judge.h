/* From the calls of an execution to its verdict: a pure function of what is stored. */
#ifndef ASSAY_PROTOCOL_EVALUATE_JUDGE_H
#define ASSAY_PROTOCOL_EVALUATE_JUDGE_H

#include "base/json.h"

struct judge_input {
	const struct json *frozen; /* request.json */
	const struct json *calls;  /* records of execute.h, in order */
	size_t attempt;            /* 1: the first target run of this candidate; later ones are judged more strictly */
};
/* Adds performance_receipt with statistics and constraint_statistics, verdict, stop_reason, compat_status, compat_verdict and
 * `assay` to the result, for a comparison whose calls are all there. */
void judge_comparison(struct json *result, const struct judge_input *in);
/* performance_receipt.measurements and assay.resolution of a baseline. */
void judge_baseline(struct json *result, const struct judge_input *in);
/* level of the interval of attempt k: 1 - (1 - confidence) / (k (k + 1)); all attempts together err at most as often as one */
double judge_level(double confidence, size_t attempt);

#endif
