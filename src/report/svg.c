/* The frame of a chart: figure, axes, ticks.
 * In: ranges. Out: markup.
 * Numbers of ticks have no more digits than tell them apart.
 * Never: draws a label over another one of the same axis. */
#include "report/svg.h"

#include <math.h>

#include "report/html.h"

enum { SVG_FAR = 100000 }; /* pixels */

/* An axis that a damaged record gives no range is 0..1. */
static struct svg_axis with_room(struct svg_axis x, double share, double least)
{
	double most = x.is_log ? 290 : 1e290;
	if (!(x.low >= -most) || !(x.high <= most) || x.high < x.low)
		x.low = 0, x.high = 1;
	double room = fmax((x.high - x.low) * share, least);
	x.low -= room;
	x.high += room;
	return x;
}

struct svg_axis svg_linear(double low, double high, double from, double to)
{
	struct svg_axis x = {low, high, from, to, false, SVG_TIME, NULL};
	return with_room(x, 0.06, high > low || !isfinite(high) ? 0 : fmax(fabs(high) * 0.05, 0.5));
}

struct svg_axis svg_log(double low, double high, double from, double to)
{
	struct svg_axis x = {log10(low), log10(high), from, to, true, SVG_TIME, NULL};
	return with_room(x, 0.08, 0.02);
}

double svg_place(const struct svg_axis *x, double v)
{
	double u = x->is_log ? log10(v) : v, at = x->from + (u - x->low) / (x->high - x->low) * (x->to - x->from);
	return isfinite(at) ? fmax(-SVG_FAR, fmin(SVG_FAR, at))
			    : x->from; /* a damaged record gives no damaged markup */
}

/* The smallest of 1, 2, 5 times a power of ten of which at most `most` fit into span. */
static double step_for(double span, double most)
{
	static const double round[] = {1, 2, 5, 10};
	double base = pow(10, floor(log10(span / most)));
	for (size_t i = 0; i < COUNT_OF(round); i++) {
		if (span / (base * round[i]) <= most)
			return base * round[i];
	}
	return base * 20;
}

/* Whole steps are counted, so that rounding does not add up along the axis. */
static size_t even_ticks(double low, double high, double out[SVG_TICKS])
{
	double step = step_for(high - low, 6), first = ceil(low / step);
	size_t n = 0;
	if (!isfinite(first) || !(step > 0))
		return 0;
	while (n < SVG_TICKS && (first + (double)n) * step <= high) {
		out[n] = (first + (double)n) * step;
		n++;
	}
	return n;
}

static size_t log_ticks(const struct svg_axis *x, double out[SVG_TICKS])
{
	static const double mantissa[] = {1, 2, 5};
	double decades = x->high - x->low;
	int every = decades > 8 ? (int)ceil(decades / 7) : 1;
	size_t n = 0, n_mantissas = decades > 3 ? 1 : COUNT_OF(mantissa);
	for (int e = (int)floor(x->low); e <= (int)ceil(x->high); e++) {
		for (size_t i = 0; i < n_mantissas && n < SVG_TICKS && e % every == 0; i++) {
			double u = e + log10(mantissa[i]);
			if (u >= x->low && u <= x->high)
				out[n++] = mantissa[i] * pow(10, e);
		}
	}
	return n;
}

size_t svg_ticks(const struct svg_axis *x, double out[SVG_TICKS])
{
	if (!x->is_log)
		return even_ticks(x->low, x->high, out);
	size_t n = log_ticks(x, out);
	return n >= 3 ? n : even_ticks(pow(10, x->low), pow(10, x->high), out);
}

const char *svg_number(struct arena *a, const struct svg_axis *x, double v)
{
	static const struct {
		double scale;
		const char *time, *si;
	} scales[] = {{1e15, NULL, " P"}, {1e12, NULL, " T"}, {1e9, " s", " G"},
		      {1e6, " ms", " M"}, {1e3, " us", " k"}, {1, " ns", " "}};
	const char *suffix = x->suffix ? x->suffix : "";
	if (x->unit == SVG_RATIO)
		return arena_printf(a, "%.4g\xc3\x97", v);
	if (v == 0)
		return "0";
	if (x->unit == SVG_PLAIN)
		return arena_printf(a, "%.5g%s%s", v, *suffix ? " " : "", suffix);
	for (size_t i = 0; i < COUNT_OF(scales); i++) {
		const char *name = x->unit == SVG_TIME ? scales[i].time : scales[i].si;
		if (name && (fabs(v) >= scales[i].scale * 0.9999 || i + 1 == COUNT_OF(scales)))
			return arena_printf(a, "%.4g%s%s", v / scales[i].scale, name, suffix);
	}
	return "";
}

void svg_begin(struct buf *out, const char *chart, int height, const char *label)
{
	buf_printf(out, "<figure data-chart=\"%s\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", chart,
		   SVG_WIDTH, height);
	html_cstr(out, label);
	buf_puts(out, "\">");
}

void svg_end(struct buf *out, const char *caption)
{
	buf_puts(out, "</svg><figcaption>");
	html_cstr(out, caption);
	buf_puts(out, "</figcaption></figure>\n");
}

void svg_y_axis(struct buf *out, struct arena *a, const struct svg_axis *y)
{
	double ticks[SVG_TICKS];
	size_t n = svg_ticks(y, ticks);
	for (size_t i = 0; i < n; i++) {
		double at = svg_place(y, ticks[i]);
		buf_printf(out, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.2f\" y2=\"%.2f\"/>", SVG_LEFT,
			   SVG_WIDTH - SVG_RIGHT, at, at);
		buf_printf(out,
			   "<text class=\"tick y\" data-value=\"%.12g\" data-at=\"%.2f\" x=\"%d\" y=\"%.2f\">%s</text>",
			   ticks[i], at, SVG_LEFT - 8, at + 4, svg_number(a, y, ticks[i]));
	}
}

void svg_x_axis(struct buf *out, struct arena *a, const struct svg_axis *x, double y, double top)
{
	double ticks[SVG_TICKS];
	size_t n = svg_ticks(x, ticks);
	for (size_t i = 0; i < n; i++) {
		double at = svg_place(x, ticks[i]);
		if (top < y)
			buf_printf(out, "<line class=\"grid\" x1=\"%.2f\" x2=\"%.2f\" y1=\"%.1f\" y2=\"%.1f\"/>", at,
				   at, top, y);
		buf_printf(out,
			   "<text class=\"tick x\" data-value=\"%.12g\" data-at=\"%.2f\" x=\"%.2f\" y=\"%.1f\">%s"
			   "</text>",
			   ticks[i], at, at, y + 18, svg_number(a, x, ticks[i]));
	}
	buf_printf(out, "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x->from, x->to, y, y);
}
