/* What a readiness request may say. */
#ifndef ASSAY_PROTOCOL_READINESS_INPUT_H
#define ASSAY_PROTOCOL_READINESS_INPUT_H

#include "base/json.h"

#define READINESS_V2 "cuda-kernel-optimizer/readiness-input-v2"
#define READINESS_V3 "assay/readiness-input-v3"

/* Fields, types, ranges; nothing is opened. */
MUST_USE bool readiness_input_check(const struct json *request, struct err *e);

#endif
