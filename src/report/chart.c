/* Charts of times: by version, as distributions, in order of time.
 * In: numbers. Out: markup; every mark has a title and data attributes with its values.
 * Labels never overlap because lanes and columns have fixed room.
 * Never: leaves out a version or a sample without saying so. */
#include "report/chart.h"

#include <math.h>

#include "base/term.h"
#include "report/html.h"
#include "report/svg.h"

static void put_label(struct buf *out, const char *label)
{
	buf_puts(out, " data-label=\"");
	html_cstr(out, label);
	buf_puts(out, "\"");
}

static void draw_rejected(struct buf *out, const struct chart_version *v, double x, double y)
{
	buf_puts(out, "<g class=\"mark bad\"");
	put_label(out, v->label);
	buf_puts(out, " data-word=\"");
	html_cstr(out, v->word);
	buf_printf(out, "\"><title>%s: ", v->label);
	html_cstr(out, v->word);
	buf_printf(out, "</title><path d=\"M%.2f %.2fl8 8m0 -8l-8 8\"/></g>", x - 4, y - 4);
}

static void draw_version(struct buf *out, struct arena *a, const struct chart_version *v, double x,
			 const struct svg_axis *y)
{
	if (isnan(v->middle)) {
		draw_rejected(out, v, x, y->from + 22);
		return;
	}
	double at = svg_place(y, v->middle), up = svg_place(y, v->middle + v->half),
	       down = svg_place(y, fmax(v->middle - v->half, v->low * 0.5));
	buf_printf(out, "<g class=\"mark %s\"", v->is_best ? "b" : "a");
	put_label(out, v->label);
	buf_printf(out,
		   " data-y=\"%.12g\" data-low=\"%.12g\" data-high=\"%.12g\" data-half=\"%.12g\" data-at=\"%.2f\">",
		   v->middle, v->low, v->high, v->half, at);
	buf_printf(out, "<title>%s: trimmed mean %s, +- %s, min %s, max %s</title>", v->label, term_time(a, v->middle),
		   term_time(a, v->half), term_time(a, v->low), term_time(a, v->high));
	buf_printf(out, "<line x1=\"%.2f\" x2=\"%.2f\" y1=\"%.2f\" y2=\"%.2f\" stroke-opacity=\".4\"/>", x, x,
		   svg_place(y, v->high), svg_place(y, v->low));
	buf_printf(out,
		   "<line x1=\"%.2f\" x2=\"%.2f\" y1=\"%.2f\" y2=\"%.2f\" stroke-width=\"5\" "
		   "stroke-opacity=\".6\"/>",
		   x, x, up, down);
	if (v->is_best) /* a diamond, so that colour is not all that tells it */
		buf_printf(out, "<path d=\"M%.2f %.2fl8 8l-8 8l-8 -8z\"/></g>", x, at - 8);
	else
		buf_printf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"5\"/></g>", x, at);
}

/* Labels keep their room: every one, every second or every fifth; the best version's own goes before its neighbours'. */
static void draw_names(struct buf *out, const struct chart_version *v, size_t n, double width)
{
	size_t every = n > 40 ? 5 : n > 20 ? 2 : 1, best = n;
	for (size_t i = 0; i < n; i++)
		best = v[i].is_best ? i : best;
	for (size_t i = 0; i < n; i++) {
		size_t off = i > best ? i - best : best - i;
		if (i != best && (i % every || (best < n && off < every)))
			continue;
		buf_printf(out, "<text class=\"%s\" x=\"%.1f\" y=\"332\">%s</text>", i == best ? "name strong" : "name",
			   SVG_LEFT + width * ((double)i + 0.5), v[i].label);
	}
}

