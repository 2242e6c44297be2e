/* Early stop.
 * In: the manifest, the user's bounds. Out: conditions with their evidence, the bound that ends the run.
 * A gain is over the best time so far along the chain of paired comparisons; confirmed: its own comparison says faster.
 * Never: ends a run by a condition that the user did not set. */
#include "loop/stop.h"

#include <math.h>

#include "loop/best.h"
#include "loop/outcome.h"

struct gains {
	double *gain; /* by version: ln of the gain over the best before it; <= 0: none */
	bool *is_confirmed;
	size_t n, n_since; /* versions, and rounds since the last confirmed gain */
};

static struct gains gains_of(struct run *r)
{
	size_t n = run_n_iterations(r);
	struct gains g = {ARENA_ARRAY(r->arena, n + 1, double), ARENA_ARRAY(r->arena, n + 1, bool), n, 0};
	double *at = ARENA_ARRAY(r->arena, n + 1, double), best = 0; /* ln(time of v0 / time of i) */
	for (size_t i = 1; i < n; i++) {
		const struct json *it = run_iteration(r, i), *pair = json_get(it, "comparison");
		double effect = json_f64(pair, "effect_pct", NAN);
		int64_t previous = json_i64(pair, "baseline", -1);
		g.n_since++;
		if (previous < 0 || (size_t)previous >= i || !isfinite(effect) || effect <= -100) {
			at[i] = at[i - 1];
			continue;
		}
		at[i] = at[previous] + log1p(effect / 100);
		g.gain[i] = at[i] - best;
		g.is_confirmed[i] = g.gain[i] > 0 && str_is(json_str(json_get(it, "strategy"), "outcome", STR("")),
							    outcome_word(REASON_FASTER));
		if (g.is_confirmed[i]) {
			best = at[i];
			g.n_since = 0;
		}
	}
	return g;
}

static void add(struct json *list, const char *condition, const char *evidence)
{
	struct json *x = json_object(list->arena);
	json_set_cstr(x, "condition", condition);
	json_set_cstr(x, "evidence", evidence);
	json_push(list, x);
}

/* The last two confirmed gains, each below the minimum effect. */
static void add_diminishing(struct json *list, const struct gains *g, double min_effect)
{
	double last[2] = {0, 0};
	size_t of[2] = {0, 0}, n = 0;
	for (size_t i = g->n; i-- > 0 && n < 2;) {
		if (g->is_confirmed[i]) {
			of[n] = i;
			last[n++] = expm1(g->gain[i]);
		}
	}
	if (n == 2 && last[0] < min_effect && last[1] < min_effect)
		add(list, "diminishing_gain",
		    arena_printf(list->arena, "v%zu: %.3g %%, v%zu: %.3g %%, each below the minimum effect of %.3g %%",
				 of[1], 100 * last[1], of[0], 100 * last[0], 100 * min_effect));
}

static bool target_ms_is_reached(struct run *r, const struct loop_options *o, const char **evidence)
{
	size_t *order;
	if (o->target_ms <= 0 || best_order(r, &order) == 0)
		return false;
	double ms = json_f64(run_iteration(r, order[0]), "median_ms", INFINITY);
	*evidence = arena_printf(r->arena, "v%zu: median %.6g ms, target %.6g ms", order[0], ms, o->target_ms);
	return ms <= o->target_ms;
}

/* By the confirmation alone: a ratio of medians of two processes is no evidence. */
static bool target_speedup_is_reached(struct run *r, const struct loop_options *o, const char **evidence)
{
	int64_t best = json_i64(r->manifest, "best_iteration", -1);
	const struct json *c = best > 0 ? best_confirmation(r, (size_t)best) : NULL;
	double speedup = json_f64(c, "speedup", NAN);
	if (o->target_speedup <= 0 || !json_bool(r->manifest, "best_confirmed", false) ||
	    !(speedup >= o->target_speedup))
		return false;
	*evidence = arena_printf(r->arena, "v%lld: %.4g times v0, target %.4g", (long long)best, speedup,
				 o->target_speedup);
	return true;
}

static void add_last_version(struct json *list, struct run *r)
{
	size_t n = run_n_iterations(r);
	const struct json *it = n ? run_iteration(r, n - 1) : NULL, *s = json_get(it, "strategy");
	struct str reason = json_str(s, "reason", STR("")), why = json_str(s, "why", STR(""));
	const char *text = arena_printf(r->arena, "v%zu: %.*s", n ? n - 1 : 0, STR_ARG(why));
	if (str_is(reason, outcome_reason_word(REASON_CORRECTNESS_FAILED)))
		add(list, "correctness_failed", text);
	if (str_is(reason, outcome_reason_word(REASON_TARGETED_FAILED)) ||
	    str_is(reason, outcome_reason_word(REASON_FULL_FAILED)) || json_bool(it, "without_profile", false))
		add(list, "profiling_unavailable",
		    json_bool(it, "without_profile", false) ? "--without-profile was given" : text);
}

struct json *stop_conditions(struct run *r, const struct loop_options *o)
{
	struct json *list = json_array(r->arena);
	struct gains g = gains_of(r);
	const char *evidence = "";
	add_last_version(list, r);
	if (g.n_since >= STOP_NO_GAIN_ROUNDS)
		add(list, "no_explicable_gain",
		    arena_printf(r->arena, "%zu rounds in a row without a confirmed gain", g.n_since));
	add_diminishing(list, &g, o->min_effect);
	if (g.n > (size_t)o->max_iterations)
		add(list, "max_iterations",
		    arena_printf(r->arena, "v0 to v%lld are evaluated", (long long)o->max_iterations));
	if (target_ms_is_reached(r, o, &evidence))
		add(list, "target_ms", evidence);
	if (target_speedup_is_reached(r, o, &evidence))
		add(list, "target_speedup", evidence);
	if (o->patience > 0 && g.n_since >= (size_t)o->patience)
		add(list, "patience",
		    arena_printf(r->arena, "%zu rounds without a confirmed gain, patience %lld", g.n_since,
				 (long long)o->patience));
	return list;
}

/* The order's first version looks fast enough, and nobody has confirmed it. */
static bool speaks_for_target(struct run *r, const struct loop_options *o)
{
	int64_t i = best_to_confirm(r);
	if (o->target_speedup <= 0 || i < 0)
		return false;
	double base = json_f64(run_iteration(r, 0), "median_ms", NAN);
	return base / json_f64(run_iteration(r, (size_t)i), "median_ms", NAN) >= o->target_speedup;
}

bool stop_bound(const char **out, struct run *r, const struct loop_options *o, struct err *e)
{
	static const char *const bounds[] = {"target_ms", "target_speedup", "patience", "max_iterations"};
	*out = NULL;
	if (speaks_for_target(r, o) && !best_confirm(r, o, e))
		return false;
	const struct json *met = stop_conditions(r, o);
	for (size_t k = 0; k < COUNT_OF(bounds) && !*out; k++) {
		for (size_t i = 0; i < met->n && !*out; i++) {
			if (str_is(json_str(met->items[i], "condition", STR("")), bounds[k]))
				*out = bounds[k];
		}
	}
	return true;
}
