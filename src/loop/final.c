/* The final answer as a record.
 * In: manifest, proposals, the winner's full report. Out: nine items as JSON; final_text.c prints them.
 * What a proposal says is quoted as its author's statement.
 * Never: says that a version is right where there was no reference. */
#include "loop/final.h"

#include "base/file.h"
#include "loop/best.h"
#include "loop/outcome.h"
#include "loop/proposal.h"
#include "loop/satisfied.h"
#include "loop/text.h"

static const char *const times[] = {"median_ms", "average_ms", "min_ms", "max_ms", "source"};

static int64_t best_of(const struct run *r)
{
	return json_i64(r->manifest, "best_iteration", -1);
}

static struct json *value_or_null(struct arena *a, const struct json *j, const char *key)
{
	struct json *v = json_get(j, key);
	return v ? v : json_new_null(a);
}

/* The one that stands for a version with a set; null: it has none, or none passed. */
static struct json *configuration_of(struct run *r, const struct json *it)
{
	struct json *id = json_path(it, "configuration.id");
	return id ? id : json_new_null(r->arena);
}

static struct json *brief(struct run *r, int64_t i)
{
	struct json *x = json_object(r->arena);
	const struct json *it = i >= 0 ? run_iteration(r, (size_t)i) : NULL;
	if (!it)
		return json_new_null(r->arena);
	json_set_i64(x, "iteration", i);
	for (size_t k = 0; k < COUNT_OF(times); k++)
		json_set(x, times[k], value_or_null(r->arena, it, times[k]));
	json_set(x, "configuration", configuration_of(r, it));
	json_set_cstr(x, "results", text_correct(r, it));
	return x;
}

static void put_best(struct json *j, struct run *r)
{
	int64_t best = best_of(r);
	struct json *x = json_set_object(j, "best");
	const struct json *it = best >= 0 ? run_iteration(r, (size_t)best) : NULL;
	json_set(x, "iteration", value_or_null(r->arena, r->manifest, "best_iteration"));
	json_set(x, "path", value_or_null(r->arena, it, "path"));
	json_set(x, "configuration", value_or_null(r->arena, it, "configuration"));
	json_set(x, "reason", value_or_null(r->arena, r->manifest, "best_reason"));
	json_set(x, "confirmed", value_or_null(r->arena, r->manifest, "best_confirmed"));
	json_set(x, "best_measured", value_or_null(r->arena, r->manifest, "best_measured"));
	int64_t measured = json_i64(r->manifest, "best_measured", -1);
	const struct json *it_measured = measured >= 0 ? run_iteration(r, (size_t)measured) : NULL;
	json_set(x, "best_measured_path", value_or_null(r->arena, it_measured, "path"));
	json_set(x, "best_measured_configuration", value_or_null(r->arena, it_measured, "configuration"));
}

static void put_comparison(struct json *j, struct run *r)
{
	int64_t best = best_of(r), shown = best >= 0 ? best : json_i64(r->manifest, "best_measured", -1);
	struct json *x = json_set_object(j, "comparison");
	const struct json *c = best > 0 ? best_confirmation(r, (size_t)best) : NULL;
	struct json *copy = json_new_null(r->arena);
	if (c) {
		copy = json_object(r->arena);
		for (size_t i = 0; i < c->n; i++)
			json_put(copy, c->members[i].key, c->members[i].value);
	}
	json_set(x, "baseline", brief(r, run_n_iterations(r) ? 0 : -1));
	json_set(x, "best", brief(r, shown));
	json_set(x, "confirmation", copy);
	json_set(x, "confirmations", value_or_null(r->arena, r->manifest, "confirmations"));
}

static void put_reports(struct json *j, struct run *r)
{
	int64_t best = best_of(r);
	const struct json *it = best >= 0 ? run_iteration(r, (size_t)best) : NULL;
	struct json *commands = json_set_object(j, "commands");
	json_set(j, "full_report", value_or_null(r->arena, it, "full_report"));
	json_set(commands, "targeted", value_or_null(r->arena, it, "targeted_command"));
	json_set(commands, "full", value_or_null(r->arena, it, "full_command"));
	json_set_bool(commands, "one_collection", json_bool(it, "one_collection", false));
}

