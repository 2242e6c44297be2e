/* Predictions.
 * In: a result and its Experiment. Out: whether they contradict each other, and the record that settles it.
 * Each of six premises is kept or corrected, with the value that holds now.
 * Never: decides which premise was wrong. */
#include "protocol/evaluate/prediction.h"

#include "protocol/claim.h"
#include "protocol/evaluate/plan.h"
#include "protocol/shape.h"

static const char *const premises[] = {"boundary", "execution_form", "scope", "coverage", "exposure", "cost"};

void prediction_put(struct json *result, const struct json *experiment)
{
	const struct json *claim = json_get(experiment, "opportunity_claim");
	struct json *ours = json_get(result, "assay"), *facts;
	struct claim_context about = {.aggregation = STR("median")};
	struct err ignored;
	const struct json *low = json_get(ours, "lower_pct"), *high = json_get(ours, "upper_pct");
	if (!claim || !low || low->type == JSON_NULL || !claim_check(&facts, result->arena, claim, &about, &ignored))
		return;
	double expected = json_f64(claim, "expected_effect_pct", 0), ceiling = json_f64(facts, "ceiling_pct", 1e300);
	struct json *j = json_set_object(ours, "prediction");
	json_set_f64(j, "expected_pct", expected);
	json_set(j, "ceiling_pct", json_get(facts, "ceiling_pct"));
	json_set_f64(j, "lower_pct", low->real);
	json_set_f64(j, "upper_pct", high->real);
	json_set_bool(j, "contradicted",
		      low->real > ceiling || high->real < expected / 2 || (expected > 0 && high->real < 0));
}

bool prediction_gate(struct protocol *p, struct err *e)
{
	size_t n;
	char **ids = plan_index(p, "contradicted", &n, e);
	protocol_step(p, "reconciliation_required");
	for (size_t i = 0; ids && i < n; i++) {
		if (!file_exists(evidence_path(p, arena_printf(p->arena, "reconciliations/%s.json", ids[i]))))
			return err_set(e, ERR_INPUT, "%s contradicts its prediction: a reconciliation of it is missing",
				       ids[i]);
	}
	return ids != NULL;
}

static bool check(const struct json *r, struct err *e)
{
	const struct json *list = json_get(r, "premises");
	if (!shape_check(
		    r, "request",
		    "format_version:s operation:s artifact_root:s target_ref:o result_ref:o premises:o conclusion:s",
		    e) ||
	    !shape_word(r, "request", "operation", "reconcile", e) ||
	    !shape_ref(json_get(r, "target_ref"), "target_ref", "id", e) ||
	    !shape_ref(json_get(r, "result_ref"), "result_ref", "invocation_id", e) ||
	    !shape_check(list, "premises", "boundary:o execution_form:o scope:o coverage:o exposure:o cost:o", e))
		return false;
	for (size_t i = 0; i < COUNT_OF(premises); i++) {
		if (!shape_check(json_get(list, premises[i]), premises[i], "decision:s ?value:x", e) ||
		    !shape_word(json_get(list, premises[i]), premises[i], "decision", "kept|corrected", e))
			return false;
		if (str_is(json_str(json_get(list, premises[i]), "decision", STR("")), "corrected") &&
		    !json_get(json_get(list, premises[i]), "value"))
			return err_set(e, ERR_INPUT, "premises.%s: corrected needs the value that holds now",
				       premises[i]);
	}
	return true;
}

bool prediction_reconcile(struct json **answer, struct protocol *p, const struct json *request, struct err *e)
{
	struct target t;
	char sha256[SHA256_HEX];
	protocol_step(p, "invalid_reconciliation_input");
	if (!check(request, e) || !target_load_optimizable(&t, p, json_get(request, "target_ref"), e))
		return false;
	const struct json *ref = json_get(request, "result_ref");
	const char *id = json_str(ref, "invocation_id", STR("")).p;
	if (!plan_record(p, "result", arena_printf(p->arena, "invocations/%s/result.json", id), ref, e))
		return false;
	struct json *j = json_object(p->arena);
	json_set_cstr(j, "record_type", "reconciliation");
	json_set_cstr(j, "format_version", "assay/reconciliation-v1");
	json_set(j, "target_ref", t.ref);
	json_set(j, "result_ref", shape_copy(p->arena, ref));
	json_set(j, "premises", shape_copy(p->arena, json_get(request, "premises")));
	json_set(j, "conclusion", shape_copy(p->arena, json_get(request, "conclusion")));
	if (!evidence_write(p, arena_printf(p->arena, "reconciliations/%s.json", id), j, sha256, e))
		return false;
	*answer = json_object(p->arena);
	json_set_cstr(*answer, "status", "reconciled");
	json_set_cstr(*answer, "sha256", sha256);
	return true;
}
