/* Premises of an Experiment.
 * In: Target, baseline, the request. Out: yes, or a refusal whose draft is kept.
 * Arithmetic and explicit contradiction alone; what a claim means is for people.
 * Never: judges whether a direction is a good one. */
#include "protocol/evaluate/premise.h"

#include "protocol/claim.h"
#include "protocol/evaluate/prediction.h"
#include "protocol/shape.h"

static bool keep_draft(struct protocol *p, const struct json *request, const struct json *findings, struct err *e)
{
	char digest[SHA256_HEX];
	struct json *j = json_object(p->arena);
	json_set_cstr(j, "format", "assay/experiment-draft-v1");
	json_set(j, "request", shape_copy(p->arena, request));
	json_set(j, "findings", shape_copy(p->arena, findings));
	evidence_canonical(j, digest);
	return evidence_write(p, arena_printf(p->arena, "drafts/draft-%.32s.json", digest), j, NULL, e);
}

bool premise_check(struct protocol *p, const struct premise_input *in, struct err *e)
{
	const struct json *claim = json_get(in->request, "opportunity_claim");
	if (!prediction_gate(p, e))
		return false;
	if (!claim)
		return true;
	struct claim_context about = {
		.minimum_effect_pct = json_f64(json_get(in->target, "minimum_effect"), "value", 0),
		.aggregation = json_str(json_get(in->target, "primary_metric"), "aggregation", STR("median")),
		.resolution_pct = claim_resolution(json_path(in->baseline, "assay.resolution")),
	};
	struct json *facts;
	protocol_step(p, "opportunity_claim_invalid");
	if (!claim_check(&facts, p->arena, claim, &about, e))
		return false;
	const struct json *found = json_get(facts, "contradictions");
	if (found->n == 0)
		return true;
	protocol_step(p, "opportunity_claim_contradicted");
	return keep_draft(p, in->request, facts, e) &&
	       err_set(e, ERR_INPUT, "opportunity_claim: %.300s", json_str(found->items[0], "text", STR("")).p);
}
