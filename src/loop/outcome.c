/* Outcomes of versions.
 * In: entries of the manifest, a paired comparison. Out: reasons, the run's memory, events for the global one.
 * The run's memory is made anew from the iterations each time, so that a step done again cannot count twice.
 * Never: calls a version faster that the paired comparison does not call so. */
#include "loop/outcome.h"

#include <math.h>

#include "base/clock.h"
#include "loop/machine.h"

static const struct {
	const char *word, *outcome, *text;
} reasons[REASON_COUNT] = {
#define REASON(id, word, outcome, text) {word, outcome, text},
#include "loop/outcome.def"
#undef REASON
};

const char *outcome_reason_word(enum outcome_reason r)
{
	return reasons[r].word;
}

const char *outcome_word(enum outcome_reason r)
{
	return reasons[r].outcome;
}

int64_t outcome_previous(const struct run *r, size_t i)
{
	while (i-- > 0) {
		const struct json *it = run_iteration(r, i);
		if (it && !json_bool(it, "rejected", true) && json_is_number(json_get(it, "median_ms")))
			return (int64_t)i;
	}
	return -1;
}

enum outcome_reason outcome_of_verdict(enum verdict v)
{
	struct str word = str_from(verdict_word(v));
	static const char *const integrity[] = {"input_modified", "guard_damaged",     "bad_syscall",
						"protocol_error", "context_destroyed", "file_too_large"};
	for (size_t i = 0; i < COUNT_OF(integrity); i++) {
		if (str_is(word, integrity[i]))
			return REASON_INTEGRITY_FAILED;
	}
	if (str_is(word, outcome_reason_word(REASON_WORKLOAD_CHANGED)))
		return REASON_WORKLOAD_CHANGED;
	if (v == VERDICT_NO_ENTRY || v == VERDICT_NOT_READY || verdict_stage(v) == VERDICT_STAGE_BUILD)
		return REASON_BUILD_FAILED;
	return verdict_stage(v) == VERDICT_STAGE_CORRECTNESS ? REASON_CORRECTNESS_FAILED : REASON_BENCHMARK_FAILED;
}

static void set(struct outcome *out, enum outcome_reason r, const char *why)
{
	out->reason = r;
	out->why = why && *why ? why : reasons[r].text;
}

static const char *text_of(struct arena *a, const struct json *it, const char *key)
{
	struct str s = json_str(it, key, STR(""));
	return arena_strndup(a, s.n ? s.p : "", s.n);
}

/* A report that is missing or not of this version. Counters that the machine refuses are no fault of the version. */
static bool judge_reports(struct outcome *out, struct arena *a, const struct json *it)
{
	static const struct {
		const char *reason, *report;
		enum outcome_reason failed;
	} sets[] = {{"targeted_reason", "targeted_file", REASON_TARGETED_FAILED},
		    {"full_reason", "full_file", REASON_FULL_FAILED}};
	for (size_t i = 0; i < COUNT_OF(sets); i++) {
		const char *why = text_of(a, it, sets[i].reason);
		if (!*why)
			continue;
		bool is_there = json_str(it, sets[i].report, STR("")).n > 0;
		out->is_environment = strstr(why, "ERR_NVGPUCTRPERM") != NULL;
		set(out, is_there ? REASON_NCU_INCOMPLETE : sets[i].failed, why);
		return true;
	}
	return false;
}

static const char *describe(struct arena *a, const struct confirmed *c, int64_t previous)
{
	if (!c->has_effect)
		return arena_printf(a, "v%lld: %s%s%s", (long long)previous, verdict_word(c->verdict),
				    c->text && *c->text ? ": " : "", c->text ? c->text : "");
	return arena_printf(a,
			    "v%lld takes %.2f %% %s time than this version (%+.2f to %+.2f %%, %zu placements): %s%s%s",
			    (long long)previous, fabs(c->effect_pct), c->effect_pct < 0 ? "less" : "more", c->lower_pct,
			    c->upper_pct, c->n_placements, verdict_word(c->verdict), c->text && *c->text ? ": " : "",
			    c->text ? c->text : "");
}

