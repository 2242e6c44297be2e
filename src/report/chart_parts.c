/* Charts of parts: stacked bars, the timeline of one call, sparklines.
 * In: numbers. Out: markup; every mark has a title and data attributes with its values.
 * The colours of parts come from page.css (Okabe and Ito's palette).
 * Never: joins parts silently: what is too small to see is in the title of its bar. */
#include <math.h>

#include "base/term.h"
#include "report/chart.h"
#include "report/html.h"
#include "report/svg.h"

enum { BAR_ROW = 24, LANE_ROW = 34, SPARK_WIDTH = 84, SPARK_HEIGHT = 18 };

static void draw_legend(struct buf *out, const struct chart_bars *b)
{
	double x = SVG_LEFT;
	for (size_t i = 0; i < b->n_names; i++) {
		buf_printf(out,
			   "<rect class=\"part p%zu\" x=\"%.0f\" y=\"4\" width=\"12\" height=\"12\"/>"
			   "<text x=\"%.0f\" y=\"15\">",
			   i, x, x + 17);
		html_cstr(out, b->names[i]);
		buf_puts(out, "</text>");
		x += 34 + 7.2 * (double)strlen(b->names[i]);
	}
}

static bool has_part(const struct chart_bar *bar, size_t i)
{
	return isfinite(bar->parts[i]) && bar->parts[i] > 0;
}

static const char *amount(struct arena *a, const struct chart_bars *b, double v)
{
	return b->is_count ? arena_printf(a, "%.0f", v) : term_time(a, v);
}

static void draw_bar(struct buf *out, struct arena *a, const struct chart_bars *b, const struct chart_bar *bar,
		     const struct svg_axis *x, double y)
{
	double sum = 0;
	buf_printf(out, "<text x=\"8\" y=\"%.1f\">", y + 12);
	html_cstr(out, bar->label);
	buf_puts(out, "</text><g class=\"bar\" data-label=\"");
	html_cstr(out, bar->label);
	buf_puts(out, "\">");
	for (size_t i = 0; i < b->n_names; i++) {
		if (!has_part(bar, i))
			continue;
		double from = svg_place(x, sum), to = svg_place(x, sum + bar->parts[i]);
		buf_printf(out, "<rect class=\"part p%zu\" data-part=\"", i);
		html_cstr(out, b->names[i]);
		buf_printf(out, "\" data-%s=\"%.12g\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"16\"><title>",
			   b->is_count ? "n" : "ns", bar->parts[i], from, y, to - from);
		html_cstr(out, arena_printf(a, "%s, %s: %s", bar->label, b->names[i], amount(a, b, bar->parts[i])));
		buf_puts(out, "</title></rect>");
		sum += bar->parts[i];
	}
	buf_puts(out, "</g>");
	if (sum > 0)
		buf_printf(out, "<text class=\"dim\" x=\"%.2f\" y=\"%.1f\">%s</text>", svg_place(x, sum) + 6, y + 12,
			   amount(a, b, sum));
}

void chart_bars(struct buf *out, struct arena *a, const struct chart_bars *b)
{
	double most = 0;
	for (size_t i = 0; i < b->n; i++) {
		double sum = 0;
		for (size_t k = 0; k < b->n_names; k++)
			sum += has_part(&b->bars[i], k) ? b->bars[i].parts[k] : 0;
		most = fmax(most, sum);
	}
	if (!(most > 0))
		return;
	struct svg_axis x = {
		0, most * 1.1, SVG_LEFT, SVG_WIDTH - SVG_RIGHT, false, b->is_count ? SVG_PLAIN : SVG_TIME, NULL};
	double bottom = 28 + (double)b->n * BAR_ROW;
	svg_begin(out, b->chart, (int)bottom + 28, b->label);
	draw_legend(out, b);
	svg_x_axis(out, a, &x, bottom, 24);
	for (size_t i = 0; i < b->n; i++)
		draw_bar(out, a, b, &b->bars[i], &x, 28 + (double)i * BAR_ROW + 2);
	svg_end(out, b->caption);
}

static size_t lane_of(int64_t *streams, size_t *n, int64_t stream, size_t most)
{
	for (size_t i = 0; i < *n; i++) {
		if (streams[i] == stream)
			return i;
	}
	if (*n < most)
		streams[(*n)++] = stream;
	return *n - 1;
}

