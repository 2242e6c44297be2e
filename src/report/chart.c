/* Charts as inline SVG.
 * In: numbers. Out: markup; every mark has a title with its values.
 * Axes have three to eight round ticks; labels never overlap because lanes and columns have fixed room.
 * Never: leaves out a version or a sample without saying so. */
#include "report/chart.h"

#include <math.h>

#include "base/term.h"
#include "report/html.h"

enum { CHART_W = 960, CHART_LEFT = 76, CHART_RIGHT = 24 };

struct axis {
	double low, high; /* in the axis's own units: log10(ns) or ns */
	double from, to;  /* pixels */
	bool is_log;
};

static double place(const struct axis *x, double v)
{
	double u = x->is_log ? log10(v) : v;
	return x->from + (u - x->low) / (x->high - x->low) * (x->to - x->from);
}

/* Round steps: 1, 2 or 5 times a power of ten, at most eight of them. */
static double tick_step(double span)
{
	double step = pow(10, floor(log10(span / 4)));
	while (span / step > 8)
		step *= fmod(log10(step) + 100, 1) > 0.6 ? 2 : span / step > 20 ? 5 : 2;
	return step;
}

static size_t ticks_of(const struct axis *x, double *out, size_t most)
{
	size_t n = 0;
	if (!x->is_log) {
		/* Whole steps are counted, so that rounding does not add up along the axis. */
		double step = tick_step(x->high - x->low), first = ceil(x->low / step);
		while (n < most && (first + (double)n) * step <= x->high) {
			out[n] = (first + (double)n) * step;
			n++;
		}
		return n;
	}
	bool is_wide = x->high - x->low > 1.5;
	for (int e = (int)floor(x->low); e <= (int)ceil(x->high); e++) {
		static const double few[] = {1}, many[] = {1, 2, 5};
		const double *m = is_wide ? few : many;
		for (size_t i = 0; i < (is_wide ? COUNT_OF(few) : COUNT_OF(many)) && n < most; i++) {
			double t = m[i] * pow(10, e);
			if (log10(t) >= x->low && log10(t) <= x->high)
				out[n++] = t;
		}
	}
	return n;
}

static void begin(struct buf *out, int height, const char *label)
{
	buf_printf(out, "<figure><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", CHART_W, height);
	html_cstr(out, label);
	buf_puts(out, "\">");
}

static void end(struct buf *out, const char *caption)
{
	buf_puts(out, "</svg><figcaption>");
	html_cstr(out, caption);
	buf_puts(out, "</figcaption></figure>\n");
}

static void draw_y_axis(struct buf *out, struct arena *a, const struct axis *y)
{
	double ticks[12];
	size_t n = ticks_of(y, ticks, COUNT_OF(ticks));
	for (size_t i = 0; i < n; i++) {
		double at = place(y, ticks[i]);
		buf_printf(out, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", CHART_LEFT,
			   CHART_W - CHART_RIGHT, at, at);
		buf_printf(out, "<text class=\"dim\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>", CHART_LEFT - 8,
			   at + 4, term_time(a, ticks[i]));
	}
}

static void draw_x_axis(struct buf *out, struct arena *a, const struct axis *x, double y)
{
	double ticks[12];
	size_t n = ticks_of(x, ticks, COUNT_OF(ticks));
	buf_printf(out, "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x->from, x->to, y, y);
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "<text class=\"dim\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>",
			   place(x, ticks[i]), y + 18, term_time(a, ticks[i]));
}

static struct axis log_axis(double low, double high, double from, double to)
{
	double l = log10(low), h = log10(high), pad = (h - l) * 0.08 + 0.02;
	return (struct axis){l - pad, h + pad, from, to, true};
}

