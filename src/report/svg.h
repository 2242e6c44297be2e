/* The frame of a chart: figure, axes, ticks. Every mark that a chart draws carries its values as data attributes, in the
 * units of its axis, so that what is drawn can be read back from the page and held against the record. */
#ifndef ASSAY_REPORT_SVG_H
#define ASSAY_REPORT_SVG_H

#include "base/arena.h"
#include "base/buf.h"

enum { SVG_WIDTH = 960, SVG_LEFT = 84, SVG_RIGHT = 24, SVG_TICKS = 9 };
enum svg_unit { SVG_TIME /* ns */, SVG_RATIO /* 1.5x */, SVG_PLAIN, SVG_SI /* 1.5 G */ };
struct svg_axis {
	double low, high; /* in the axis's own units, their log10 when is_log */
	double from, to;  /* pixels of low and high */
	bool is_log;
	enum svg_unit unit;
	const char *suffix; /* behind the number of SVG_PLAIN and SVG_SI: "MHz"; NULL: nothing */
};

/* An axis over low..high with some room at both ends; low = high gets room too. Logarithmic ones need low > 0. */
struct svg_axis svg_linear(double low, double high, double from, double to);
struct svg_axis svg_log(double low, double high, double from, double to);
double svg_place(const struct svg_axis *x, double v); /* pixel of a value, which may lie outside */
/* Three to eight round values inside the axis. */
size_t svg_ticks(const struct svg_axis *x, double out[SVG_TICKS]);
const char *svg_number(struct arena *a, const struct svg_axis *x, double v); /* as a tick shows it */

/* <figure data-chart=NAME> with its <svg>; `label` is for those who do not see it. */
void svg_begin(struct buf *out, const char *chart, int height, const char *label);
void svg_end(struct buf *out, const char *caption);
/* Grid lines over the whole width with their numbers at the left. */
void svg_y_axis(struct buf *out, struct arena *a, const struct svg_axis *y);
/* The axis line at `y` with numbers below it; grid lines up to `top` where top < y. */
void svg_x_axis(struct buf *out, struct arena *a, const struct svg_axis *x, double y, double top);

#endif
