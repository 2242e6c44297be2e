/* Charts as inline SVG: readable in dark and light, with values on hover and as text for those who do not see. */
#ifndef ASSAY_REPORT_CHART_H
#define ASSAY_REPORT_CHART_H

#include "base/arena.h"
#include "base/buf.h"

struct chart_version {     /* one version on the speed chart */
	const char *label; /* "v3" */
	double middle, low, high,
		half;     /* ns: trimmed mean, min, max, half width of its interval; middle NaN: no time */
	const char *word; /* why there is no time: "wrong_result" */
	bool is_best;
};
/* Time by version on a logarithmic axis; versions without a time stand on a lane below. */
void chart_versions(struct buf *out, struct arena *a, const struct chart_version *v, size_t n);

struct chart_sample {
	const char *label;
	const double *x; /* ns, in order of time */
	size_t n;
};
/* Raw dots with a density above them, one lane a sample, on one axis that holds the middle 99 % of all; how many dots lie
 * outside is said. */
void chart_strips(struct buf *out, struct arena *a, const struct chart_sample *s, size_t n);
/* The samples in order of time. */
void chart_series(struct buf *out, struct arena *a, const struct chart_sample *s);

#endif
