/* The effect of a crossover.
 * In: one number a pair, its order. Out: estimate and interval.
 * A drift that is linear in time moves the two orders apart by the same amount and so leaves the estimate alone.
 * Never: drops a pair. */
#include "stats/crossover.h"

#include <math.h>

#include "stats/student.h"

struct group {
	size_t n;
	double mean, squares; /* sum of squared distances from the mean */
};

static struct group group_of(const double *d, const char *orders, size_t n, char order)
{
	struct group g = {0, 0, 0};
	for (size_t i = 0; i < n; i++) {
		if (order && orders[i] != order)
			continue;
		g.n++;
		double step = d[i] - g.mean;
		g.mean += step / (double)g.n;
		g.squares += step * (d[i] - g.mean);
	}
	return g;
}

void crossover_make(struct crossover *out, const double *d, const char *orders, size_t n, double level)
{
	struct group a = group_of(d, orders, n, 'A'), b = group_of(d, orders, n, 'B'), all = group_of(d, orders, n, 0);
	*out = (struct crossover){.n = n, .estimate = all.mean};
	if (n < 3)
		return;
	double error;
	if (a.n >= 2 && b.n >= 2) {
		out->estimate = (a.mean + b.mean) / 2;
		out->order_effect = (a.mean - b.mean) / 2;
		out->df = (double)n - 2;
		out->sd = sqrt((a.squares + b.squares) / out->df);
		error = out->sd * sqrt(1 / (double)a.n + 1 / (double)b.n) / 2;
	} else {
		out->df = (double)n - 1;
		out->sd = sqrt(all.squares / out->df);
		error = out->sd / sqrt((double)n);
	}
	double half = error * student_quantile(1 - (1 - level) / 2, out->df);
	out->has_interval = true;
	out->lower = out->estimate - half;
	out->upper = out->estimate + half;
}
