/* The metric audit.
 * In: identities and a driver's result. Out: findings.
 * A metric with a finding is diagnostic: it decides nothing.
 * Never: corrects a number. */
#include "protocol/audit.h"

#include "base/expr.h"
#include "protocol/driver/result.h"
#include "stats/summary.h"

bool audit_aggregate(double *out, const struct json *samples, struct str aggregation, struct arena *scratch)
{
	struct arena_mark mark = arena_mark(scratch);
	size_t n = samples->n;
	double *x = ARENA_ARRAY(scratch, n, double), p = str_is(aggregation, "p99") ? 0.99 : 0.95;
	bool ok = true;
	for (size_t i = 0; i < n; i++)
		x[i] = samples->items[i]->real;
	if (str_is(aggregation, "mean")) {
		*out = summary_sum(x, n) / (double)n;
	} else if (str_is(aggregation, "throughput")) {
		for (size_t i = 0; i < n; i++) {
			ok = ok && x[i] > 0;
			x[i] = 1 / x[i];
		}
		*out = (double)n / summary_sum(x, n);
	} else if (str_is(aggregation, "median")) {
		summary_sort(x, n);
		*out = n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
	} else {
		summary_sort(x, n);
		*out = summary_quantile(x, n, p);
		ok = summary_carries(n, p);
	}
	arena_reset(scratch, mark);
	return ok;
}

struct names {
	const struct json *metrics;
	double value;
	size_t n_samples;
};

static bool look_up(void *ctx, struct str name, struct expr_value *out)
{
	const struct names *x = ctx;
	const struct json *j = json_find(x->metrics, name);
	*out = (struct expr_value){.type = EXPR_REAL};
	if (str_is(name, "value"))
		out->real = x->value;
	else if (str_is(name, "samples"))
		*out = (struct expr_value){.type = EXPR_INT, .i = (int64_t)x->n_samples};
	else if (j && j->type == JSON_INT)
		*out = (struct expr_value){.type = EXPR_INT, .i = j->i};
	else if (j)
		out->real = j->real;
	else
		return false;
	return true;
}

static const struct json *measured(const struct json *m, struct str name)
{
	const struct json *list = json_get(m, "constraints");
	if (str_eq(json_str(json_get(m, "primary"), "name", STR("")), name))
		return json_get(m, "primary");
	for (size_t i = 0; list && i < list->n; i++) {
		if (str_eq(json_str(list->items[i], "name", STR("")), name))
			return list->items[i];
	}
	return NULL;
}

static struct str aggregation_of(const struct json *objective, struct str name)
{
	const struct json *list = json_get(objective, "constraints"), *primary = json_get(objective, "primary_metric");
	if (str_eq(json_str(primary, "name", STR("")), name))
		return json_str(primary, "aggregation", STR("median"));
	for (size_t i = 0; list && i < list->n; i++) {
		if (str_eq(json_str(list->items[i], "name", STR("")), name))
			return json_str(list->items[i], "aggregation", STR("median"));
	}
	return STR("median");
}

static void hold(struct json *findings, const struct json *x, struct str identity, const struct names *names)
{
	struct arena *a = findings->arena;
	struct names copy = *names;
	struct err why = {ERR_NONE, ""};
	struct expr_value v;
	struct expr *parsed = expr_parse(a, identity, &why);
	bool known = parsed && expr_eval(parsed, look_up, &copy, &v, &why);
	if (known && v.type == EXPR_BOOL && v.boolean)
		return;
	struct json *f = json_object(a);
	json_set_str(f, "metric", json_str(x, "metric", STR("")));
	json_set_str(f, "identity", identity);
	json_set_cstr(f, "reason",
		      !known                ? arena_strdup(a, why.text)
		      : v.type == EXPR_BOOL ? "does not hold"
					    : "is no truth value");
	json_push(findings, f);
}

void audit_answer(struct json *findings, const struct json *audit, const struct json *objective,
		  const struct json *result, struct str role)
{
	struct names names = {.metrics = json_get(driver_answer_of(result, "correctness", role), "metrics")};
	const struct json *m = driver_answer_of(result, "measurements", role);
	for (size_t i = 0; audit && i < audit->n; i++) {
		struct str metric = json_str(audit->items[i], "metric", STR(""));
		const struct json *x = measured(m, metric), *identities = json_get(audit->items[i], "identities");
		if (!x)
			continue;
		names.n_samples = json_get(x, "samples")->n;
		if (!audit_aggregate(&names.value, json_get(x, "samples"), aggregation_of(objective, metric),
				     findings->arena))
			continue;
		for (size_t k = 0; k < identities->n; k++)
			hold(findings, audit->items[i], identities->items[k]->text, &names);
	}
}