static void draw_version(struct buf *out, struct arena *a, const struct chart_version *v, double x,
			 const struct axis *y)
{
	if (isnan(v->middle)) {
		double at = y->from + 22;
		buf_printf(out, "<g><title>%s: %s</title><path class=\"bad\" d=\"M%.1f %.1fl8 8m0 -8l-8 8\"/></g>",
			   v->label, v->word, x - 4, at - 4);
		return;
	}
	double at = place(y, v->middle), top = place(y, v->high), bottom = place(y, v->low);
	double up = place(y, v->middle + v->half), down = place(y, fmax(v->middle - v->half, v->low * 0.5));
	buf_printf(out, "<g class=\"%s\"><title>%s: trimmed mean %s, +- %s, min %s, max %s</title>",
		   v->is_best ? "b" : "a", v->label, term_time(a, v->middle), term_time(a, v->half),
		   term_time(a, v->low), term_time(a, v->high));
	buf_printf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke-opacity=\".35\"/>", x, x, top,
		   bottom);
	buf_printf(out,
		   "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke-width=\"5\" stroke-opacity=\".6\"/>",
		   x, x, up, down);
	buf_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"/></g>", x, at, v->is_best ? 7 : 5);
}

void chart_versions(struct buf *out, struct arena *a, const struct chart_version *v, size_t n)
{
	double low = INFINITY, high = 0;
	for (size_t i = 0; i < n; i++) {
		if (isnan(v[i].middle))
			continue;
		low = fmin(low, v[i].low);
		high = fmax(high, v[i].high);
	}
	if (!(high > 0) || !(low > 0)) {
		buf_puts(out, "<p class=\"dim\">No version has a time.</p>\n");
		return;
	}
	struct axis y = log_axis(low, high, 280, 16);
	begin(out, 344, "time by version, logarithmic");
	draw_y_axis(out, a, &y);
	double width = (CHART_W - CHART_LEFT - CHART_RIGHT) / (double)n;
	size_t every = n > 40 ? 5 : n > 20 ? 2 : 1; /* labels keep their room */
	for (size_t i = 0; i < n; i++) {
		double x = CHART_LEFT + width * ((double)i + 0.5);
		draw_version(out, a, &v[i], x, &y);
		if (i % every == 0 || v[i].is_best)
			buf_printf(out, "<text x=\"%.1f\" y=\"332\" text-anchor=\"middle\">%s</text>", x, v[i].label);
	}
	end(out, "Trimmed mean of each version with its 95 % interval (thick) and range (thin); orange: best; a cross: "
		 "no time. "
		 "Logarithmic axis.");
}

/* ascending copy */
static double *sorted(struct arena *a, const double *x, size_t n)
{
	double *s = ARENA_ARRAY(a, n + 1, double);
	memcpy(s, x, n * sizeof(*s));
	for (size_t gap = n / 2; gap > 0; gap /= 2) { /* Shell's sort: small n, no callback */
		for (size_t i = gap; i < n; i++) {
			double v = s[i];
			size_t k = i;
			for (; k >= gap && s[k - gap] > v; k -= gap)
				s[k] = s[k - gap];
			s[k] = v;
		}
	}
	return s;
}

/* Gaussian kernel density at 160 places; bandwidth by Silverman (1986), eq. 3.31, with the interquartile range. */
static void draw_density(struct buf *out, const double *s, size_t n, const struct axis *x, const double lane[2])
{
	enum { PLACES = 160 };
	double iqr = s[n * 3 / 4] - s[n / 4],
	       h = 0.9 * (iqr > 0 ? iqr / 1.34 : (s[n - 1] - s[0]) / 4) * pow((double)n, -0.2);
	double d[PLACES], most = 0;
	if (!(h > 0))
		return;
	for (size_t i = 0; i < PLACES; i++) {
		double u = x->low + (x->high - x->low) * (double)i / (PLACES - 1), v = x->is_log ? pow(10, u) : u,
		       sum = 0;
		for (size_t k = 0; k < n; k++)
			sum += exp(-0.5 * pow((v - s[k]) / h, 2));
		d[i] = sum;
		most = fmax(most, sum);
	}
	buf_printf(out, "<path class=\"area\" d=\"M%.1f %.1f", x->from, lane[1]);
	for (size_t i = 0; i < PLACES; i++)
		buf_printf(out, "L%.1f %.1f", x->from + (x->to - x->from) * (double)i / (PLACES - 1),
			   lane[1] - (lane[1] - lane[0]) * d[i] / most);
	buf_printf(out, "L%.1f %.1fZ\"/>", x->to, lane[1]);
}

