/* Readiness: everything that a Target names is looked at, frozen and run once. */
#ifndef ASSAY_PROTOCOL_READINESS_H
#define ASSAY_PROTOCOL_READINESS_H

#include "protocol/evidence.h"

/* Answers a readiness-input-v2 (or assay/readiness-input-v3, readiness.c) request: makes p->root, which must be absent.
 * *answer: {status: "ready", target_ref, probe_id, highest_claim_layer, missing}. */
MUST_USE bool readiness_check(struct json **answer, struct protocol *p, const struct json *request, struct err *e);

#endif
