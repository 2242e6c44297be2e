/* Charts in text.
 * In: records. Out: a line a chart, with the axis behind it.
 * A histogram's axis ends where the bulk does; what lies above is counted, never dropped in silence.
 * Never: shows a value that the record does not hold. */
#include "report/text_chart.h"

#include <math.h>

#include "base/term_plot.h"

enum { LABEL = 11, NAME = 6, CHART_MOST = 60, CHART_LEAST = 12, TAIL = 35 };

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return a < b ? -1 : a > b;
}

static double *numbers(struct arena *a, const struct json *list, size_t *n)
{
	double *x = ARENA_ARRAY(a, list ? list->n + 1 : 1, double);
	*n = 0;
	for (size_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
		if (json_is_number(list->items[i]) && isfinite(list->items[i]->real))
			x[(*n)++] = list->items[i]->real;
	}
	return x;
}

/* The charts of one text are alike in width; their axis goes below where both do not fit. */
struct place {
	size_t width;
	bool is_below;
};

static struct place place_of(const struct term *t)
{
	size_t room = t->width - LABEL - NAME, beside = room > TAIL + 2 ? room - TAIL - 2 : 0;
	bool is_below = beside < CHART_LEAST;
	size_t width = is_below ? room - 8 : beside; /* a short count stands beside it in any case */
	return (struct place){width < CHART_MOST ? width : CHART_MOST, is_below};
}

static void begin_line(struct buf *out, const char *label, const char *name)
{
	buf_printf(out, "%-*s%-*s", LABEL, label, NAME, name);
}

/* n: columns that the chart took of its place. */
static void end_line(struct buf *out, const char *tail, const struct place *p, size_t n)
{
	if (p->is_below) {
		while (out->n && out->p[out->n - 1] == ' ')
			out->p[--out->n] = '\0';
		buf_char(out, '\n');
		buf_repeat(out, ' ', LABEL + NAME);
	} else {
		buf_repeat(out, ' ', p->width - n + 2);
	}
	buf_printf(out, "%s\n", tail);
}

struct series {
	const char *label, *name;
	const double *x;
	size_t n;
};

/* Least value to where the bulk ends: half as far again as the 95th percentile, at most the greatest. */
static void histogram(const struct term *t, struct arena *a, struct buf *out, const struct series *s)
{
	size_t n = s->n, n_above = 0;
	double *sorted = ARENA_ARRAY(a, n + 1, double);
	if (n < 3)
		return;
	memcpy(sorted, s->x, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_value);
	double low = sorted[0], high = fmin(sorted[n - 1], low + 1.5 * (sorted[(n - 1) * 95 / 100] - low));
	if (!(high > low))
		return;
	for (size_t i = 0; i < n; i++)
		n_above += sorted[i] > high ? 1 : 0;
	struct place p = place_of(t);
	size_t wanted = 2 * (size_t)ceil(sqrt((double)n)), least = CHART_LEAST < p.width ? CHART_LEAST : p.width;
	wanted = wanted < least ? least : wanted < p.width ? wanted : p.width;
	struct term_bins bins, want = {.low = low, .high = high, .n = wanted};
	term_bins_make(&bins, a, s->x, n, &want);
	begin_line(out, s->label, s->name);
	term_bins_write(t, out, &bins);
	const char *above = n_above ? arena_printf(a, ", %zu above", n_above) : "";
	end_line(out, arena_printf(a, "%s to %s, n %zu%s", term_time(a, low), term_time(a, high), n, above), &p,
		 bins.n);
}

static void in_order(const struct term *t, struct arena *a, struct buf *out, const double *x, size_t n)
{
	struct place p = place_of(t);
	double low = INFINITY, high = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		low = fmin(low, x[i]);
		high = fmax(high, x[i]);
	}
	if (n < 8 || !(high > low))
		return;
	size_t columns = n < p.width ? n : p.width;
	double each = (double)n / (double)columns;
	begin_line(out, "in order", "cold");
	term_spark(t, out, x, n, p.width);
	end_line(out, each > 1 ? arena_printf(a, "first to last, %.1f a column", each) : "first to last", &p, columns);
}

