/* The statistics of the published evaluator, reproduced: the order of pairs, the percentile bootstrap of a median, the
 * classification. They are reported beside our own (protocol/judge.h) and never alone make a candidate the better one: at few
 * pairs the bootstrap of a median is too narrow (false wins at no effect, nominal 2.5 %: 22.7 % at 2 pairs, 7.8 % at 4), and
 * cases are pooled as if they were independent. Pure. */
#ifndef ASSAY_STATS_PUBLISHED_H
#define ASSAY_STATS_PUBLISHED_H

#include "base/arena.h"
#include "base/err.h"

enum published_status { PUBLISHED_INCONCLUSIVE, PUBLISHED_WIN, PUBLISHED_LOSS };
struct published_interval {
	double estimate, low, high; /* per cent; n 0: all are 0 and mean nothing */
	size_t n;
};
struct published_rule {
	double confidence; /* 0 < c < 1 */
	size_t n_bootstrap;
	uint64_t seed;
};

/* orders[0 .. n - 1] = 'A' (reference first) or 'B': floor(n / 2) of each, an odd one by choice, then shuffle, of Random(seed). */
void published_orders(char *orders, size_t n, uint64_t seed);
double published_median(const double *x, size_t n, struct arena *scratch); /* statistics.median; n >= 1 */
/* 100 (ref - cand) / |ref| where lower is better, else 100 (cand - ref) / |ref|. ref must not be 0. */
double published_improvement(double ref, double cand, bool lower_is_better);
/* Median of x, and quantiles (1 - c) / 2 and 1 - (1 - c) / 2 of the medians of n_bootstrap resamples by
 * Random(seed).choices(x, k=n), linear interpolation at (B - 1) q. */
void published_bootstrap(struct published_interval *out, const double *x, size_t n, const struct published_rule *r,
			 struct arena *scratch);
/* n below minimum_pairs: inconclusive. m > 0: win low >= m, loss high <= -m; m = 0: win low > 0, loss high < 0. */
enum published_status published_classify(const struct published_interval *i, size_t minimum_pairs, double m);
const char *published_status_name(enum published_status s); /* "confirmed_win", "confirmed_loss", "inconclusive" */

#endif