/* The body of a heading in the proposal that led to version i; empty when there is none. */
static struct str stated(struct run *r, int64_t i, enum proposal_heading h)
{
	struct proposal p;
	struct err ignored;
	if (i < 1 || !proposal_read(&p, r->arena, run_proposal_path(r, (size_t)i - 1), &ignored))
		return STR("");
	return p.sections[h].body;
}

static void put_bottleneck(struct json *j, struct run *r)
{
	int64_t best = best_of(r);
	struct json *x = json_set_object(j, "bottleneck");
	const struct json *it = best >= 0 ? run_iteration(r, (size_t)best) : NULL;
	struct str body = stated(r, best, PROPOSAL_BOTTLENECKS);
	json_set(x, "stated_by_author", body.n ? json_new_str(r->arena, body) : json_new_null(r->arena));
	json_set(x, "rules_satisfied", satisfied_rules(r->arena, text_or(r->arena, it, "full_report", NULL)));
}

/* What the winner does: its own change, and those of faster versions before it whose tags are all among its own. */
static void put_ideas(struct json *j, struct run *r)
{
	int64_t best = best_of(r);
	struct json *list = json_set_array(j, "key_ideas");
	struct tags winner, part;
	if (best < 1)
		return;
	tags_from_json(&winner, r->arena, json_path(run_iteration(r, (size_t)best), "strategy.tags"));
	for (int64_t i = 1; i <= best; i++) {
		const struct json *s = json_get(run_iteration(r, (size_t)i), "strategy");
		tags_from_json(&part, r->arena, json_get(s, "tags"));
		bool is_part = str_is(json_str(s, "outcome", STR("")), "positive") && tags_subset(&part, &winner);
		struct str change = stated(r, i, PROPOSAL_CHANGE);
		if ((i != best && !is_part) || !change.n)
			continue;
		struct json *x = json_object(r->arena);
		json_set_i64(x, "from", i - 1);
		json_set_i64(x, "to", i);
		json_set_str(x, "stated_by_author", change);
		json_set(x, "claims", value_or_null(r->arena, s, "claims"));
		json_push(list, x);
	}
}

static void put_others(struct json *j, struct run *r)
{
	int64_t best = best_of(r);
	struct json *list = json_set_array(j, "others");
	for (size_t i = 0; i < run_n_iterations(r); i++) {
		const struct json *it = run_iteration(r, i), *s = json_get(it, "strategy");
		const struct json *c = i ? best_confirmation(r, i) : NULL;
		struct json *x = json_object(r->arena);
		bool is_rejected = json_bool(it, "rejected", false), is_eligible = json_bool(it, "eligible", false);
		if ((int64_t)i == best)
			continue;
		json_set_u64(x, "iteration", i);
		json_set(x, "outcome", value_or_null(r->arena, s, "outcome"));
		json_set(x, "reason", value_or_null(r->arena, s, "reason"));
		json_set(x, "median_ms", value_or_null(r->arena, it, "median_ms"));
		json_set(x, "configuration", configuration_of(r, it));
		const char *why = is_rejected ? text_or(r->arena, s, "why", text_or(r->arena, it, "verdict_text", "?"))
				  : !is_eligible ? text_or(r->arena, it, "full_reason", "no full report")
				  : c            ? "not confirmed to be faster than v0"
				      : text_or(r->arena, it, "ranking_reason", "ranks behind the best version");
		json_set_cstr(x, "place", is_rejected ? "rejected" : !is_eligible ? "not eligible" : "behind");
		json_set_cstr(x, "why", why);
		json_set(x, "claims", value_or_null(r->arena, s, "claims"));
		json_push(list, x);
	}
}

