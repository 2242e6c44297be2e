/* One step of the loop.
 * In: a version and its number. Out: its folder, its entry, its outcome in both levels of the memory, best and summary.
 * Order: gate, attempt, measurement, comparison, outcome, manifest, and only then the global memory, which counts it once.
 * Never: builds a version whose strategy is blocked or whose proposal has errors. */
#include <math.h>

#include "base/clock.h"
#include "base/file.h"
#include "loop/attempt.h"
#include "loop/best.h"
#include "loop/gate.h"
#include "loop/inside.h"
#include "loop/iterate.h"
#include "loop/machine.h"
#include "loop/stop.h"
#include "loop/final.h"
#include "loop/template.h"
#include "loop/text.h"

struct step_work {
	struct loop *l;
	struct gate gate;
	struct strategy strategy;
	struct json *entry;
	struct outcome outcome;
	const char *attempt;
};

/* "v3 tries: a, b (fingerprint ...); no known mechanism: b" */
static void say_strategy(const struct step_work *w)
{
	struct loop *l = w->l;
	const struct tags *t = &w->strategy.tags;
	struct json *known = tags_mechanisms(l->arena, t);
	const char *unknown = "";
	for (size_t i = 0; i < t->n; i++) {
		if (!json_get(known, t->items[i]))
			unknown = arena_printf(l->arena, "%s%s%s", unknown,
					       *unknown ? ", " : "; no known mechanism: ", t->items[i]);
	}
	loop_say(l, arena_printf(l->arena, "v%zu tries: %s (fingerprint %s)%s", l->i, tags_text(l->arena, t),
				 w->strategy.fingerprint, unknown));
	if (w->gate.same)
		loop_say(l, arena_printf(l->arena, "v%zu: these tags name the mechanisms of blocked %.*s", l->i,
					 STR_ARG(json_str(w->gate.same, "fingerprint", STR("?")))));
}

/* The proposal in iter_v(i-1); v0 is the baseline. */
static bool pass_gate(struct step_work *w, struct err *e)
{
	struct loop *l = w->l;
	if (l->i == 0) {
		(void)tags_add(&w->strategy.tags, l->arena, STR("baseline"));
		tags_fingerprint(&w->strategy.tags, backend_name(l->op.backend), w->strategy.fingerprint);
		return true;
	}
	struct gate_input in = {.path = run_proposal_path(&l->run, l->i - 1),
				.folder = run_iteration_folder(&l->run, l->i - 1),
				.backend = backend_name(l->op.backend),
				.is_first = l->i == 1,
				/* Done again: its own outcome is in the memory now, and nobody has answered that. */
				.constraints = run_iteration(&l->run, l->i) ? NULL : l->constraints,
				.shown =
					run_iteration(&l->run, l->i) ? NULL : json_get(l->run.manifest, "constraints")};
	if (!gate_read(&w->gate, l->arena, &in, e))
		return false;
	if (w->gate.lint.n_errors)
		return gate_refuse(&w->gate, e);
	w->strategy = w->gate.strategy;
	say_strategy(w);
	return true;
}

static bool refuse_blocked(struct step_work *w, struct err *e)
{
	struct loop *l = w->l;
	const struct json *x = w->gate.blocked;
	const char *why = arena_printf(l->arena, "%s is blocked by %.*s (%.*s): %.*s; it closes %.*s",
				       w->strategy.fingerprint, STR_ARG(json_str(x, "reason", STR("?"))),
				       STR_ARG(json_str(x, "level", STR("?"))), STR_ARG(json_str(x, "why", STR("?"))),
				       STR_ARG(json_str(x, "closes", STR("this implementation in this scope"))));
	struct loop_options o = *l->o;
	o.bench.input.path = l->path;
	loop_say(l, arena_printf(l->arena, "v%zu refused before the build: %s", l->i, why));
	w->outcome = (struct outcome){
		.reason = REASON_BLOCKED_REUSED, .previous = outcome_previous(&l->run, l->i), .why = why};
	return iterate_refused(&w->entry, &l->run, &o, l->i, why, e);
}

static bool is_fit_for_comparison(const struct json *it)
{
	return !json_bool(it, "rejected", true) && json_is_number(json_get(it, "median_ms"));
}

/* What is wrong with the machine and not with the version ends the call: nothing is recorded. */
static bool check_environment(const struct step_work *w, struct err *e)
{
	enum verdict v = VERDICT_PASSED;
	struct str word = json_str(w->entry, "verdict", STR("")), text = json_str(w->entry, "verdict_text", STR(""));
	if (!verdict_from_word(word, &v))
		return true;
	if (v == VERDICT_INTERRUPTED)
		return err_set(e, ERR_INTERRUPTED, "interrupted while v%zu ran", w->l->i);
	if (verdict_exit(v) > 1)
		return err_set(e, ERR_SYSTEM, "v%zu: %.*s: %.*s", w->l->i, STR_ARG(word), STR_ARG(text));
	if (w->l->i > 0 && (v == VERDICT_REFERENCE_FAILED || v == VERDICT_BAD_REFERENCE))
		return err_set(e, ERR_ENVIRONMENT, "v%zu: %.*s: %.*s", w->l->i, STR_ARG(word), STR_ARG(text));
	return true;
}

