/* Charts of one line or a few, in text: blocks where the locale is UTF-8, else ASCII. Widths are columns. */
#ifndef ASSAY_BASE_TERM_PLOT_H
#define ASSAY_BASE_TERM_PLOT_H

#include "base/term.h"

/* One column a value, from the least (lowest mark) to the greatest; more values than `width`: each column is a mean of
 * neighbours. What is not finite leaves a blank. Nothing when no value is finite. */
void term_spark(const struct term *t, struct buf *out, const double *x, size_t n, size_t width);

struct term_bins { /* counts of values in `n` bins of one width from `low` on; what lies outside is in no bin */
	double low, high;
	size_t n, *counts, n_below, n_above, most; /* most: the greatest count */
};
/* low < high, n >= 1. The greatest value of the last bin is `high` itself. */
void term_bins_make(struct term_bins *out, struct arena *a, const double *x, size_t n_x,
		    const struct term_bins *wanted);
/* One column a bin, as high as its count against `most`; a bin that holds anything shows. */
void term_bins_write(const struct term *t, struct buf *out, const struct term_bins *b);
/* A line of `width` columns from low to high: | where 0 or another mark lies, an interval as ---, its middle as o. */
struct term_interval {
	double low, high;            /* of the axis */
	double lower, middle, upper; /* what is drawn; clipped to the axis */
	double mark;                 /* NaN: none */
};
void term_interval_write(const struct term *t, struct buf *out, const struct term_interval *x, size_t width);

#endif
