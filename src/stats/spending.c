/* Alpha spending of the comparison: the looks and the nominal level of each.
 * In: planned looks, this look, alpha that may be spent. Out: the nominal two-sided level.
 * The table was computed once by bench/spending.c; here it is only interpolated.
 * Never looks at data: a plan that depends on what was seen would void the promise. */
#include "stats/spending.h"

#include <math.h>

const size_t spending_look[SPENDING_LOOKS] = {6, 9, 13, 18, 24, 32};

static const double levels[SPENDING_HALVINGS][SPENDING_LOOKS][SPENDING_LOOKS] = {
#define SPENDING(halvings, n_looks, l1, l2, l3, l4, l5, l6) [halvings][(n_looks)-1] = {l1, l2, l3, l4, l5, l6},
#include "stats/spending.def"
#undef SPENDING
};

size_t spending_n_looks(size_t n_placements)
{
	size_t k = 0;
	while (k < SPENDING_LOOKS && spending_look[k] <= n_placements)
		k++;
	return k;
}

double spending_nominal(size_t n_looks, size_t i_look, double alpha)
{
	if (n_looks < 1 || n_looks > SPENDING_LOOKS || i_look >= n_looks || !(alpha > 0 && alpha <= SPENDING_ALPHA))
		BUG("spending plan outside its range");
	double halvings = -log2(alpha / SPENDING_ALPHA);
	size_t row = (size_t)halvings;
	if (halvings > SPENDING_HALVINGS - 1) {
		size_t before = i_look > 0 ? spending_look[i_look - 1] : 0;
		return alpha * (double)(spending_look[i_look] - before) / (double)spending_look[n_looks - 1];
	}
	if (row == SPENDING_HALVINGS - 1)
		return levels[row][n_looks - 1][i_look];
	double part = halvings - (double)row;
	double low = log(levels[row][n_looks - 1][i_look]), high = log(levels[row + 1][n_looks - 1][i_look]);
	return exp(low + part * (high - low));
}
