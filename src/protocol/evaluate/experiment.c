/* Creating an Experiment.
 * In: an experiment request. Out: experiments/exp-DIGEST.json and the frozen candidate.
 * The base must be the original; what changed must lie in the declared scope.
 * Never: runs a driver. */
#include "protocol/evaluate/experiment.h"

#include "protocol/champion.h"
#include "protocol/evaluate/input.h"
#include "protocol/evaluate/plan.h"
#include "protocol/evaluate/premise.h"
#include "protocol/evaluate/secondary.h"
#include "protocol/shape.h"

struct creating {
	struct protocol *p;
	const struct json *request;
	struct target target;
	struct champion champion;
	struct json *candidate, *base, *changed, *record, *baseline;
	struct tree_limits limits;
};

static bool check_baseline(struct creating *c, struct err *e)
{
	const struct json *ref = json_get(c->request, "baseline_ref");
	char *path = arena_printf(c->p->arena, "invocations/%s/result.json", json_str(ref, "invocation_id", STR("")).p);
	struct json *r = c->baseline = plan_record(c->p, "baseline", path, ref, e);
	if (!r)
		return false;
	return (str_is(json_str(r, "operation", STR("")), "baseline") &&
		str_is(json_str(r, "verdict", STR("")), "passed") &&
		shape_same(json_get(r, "target_ref"), c->target.ref)) ||
	       err_set(e, ERR_INPUT, "baseline: is no passed baseline of this Target");
}

static int risk(struct str word)
{
	return str_is(word, "low") ? 0 : str_is(word, "medium") ? 1 : 2;
}

static bool check_claims(struct creating *c, struct err *e)
{
	const struct json *effect = json_get(c->request, "minimum_effect"), *objective = c->target.record;
	double mine = json_is_number(effect) ? effect->real : json_f64(effect, "value", -1);
	int layer = target_layer(json_str(c->request, "claim_layer", STR("")));
	protocol_step(c->p, "invalid_evaluator_input");
	if (mine != json_f64(json_get(objective, "minimum_effect"), "value", 0))
		return err_set(e, ERR_INPUT, "minimum_effect: is not the Target's");
	if (layer > target_layer(json_str(objective, "claim_layer", STR(""))))
		return err_set(e, ERR_INPUT, "claim_layer: is above the Target's");
	if (!secondary_check(c->request, objective, e))
		return false;
	protocol_step(c->p, "risk_exceeded");
	struct str most = json_str(json_get(objective, "assay"), "max_risk", STR("high")),
		   stated = json_str(c->request, "max_risk", STR(""));
	return risk(stated) <= risk(most) ||
	       err_set(e, ERR_INPUT, "max_risk: %s is above the Target's %s", stated.p, most.p);
}

/* ---- what changed ---- */

static const struct tree_entry *find(const struct tree_entry *list, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(list[i].path, path) == 0)
			return &list[i];
	}
	return NULL;
}

static bool differs(const struct tree_entry *a, const struct tree_entry *b)
{
	if (!a || !b || a->is_folder != b->is_folder || a->mode != b->mode)
		return true;
	return !a->is_folder && (a->n_bytes != b->n_bytes || strcmp(a->sha256, b->sha256) != 0);
}

static bool in_scope(const struct json *scope, struct str path)
{
	for (size_t i = 0; i < scope->n; i++) {
		struct str s = scope->items[i]->text;
		while (s.n > 1 && s.p[s.n - 1] == '/')
			s.n--;
		if (str_is(s, ".") || str_eq(s, path) ||
		    (path.n > s.n && memcmp(path.p, s.p, s.n) == 0 && path.p[s.n] == '/'))
			return true;
	}
	return false;
}

static void add_changes(struct json *out, const struct tree_entry *const lists[2], const size_t n[2], bool only_missing)
{
	for (size_t i = 0; i < n[0]; i++) {
		const struct tree_entry *other = find(lists[1], n[1], lists[0][i].path);
		if (only_missing ? !other : differs(&lists[0][i], other))
			json_push_str(out, str_from(lists[0][i].path));
	}
}

static bool find_changes(struct creating *c, struct err *e)
{
	const struct json *scope = json_get(c->request, "change_scope"),
			  *allowed = json_path(c->target.record, "assay.allowed_paths");
	const struct json *original = json_get(c->target.record, "original");
	size_t n[2], back[2];
	const struct tree_entry *lists[2] = {evidence_entries(c->p, json_str(original, "digest", STR("")).p, &n[0], e),
					     NULL};
	lists[1] = lists[0] ? evidence_entries(c->p, json_str(c->candidate, "digest", STR("")).p, &n[1], e) : NULL;
	if (!lists[1])
		return false;
	const struct tree_entry *turned[2] = {lists[1], lists[0]};
	back[0] = n[1];
	back[1] = n[0];
	c->changed = json_array(c->p->arena);
	add_changes(c->changed, lists, n, false);
	add_changes(c->changed, turned, back, true);
	protocol_step(c->p, "candidate_unchanged");
	if (c->changed->n == 0)
		return err_set(e, ERR_INPUT, "candidate: is the original");
	protocol_step(c->p, "change_scope_exceeded");
	for (size_t i = 0; i < c->changed->n; i++) {
		struct str path = c->changed->items[i]->text;
		if (!in_scope(scope, path) || (allowed && !in_scope(allowed, path)))
			return err_set(e, ERR_INPUT, "candidate: %.200s changed and is outside the declared scope",
				       path.p);
	}
	return true;
}