void outcome_judge(struct outcome *out, struct arena *a, const struct json *it, const struct confirmed *pair,
		   int64_t previous)
{
	enum verdict v = VERDICT_PASSED;
	*out = (struct outcome){.previous = previous};
	(void)verdict_from_word(json_str(it, "verdict", STR("")), &v);
	if (json_bool(it, "rejected", true)) {
		/* A reference that cannot be run says nothing about the version. */
		out->is_environment = v == VERDICT_REFERENCE_FAILED || v == VERDICT_BAD_REFERENCE;
		set(out, out->is_environment ? REASON_BENCHMARK_FAILED : outcome_of_verdict(v),
		    text_of(a, it, "verdict_text"));
		return;
	}
	if (!json_is_number(json_get(it, "median_ms"))) {
		set(out, REASON_BENCHMARK_FAILED, "no time could be taken");
		return;
	}
	if (!json_bool(it, "without_profile", false) && judge_reports(out, a, it))
		return;
	if (previous < 0) {
		set(out, REASON_BASELINE_SEED, NULL);
		return;
	}
	if (!pair)
		BUG("a version with a predecessor is judged without a comparison");
	if (verdict_stage(pair->verdict) != VERDICT_STAGE_COMPARISON) {
		out->is_environment = pair->is_of_a;
		set(out, pair->is_of_a ? REASON_BENCHMARK_FAILED : outcome_of_verdict(pair->verdict),
		    arena_printf(a, "%s in the comparison with v%lld: %s",
				 pair->is_of_a ? "the previous version failed" : "failed", (long long)previous,
				 pair->text && *pair->text ? pair->text : verdict_word(pair->verdict)));
		return;
	}
	/* Not judged at all: what others did to the machine closes nothing. */
	out->is_environment = pair->verdict == VERDICT_INCONCLUSIVE && pair->is_disturbed;
	set(out, pair->verdict == VERDICT_FASTER ? REASON_FASTER : REASON_NOT_FASTER, describe(a, pair, previous));
}

void outcome_put(struct run *r, struct json *it, const struct strategy *s, const struct outcome *o,
		 const struct json *constraints)
{
	struct arena *a = r->arena;
	struct json *j = json_set_object(it, "strategy"), *memory = json_get(r->manifest, "strategy_memory");
	struct json *unknown = json_array(a), *mechanisms = tags_mechanisms(a, &s->tags);
	char now[25];
	clock_utc_iso(now);
	for (size_t i = 0; i < s->tags.n; i++) {
		if (!json_get(mechanisms, s->tags.items[i]))
			json_push_str(unknown, str_from(s->tags.items[i]));
	}
	json_set(j, "tags", tags_json(a, &s->tags));
	json_set_cstr(j, "fingerprint", s->fingerprint);
	json_set(j, "mechanisms", mechanisms);
	json_set(j, "unknown_tags", unknown);
	json_set(j, "claims", machine_claims(a, json_get(it, "machine_code"), &s->tags));
	json_set_cstr(j, "outcome", outcome_word(o->reason));
	json_set_cstr(j, "reason", outcome_reason_word(o->reason));
	json_set(j, "previous", o->previous < 0 ? json_new_null(a) : json_new_i64(a, o->previous));
	json_set_cstr(j, "why", o->why);
	json_set_bool(j, "is_environment", o->is_environment);
	json_set_bool(j, "blocked_before_iteration", o->reason == REASON_BLOCKED_REUSED);
	struct json *c = json_set_object(j, "constraints");
	if (constraints) {
		json_set(c, "blocked", json_get(constraints, "blocked_fingerprints"));
		json_set(c, "preferred", json_get(constraints, "preferred_fingerprints"));
	}
	json_set_cstr(j, "at", now);
	int64_t event = json_i64(memory, "n_events", 0) + 1;
	json_set_i64(j, "event", event);
	json_set_i64(memory, "n_events", event);
}

static struct json *evidence_of(struct run *r, const struct json *it)
{
	struct arena *a = r->arena;
	struct json *v = json_object(a);
	const struct json *s = json_get(it, "strategy"), *pair = json_get(it, "comparison");
	int64_t previous = json_i64(s, "previous", -1);
	const struct json *before = previous >= 0 ? run_iteration(r, (size_t)previous) : NULL;
	static const char *const keys[] = {"effect_pct", "lower_pct", "upper_pct", "n_placements"};
	json_set(v, "baseline_iteration", previous < 0 ? json_new_null(a) : json_new_i64(a, previous));
	json_set_f64(v, "baseline_median_ms", json_f64(before, "median_ms", NAN));
	json_set_f64(v, "current_median_ms", json_f64(it, "median_ms", NAN));
	for (size_t i = 0; pair && i < COUNT_OF(keys); i++) {
		if (json_get(pair, keys[i]))
			json_set(v, keys[i], json_get(pair, keys[i]));
	}
	struct json *id = json_get(it, "kernel_sha256");
	json_set(v, "kernel_sha256", id ? id : json_new_null(a));
	struct json *configuration = json_path(it, "configuration.id");
	if (configuration)
		json_set(v, "configuration", configuration);
	json_set(v, "run_id", json_get(r->manifest, "run_id") ? json_get(r->manifest, "run_id") : json_new_null(a));
	return v;
}

