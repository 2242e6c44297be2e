/* The metrics of every version's full report side by side.
 * In: full_summary.txt of each version. Out: one section with one table.
 * Rows are matched by label and unit; the first kernel of a report counts.
 * Never: puts numbers of different units into one row. */
#include "report/metric_table.h"

#include <math.h>

#include "base/file.h"
#include "base/map.h"
#include "report/chart.h"
#include "report/html.h"

struct metric {
	struct str label, unit;
	double *v; /* one a version, NaN: not there */
};
struct table {
	struct arena *arena;
	struct map rows; /* "label [unit]" -> struct metric */
	size_t n;
};

/* "  Duration   6.30 us   kernel.duration" or "cycles  1/call  123": label up to two spaces, then a number and a word. */
static bool parse(struct str line, struct str *label, struct str *unit, double *value)
{
	struct str word[4], rest;
	size_t n = 0, at = 0;
	line = str_trim(line);
	while (at + 1 < line.n && !(line.p[at] == ' ' && line.p[at + 1] == ' '))
		at++;
	*label = str_sub(line, 0, at);
	rest = str_trim(str_sub(line, at, line.n));
	struct str w;
	while (n < COUNT_OF(word) && str_split(&rest, ' ', &w)) {
		if (w.n)
			word[n++] = w;
	}
	if (n >= 2 && str_f64(word[0], value))
		*unit = word[1];
	else if (n >= 2 && str_f64(word[1], value))
		*unit = word[0];
	else
		return false;
	return label->n > 0;
}

static void add(struct table *t, size_t i, struct str text)
{
	struct str line;
	size_t n_kernels = 0;
	while (str_split(&text, '\n', &line)) {
		struct str label, unit;
		double value;
		n_kernels += str_starts(line, "[");
		if (n_kernels > 1)
			return;
		if (!parse(line, &label, &unit, &value))
			continue;
		const char *key = arena_printf(t->arena, "%.*s [%.*s]", STR_ARG(label), STR_ARG(unit));
		struct map_entry *at = map_intern(&t->rows, str_from(key), NULL);
		struct metric *m = at->value;
		if (!m) {
			m = at->value = ARENA_NEW(t->arena, struct metric);
			*m = (struct metric){label, unit, ARENA_ARRAY(t->arena, t->n, double)};
			for (size_t k = 0; k < t->n; k++)
				m->v[k] = NAN;
		}
		if (isnan(m->v[i]))
			m->v[i] = value;
	}
}

static void put_row(struct buf *out, const struct table *t, const struct metric *m)
{
	double before = NAN;
	html_row(out);
	html_cell(out, m->label, NULL);
	html_cell(out, m->unit, NULL);
	buf_puts(out, "<td>");
	chart_spark(out, m->v, t->n);
	buf_puts(out, "</td>");
	for (size_t i = 0; i < t->n; i++) {
		const char *text = "-";
		if (isfinite(m->v[i]) && isfinite(before) && before != 0)
			text = arena_printf(t->arena, "%.5g (%+.0f %%)", m->v[i], 100 * (m->v[i] / before - 1));
		else if (isfinite(m->v[i]))
			text = arena_printf(t->arena, "%.5g", m->v[i]);
		html_number(out, text, m->v[i]);
		before = isfinite(m->v[i]) ? m->v[i] : before;
	}
	html_row_end(out);
}

void metric_table(struct buf *out, struct arena *a, const char *folder, size_t n)
{
	struct table t = {.arena = a, .n = n};
	struct buf headings;
	map_init(&t.rows, a);
	buf_init(&headings);
	buf_puts(&headings, "metric|unit|course");
	for (size_t i = 0; i < n; i++) {
		struct str text;
		struct err absent;
		buf_printf(&headings, "|>v%zu", i);
		if (file_read(a, &text, arena_printf(a, "%s/iter_v%zu/full_summary.txt", folder, i), 4u << 20, &absent))
			add(&t, i, text);
	}
	if (!t.rows.n) {
		buf_puts(out, "<p class=\"dim\">No version has a full report.</p>\n");
		buf_release(&headings);
		return;
	}
	html_table(out, "From the full report of each version; in brackets the change from the version before",
		   headings.p);
	for (size_t i = 0; i < t.rows.n; i++)
		put_row(out, &t, t.rows.entries[i].value);
	html_table_end(out);
	buf_release(&headings);
}