static bool evaluate(struct step_work *w, struct err *e)
{
	struct loop *l = w->l;
	struct loop_options o = *l->o;
	struct confirmed pair;
	int64_t previous = outcome_previous(&l->run, l->i), begin = clock_ns();
	bool is_compared = false;
	o.bench.input.path = l->path;
	if (!l->hands->version(&w->entry, &l->run, &o, l->i, e) || !check_environment(w, e))
		return false;
	if (previous >= 0 && is_fit_for_comparison(w->entry)) {
		/* The comparison reads both entries from the manifest; what was there is put back if it fails. */
		struct pair p = {(size_t)previous, l->i, o.bench.input.seed + 1 + (uint64_t)l->i};
		struct json *before = run_iteration(&l->run, l->i);
		int64_t compare_begin = clock_ns();
		run_put_iteration(&l->run, l->i, w->entry);
		if (!l->hands->compare(&pair, &l->run, &o, &p, e)) {
			run_take_back(&l->run, l->i, before);
			return false;
		}
		is_compared = true;
		json_set(w->entry, "comparison", confirmed_json(l->arena, &pair, &p));
		struct json *seconds = json_get(w->entry, "seconds");
		if (seconds)
			json_set_f64(seconds, "compare", (double)(clock_ns() - compare_begin) / 1e9);
	}
	struct json *seconds = json_get(w->entry, "seconds");
	if (seconds)
		json_set_f64(seconds, "total", (double)(clock_ns() - begin) / 1e9);
	outcome_judge(&w->outcome, l->arena, w->entry, is_compared ? &pair : NULL, previous);
	/* A failure that only the comparison or the reports show: no version with one can be the best. */
	bool is_rejected = strcmp(outcome_word(w->outcome.reason), "rejected") == 0;
	if (is_rejected && !json_bool(w->entry, "rejected", false)) {
		json_set_bool(w->entry, "eligible", false);
		json_set_bool(w->entry, "rejected", is_compared && !w->outcome.is_environment);
	}
	return true;
}

static bool commit(struct step_work *w, struct err *e)
{
	struct loop *l = w->l;
	struct run *r = &l->run;
	json_set_cstr(w->entry, "attempt", w->attempt);
	outcome_put(r, w->entry, &w->strategy, &w->outcome, l->constraints);
	if (w->gate.same)
		json_set(json_get(w->entry, "strategy"), "same_mechanisms_as", json_get(w->gate.same, "fingerprint"));
	run_put_iteration(r, l->i, w->entry);
	outcome_rebuild(r);
	best_choose(r);
	json_set(r->manifest, "stop_conditions_met", stop_conditions(r, l->o));
	json_set_null(r->manifest, "interrupted");
	json_set_u64(r->manifest, "follow_up", l->i);
	return run_save(r, e) && attempt_end(r, l->i, e);
}

bool step_follow(struct loop *l, size_t i, struct err *e)
{
	struct run *r = &l->run;
	if (!outcome_share(r, l->memory, &l->scope, e) || !loop_remember(l, e))
		return false;
	struct template_input t = {i, backend_name(l->op.backend), l->constraints};
	const char *kept = attempt_kept(r, i), *proposal = run_proposal_path(r, i);
	const char *old = kept ? path_join(l->arena, kept, "optimization_proposal.md") : NULL;
	if (old && file_exists(old) && !file_exists(proposal) && !file_copy(old, proposal, e))
		return false; /* done again: what the author wrote about the first attempt still decides the next version */
	if (!template_write(proposal, l->arena, &t, e) || !text_iteration(r, i, e))
		return false;
	json_set(r->manifest, "constraints", l->constraints); /* of the next step, for those who only read */
	json_set_null(r->manifest, "follow_up");
	return run_save(r, e) && final_write(r, e);
}

bool step_run(struct loop *l, struct err *e)
{
	struct step_work *w = ARENA_NEW(l->arena, struct step_work);
	w->l = l;
	/* Other runs may have learned something since the state was printed. */
	if (!loop_remember(l, e) || !pass_gate(w, e) || !attempt_begin(&l->run, l->i, &w->attempt, e))
		return false;
	if (!(w->gate.blocked ? refuse_blocked(w, e) : evaluate(w, e)) || !commit(w, e) || !step_follow(l, l->i, e))
		return false;
	double ms = json_f64(w->entry, "median_ms", NAN);
	const char *time = isfinite(ms) ? arena_printf(l->arena, ", median %.6g ms", ms) : "";
	struct str set = json_str(json_get(w->entry, "configuration"), "id", STR(""));
	if (set.n)
		time = arena_printf(l->arena, "%s with %.*s", time, STR_ARG(set));
	const char *against = machine_tags(l->arena, json_path(w->entry, "strategy.claims"), "contradicted");
	if (against)
		loop_say(l, arena_printf(l->arena, "v%zu: its machine code contradicts: %s", l->i, against));
	loop_say(l, arena_printf(l->arena, "v%zu %.*s%s: %s %s", l->i, STR_ARG(json_str(w->entry, "verdict", STR("?"))),
				 time, outcome_word(w->outcome.reason), outcome_reason_word(w->outcome.reason)));
	l->out->status = strcmp(outcome_word(w->outcome.reason), "rejected") == 0 ? 1 : 0;
	return true;
}
