/* The handoff: what the evidence of a Target comes to, as one record for who goes on. */
#ifndef ASSAY_PROTOCOL_HANDOFF_H
#define ASSAY_PROTOCOL_HANDOFF_H

#include "protocol/target.h"

#define HANDOFF_FORMAT "assay/handoff-v1"

/* `judgement` (may be NULL): what only a person can say, an object with some of conclusion, local_to_end_to_end,
 * unresolved_questions, risks, covered_family, best_remaining_direction, best_remaining_closed_by, repair_cost, stop_reason,
 * skill_feedback[{observation, effect, wanted_change, evidence}]. What is missing of it is null and named in `blanks`. */
MUST_USE bool handoff_make(struct json **out, struct protocol *p, const struct json *judgement, bool redact,
			   struct err *e);
/* Every field, of the right type, and no other. */
MUST_USE bool handoff_check(const struct json *handoff, struct err *e);

#endif
