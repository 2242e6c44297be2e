/* Charts of ratios: speed-ups of paired comparisons, the roofline.
 * In: numbers. Out: markup; every mark has a title and data attributes with its values.
 * Verdicts are told apart by shape: filled, open, square.
 * Never: draws an interval that no comparison gave. */
#include <math.h>

#include "report/chart.h"
#include "report/html.h"
#include "report/svg.h"

enum { ROW = 24, COLUMN = 150, WORDS = 270 };

static void open_mark(struct buf *out, const char *class, const char *label)
{
	buf_printf(out, "<g class=\"mark %s\" data-label=\"", class);
	html_cstr(out, label);
	buf_puts(out, "\"");
}

/* An inconclusive mark is open; a slower one is a square. */
static void draw_shape(struct buf *out, const char *word, double x, double y)
{
	if (strcmp(word, "slower") == 0)
		buf_printf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"10\" height=\"10\"/>", x - 5, y - 5);
	else
		buf_printf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"5\"%s/>", x, y,
			   strcmp(word, "faster") == 0 ? "" : " class=\"open\"");
}

static const char *class_of(const char *word)
{
	return strcmp(word, "faster") == 0 ? "good" : strcmp(word, "slower") == 0 ? "warn" : "plain";
}

static bool is_ratio(double v)
{
	return isfinite(v) && v > 0;
}

static void draw_step(struct buf *out, struct arena *a, const struct chart_step *s, const struct svg_axis *x, double y)
{
	buf_puts(out, "<text x=\"8\" y=\"");
	buf_printf(out, "%.1f\">", y + 4);
	html_cstr(out, s->label);
	buf_puts(out, "</text>");
	if (!is_ratio(s->ratio) || !is_ratio(s->low) || !is_ratio(s->high)) {
		open_mark(out, "bad", s->label);
		buf_puts(out, " data-word=\"");
		html_cstr(out, s->word);
		buf_printf(out, "\"><path d=\"M%.2f %.2fl8 8m0 -8l-8 8\"/></g><text class=\"dim\" x=\"%d\" y=\"%.1f\">",
			   svg_place(x, 1) - 4, y - 4, SVG_WIDTH - WORDS + 12, y + 4);
		html_cstr(out, s->word);
		buf_puts(out, "</text>");
		return;
	}
	const char *text = arena_printf(a, "%.3g\xc3\x97 (%.3g to %.3g), %s", s->ratio, s->low, s->high, s->word);
	double at = svg_place(x, s->ratio);
	open_mark(out, class_of(s->word), s->label);
	buf_printf(out, " data-x=\"%.12g\" data-low=\"%.12g\" data-high=\"%.12g\" data-at=\"%.2f\" data-word=\"",
		   s->ratio, s->low, s->high, at);
	html_cstr(out, s->word);
	buf_puts(out, "\"><title>");
	html_cstr(out, arena_printf(a, "%s: %s", s->label, text));
	buf_printf(out, "</title><line x1=\"%.2f\" x2=\"%.2f\" y1=\"%.1f\" y2=\"%.1f\" stroke-width=\"2\"/>",
		   svg_place(x, s->low), svg_place(x, s->high), y, y);
	draw_shape(out, s->word, at, y);
	buf_printf(out, "</g><text x=\"%d\" y=\"%.1f\">", SVG_WIDTH - WORDS + 12, y + 4);
	html_cstr(out, text);
	buf_puts(out, "</text>");
}

void chart_speedups(struct buf *out, struct arena *a, const struct chart_step *s, size_t n)
{
	double low = 1, high = 1;
	for (size_t i = 0; i < n; i++) {
		low = is_ratio(s[i].low) ? fmin(low, s[i].low) : low;
		high = is_ratio(s[i].high) ? fmax(high, s[i].high) : high;
	}
	struct svg_axis x = svg_log(low, high, COLUMN, SVG_WIDTH - WORDS);
	x.unit = SVG_RATIO;
	double bottom = (double)n * ROW + 10;
	svg_begin(out, "speedups", (int)bottom + 28, "speed-up of each version over the one it was compared with");
	svg_x_axis(out, a, &x, bottom, 4);
	buf_printf(out, "<line class=\"one\" x1=\"%.2f\" x2=\"%.2f\" y1=\"4\" y2=\"%.1f\"/>", svg_place(&x, 1),
		   svg_place(&x, 1), bottom);
	for (size_t i = 0; i < n; i++)
		draw_step(out, a, &s[i], &x, (double)i * ROW + ROW / 2.0 + 4);
	svg_end(out,
		"How many times as fast as its baseline a version is, with the 95 % interval of the paired comparison, "
		"on a logarithmic axis. Filled: faster. Square: slower. Open: not decided. Cross: rejected, not "
		"compared.");
}

static void draw_roof(struct buf *out, const char *label, double per_s, const double line[4], const char *title)
{
	buf_printf(out, "<g class=\"roof\" data-label=\"%s\" data-per-s=\"%.12g\"><title>", label, per_s);
	html_cstr(out, title);
	buf_printf(out, "</title><line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/></g>", line[0], line[1],
		   line[2], line[3]);
}