static bool freeze_sources(struct creating *c, struct err *e)
{
	const struct json *base = json_get(c->request, "source_base"), *candidate = json_get(c->request, "candidate");
	c->limits = (struct tree_limits){.max_files = 100000};
	protocol_step(c->p, "source_base_changed");
	if (!evidence_digest(c->p, json_str(base, "path", STR("")).p, &c->limits, &c->base, e))
		return false;
	if (!shape_same(json_get(c->base, "digest"), json_get(json_get(c->target.record, "original"), "digest")))
		return err_set(e, ERR_INPUT, "source_base: is not the original that the Target froze");
	protocol_step(c->p, "candidate_invalid");
	return evidence_freeze(c->p, json_str(candidate, "path", STR("")).p, &c->limits, &c->candidate, e);
}

/* ---- the record ---- */

static struct json *variant(struct creating *c, const char *role, const char *kind, const struct json *ref)
{
	struct json *j = json_object(c->p->arena);
	json_set_cstr(j, "role", role);
	json_set_cstr(j, "kind", kind);
	json_set(j, "digest", shape_copy(c->p->arena, json_get(ref, "digest")));
	json_set(j, "locator", shape_copy(c->p->arena, json_get(ref, "locator")));
	return j;
}

static void compose(struct creating *c)
{
	static const char *const given[] = {
		"hypothesis",        "mechanism_key",       "claim_layer",       "cheapest_falsifier", "screen_design",
		"estimated_cost",    "reject_if",           "promote_if",        "change_scope",       "max_risk",
		"material_premises", "comparison_contract", "opportunity_claim", "secondaries",        "equivalents",
		"failure_reach",     "reconciliation_ref"};
	struct arena *a = c->p->arena;
	char digest[SHA256_HEX];
	struct json *j = c->record = json_object(a);
	json_set(j, "target_ref", c->target.ref);
	json_set(j, "baseline_ref", shape_copy(a, json_get(c->request, "baseline_ref")));
	json_set(j, "source_base",
		 variant(c, "original", json_str(json_get(c->request, "source_base"), "kind", STR("")).p, c->base));
	json_set(j, "reference_variant",
		 variant(c, "reference", json_str(c->champion.variant, "kind", STR("")).p, c->champion.variant));
	json_set(j, "reference_selection_ref",
		 c->champion.selection_ref ? c->champion.selection_ref : json_new_null(a));
	json_set(j, "candidate",
		 variant(c, "candidate", json_str(json_get(c->request, "candidate"), "kind", STR("")).p, c->candidate));
	json_set_f64(j, "minimum_effect", json_f64(json_get(c->target.record, "minimum_effect"), "value", 0));
	for (size_t i = 0; i < COUNT_OF(given); i++) {
		if (json_get(c->request, given[i]))
			json_set(j, given[i], shape_copy(a, json_get(c->request, given[i])));
	}
	json_set(j, "changed_paths", c->changed);
	evidence_canonical(j, digest);
	json_set_cstr(j, "id", arena_printf(a, "exp-%s", digest));
	json_set_cstr(j, "record_type", "experiment");
	json_set_cstr(j, "format_version", PROTOCOL("experiment-v2"));
}

static bool publish(struct json **answer, struct creating *c, struct err *e)
{
	struct arena *a = c->p->arena;
	char sha256[SHA256_HEX];
	const char *id = json_str(c->record, "id", STR("")).p;
	protocol_step(c->p, "experiment_conflict");
	if (!evidence_write(c->p, arena_printf(a, "experiments/%s.json", id), c->record, sha256, e))
		return false;
	struct json *j = *answer = json_object(a), *ref = json_set_object(j, "experiment_ref");
	json_set_cstr(j, "status", "created");
	json_set_cstr(ref, "id", id);
	json_set_cstr(ref, "sha256", sha256);
	struct json *x = json_set_object(j, "candidate_ref");
	json_set(x, "digest", json_get(c->candidate, "digest"));
	json_set(x, "locator", json_get(c->candidate, "locator"));
	json_set(j, "reference_selection_ref", json_get(c->record, "reference_selection_ref"));
	return true;
}

bool experiment_create(struct json **answer, struct protocol *p, const struct json *request, struct err *e)
{
	struct creating c = {.p = p, .request = request};
	if (!target_load_optimizable(&c.target, p, json_get(request, "target_ref"), e) || !check_baseline(&c, e) ||
	    !check_claims(&c, e))
		return false;
	if (!champion_load(&c.champion, p, &c.target, e))
		return protocol_step(p, "champion_invalid") && false;
	struct premise_input in = {c.target.record, c.baseline, request};
	if (!premise_check(p, &in, e) || !freeze_sources(&c, e) || !find_changes(&c, e))
		return false;
	protocol_step(p, "candidate_unchanged");
	if (shape_same(json_get(c.candidate, "digest"), json_get(c.champion.variant, "digest")))
		return err_set(e, ERR_INPUT, "candidate: is the current Champion");
	compose(&c);
	return publish(answer, &c, e);
}