void text_chart_bench(const struct json *record, const struct term *term, struct arena *a, struct buf *out)
{
	static const char *const series[] = {"cold", "warm", "events"};
	const struct json *kernel = json_get(record, "kernel");
	const char *label = "samples";
	size_t n;
	if (term->is_quiet)
		return;
	for (size_t i = 0; i < COUNT_OF(series); i++) {
		const double *x = numbers(a, json_path(kernel, arena_printf(a, "%s.samples_ns", series[i])), &n);
		size_t before = out->n;
		histogram(term, a, out, &(struct series){label, series[i], x, n});
		label = out->n > before ? "" : label;
	}
	const double *cold = numbers(a, json_path(kernel, "cold.samples_ns"), &n);
	in_order(term, a, out, cold, n);
}

struct axis {
	double low, high;
};

static void widen(struct axis *x, const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		x->low = fmin(x->low, v[i]);
		x->high = fmax(x->high, v[i]);
	}
}

static const struct json *first_case(const struct json *side)
{
	return json_at(json_get(side, "cases"), 0);
}

static const char *label_of(struct arena *a, const struct json *side)
{
	struct str name = json_str(side, "label", STR("?"));
	return arena_strndup(a, name.p, name.n);
}

/* Each side's time in every placement, on one axis. */
static void times(const struct json *sides, const struct term *term, struct arena *a, struct buf *out)
{
	struct axis x = {INFINITY, -INFINITY};
	struct place p = place_of(term);
	const char *label = "times";
	size_t n, n_most = 0;
	for (size_t i = 0; sides && i < sides->n; i++) {
		const double *v = numbers(a, json_get(first_case(sides->items[i]), "time_ns"), &n);
		widen(&x, v, n);
		n_most = n > n_most ? n : n_most;
	}
	if (n_most < 3 || !(x.high > x.low))
		return;
	const char *axis = arena_printf(a, "%s to %s, ", term_time(a, x.low), term_time(a, x.high));
	for (size_t i = 0; i < sides->n; i++) {
		const double *v = numbers(a, json_get(first_case(sides->items[i]), "time_ns"), &n);
		struct term_bins bins, want = {.low = x.low, .high = x.high, .n = p.width};
		struct place own = {p.width, *label && p.is_below}; /* one axis for all */
		if (!n)
			continue;
		term_bins_make(&bins, a, v, n, &want);
		begin_line(out, label, label_of(a, sides->items[i]));
		term_bins_write(term, out, &bins);
		end_line(out, arena_printf(a, "%sn %zu", *label ? axis : "", n), &own, bins.n);
		label = "";
	}
}

/* How much longer A took than this side, placement by placement; below it the interval of the mean, with 0 marked. */
static void differences(const struct json *side, const struct term *term, struct arena *a, struct buf *out)
{
	const struct json *effect = json_get(side, "effect");
	double lower = json_f64(effect, "lower_pct", NAN), upper = json_f64(effect, "upper_pct", NAN);
	struct axis x = {0, 0}; /* no difference is on it */
	struct place p = place_of(term);
	size_t n;
	double *d = numbers(a, json_get(first_case(side), "log_ratio"), &n);
	for (size_t i = 0; i < n; i++)
		d[i] = 100 * expm1(d[i]); /* stats/paired.h */
	if (n < 3 || !isfinite(lower) || !isfinite(upper))
		return;
	widen(&x, d, n);
	widen(&x, (const double[]){lower, upper}, 2);
	if (!(x.high > x.low))
		return;
	struct term_bins bins, want = {.low = x.low, .high = x.high, .n = p.width};
	struct term_interval line = {.low = x.low,
				     .high = x.high,
				     .lower = lower,
				     .middle = json_f64(effect, "effect_pct", NAN),
				     .upper = upper,
				     .mark = 0};
	term_bins_make(&bins, a, d, n, &want);
	begin_line(out, "A against", label_of(a, side));
	term_bins_write(term, out, &bins);
	end_line(out, arena_printf(a, "A longer by %+.3g to %+.3g %%, n %zu", x.low, x.high, n), &p, bins.n);
	begin_line(out, "", "");
	term_interval_write(term, out, &line, p.width);
	end_line(out, term->is_utf8 ? "95 % interval; \u2502 is no difference" : "95 % interval; | is no difference",
		 &p, p.width);
}

void text_chart_compare(const struct json *record, const struct term *term, struct arena *a, struct buf *out)
{
	const struct json *sides = json_get(record, "sides");
	if (term->is_quiet)
		return;
	times(sides, term, a, out);
	for (size_t i = 1; sides && i < sides->n; i++)
		differences(sides->items[i], term, a, out);
}
