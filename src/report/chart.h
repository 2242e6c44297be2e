/* Charts as inline SVG: readable in dark and light, told apart by shape as well as by colour, with values on hover, as text
 * for those who do not see, and as data attributes (report/svg.h). NaN: not known. */
#ifndef ASSAY_REPORT_CHART_H
#define ASSAY_REPORT_CHART_H

#include "base/arena.h"
#include "base/buf.h"

struct chart_version {     /* one version on the chart of times */
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
	bool is_best; /* drawn in the best version's colour */
};
/* Raw dots with a density above them, one lane a sample, on one axis that holds the middle 99 % of all; how many dots lie
 * outside is said. */
void chart_strips(struct buf *out, struct arena *a, const struct chart_sample *s, size_t n);

struct chart_lane { /* what was seen beside the samples: SM clock, temperature, power */
	const char *name, *unit;
	const double *t_s, *v; /* seconds on the samples' axis; NaN: not read */
	size_t n;
};
struct chart_series {
	struct chart_sample sample;
	const double *t_s; /* when each sample was taken, seconds from the first; NULL: drawn by number */
	const struct chart_lane *lanes;
	size_t n_lanes;
};
/* The samples in order of time, and the lanes under them on the same axis. */
void chart_series(struct buf *out, struct arena *a, const struct chart_series *s);

struct chart_step {              /* one paired comparison: how many times as fast as its baseline a version is */
	const char *label;       /* "v3 against v2" */
	double ratio, low, high; /* NaN: not compared */
	const char *word;        /* faster, slower, equivalent, inconclusive; or why it was not compared */
};
void chart_speedups(struct buf *out, struct arena *a, const struct chart_step *s, size_t n);

struct chart_effect {      /* one candidate of a comparison, or one result of a Target */
	const char *label; /* "B against A" */
	const double *pct; /* a placement each; none: the interval alone */
	size_t n;
	double middle, low, high; /* per cent; NaN: no interval */
	const char *word;         /* as in chart_step */
};
void chart_effects(struct buf *out, struct arena *a, const struct chart_effect *s, size_t n, const char *caption);

struct chart_point { /* a version under the roofs */
	const char *label;
	double intensity, rate; /* FLOP/byte, FLOP/s */
	bool is_best;
};
struct chart_roof {
	const struct chart_point *points;
	size_t n;
	double bytes_per_s, flop_per_s;     /* ceilings; NaN: none is recorded */
	const char *bytes_from, *flop_from; /* "measured", "vendor" */
};
void chart_roofline(struct buf *out, struct arena *a, const struct chart_roof *r);

struct chart_bar {
	const char *label;
	const double *parts; /* one a name */
};
struct chart_bars {
	const char *chart, *label, *caption;
	const char *const *names; /* of the parts, at most 8 */
	size_t n_names;
	const struct chart_bar *bars;
	size_t n;
	bool is_count; /* numbers of things; else times in ns */
};
/* Stacked bars, one a version. */
void chart_bars(struct buf *out, struct arena *a, const struct chart_bars *b);

struct chart_activity {
	const char *name, *kind; /* kernel, copy, memset ... */
	double start_ns, duration_ns;
	int64_t stream;
};
/* What the device did, one lane a stream. */
void chart_timeline(struct buf *out, struct arena *a, const struct chart_activity *x, size_t n, const char *caption);

/* A line the size of a word; NaN leaves a gap. */
void chart_spark(struct buf *out, const double *v, size_t n);

#endif
