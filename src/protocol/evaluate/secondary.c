/* Secondary metrics.
 * In: a target result with its pairs, an Experiment. Out: one entry a declared metric.
 * The same statistic as of the primary one: mean over cases of ln(gain), the order's effect taken out.
 * Never: changes a verdict. */
#include "protocol/evaluate/secondary.h"

#include <math.h>

#include "stats/crossover.h"

static const struct json *named(const struct json *list, struct str name)
{
	for (size_t i = 0; list && i < list->n; i++) {
		if (str_eq(json_str(list->items[i], "name", STR("")), name))
			return list->items[i];
	}
	return NULL;
}

bool secondary_declares(const struct json *experiment, struct str name)
{
	return named(json_get(experiment, "secondaries"), name) != NULL;
}

bool secondary_check(const struct json *request, const struct json *target, struct err *e)
{
	const struct json *list = json_get(request, "secondaries");
	for (size_t i = 0; list && i < list->n; i++) {
		struct str name = json_str(list->items[i], "name", STR(""));
		const struct json *metric = named(json_get(target, "constraints"), name);
		if (!metric)
			return err_set(e, ERR_INPUT,
				       "secondaries: \"%.80s\" is no constraint of the Target: nothing measures it",
				       name.p);
		if (!str_eq(json_str(metric, "direction", STR("")), json_str(list->items[i], "direction", STR(""))))
			return err_set(e, ERR_INPUT, "secondaries: \"%.80s\" has the other direction in the Target",
				       name.p);
	}
	return true;
}

static double pct(double ln)
{
	return 100 * expm1(ln);
}

/* One number a pair; a pair with a case that has none is left out. */
static void measure(struct crossover *out, const struct json *pairs, const struct json *secondary, double level)
{
	struct arena *a = pairs->arena;
	bool lower = str_is(json_str(secondary, "direction", STR("")), "lower");
	double *sum = ARENA_ARRAY(a, pairs->n + 1, double);
	size_t *n = ARENA_ARRAY(a, pairs->n + 1, size_t), n_pairs = 0;
	char *orders = ARENA_ARRAY(a, pairs->n + 1, char);
	for (size_t i = 0; i < pairs->n; i++) {
		const struct json *v =
			json_find(json_get(pairs->items[i], "constraints"), json_str(secondary, "name", STR("")));
		size_t k = (size_t)json_i64(pairs->items[i], "pair_index", 0);
		double reference = json_f64(v, "reference", 0), candidate = json_f64(v, "candidate", 0);
		if (k >= pairs->n)
			continue;
		orders[k] =
			json_str(json_get(pairs->items[i], "order") ? pairs->items[i] : NULL, "order", STR("AB")).p[0];
		double gain = reference > 0 && candidate > 0
				      ? log(lower ? reference / candidate : candidate / reference)
				      : (double)NAN;
		sum[k] += gain;
		n[k]++;
		n_pairs = k + 1 > n_pairs ? k + 1 : n_pairs;
	}
	size_t n_kept = 0;
	for (size_t k = 0; k < n_pairs; k++) {
		if (n[k] == 0 || isnan(sum[k]))
			continue;
		orders[n_kept] = orders[k];
		sum[n_kept++] = sum[k] / (double)n[k];
	}
	crossover_make(out, sum, orders, n_kept, level);
}

void secondary_put(struct json *result, const struct json *experiment)
{
	static const char *const same[] = {"name", "direction", "threshold_pct", "value"};
	const struct json *list = json_get(experiment, "secondaries"),
			  *pairs = json_path(result, "performance_receipt.pairs");
	struct json *ours = json_get(result, "assay");
	if (!list || !pairs || !ours)
		return;
	bool is_won = str_is(json_str(result, "verdict", STR("")), "passed");
	struct json *out = json_set_array(ours, "secondaries");
	for (size_t i = 0; i < list->n; i++) {
		struct crossover x;
		struct json *j = json_object(result->arena);
		for (size_t k = 0; k < COUNT_OF(same); k++)
			json_set(j, same[k], json_get(list->items[i], same[k]));
		measure(&x, pairs, list->items[i], json_f64(ours, "level", 0.95));
		json_set_u64(j, "n_pairs", x.n);
		json_set_f64(j, "estimate_pct", pct(x.estimate));
		json_set_null(j, "lower_pct");
		json_set_null(j, "upper_pct");
		if (x.has_interval) {
			json_set_f64(j, "lower_pct", pct(x.lower));
			json_set_f64(j, "upper_pct", pct(x.upper));
		}
		json_set_bool(j, "reached",
			      x.has_interval && pct(x.lower) >= json_f64(list->items[i], "threshold_pct", 0));
		json_set_cstr(j, "note", is_won ? NULL : "primary not reached");
		json_push(out, j);
	}
}
