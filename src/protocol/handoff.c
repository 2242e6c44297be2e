/* The handoff record.
 * In: an evidence root, and what a person judged. Out: one closed record.
 * A local win or a closed family is never the primary reached: that is a selected Champion alone.
 * Never: fills in a judgement. */
#include "protocol/handoff.h"

#include "protocol/champion.h"
#include "protocol/evaluate/secondary.h"
#include "protocol/shape.h"

#define JUDGED                                                                                                         \
	"?conclusion:s ?local_to_end_to_end:s ?unresolved_questions:S ?risks:S ?covered_family:s "                     \
	"?best_remaining_direction:s ?best_remaining_closed_by:s ?repair_cost:s ?stop_reason:s ?skill_feedback:a"
#define FIELDS                                                                                                         \
	"format:s target_ref:o claim_layer:s primary:o primary_reached:b champion:o evidence:a local_results:a "       \
	"boundaries:a prediction_errors:a rejected_directions:a budget:o workspace:o formal:b blanks:a conclusion:x "  \
	"local_to_end_to_end:x unresolved_questions:x risks:x covered_family:x best_remaining_direction:x "            \
	"best_remaining_closed_by:x repair_cost:x stop_reason:x skill_feedback:x"

static const char *const judged[] = {
	"conclusion",  "local_to_end_to_end",      "unresolved_questions",     "risks",       "covered_family",
	"repair_cost", "best_remaining_direction", "best_remaining_closed_by", "stop_reason", "skill_feedback"};

struct gathering {
	struct protocol *p;
	struct target target;
	struct json *out;
	double wall_s, gpu_s;
};

static struct json *list_of(struct gathering *g, const char *key)
{
	struct json *there = json_get(g->out, key);
	return there ? there : json_set_array(g->out, key);
}

static void copy(struct json *to, const struct json *from, const char *key)
{
	const struct json *x = json_get(from, key);
	json_set(to, key, x ? shape_copy(to->arena, x) : json_new_null(to->arena));
}

/* How far a failure reaches, as the Experiment declared it; without a word of it no further than the implementation. */
static void add_rejected(struct gathering *g, const struct json *result, const struct json *experiment)
{
	struct json *j = json_object(g->p->arena);
	copy(j, experiment, "mechanism_key");
	copy(j, experiment, "hypothesis");
	copy(j, result, "stop_reason");
	json_set_str(j, "closes", json_str(experiment, "failure_reach", STR("implementation")));
	json_push(list_of(g, "rejected_directions"), j);
}

static void add_prediction(struct gathering *g, const struct json *result)
{
	const struct json *x = json_path(result, "assay.prediction");
	if (x && json_bool(x, "contradicted", false))
		json_push(list_of(g, "prediction_errors"), shape_copy(g->p->arena, x));
}

/* Constraints that the candidate improved while the primary was not reached. */
static void add_local(struct gathering *g, const struct json *result, const struct json *experiment)
{
	const struct json *list = json_path(result, "performance_receipt.constraint_statistics");
	for (size_t i = 0; list && i < list->n; i++) {
		double high = json_f64(list->items[i], "ci_high_pct", 0);
		if (high >= 0)
			continue;
		struct json *j = json_object(g->p->arena);
		copy(j, list->items[i], "name");
		json_set_f64(j, "gain_at_least_pct", -high);
		copy(j, experiment, "mechanism_key");
		json_set_bool(j, "declared", secondary_declares(experiment, json_str(list->items[i], "name", STR(""))));
		json_set_cstr(j, "note", "primary not reached");
		json_push(list_of(g, "local_results"), j);
	}
}

static bool add_result(struct gathering *g, const char *id, struct err *e)
{
	static const char *const shown[] = {"operation", "verdict", "stop_reason", "measurement_validity",
					    "elapsed_seconds"};
	char sha256[SHA256_HEX];
	char *name = arena_printf(g->p->arena, "invocations/%s/result.json", id);
	if (!file_exists(evidence_path(g->p, name)))
		return true;
	struct json *r = evidence_record(g->p, name, sha256, e), *experiment = NULL;
	if (!r)
		return false;
	const struct json *ref = json_get(r, "experiment_ref");
	if (ref)
		experiment = evidence_record(
			g->p, arena_printf(g->p->arena, "experiments/%s.json", json_str(ref, "id", STR("")).p), NULL,
			e);
	if (ref && !experiment)
		return false;
	struct json *j = json_object(g->p->arena);
	json_set_cstr(j, "invocation_id", id);
	json_set_cstr(j, "sha256", sha256);
	for (size_t i = 0; i < COUNT_OF(shown); i++)
		copy(j, r, shown[i]);
	json_push(list_of(g, "evidence"), j);
	if (json_get(r, "evidence_validity"))
		json_set_str(j, "measurement_validity", json_str(r, "evidence_validity", STR("")));
	bool ran = !str_is(json_str(r, "operation", STR("")), "analyze"); /* reading evidence is on no budget */
	double seconds = ran ? json_f64(r, "elapsed_seconds", 0) : 0;
	g->wall_s += seconds;
	g->gpu_s += seconds * (double)target_gpus(&g->target)->n;
	bool target = str_is(json_str(r, "operation", STR("")), "target");
	if (experiment && str_is(json_str(r, "verdict", STR("")), "rejected"))
		add_rejected(g, r, experiment);
	if (target && experiment && !str_is(json_str(r, "verdict", STR("")), "passed"))
		add_local(g, r, experiment);
	add_prediction(g, r);
	return true;
}

