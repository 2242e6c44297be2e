/* The chart of a comparison: the effect placement by placement.
 * In: percentages. Out: markup; every mark has data attributes with its values.
 * Dots are placements, the line is the interval of their mean.
 * Never: leaves out a placement. */
#include <math.h>

#include "report/chart.h"
#include "report/html.h"
#include "report/svg.h"

enum { LANE = 52, NAMES = 150 };

static const char *class_of(const char *word)
{
	return strcmp(word, "faster") == 0 ? "good" : strcmp(word, "slower") == 0 ? "warn" : "plain";
}

static void draw_interval(struct buf *out, const struct chart_effect *s, const struct svg_axis *x, double y)
{
	if (!isfinite(s->middle) || !isfinite(s->low) || !isfinite(s->high))
		return;
	buf_printf(out, "<g class=\"mark %s\" data-x=\"%.12g\" data-low=\"%.12g\" data-high=\"%.12g\"><title>",
		   class_of(s->word), s->middle, s->low, s->high);
	html_cstr(out, s->label);
	buf_printf(out,
		   ": %+.3g %% (%+.3g to %+.3g)</title><line x1=\"%.2f\" x2=\"%.2f\" y1=\"%.1f\" y2=\"%.1f\" "
		   "stroke-width=\"3\"/><path d=\"M%.2f %.2fl6 6l-6 6l-6 -6z\"/></g>",
		   s->middle, s->low, s->high, svg_place(x, s->low), svg_place(x, s->high), y, y,
		   svg_place(x, s->middle), y - 6);
}

static void draw_lane(struct buf *out, const struct chart_effect *s, const struct svg_axis *x, double top)
{
	buf_printf(out, "<text x=\"8\" y=\"%.1f\">", top + 22);
	html_cstr(out, s->label);
	buf_puts(out, "</text><g class=\"a\" data-label=\"");
	html_cstr(out, s->label);
	buf_puts(out, "\">");
	for (size_t i = 0; i < s->n; i++) {
		if (!isfinite(s->pct[i]))
			continue;
		buf_printf(out,
			   "<circle class=\"dot\" data-x=\"%.12g\" cx=\"%.2f\" cy=\"%.1f\" r=\"3\"><title>placement "
			   "%zu: %+.3g %%</title></circle>",
			   s->pct[i], svg_place(x, s->pct[i]), top + 8 + (double)((i * 7919) % 14), i, s->pct[i]);
	}
	buf_puts(out, "</g>");
	draw_interval(out, s, x, top + 34);
}

void chart_effects(struct buf *out, struct arena *a, const struct chart_effect *s, size_t n, const char *caption)
{
	double low = 0, high = 0;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < s[i].n; k++) {
			low = isfinite(s[i].pct[k]) ? fmin(low, s[i].pct[k]) : low;
			high = isfinite(s[i].pct[k]) ? fmax(high, s[i].pct[k]) : high;
		}
		low = isfinite(s[i].low) ? fmin(low, s[i].low) : low;
		high = isfinite(s[i].high) ? fmax(high, s[i].high) : high;
	}
	struct svg_axis x = svg_linear(low, high, NAMES, SVG_WIDTH - SVG_RIGHT);
	double bottom = (double)n * LANE + 6;
	x.unit = SVG_PLAIN, x.suffix = "%";
	svg_begin(out, "effects", (int)bottom + 28, "effects with their intervals, in per cent");
	svg_x_axis(out, a, &x, bottom, 4);
	buf_printf(out, "<line class=\"one\" x1=\"%.2f\" x2=\"%.2f\" y1=\"4\" y2=\"%.1f\"/>", svg_place(&x, 0),
		   svg_place(&x, 0), bottom);
	for (size_t i = 0; i < n; i++)
		draw_lane(out, &s[i], &x, 4 + LANE * (double)i);
	svg_end(out, caption);
}
