/* Two treatments measured in pairs whose order was AB in some and BA in others: the effect with what the order itself does
 * taken out (Hills and Armitage, "The two-period cross-over clinical trial", 1979). d of a pair is ln(reference / candidate)
 * or the like; with at least two pairs in each order
 *   estimate = (mean over AB + mean over BA) / 2, variance = s^2 (1 / n_AB + 1 / n_BA) / 4, s^2 pooled, n - 2 degrees;
 * otherwise the plain mean with n - 1. Interval: Student t. Pure. */
#ifndef ASSAY_STATS_CROSSOVER_H
#define ASSAY_STATS_CROSSOVER_H

#include "base/attr.h"

struct crossover {
	size_t n;
	bool has_interval; /* false below 3 pairs: lower and upper mean nothing */
	double estimate, lower, upper, sd, df;
	double order_effect; /* (mean over AB - mean over BA) / 2; 0 where one order is missing */
};
/* orders[i] is 'A' (reference first) or 'B'; 0 < level < 1. */
void crossover_make(struct crossover *out, const double *d, const char *orders, size_t n, double level);

#endif