/* A ceiling is drawn over the whole axis up to where the other one is lower. */
static void draw_roofs(struct buf *out, struct arena *a, const struct chart_roof *r, const struct svg_axis *x,
		       const struct svg_axis *y)
{
	double left = pow(10, x->low), right = pow(10, x->high),
	       ridge = isfinite(r->flop_per_s) && isfinite(r->bytes_per_s) ? r->flop_per_s / r->bytes_per_s : NAN;
	if (isfinite(r->bytes_per_s)) {
		double to = isnan(ridge) ? right : fmin(right, fmax(left, ridge)),
		       from = fmax(left, pow(10, y->low) / r->bytes_per_s);
		const double line[4] = {svg_place(x, from), svg_place(y, from * r->bytes_per_s), svg_place(x, to),
					svg_place(y, to * r->bytes_per_s)};
		draw_roof(out, "memory", r->bytes_per_s, line,
			  arena_printf(a, "memory, %s: %.4g GB/s", r->bytes_from, r->bytes_per_s / 1e9));
	}
	if (isfinite(r->flop_per_s)) {
		double from = isnan(ridge) ? left : fmax(left, fmin(right, ridge)), at = svg_place(y, r->flop_per_s);
		const double line[4] = {svg_place(x, from), at, svg_place(x, right), at};
		draw_roof(out, "arithmetic", r->flop_per_s, line,
			  arena_printf(a, "arithmetic, %s: %.4g GFLOP/s", r->flop_from, r->flop_per_s / 1e9));
	}
}

/* Names beside the points, where 14 pixels are free; the best version's own always. */
static void draw_point_names(struct buf *out, const struct chart_roof *r, const struct svg_axis *x,
			     const struct svg_axis *y)
{
	for (size_t i = 0; i < r->n; i++) {
		bool is_free = true;
		double px = svg_place(x, r->points[i].intensity), py = svg_place(y, r->points[i].rate);
		for (size_t k = 0; k < r->n; k++) {
			bool is_first = r->points[k].is_best || (k < i && !r->points[i].is_best);
			double dx = svg_place(x, r->points[k].intensity) - px,
			       dy = svg_place(y, r->points[k].rate) - py;
			is_free = is_free && !(k != i && is_first && fabs(dx) < 40 && fabs(dy) < 14);
		}
		if (is_free)
			buf_printf(out, "<text class=\"%s\" x=\"%.2f\" y=\"%.2f\">%s</text>",
				   r->points[i].is_best ? "strong" : "", px + 12, py + 4, r->points[i].label);
	}
}

static void draw_path(struct buf *out, struct arena *a, const struct chart_roof *r, const struct svg_axis *x,
		      const struct svg_axis *y)
{
	buf_puts(out, "<path class=\"path\" d=\"");
	for (size_t i = 0; i < r->n; i++)
		buf_printf(out, "%s%.2f %.2f", i ? "L" : "M", svg_place(x, r->points[i].intensity),
			   svg_place(y, r->points[i].rate));
	buf_puts(out, "\"/>");
	for (size_t i = 0; i < r->n; i++) {
		const struct chart_point *p = &r->points[i];
		open_mark(out, p->is_best ? "b" : "a", p->label);
		buf_printf(out, " data-x=\"%.12g\" data-y=\"%.12g\"><title>%s: %.4g FLOP/byte, %s</title>",
			   p->intensity, p->rate, p->label, p->intensity,
			   arena_printf(a, "%.4g GFLOP/s", p->rate / 1e9));
		if (p->is_best)
			buf_printf(out, "<path d=\"M%.2f %.2fl8 8l-8 8l-8 -8z\"/></g>", svg_place(x, p->intensity),
				   svg_place(y, p->rate) - 8);
		else
			buf_printf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"5\"/></g>", svg_place(x, p->intensity),
				   svg_place(y, p->rate));
	}
}

void chart_roofline(struct buf *out, struct arena *a, const struct chart_roof *r)
{
	double low = INFINITY, high = 0, left = INFINITY, right = 0;
	for (size_t i = 0; i < r->n; i++) {
		low = fmin(low, r->points[i].rate);
		high = fmax(high, r->points[i].rate);
		left = fmin(left, r->points[i].intensity);
		right = fmax(right, r->points[i].intensity);
	}
	if (!(low > 0) || !(left > 0))
		return;
	left /= 10, right *= 10;
	if (isfinite(r->flop_per_s))
		high = fmax(high, r->flop_per_s);
	if (isfinite(r->bytes_per_s)) {
		low = fmin(low, left * r->bytes_per_s);
		high = fmax(high, isfinite(r->flop_per_s) ? 0 : right * r->bytes_per_s);
		right = isfinite(r->flop_per_s) ? fmax(right, 4 * r->flop_per_s / r->bytes_per_s) : right;
	}
	struct svg_axis x = svg_log(left, right, SVG_LEFT, SVG_WIDTH - SVG_RIGHT), y = svg_log(low, high, 300, 16);
	x.unit = SVG_PLAIN;
	y.unit = SVG_SI, y.suffix = "FLOP/s";
	svg_begin(out, "roofline", 336, "roofline: rate over arithmetic intensity, both logarithmic");
	svg_y_axis(out, a, &y);
	svg_x_axis(out, a, &x, 300, 16);
	draw_roofs(out, a, r, &x, &y);
	draw_path(out, a, r, &x, &y);
	draw_point_names(out, r, &x, &y);
	bool has_roof = isfinite(r->flop_per_s) || isfinite(r->bytes_per_s);
	svg_end(out,
		has_roof ? "Rate over arithmetic intensity (FLOP/byte) as declared by the operator file. Lines: the "
			   "device's ceilings. The path joins the versions in their order; diamond: the best one."
			 : "Rate over arithmetic intensity (FLOP/byte) as declared by the operator file. No ceiling of "
			   "this device is recorded. The path joins the versions in their order; diamond: the best "
			   "one.");
}
