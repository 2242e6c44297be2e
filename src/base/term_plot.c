/* Charts in text.
 * In: numbers, the width there is.
 * Out: one line a chart in a buf, without a newline.
 * Never: prints; draws a value that is not finite. */
#include "base/term_plot.h"

#include <math.h>

enum { LEVELS = 8 };

static const char *const blocks[] = {"\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"};
static const char *const ascii[] = {".", ":", "-", "=", "+", "*", "#", "@"};

static const char *glyph(const struct term *t, size_t level)
{
	return t->is_utf8 ? blocks[level] : ascii[level];
}

static double mean_of(const double *x, size_t n)
{
	double sum = 0;
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		sum += isfinite(x[i]) ? x[i] : 0;
		k += isfinite(x[i]) ? 1 : 0;
	}
	return k ? sum / (double)k : NAN;
}

void term_spark(const struct term *t, struct buf *out, const double *x, size_t n, size_t width)
{
	size_t columns = n < width ? n : width;
	double low = INFINITY, high = -INFINITY;
	for (size_t pass = 0; pass < 2; pass++) {
		for (size_t c = 0; c < columns; c++) {
			size_t from = c * n / columns, to = (c + 1) * n / columns;
			double v = mean_of(x + from, to - from);
			if (pass == 0 && isfinite(v)) {
				low = fmin(low, v);
				high = fmax(high, v);
			} else if (pass == 1 && isfinite(low)) {
				double at = high > low ? (v - low) / (high - low) : 0.5;
				buf_puts(out, isfinite(v) ? glyph(t, (size_t)(at * (LEVELS - 1) + 0.5)) : " ");
			}
		}
	}
}

void term_bins_make(struct term_bins *out, struct arena *a, const double *x, size_t n_x, const struct term_bins *wanted)
{
	*out = (struct term_bins){.low = wanted->low, .high = wanted->high, .n = wanted->n};
	out->counts = ARENA_ARRAY(a, out->n, size_t);
	for (size_t i = 0; i < n_x; i++) {
		double at = (x[i] - out->low) / (out->high - out->low) * (double)out->n;
		if (!isfinite(at))
			continue;
		if (x[i] < out->low || x[i] > out->high) {
			out->n_below += x[i] < out->low;
			out->n_above += x[i] > out->high;
			continue;
		}
		size_t k = at < (double)out->n ? (size_t)at : out->n - 1;
		if (++out->counts[k] > out->most)
			out->most = out->counts[k];
	}
}

void term_bins_write(const struct term *t, struct buf *out, const struct term_bins *b)
{
	for (size_t i = 0; i < b->n; i++) {
		size_t level = b->most ? (b->counts[i] * LEVELS + b->most - 1) / b->most : 0; /* rounded up: 1 shows */
		buf_puts(out, level ? glyph(t, level - 1) : " ");
	}
}

static size_t column_of(const struct term_interval *x, double v, size_t width)
{
	double at = (v - x->low) / (x->high - x->low) * (double)(width - 1);
	return at <= 0 ? 0 : at >= (double)(width - 1) ? width - 1 : (size_t)(at + 0.5);
}

void term_interval_write(const struct term *t, struct buf *out, const struct term_interval *x, size_t width)
{
	size_t from = column_of(x, x->lower, width), to = column_of(x, x->upper, width),
	       middle = column_of(x, x->middle, width);
	bool has_mark = isfinite(x->mark) && x->mark >= x->low && x->mark <= x->high;
	size_t mark = has_mark ? column_of(x, x->mark, width) : SIZE_MAX;
	for (size_t i = 0; i < width; i++) {
		if (i == middle)
			buf_puts(out, t->is_utf8 ? "\u25cf" : "o");
		else if (i == mark)
			buf_puts(out, t->is_utf8 ? "\u2502" : "|");
		else if (i >= from && i <= to)
			buf_puts(out, t->is_utf8 ? "\u2500" : "-");
		else
			buf_char(out, ' ');
	}
}