static void put_memory(struct json *j, struct run *r)
{
	struct json *x = json_set_object(j, "strategy_memory");
	const struct json *current = json_path(r->manifest, "strategy_memory.current_run");
	for (size_t k = 0; k < COUNT_OF(memory_outcomes); k++) {
		const struct json *bucket = json_get(current, memory_outcomes[k]);
		struct json *list = json_set_array(x, memory_outcomes[k]);
		for (size_t i = 0; bucket && i < bucket->n; i++) {
			struct json *entry = json_object(r->arena);
			json_set_str(entry, "fingerprint", bucket->members[i].key);
			json_set(entry, "tags", value_or_null(r->arena, bucket->members[i].value, "tags"));
			json_set(entry, "iteration",
				 value_or_null(r->arena, bucket->members[i].value, "last_iteration"));
			json_set(entry, "reason", value_or_null(r->arena, bucket->members[i].value, "last_reason"));
			json_push(list, entry);
		}
	}
}

static struct json *mark(struct arena *a, size_t i, struct str fingerprint)
{
	struct json *x = json_object(a);
	json_set_u64(x, "iteration", i);
	json_set_str(x, "fingerprint", fingerprint);
	return x;
}

/* From the proposals: which preferred strategies each version merged. A claim counts when the tags bear it out. */
static void put_merged(struct json *merged, struct json *not_merged, struct run *r, size_t i)
{
	const struct json *preferred = json_path(run_iteration(r, i), "strategy.constraints.preferred");
	struct proposal p;
	struct err ignored;
	if (!preferred || !proposal_read(&p, r->arena, run_proposal_path(r, i - 1), &ignored))
		return;
	for (size_t k = 0; k < preferred->n; k++) {
		const struct proposal_answer *x = proposal_answer(&p, preferred->items[k]->text);
		if (x && x->is_answered)
			json_push(x->is_merged ? merged : not_merged, mark(r->arena, i, preferred->items[k]->text));
	}
}

static void put_constraints(struct json *j, struct run *r)
{
	struct json *x = json_set_object(j, "constraints"), *reused = json_set_array(x, "blocked_reused");
	struct json *merged = json_set_array(x, "preferred_merged"),
		    *not_merged = json_set_array(x, "preferred_not_merged");
	for (size_t i = 1; i < run_n_iterations(r); i++) {
		const struct json *s = json_get(run_iteration(r, i), "strategy");
		if (json_bool(s, "blocked_before_iteration", false))
			json_push(reused, mark(r->arena, i, json_str(s, "fingerprint", STR(""))));
		put_merged(merged, not_merged, r, i);
	}
	json_set_bool(x, "blocked_avoided", reused->n == 0);
}

struct json *final_make(struct run *r)
{
	struct json *j = json_object(r->arena);
	json_set_cstr(j, "format", "assay/summary-v1");
	json_set_cstr(j, "run_dir", r->folder);
	json_set_cstr(j, "claim_layer", "kernel");
	json_set_bool(j, "formal", false);
	json_set_bool(j, "has_reference", text_has_reference(r));
	json_set_u64(j, "n_versions", run_n_iterations(r));
	json_set_i64(j, "max_iterations", json_i64(r->manifest, "max_iterations", 0));
	json_set(j, "ended", value_or_null(r->arena, r->manifest, "ended"));
	json_set(j, "interrupted", value_or_null(r->arena, r->manifest, "interrupted"));
	json_set(j, "stop_conditions_met", value_or_null(r->arena, r->manifest, "stop_conditions_met"));
	put_best(j, r);
	put_comparison(j, r);
	put_reports(j, r);
	put_bottleneck(j, r);
	put_ideas(j, r);
	put_others(j, r);
	put_memory(j, r);
	put_constraints(j, r);
	return j;
}

bool final_write(struct run *r, struct err *e)
{
	struct json *j = final_make(r);
	struct buf b;
	buf_init(&b);
	final_markdown(&b, j);
	bool ok = run_write_json(r, "final_summary.json", j, e) &&
		  file_write_str(path_join(r->arena, r->folder, "final_summary.md"), buf_view(&b), e);
	buf_release(&b);
	return ok;
}
