/* Constraints.
 * In: the table of pairs. Out: one entry a constraint, and the worst of them.
 * Regression in per cent of the reference, published seed + 1 + index for the bootstrap.
 * Never: lets a missing value pass. */
#include "protocol/evaluate/judge_constraint.h"

#include <math.h>

#include "protocol/shape.h"
#include "stats/crossover.h"

struct seen {
	double *pct; /* of valid pairs */
	size_t n, n_missing, n_from_zero;
	struct crossover over; /* pairs, cases averaged */
};

static bool regression(const struct judge_table *t, size_t i, const struct json *c, struct seen *s, double *out)
{
	bool lower = str_is(json_str(c, "direction", STR("")), "lower");
	double v[2];
	if (!judge_pair(t, i, json_str(c, "name", STR("")).p, v)) {
		s->n_missing++;
		return false;
	}
	if (v[0] == 0 && v[1] == 0) {
		*out = 0;
		return true;
	}
	if (v[0] == 0) {
		bool worse = lower ? v[1] > 0 : v[1] < 0;
		s->n_from_zero += worse;
		*out = 0;
		return !worse;
	}
	*out = -published_improvement(v[0], v[1], lower);
	return true;
}

static void look(struct seen *s, const struct judge_table *t, const struct json *c, struct arena *a)
{
	double *d = ARENA_ARRAY(a, t->n_pairs + 1, double);
	char *orders = ARENA_ARRAY(a, t->n_pairs + 1, char);
	size_t n = 0;
	s->pct = ARENA_ARRAY(a, t->n_pairs * t->n_cases + 1, double);
	for (size_t i = 0; i < t->n_pairs; i++) {
		double sum = 0, x;
		bool whole = true;
		for (size_t k = 0; k < t->n_cases; k++) {
			if (!regression(t, i * t->n_cases + k, c, s, &x)) {
				whole = false;
				continue;
			}
			s->pct[s->n++] = x;
			sum += x;
		}
		orders[n] = t->orders[i];
		if (whole)
			d[n++] = sum / (double)t->n_cases;
	}
	crossover_make(&s->over, d, orders, n, t->level);
}

static enum judge_constraint decide(const struct seen *s, const struct judge_table *t,
				    const struct published_interval *p, double most)
{
	if (2 * s->n_from_zero >= t->n_pairs * t->n_cases && s->n_from_zero)
		return JUDGE_CONSTRAINT_FAILED;
	if (s->n < t->minimum_pairs || s->n_missing || s->n_from_zero)
		return JUDGE_CONSTRAINT_INCONCLUSIVE;
	if (p->low > most)
		return JUDGE_CONSTRAINT_FAILED;
	bool ours = s->over.has_interval && s->over.upper <= most;
	return p->high <= most && ours ? JUDGE_CONSTRAINT_PASSED : JUDGE_CONSTRAINT_INCONCLUSIVE;
}

static const char *word(enum judge_constraint c)
{
	return c == JUDGE_CONSTRAINT_PASSED ? "passed" : c == JUDGE_CONSTRAINT_FAILED ? "failed" : "inconclusive";
}

enum judge_constraint judge_constraints(struct json *receipt, struct judge_table *t, const struct json *constraints)
{
	struct arena *a = receipt->arena;
	struct json *list = json_set_array(receipt, "constraint_statistics");
	enum judge_constraint worst = JUDGE_CONSTRAINT_PASSED;
	for (size_t i = 0; i < constraints->n; i++) {
		const struct json *c = constraints->items[i];
		struct seen s = {.n = 0};
		struct published_rule rule = t->rule;
		struct published_interval p;
		double most = json_f64(c, "max_regression_pct", 0);
		rule.seed += i + 1;
		look(&s, t, c, a);
		published_bootstrap(&p, s.pct, s.n, &rule, a);
		enum judge_constraint now = decide(&s, t, &p, most);
		worst = now > worst ? now : worst;
		struct json *j = json_object(a), *values = json_set_array(j, "values_pct");
		json_set_str(j, "name", json_str(c, "name", STR("")));
		json_set_f64(j, "max_regression_pct", most);
		json_set_f64(j, "estimate_pct", p.estimate);
		json_set_f64(j, "ci_low_pct", p.low);
		json_set_f64(j, "ci_high_pct", p.high);
		json_set_cstr(j, "status", word(now));
		json_set_u64(j, "from_zero", s.n_from_zero);
		if (s.over.has_interval)
			json_set_f64(j, "upper_over_pairs_pct", s.over.upper);
		for (size_t k = 0; k < s.n; k++)
			json_push_f64(values, s.pct[k]);
		json_push(list, j);
	}
	return worst;
}