static struct json *entry_of(struct run *r, const struct json *it)
{
	struct arena *a = r->arena;
	struct json *x = json_object(a), *s = json_get(it, "strategy");
	int64_t i = json_i64(it, "iteration", 0);
	struct str digest = json_str(it, "kernel_sha256", STR("")),
		   set = json_str(json_get(it, "configuration"), "id", STR(""));
	json_set(x, "tags", json_get(s, "tags"));
	json_set_i64(x, "first_iteration", i);
	json_set_i64(x, "last_iteration", i);
	json_set_i64(x, "count", 1);
	json_set(x, "last_outcome", json_get(s, "outcome"));
	json_set(x, "last_reason", json_get(s, "reason"));
	json_set(x, "evidence", evidence_of(r, it));
	json_set_cstr(x, "closes",
		      arena_printf(a, "this implementation (v%lld, %.*s%s%.*s) in this scope", (long long)i,
				   (int)(digest.n > 12 ? 12 : digest.n), digest.n ? digest.p : "", set.n ? ", " : "",
				   STR_ARG(set)));
	json_set(x, "why", json_get(s, "why"));
	json_set(x, "at", json_get(s, "at"));
	return x;
}

static bool is_of(const struct json *it, const char *reason)
{
	return str_is(json_str(json_get(it, "strategy"), "reason", STR("")), reason);
}

/* A blocked strategy that came again is counted; why it is blocked stays what it was. */
static void add_to_bucket(struct run *r, struct json *bucket, const struct json *it)
{
	struct str fingerprint = json_str(json_get(it, "strategy"), "fingerprint", STR(""));
	struct json *before = json_find(bucket, fingerprint), *x = entry_of(r, it);
	if (before && is_of(it, "blocked_strategy_reused")) {
		json_set_i64(before, "last_iteration", json_i64(it, "iteration", 0));
		json_set_i64(before, "count", json_i64(before, "count", 0) + 1);
		return;
	}
	if (before) {
		json_set_i64(x, "first_iteration", json_i64(before, "first_iteration", 0));
		json_set_i64(x, "count", json_i64(before, "count", 0) + 1);
	}
	json_put(bucket, fingerprint, x);
}

static void see(struct json *order, struct str fingerprint)
{
	for (size_t i = 0; i < order->n; i++) {
		if (str_eq(order->items[i]->text, fingerprint))
			return;
	}
	json_push_str(order, fingerprint);
}

void outcome_rebuild(struct run *r)
{
	struct json *current = json_set_object(json_get(r->manifest, "strategy_memory"), "current_run");
	for (size_t k = 0; k < COUNT_OF(memory_outcomes); k++)
		json_set_object(current, memory_outcomes[k]);
	struct json *order = json_set_array(current, "seen_order");
	for (size_t i = 0; i < run_n_iterations(r); i++) {
		const struct json *it = run_iteration(r, i), *s = json_get(it, "strategy");
		struct str outcome = json_str(s, "outcome", STR(""));
		if (!s)
			continue;
		see(order, json_str(s, "fingerprint", STR("")));
		if (!json_bool(s, "is_environment", false))
			add_to_bucket(r, json_find(current, outcome), it);
	}
}

/* Versions whose outcome is new evidence for others. */
static bool is_shared(const struct json *it)
{
	const struct json *s = json_get(it, "strategy");
	bool is_failed_baseline = json_i64(it, "iteration", 0) == 0 && !is_of(it, "baseline_seed");
	return s && !json_bool(s, "is_environment", false) && !json_bool(it, "without_profile", false) &&
	       !is_of(it, "blocked_strategy_reused") && !is_failed_baseline;
}

bool outcome_share(struct run *r, struct memory *m, const struct scope *scope, struct err *e)
{
	struct json *memory = json_get(r->manifest, "strategy_memory");
	int64_t last = json_i64(memory, "n_events", 0);
	for (int64_t k = json_i64(memory, "n_shared", 0) + 1; k <= last; k++) {
		const struct json *it = NULL;
		for (size_t i = 0; i < run_n_iterations(r) && !it; i++) {
			if (json_i64(json_get(run_iteration(r, i), "strategy"), "event", 0) == k)
				it = run_iteration(r, i);
		}
		struct str run_id = json_str(r->manifest, "run_id", STR(""));
		struct str fingerprint = json_str(json_get(it, "strategy"), "fingerprint", STR(""));
		struct memory_event v = {.run_id = arena_strndup(r->arena, run_id.p, run_id.n),
					 .sequence = k,
					 .scope = scope,
					 .fingerprint = arena_strndup(r->arena, fingerprint.p, fingerprint.n),
					 .entry = it ? entry_of(r, it) : NULL};
		if (it && is_shared(it) && !memory_record(m, &v, e))
			return false;
		json_set_i64(memory, "n_shared", k);
	}
	return true;
}
