/* The gate that a screen is for a target run. */
#ifndef ASSAY_PROTOCOL_EVALUATE_SCREEN_H
#define ASSAY_PROTOCOL_EVALUATE_SCREEN_H

#include "protocol/target.h"

/* Experiment with a screen: exactly one valid inconclusive screen and no rejected one; its refs go into the frozen request as
 * screen_result_refs. screen_required, screen_rejected. */
MUST_USE bool screen_gate(struct json *frozen, struct protocol *p, const struct json *experiment,
			  const struct json *ref, struct err *e);

#endif