static void draw_lane(struct buf *out, struct arena *a, const struct chart_sample *s, const struct axis *x, double top)
{
	const double *v = sorted(a, s->x, s->n), lane[2] = {top, top + 44};
	draw_density(out, v, s->n, x, lane);
	for (size_t i = 0; i < s->n; i++) {
		double at = place(x, s->x[i]);
		if (at < x->from || at > x->to)
			continue;
		buf_printf(out, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.2\"/>", at,
			   top + 50 + (double)((i * 7919) % 20)); /* spread, the same in every rendering */
	}
	double median = v[s->n / 2];
	buf_printf(out,
		   "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke-width=\"2\"><title>%s: about half of "
		   "%zu samples lie "
		   "below %s</title></line>",
		   place(x, median), place(x, median), top, top + 74, s->label, s->n, term_time(a, median));
}

void chart_strips(struct buf *out, struct arena *a, const struct chart_sample *s, size_t n)
{
	double low = INFINITY, high = 0;
	size_t n_outside = 0, n_all = 0;
	for (size_t i = 0; i < n; i++) {
		const double *v = sorted(a, s[i].x, s[i].n);
		low = fmin(low, v[(s[i].n - 1) / 200]);
		high = fmax(high, v[(s[i].n - 1) - (s[i].n - 1) / 100]);
	}
	if (!(high > low) || !(low > 0))
		return;
	struct axis x = {low, high, CHART_LEFT, CHART_W - CHART_RIGHT, false};
	if (high / low > 4)
		x = log_axis(low, high, CHART_LEFT, CHART_W - CHART_RIGHT);
	else
		x.low -= (high - low) * 0.05, x.high += (high - low) * 0.05;
	int height = (int)n * 92 + 40;
	begin(out, height, "distribution of samples");
	for (size_t i = 0; i < n; i++) {
		buf_printf(out, "<g class=\"%s\">", i % 2 ? "b" : "a");
		draw_lane(out, a, &s[i], &x, 8 + 92 * (double)i);
		buf_puts(out, "</g>");
		buf_printf(out, "<text x=\"8\" y=\"%d\">%s</text>", (int)(40 + 92 * i), s[i].label);
		for (size_t k = 0; k < s[i].n; k++)
			n_outside += place(&x, s[i].x[k]) > x.to || place(&x, s[i].x[k]) < x.from;
		n_all += s[i].n;
	}
	draw_x_axis(out, a, &x, height - 28);
	end(out, arena_printf(a,
			      "Every sample as a dot, its density above, the median as a line. %zu of %zu samples lie "
			      "outside the axis.",
			      n_outside, n_all));
}

void chart_series(struct buf *out, struct arena *a, const struct chart_sample *s)
{
	const double *v = sorted(a, s->x, s->n);
	double low = v[0], high = v[(s->n - 1) - (s->n - 1) / 100];
	size_t n_above = 0;
	if (!(high > low))
		return;
	struct axis y = {low - (high - low) * 0.05, high + (high - low) * 0.08, 180, 12, false};
	begin(out, 210, "samples in order of time");
	draw_y_axis(out, a, &y);
	buf_puts(out, "<g class=\"a\">");
	for (size_t i = 0; i < s->n; i++) {
		double x = CHART_LEFT + (CHART_W - CHART_LEFT - CHART_RIGHT) * ((double)i + 0.5) / (double)s->n;
		if (place(&y, s->x[i]) < y.to) {
			n_above++;
			continue;
		}
		buf_printf(out,
			   "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.4\"><title>%zu: %s</title></circle>", x,
			   place(&y, s->x[i]), i, term_time(a, s->x[i]));
	}
	buf_puts(out, "</g>");
	end(out,
	    arena_printf(a, "%s: samples in order of time; %zu of %zu lie above the axis.", s->label, n_above, s->n));
}
