/* The best version.
 * In: iterations and confirmations of the manifest. Out: best_iteration, why, and by what it was confirmed.
 * A confirmation belongs to the attempts that were compared: a version done again is confirmed again.
 * Never: selects a Champion. */
#include "loop/best.h"

#include <math.h>

#include "facts/time_source.h"

static double time_of(const struct json *it, const char *source, const char *key)
{
	const struct json *t = json_get(json_get(it, "times"), source);
	if (t)
		return json_f64(t, key, NAN);
	return str_is(json_str(it, "source", STR("")), source) ? json_f64(it, key, NAN) : NAN;
}

static bool is_eligible(const struct json *it)
{
	return json_bool(it, "eligible", false);
}

/* The source that every eligible version has; the one that v0's number came from first. NULL: there is none. */
static const char *common_source(struct run *r)
{
	struct str first = json_str(run_iteration(r, 0), "source", STR(""));
	const char *sources[4] = {first.n ? arena_strndup(r->arena, first.p, first.n) : "",
				  timing_source_name(TIMING_EVENT), timing_source_name(TIMING_RECORD),
				  timing_source_name(TIMING_HOST)};
	for (size_t k = 0; k < COUNT_OF(sources); k++) {
		bool all = *sources[k] != 0;
		for (size_t i = 0; all && i < run_n_iterations(r); i++) {
			const struct json *it = run_iteration(r, i);
			all = !is_eligible(it) || isfinite(time_of(it, sources[k], "median_ms"));
		}
		if (all)
			return sources[k];
	}
	return NULL;
}

static bool is_before(struct run *r, const char *source, size_t a, size_t b)
{
	static const char *const keys[] = {"median_ms", "average_ms"};
	for (size_t k = 0; k < COUNT_OF(keys); k++) {
		double x = time_of(run_iteration(r, a), source, keys[k]),
		       y = time_of(run_iteration(r, b), source, keys[k]);
		if (x != y)
			return x < y;
	}
	return a < b;
}

