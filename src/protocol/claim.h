/* Opportunity claims: how much a change can give end to end, from what is measured. Arithmetic and explicit contradiction only.
 *   ceiling = 1 / (1 - sum f_i r_i + sum c_i) - 1 over components whose inputs are of the same boundary or a conservative upper
 *   bound; f exposed share of the primary's time, r local reduction, c added cost as a share (Amdahl 1967). */
#ifndef ASSAY_PROTOCOL_CLAIM_H
#define ASSAY_PROTOCOL_CLAIM_H

#include "base/json.h"

struct claim_context {
	double minimum_effect_pct;
	double resolution_pct;  /* of the measurement; 0: not known */
	struct str aggregation; /* of the primary */
};
/* The claim: {boundary{regions, shape, phase, lowering, graph, dispatch, fallback, overlap}, components[{name, occurrence,
 * exposed_share, local_reduction, added_cost, relation, ?overlaps[names]}], expected_effect_pct, ?tail{affected_requests_share,
 * critical_path_share}}. *facts: {ceiling_pct, local_saving_needed, contradictions[{code, text}]}. False: not of that form. */
MUST_USE bool claim_check(struct json **facts, struct arena *a, const struct json *claim,
			  const struct claim_context *about, struct err *e);
/* Resolution from a baseline's assay.resolution: the largest spread of a case, as the 95 % interval of one pair; 0: unknown. */
double claim_resolution(const struct json *cases);

#endif