void chart_versions(struct buf *out, struct arena *a, const struct chart_version *v, size_t n)
{
	double low = INFINITY, high = 0, width = (SVG_WIDTH - SVG_LEFT - SVG_RIGHT) / (double)(n ? n : 1);
	size_t n_without = 0;
	for (size_t i = 0; i < n; i++) {
		n_without += isnan(v[i].middle) ? 1 : 0;
		if (isnan(v[i].middle))
			continue;
		low = fmin(low, v[i].low);
		high = fmax(high, v[i].high);
	}
	if (!(high > 0) || !(low > 0)) {
		buf_puts(out, "<p class=\"dim\">No version has a time.</p>\n");
		return;
	}
	struct svg_axis y = svg_log(low, high, 280, 16);
	svg_begin(out, "versions", 344, "time by version, logarithmic");
	svg_y_axis(out, a, &y);
	for (size_t i = 0; i < n; i++)
		draw_version(out, a, &v[i], SVG_LEFT + width * ((double)i + 0.5), &y);
	if (n_without)
		buf_printf(out, "<text class=\"name dim\" x=\"%d\" y=\"306\" style=\"text-anchor:end\">no time</text>",
			   SVG_LEFT - 8);
	draw_names(out, v, n, width);
	svg_end(out,
		"Trimmed mean of each version with its 95 % interval (thick) and the range of its samples (thin), on a "
		"logarithmic axis. Diamond: the best version. Cross: rejected, no time.");
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

/* Gaussian kernel density at 160 places, in the units of the axis; bandwidth by Silverman (1986), eq. 3.31, with the
 * interquartile range. s: ascending. */
static void draw_density(struct buf *out, struct arena *a, const struct chart_sample *s, const struct svg_axis *x,
			 const double lane[2])
{
	enum { PLACES = 160 };
	double d[PLACES], most = 0, *u = ARENA_ARRAY(a, s->n + 1, double);
	for (size_t k = 0; k < s->n; k++)
		u[k] = x->is_log ? log10(s->x[k]) : s->x[k];
	double iqr = u[s->n * 3 / 4] - u[s->n / 4],
	       h = 0.9 * (iqr > 0 ? iqr / 1.34 : (u[s->n - 1] - u[0]) / 4) * pow((double)s->n, -0.2);
	if (!(h > 0))
		return;
	for (size_t i = 0; i < PLACES; i++) {
		double at = x->low + (x->high - x->low) * (double)i / (PLACES - 1), sum = 0;
		for (size_t k = 0; k < s->n; k++)
			sum += exp(-0.5 * pow((at - u[k]) / h, 2));
		d[i] = sum;
		most = fmax(most, sum);
	}
	buf_printf(out, "<path class=\"area\" d=\"M%.1f %.1f", x->from, lane[1]);
	for (size_t i = 0; i < PLACES; i++)
		buf_printf(out, "L%.1f %.1f", x->from + (x->to - x->from) * (double)i / (PLACES - 1),
			   lane[1] - (lane[1] - lane[0]) * d[i] / most);
	buf_printf(out, "L%.1f %.1fZ\"/>", x->to, lane[1]);
}

static double median_of(const double *v, size_t n)
{
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void draw_lane(struct buf *out, struct arena *a, const struct chart_sample *s, const struct svg_axis *x,
		      double top)
{
	const double *v = sorted(a, s->x, s->n), lane[2] = {top, top + 44};
	draw_density(out, a, &(struct chart_sample){s->label, v, s->n, false}, x, lane);
	for (size_t i = 0; i < s->n; i++) {
		double at = svg_place(x, s->x[i]);
		if (at < x->from || at > x->to)
			continue;
		buf_printf(out, "<circle class=\"dot\" data-x=\"%.12g\" cx=\"%.2f\" cy=\"%.1f\" r=\"2.2\"/>", s->x[i],
			   at, top + 50 + (double)((i * 7919) % 20)); /* spread, the same in every rendering */
	}
	double median = median_of(v, s->n);
	buf_printf(out,
		   "<line class=\"median\" data-x=\"%.12g\" x1=\"%.2f\" x2=\"%.2f\" y1=\"%.1f\" y2=\"%.1f\">"
		   "<title>%s: median %s of %zu samples</title></line>",
		   median, svg_place(x, median), svg_place(x, median), top, top + 74, s->label, term_time(a, median),
		   s->n);
}

static size_t n_outside(const struct chart_sample *s, const struct svg_axis *x)
{
	size_t n = 0;
	for (size_t k = 0; k < s->n; k++)
		n += svg_place(x, s->x[k]) > x->to || svg_place(x, s->x[k]) < x->from;
	return n;
}

void chart_strips(struct buf *out, struct arena *a, const struct chart_sample *s, size_t n)
{
	double low = INFINITY, high = 0;
	size_t n_out = 0, n_all = 0;
	for (size_t i = 0; i < n; i++) {
		const double *v = sorted(a, s[i].x, s[i].n);
		low = fmin(low, v[(s[i].n - 1) / 200]);
		high = fmax(high, v[(s[i].n - 1) - (s[i].n - 1) / 100]);
	}
	if (!(high >= low) || !(low > 0))
		return;
	struct svg_axis x = (high / low > 4 ? svg_log : svg_linear)(low, high, SVG_LEFT, SVG_WIDTH - SVG_RIGHT);
	int height = (int)n * 92 + 40;
	svg_begin(out, "samples", height, "distribution of samples");
	svg_x_axis(out, a, &x, height - 28, 4);
	for (size_t i = 0; i < n; i++) {
		buf_printf(out, "<g class=\"%s\"", s[i].is_best ? "b" : "a");
		put_label(out, s[i].label);
		buf_puts(out, ">");
		draw_lane(out, a, &s[i], &x, 8 + 92 * (double)i);
		buf_puts(out, "</g>");
		buf_printf(out, "<text class=\"strong\" x=\"8\" y=\"%d\">%s</text>", (int)(48 + 92 * i), s[i].label);
		n_out += n_outside(&s[i], &x);
		n_all += s[i].n;
	}
	svg_end(out,
		arena_printf(a,
			     "Every sample as a dot, its density above, the median as a line. %zu of %zu samples lie "
			     "outside the axis.",
			     n_out, n_all));
}

enum { LANE = 76 };

static double x_of(const struct chart_series *s, size_t i)
{
	return s->t_s ? s->t_s[i] : (double)i;
}

/* The middle 99 % of the samples, and all that was seen beside them. */
static void draw_points(struct buf *out, struct arena *a, const struct chart_series *s, const struct svg_axis *x,
			const struct svg_axis *y)
{
	buf_printf(out, "<g class=\"%s\"", s->sample.is_best ? "b" : "a");
	put_label(out, s->sample.label);
	buf_puts(out, ">");
	for (size_t i = 0; i < s->sample.n; i++) {
		if (svg_place(y, s->sample.x[i]) < y->to)
			continue;
		buf_printf(out,
			   "<circle class=\"dot\" data-x=\"%.12g\" data-y=\"%.12g\" cx=\"%.2f\" cy=\"%.2f\" "
			   "r=\"2.4\"><title>%zu: %s</title></circle>",
			   x_of(s, i), s->sample.x[i], svg_place(x, x_of(s, i)), svg_place(y, s->sample.x[i]), i,
			   term_time(a, s->sample.x[i]));
	}
	buf_puts(out, "</g>");
}

static void draw_seen(struct buf *out, struct arena *a, const struct chart_lane *l, const struct svg_axis *x,
		      double top)
{
	double low = INFINITY, high = -INFINITY;
	for (size_t i = 0; i < l->n; i++) {
		double px = svg_place(x, l->t_s[i]);
		if (isfinite(l->v[i]) && px >= x->from && px <= x->to) {
			low = fmin(low, l->v[i]);
			high = fmax(high, l->v[i]);
		}
	}
	if (low > high)
		return;
	struct svg_axis y = svg_linear(low, high, top + 64, top + 22);
	buf_printf(out, "<text class=\"dim\" x=\"%d\" y=\"%.0f\">%s</text>", SVG_LEFT, top + 14, l->name);
	const double edges[] = {low, high};
	for (size_t i = 0; i < (low < high ? 2 : 1); i++)
		buf_printf(out, "<text class=\"tick y\" x=\"%d\" y=\"%.2f\">%.5g %s</text>", SVG_LEFT - 8,
			   svg_place(&y, edges[i]) + (i ? 8 : 4), edges[i], l->unit);
	buf_printf(out, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", SVG_LEFT,
		   SVG_WIDTH - SVG_RIGHT, top + 68, top + 68);
	buf_printf(out, "<g class=\"seen\" data-label=\"%s\">", l->name);
	double before_x = NAN, before_y = NAN;
	for (size_t i = 0; i < l->n; i++) {
		double px = svg_place(x, l->t_s[i]), py = isfinite(l->v[i]) ? svg_place(&y, l->v[i]) : NAN;
		if (px < x->from || px > x->to || isnan(py))
			continue;
		if (isfinite(before_y))
			buf_printf(out, "<line x1=\"%.2f\" x2=\"%.2f\" y1=\"%.2f\" y2=\"%.2f\"/>", before_x, px,
				   before_y, py);
		buf_printf(out,
			   "<circle data-x=\"%.12g\" data-y=\"%.12g\" cx=\"%.2f\" cy=\"%.2f\" r=\"2\"><title>%.5g "
			   "%s</title></circle>",
			   l->t_s[i], l->v[i], px, py, l->v[i], l->unit);
		before_x = px, before_y = py;
	}
	buf_puts(out, "</g>");
	(void)a;
}

void chart_series(struct buf *out, struct arena *a, const struct chart_series *s)
{
	const double *v = sorted(a, s->sample.x, s->sample.n);
	size_t n = s->sample.n, n_above = 0;
	double low = v[0], high = v[(n - 1) - (n - 1) / 100], last = x_of(s, n - 1);
	struct svg_axis y = svg_linear(low, high, 180, 12);
	struct svg_axis x = {
		-0.02 * last,       last * 1.02 + (last > 0 ? 0 : 1), SVG_LEFT, SVG_WIDTH - SVG_RIGHT, false, SVG_PLAIN,
		s->t_s ? "s" : NULL};
	double bottom = 188 + LANE * (double)s->n_lanes;
	svg_begin(out, "series", (int)bottom + 30, "samples in order of time");
	svg_y_axis(out, a, &y);
	draw_points(out, a, s, &x, &y);
	for (size_t i = 0; i < n; i++)
		n_above += svg_place(&y, s->sample.x[i]) < y.to;
	for (size_t i = 0; i < s->n_lanes; i++)
		draw_seen(out, a, &s->lanes[i], &x, 188 + LANE * (double)i);
	svg_x_axis(out, a, &x, bottom, bottom);
	svg_end(out, arena_printf(a, "%s: samples in order of time%s; %zu of %zu lie above the axis.", s->sample.label,
				  s->t_s ? ", by the parent's clock" : ", by their number", n_above, n));
}
