/* The best version.
 * In: iterations of the manifest. Out: an index.
 * Eligible: benchmark done, correct where there is a reference, full report there (set when the version was evaluated).
 * Never: measures. */
#include "loop/best.h"

#include <math.h>

bool best_before(const struct json *a, const struct json *b)
{
	double x = json_f64(a, "median_ms", INFINITY), y = json_f64(b, "median_ms", INFINITY);
	if (x != y)
		return x < y;
	x = json_f64(a, "average_ms", INFINITY);
	y = json_f64(b, "average_ms", INFINITY);
	if (x != y)
		return x < y;
	return json_i64(a, "iteration", 0) < json_i64(b, "iteration", 0);
}

int64_t best_choose(struct run *r)
{
	int64_t best = -1;
	for (size_t i = 0; i < run_n_iterations(r); i++) {
		const struct json *it = run_iteration(r, i);
		if (!json_bool(it, "eligible", false))
			continue;
		if (best < 0 || best_before(it, run_iteration(r, (size_t)best)))
			best = (int64_t)i;
	}
	if (best < 0) {
		json_set_null(r->manifest, "best_iteration");
		json_set_cstr(r->manifest, "best_reason", "no eligible version");
	} else {
		json_set_i64(r->manifest, "best_iteration", best);
		json_set_cstr(r->manifest, "best_reason",
			      "lowest median, then average, then earlier, among the eligible");
	}
	return best;
}
