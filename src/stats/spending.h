/* When a comparison may look at its placements, and how strict each look must be.
 *
 * Looks after 6, 9, 13, 18, 24 and 32 placements. A plan is the first 1..6 of them, fixed by the budget before any time
 * is seen. The chance of a wrong decision up to n of n_last placements is held at alpha n / n_last (alpha spending of
 * Lan and DeMets 1983 with the power family of Kim and DeMets 1987, rho = 1), computed exactly for the Student t
 * statistic with unknown variance: bench/spending.c, `make spending`.
 *
 * alpha is 0.04 where 0.05 is promised: t is exact for normal placement effects, and placement effects of short tails
 * (a uniform law, two states) make it err more often, by up to a quarter. docs/measurements/simulation.md has the
 * rates. */
#ifndef ASSAY_STATS_SPENDING_H
#define ASSAY_STATS_SPENDING_H

#include "base/attr.h"

#define SPENDING_LOOKS 6
#define SPENDING_ALPHA 0.04 /* spent, two-sided, over all looks */
#define SPENDING_LEVEL 0.95 /* promised for the intervals of all looks together */
#define SPENDING_HALVINGS 7 /* rows of the table: alpha, alpha / 2, .. alpha / 64 */

extern const size_t spending_look[SPENDING_LOOKS]; /* placements at each look */

/* Looks that fit into n placements: 0 below 6, at most 6. */
size_t spending_n_looks(size_t n_placements);
/* Nominal two-sided level at look i_look (0-based) of a plan of n_looks, when `alpha` may be spent in all, 0 < alpha <=
 * SPENDING_ALPHA. Between rows of the table log(level) is linear in log(alpha); below the last row the share of this
 * look, alpha (n - n_before) / n_last, is taken (Bonferroni: valid for every alpha). */
double spending_nominal(size_t n_looks, size_t i_look, double alpha);

#endif
