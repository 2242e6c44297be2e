/* What must hold before an Experiment may be created: its opportunity claim does not contradict itself, its falsifier does not
 * speak against it, and what the last prediction got wrong is reconciled. */
#ifndef ASSAY_PROTOCOL_EVALUATE_PREMISE_H
#define ASSAY_PROTOCOL_EVALUATE_PREMISE_H

#include "protocol/evidence.h"

struct premise_input {
	const struct json *target, *baseline, *request;
};
/* A refusal keeps the request as drafts/draft-*.json with the reason. */
MUST_USE bool premise_check(struct protocol *p, const struct premise_input *in, struct err *e);

#endif