static size_t colour_of(const char *kind)
{
	static const char *const kinds[] = {"kernel", "copy", "memset", "synchronize", "allocate", "free"};
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		if (strcmp(kind, kinds[i]) == 0)
			return i;
	}
	return COUNT_OF(kinds);
}

/* The name inside its box where it fits; it is in the title in any case. */
static void draw_activity(struct buf *out, struct arena *a, const struct chart_activity *x, const struct svg_axis *axis,
			  double y)
{
	double from = svg_place(axis, x->start_ns),
	       width = fmax(svg_place(axis, x->start_ns + x->duration_ns) - from, 1);
	buf_printf(out, "<g class=\"activity\" data-x=\"%.12g\" data-ns=\"%.12g\" data-stream=\"%lld\"><title>",
		   x->start_ns, x->duration_ns, (long long)x->stream);
	html_cstr(out, arena_printf(a, "%s, %s: %s", x->name, x->kind, term_time(a, x->duration_ns)));
	buf_printf(out, "</title><rect class=\"part p%zu\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"24\"/>",
		   colour_of(x->kind), from, y, width);
	if (width > 40) {
		size_t fits = (size_t)((width - 10) / 7);
		struct str name = str_from(x->name);
		buf_printf(out, "<text class=\"inside\" x=\"%.2f\" y=\"%.1f\">", from + 5, y + 16);
		html_text(out, name.n > fits ? str_sub(name, 0, fits) : name);
		buf_puts(out, "</text>");
	}
	buf_puts(out, "</g>");
}

void chart_timeline(struct buf *out, struct arena *a, const struct chart_activity *x, size_t n, const char *caption)
{
	enum { MOST_LANES = 16 };
	int64_t streams[MOST_LANES];
	size_t n_lanes = 0;
	double first = INFINITY, last = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		first = fmin(first, x[i].start_ns);
		last = fmax(last, x[i].start_ns + x[i].duration_ns);
		lane_of(streams, &n_lanes, x[i].stream, MOST_LANES);
	}
	if (!(last > first))
		return;
	struct svg_axis axis = {0, (last - first) * 1.02, SVG_LEFT, SVG_WIDTH - SVG_RIGHT, false, SVG_TIME, NULL};
	double bottom = 8 + (double)n_lanes * LANE_ROW;
	svg_begin(out, "timeline", (int)bottom + 28, "device activity, one lane a stream");
	svg_x_axis(out, a, &axis, bottom, 4);
	for (size_t i = 0; i < n_lanes; i++)
		buf_printf(out, "<text x=\"8\" y=\"%.1f\">stream %lld</text>", 8 + (double)i * LANE_ROW + 18,
			   (long long)streams[i]);
	for (size_t i = 0; i < n; i++) {
		struct chart_activity at = x[i];
		at.start_ns -= first;
		size_t lane = lane_of(streams, &n_lanes, at.stream, MOST_LANES);
		draw_activity(out, a, &at, &axis, 8 + (double)lane * LANE_ROW + 2);
	}
	svg_end(out, caption);
}

void chart_spark(struct buf *out, const double *v, size_t n)
{
	double low = INFINITY, high = -INFINITY;
	bool is_open = false;
	for (size_t i = 0; i < n; i++) {
		if (isfinite(v[i])) {
			low = fmin(low, v[i]);
			high = fmax(high, v[i]);
		}
	}
	if (low > high)
		return;
	buf_printf(out,
		   "<svg class=\"spark\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"from %.4g to %.4g\" "
		   "data-values=\"",
		   SPARK_WIDTH, SPARK_HEIGHT, low, high);
	for (size_t i = 0; i < n; i++)
		buf_printf(out, isfinite(v[i]) ? "%s%.12g" : "%s", i ? " " : "", v[i]);
	buf_puts(out, "\"><path d=\"");
	for (size_t i = 0; i < n; i++) {
		double x = n > 1 ? 3 + (SPARK_WIDTH - 6) * (double)i / (double)(n - 1) : SPARK_WIDTH / 2.0;
		double y = high > low ? 3 + (SPARK_HEIGHT - 6) * (high - v[i]) / (high - low) : SPARK_HEIGHT / 2.0;
		if (isfinite(v[i]))
			buf_printf(out, "%s%.1f %.1f", is_open ? "L" : "M", x, y);
		is_open = isfinite(v[i]);
	}
	buf_puts(out, "\"/></svg>");
}
