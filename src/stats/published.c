/* The published evaluator's statistics.
 * In: improvements in per cent, a seed. Out: the same orders, intervals and words as the published tool's.
 * A resample's median comes from counts over the sorted values: linear in n, no sort for each.
 * Never: decides alone; protocol/judge.c holds it against our own. */
#include "stats/published.h"

#include <math.h>

#include "base/python_random.h"
#include "stats/summary.h"

void published_orders(char *orders, size_t n, uint64_t seed)
{
	struct python_random r;
	python_random_seed(&r, seed);
	memset(orders, 'A', n / 2);
	memset(orders + n / 2, 'B', n / 2);
	if (n % 2)
		orders[n - 1] = python_random_below(&r, 2) ? 'B' : 'A';
	python_random_shuffle(&r, orders, n);
}

static double middle(const double *sorted, size_t n)
{
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double published_median(const double *x, size_t n, struct arena *scratch)
{
	struct arena_mark mark = arena_mark(scratch);
	double *s = ARENA_ARRAY(scratch, n, double);
	memcpy(s, x, n * sizeof(*s));
	summary_sort(s, n);
	double m = middle(s, n);
	arena_reset(scratch, mark);
	return m;
}

double published_improvement(double ref, double cand, bool lower_is_better)
{
	return (lower_is_better ? ref - cand : cand - ref) / fabs(ref) * 100;
}

struct ranked {
	double value;
	size_t i;
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	return x->value < y->value ? -1 : x->value > y->value ? 1 : 0;
}

/* The value at position k (0-based) of the resample that the counts describe. */
static double at_rank(const struct ranked *sorted, const uint32_t *count, size_t k)
{
	size_t i = 0, seen = 0;
	while ((seen += count[i]) <= k)
		i++;
	return sorted[i].value;
}

void published_bootstrap(struct published_interval *out, const double *x, size_t n, const struct published_rule *r,
			 struct arena *scratch)
{
	*out = (struct published_interval){.n = n};
	if (n == 0)
		return;
	struct arena_mark mark = arena_mark(scratch);
	struct ranked *sorted = ARENA_ARRAY(scratch, n, struct ranked);
	size_t *rank = ARENA_ARRAY(scratch, n, size_t), B = r->n_bootstrap;
	uint32_t *count = ARENA_ARRAY(scratch, n, uint32_t);
	double *medians = ARENA_ARRAY(scratch, B, double);
	struct python_random random;
	python_random_seed(&random, r->seed);
	for (size_t i = 0; i < n; i++)
		sorted[i] = (struct ranked){x[i], i};
	qsort(sorted, n, sizeof(*sorted), by_value);
	for (size_t i = 0; i < n; i++)
		rank[sorted[i].i] = i;
	for (size_t b = 0; b < B; b++) {
		memset(count, 0, n * sizeof(*count));
		for (size_t i = 0; i < n; i++)
			count[rank[python_random_pick(&random, n)]]++;
		double high = at_rank(sorted, count, n / 2);
		medians[b] = n % 2 ? high : (at_rank(sorted, count, n / 2 - 1) + high) / 2;
	}
	summary_sort(medians, B);
	double tail = (1 - r->confidence) / 2;
	out->estimate = published_median(x, n, scratch);
	out->low = summary_quantile(medians, B, tail);
	out->high = summary_quantile(medians, B, 1 - tail);
	arena_reset(scratch, mark);
}

enum published_status published_classify(const struct published_interval *i, size_t minimum_pairs, double m)
{
	if (i->n < minimum_pairs || i->n == 0)
		return PUBLISHED_INCONCLUSIVE;
	if (m > 0 ? i->low >= m : i->low > 0)
		return PUBLISHED_WIN;
	return (m > 0 ? i->high <= -m : i->high < 0) ? PUBLISHED_LOSS : PUBLISHED_INCONCLUSIVE;
}

const char *published_status_name(enum published_status s)
{
	return s == PUBLISHED_WIN ? "confirmed_win" : s == PUBLISHED_LOSS ? "confirmed_loss" : "inconclusive";
}
