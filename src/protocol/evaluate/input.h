/* What an evaluator request may say: cuda-kernel-optimizer/evaluator-input-v2, and assay/evaluator-input-v3 = v2 with
 * opportunity_claim, secondaries, equivalents, failure_reach, a falsifier command, premises_confirmed, replicate, repeats. */
#ifndef ASSAY_PROTOCOL_EVALUATE_INPUT_H
#define ASSAY_PROTOCOL_EVALUATE_INPUT_H

#include "base/json.h"

#define EVALUATOR_V2 "cuda-kernel-optimizer/evaluator-input-v2"
#define EVALUATOR_V3 "assay/evaluator-input-v3"

MUST_USE bool evaluator_input_check(const struct json *request, struct err *e);
bool evaluator_is_v3(const struct json *request);

#endif