static bool add_experiments(struct gathering *g, struct err *e)
{
	size_t n;
	char **names = file_list(g->p->arena, evidence_path(g->p, "experiments"), &n, e);
	for (size_t i = 0; names && i < n; i++) {
		struct json *x = evidence_record(g->p, arena_printf(g->p->arena, "experiments/%s", names[i]), NULL, e);
		if (!x)
			return false;
		struct json *j = json_object(g->p->arena);
		copy(j, x, "id");
		copy(j, x, "mechanism_key");
		copy(j, x, "opportunity_claim");
		json_push(list_of(g, "boundaries"), j);
	}
	return names != NULL;
}

static void put_budget(struct gathering *g)
{
	const struct json *granted = json_path(g->target.record, "assay.budget");
	struct json *j = json_set_object(g->out, "budget"), *used = json_set_object(j, "used");
	json_set_f64(used, "wall_seconds", g->wall_s);
	json_set_f64(used, "gpu_seconds", g->gpu_s);
	json_set_null(j, "left");
	if (!granted)
		return;
	struct json *left = json_set_object(j, "left");
	json_set_f64(left, "wall_seconds", json_f64(granted, "wall_seconds", 0) - g->wall_s);
	json_set_f64(left, "gpu_seconds", json_f64(granted, "gpu_seconds", 0) - g->gpu_s);
}

static bool put_champion(struct gathering *g, struct err *e)
{
	struct champion now;
	if (!champion_load(&now, g->p, &g->target, e))
		return false;
	struct json *j = json_set_object(g->out, "champion");
	bool is_selected = now.selection && str_is(json_str(now.selection, "decision", STR("")), "select_candidate");
	json_set_bool(j, "is_original", !is_selected);
	json_set(j, "variant", shape_copy(g->p->arena, now.variant));
	json_set(j, "selection_ref", now.selection_ref ? now.selection_ref : json_new_null(g->p->arena));
	json_set_bool(g->out, "primary_reached", is_selected);
	return true;
}

static void put_judgement(struct gathering *g, const struct json *judgement)
{
	struct json *blanks = json_set_array(g->out, "blanks");
	for (size_t i = 0; i < COUNT_OF(judged); i++) {
		copy(g->out, judgement, judged[i]);
		if (!json_get(judgement, judged[i]))
			json_push_str(blanks, str_from(judged[i]));
	}
}

static void put_head(struct gathering *g, bool redact)
{
	struct json *primary = json_set_object(g->out, "primary"), *w = json_set_object(g->out, "workspace");
	json_set_cstr(g->out, "format", HANDOFF_FORMAT);
	json_set(g->out, "target_ref", g->target.ref);
	copy(g->out, g->target.record, "claim_layer");
	copy(primary, g->target.record, "primary_metric");
	copy(primary, g->target.record, "minimum_effect");
	json_set_bool(g->out, "formal", true);
	json_set_cstr(w, "artifact_root", redact ? "redacted" : g->p->root);
	json_set(w, "driver_command",
		 redact ? json_new_null(g->p->arena)
			: shape_copy(g->p->arena, json_path(g->target.record, "driver.command")));
	list_of(g, "evidence");
	list_of(g, "local_results");
	list_of(g, "boundaries");
	list_of(g, "prediction_errors");
	list_of(g, "rejected_directions");
}

bool handoff_check(const struct json *handoff, struct err *e)
{
	const struct json *feedback = json_get(handoff, "skill_feedback");
	if (!shape_check(handoff, "handoff", FIELDS, e))
		return false;
	for (size_t i = 0; feedback && feedback->type == JSON_ARRAY && i < feedback->n; i++) {
		if (!shape_check(feedback->items[i], "handoff.skill_feedback",
				 "observation:s effect:s wanted_change:s evidence:s", e))
			return false;
	}
	return true;
}

bool handoff_make(struct json **out, struct protocol *p, const struct json *judgement, bool redact, struct err *e)
{
	struct gathering g = {.p = p, .out = json_object(p->arena)};
	size_t n;
	if ((judgement && !shape_check(judgement, "judgement", JUDGED, e)) ||
	    !target_load_optimizable(&g.target, p, NULL, e))
		return false;
	put_head(&g, redact);
	char **ids = file_list(p->arena, evidence_path(p, "invocations"), &n, e);
	for (size_t i = 0; ids && i < n; i++) {
		if (!add_result(&g, ids[i], e))
			return false;
	}
	if (!ids || !add_experiments(&g, e) || !put_champion(&g, e))
		return false;
	put_budget(&g);
	put_judgement(&g, judgement);
	*out = g.out;
	return handoff_check(g.out, e);
}