size_t best_order(struct run *r, size_t **out)
{
	size_t n = 0, *order = ARENA_ARRAY(r->arena, run_n_iterations(r) + 1, size_t);
	const char *source = common_source(r);
	struct str first = json_str(run_iteration(r, 0), "source", STR(""));
	const char *used = source ? source : arena_strndup(r->arena, first.n ? first.p : "", first.n);
	*out = order;
	for (size_t i = 0; i < run_n_iterations(r); i++) {
		struct json *it = run_iteration(r, i);
		bool has_time = isfinite(time_of(it, used, "median_ms"));
		json_set_cstr(it, "ranking_reason",
			      is_eligible(it) && !has_time
				      ? arena_printf(r->arena,
						     "it has no time by %s, and numbers of two sources are not ranked",
						     used)
				      : NULL);
		if (!is_eligible(it) || !has_time)
			continue;
		size_t at = n++;
		for (; at > 0 && is_before(r, used, i, order[at - 1]); at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	json_set_cstr(r->manifest, "ranking_source", n ? used : NULL);
	return n;
}

const struct json *best_confirmation(const struct run *r, size_t i)
{
	const struct json *list = json_get(r->manifest, "confirmations");
	struct str a = json_str(run_iteration(r, 0), "attempt", STR("")),
		   b = json_str(run_iteration(r, i), "attempt", STR(""));
	for (size_t k = 0; list && k < list->n; k++) {
		const struct json *x = list->items[k];
		if (json_i64(x, "candidate", -1) == (int64_t)i && str_eq(json_str(x, "baseline_attempt", STR("")), a) &&
		    str_eq(json_str(x, "candidate_attempt", STR("")), b))
			return x;
	}
	return NULL;
}

static bool is_faster(const struct json *confirmation)
{
	return str_is(json_str(confirmation, "verdict", STR("")), verdict_word(VERDICT_FASTER));
}

static void put(struct run *r, int64_t best, const struct json *confirmation, const char *reason)
{
	struct json *m = r->manifest, *it = best >= 0 ? run_iteration(r, (size_t)best) : NULL;
	struct json *path = json_get(it, "path"), *configuration = json_get(it, "configuration");
	json_set(m, "best_iteration", best >= 0 ? json_new_i64(r->arena, best) : json_new_null(r->arena));
	json_set(m, "best_kernel_path", path ? path : json_new_null(r->arena));
	json_set(m, "best_configuration", configuration ? configuration : json_new_null(r->arena));
	json_set_cstr(m, "best_reason", reason);
	json_set_bool(m, "best_confirmed", best == 0 || (confirmation && is_faster(confirmation)));
}

/* The lowest median of those that are right but have no reports: named, not best (RULES R1.11). */
static void put_measured(struct run *r)
{
	int64_t best = -1;
	for (size_t i = 0; i < run_n_iterations(r); i++) {
		const struct json *it = run_iteration(r, i);
		double ms = json_f64(it, "median_ms", NAN);
		if (!json_bool(it, "without_profile", false) || json_bool(it, "rejected", true) || !isfinite(ms))
			continue;
		if (best < 0 || ms < json_f64(run_iteration(r, (size_t)best), "median_ms", NAN))
			best = (int64_t)i;
	}
	if (best >= 0)
		json_set_i64(r->manifest, "best_measured", best);
	else
		json_set_null(r->manifest, "best_measured");
}

void best_choose(struct run *r)
{
	size_t *order, n = best_order(r, &order), n_refuted = 0;
	put_measured(r);
	if (n == 0) {
		put(r, -1, NULL, "no eligible version");
		return;
	}
	for (size_t k = 0; k < n; k++) {
		const struct json *c = order[k] ? best_confirmation(r, order[k]) : NULL;
		if (c && !is_faster(c)) {
			n_refuted++;
			continue;
		}
		const char *reason = order[k] == 0 && n_refuted
					     ? "no version before it in rank is confirmed to be faster than v0"
				     : order[k] == 0 ? "lowest median, then average, then earlier, among the eligible"
				     : c ? "first in rank that the paired comparison confirms to be faster than v0"
					 : "first in rank (lowest median, then average, then earlier, among the "
					   "eligible); not confirmed yet";
		put(r, (int64_t)order[k], c, reason);
		return;
	}
	put(r, -1, NULL, "no eligible version is confirmed to be faster than v0, and v0 is not eligible itself");
}

int64_t best_to_confirm(struct run *r)
{
	size_t *order, n = best_order(r, &order);
	for (size_t k = 0; k < n && order[k] != 0; k++) {
		const struct json *c = best_confirmation(r, order[k]);
		if (!c)
			return (int64_t)order[k];
		if (is_faster(c))
			return -1;
	}
	return -1;
}

void best_forget_disturbed(struct run *r)
{
	struct json *list = json_get(r->manifest, "confirmations");
	size_t n = 0;
	for (size_t i = 0; i < list->n; i++) {
		if (!json_bool(list->items[i], "disturbed", false))
			list->items[n++] = list->items[i];
	}
	list->n = n;
}

bool best_confirm(struct run *r, const struct loop_options *o, struct err *e)
{
	const struct loop_hands *hands = o->hands ? o->hands : &loop_real_hands;
	for (int64_t i = best_to_confirm(r); i >= 0; i = best_to_confirm(r)) {
		/* Data that no round has seen: the seeds of rounds differ from the run's by less (loop/step.c). */
		struct pair p = {0, (size_t)i, o->bench.input.seed + 1000000 + (uint64_t)i};
		struct confirmed c;
		if (!hands->compare(&c, r, o, &p, e))
			return false;
		struct json *x = confirmed_json(r->arena, &c, &p), *it = run_iteration(r, (size_t)i);
		struct json *a = json_get(run_iteration(r, 0), "attempt"), *b = json_get(it, "attempt");
		json_set(x, "baseline_attempt", a ? a : json_new_null(r->arena));
		json_set(x, "candidate_attempt", b ? b : json_new_null(r->arena));
		json_push(json_get(r->manifest, "confirmations"), x);
		best_choose(r);
		if (!run_save(r, e))
			return false;
	}
	best_choose(r);
	return true;
}
