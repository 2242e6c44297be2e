/* One table of every rank side by side.
 * In: the open traces of a job and a table's name.
 * Out: one row for what has the same text in every rank: how long, where least, where most.
 * Never: fills in a rank that lacks the row. */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "timeline/ranks.h"
#include "verb/read_job.h"
#include "verb/read_timeline.h"

struct merged {
	const struct sheet_cell *cells; /* of the first rank that has it: its texts */
	uint64_t n_ranks;
	double sum, least, most;
	int64_t least_rank, most_rank;
};

static const struct sheet *named(const struct sheet *all, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (str_is(str_from(name), all[i].name))
			return &all[i];
	}
	return NULL;
}

/* The column that is compared: the total time. */
static size_t value_column(const struct sheet *s)
{
	for (size_t c = 0; c < s->n_columns; c++) {
		if (str_is(str_from(s->columns[c].name), "total_ns"))
			return c;
	}
	return SIZE_MAX;
}

static bool no_table(const struct read_job *j, struct err *e)
{
	struct buf names;
	size_t n;
	const struct sheet *all = j->reader->sheets(j->report, "all", j->a, &n);
	buf_init(&names);
	for (size_t i = 0; i < n; i++) {
		if (value_column(&all[i]) != SIZE_MAX)
			buf_printf(&names, ", %s", all[i].name);
	}
	err_set(e, ERR_USAGE, "no table \"%s\" of several ranks; there are ranks%s; name one file for its other tables",
		j->o->table, names.p ? names.p : "");
	buf_release(&names);
	return false;
}

static void add_row(struct map *rows, const struct sheet *s, const struct sheet_cell *cells, int64_t rank)
{
	struct buf key;
	double v = cells[value_column(s)].v;
	buf_init(&key);
	for (size_t c = 0; c < s->n_columns; c++) {
		if (s->columns[c].flags & SHEET_TEXT)
			buf_printf(&key, "%.*s\1", STR_ARG(cells[c].text));
	}
	struct map_entry *at = map_intern(rows, buf_view(&key), NULL);
	struct merged *m = at->value;
	buf_release(&key);
	if (!m) {
		m = at->value = ARENA_NEW(s->arena, struct merged);
		*m = (struct merged){.cells = cells, .least = v, .most = v, .least_rank = rank, .most_rank = rank};
	}
	m->n_ranks++;
	m->sum += v;
	if (v < m->least) {
		m->least = v;
		m->least_rank = rank;
	}
	if (v > m->most) {
		m->most = v;
		m->most_rank = rank;
	}
}

/* The text columns of the table, then the times. */
static void init_sheet(struct sheet *out, const struct sheet *from, struct arena *a)
{
	static const struct sheet_column values[] = {
		{"mean_ns", "mean", "ns", 0},   {"spread_ns", "most - least", "ns", 0},
		{"least_ns", "least", "ns", 0}, {"least_rank", "of rank", "", 0},
		{"most_ns", "most", "ns", 0},   {"most_rank", "of rank", "", 0},
		{"ranks", "ranks", "", 0},
	};
	struct sheet_column *columns = ARENA_ARRAY(a, from->n_columns + COUNT_OF(values), struct sheet_column);
	size_t n = 0;
	for (size_t c = 0; c < from->n_columns; c++) {
		if (from->columns[c].flags & SHEET_TEXT)
			columns[n++] = from->columns[c];
	}
	memcpy(columns + n, values, sizeof values);
	columns[n].flags = from->columns[value_column(from)].flags & SHEET_SHARE;
	sheet_init(out, a, from->name, columns, n + COUNT_OF(values));
	out->title = arena_printf(a, "%s, by rank", from->title);
	out->note = "mean: over the ranks that have the row";
	out->is_main = true;
}

static void put_row(struct sheet *out, const struct sheet *from, const struct merged *m)
{
	const double v[] = {m->sum / (double)m->n_ranks, m->most - m->least, m->least, (double)m->least_rank, m->most,
			    (double)m->most_rank,        (double)m->n_ranks};
	struct sheet_cell *cells = sheet_row(out);
	size_t n = 0;
	for (size_t c = 0; c < from->n_columns; c++) {
		if (from->columns[c].flags & SHEET_TEXT)
			cells[n++] = m->cells[c];
	}
	for (size_t i = 0; i < COUNT_OF(v); i++)
		sheet_put(&cells[n + i], v[i]);
}

static int by_mean(const void *x, const void *y)
{
	const struct merged *const *a = x, *const *b = y;
	double d = (*a)->sum / (double)(*a)->n_ranks - (*b)->sum / (double)(*b)->n_ranks;
	return d > 0 ? -1 : d < 0;
}

bool read_rank_table(struct sheet *out, const struct read_job *jobs, const struct ranks *ranks, size_t n, struct err *e)
{
	struct arena *a = jobs[0].a;
	const struct sheet *first = NULL;
	struct map rows;
	map_init(&rows, a);
	for (size_t i = 0; i < n; i++) {
		size_t n_sheets;
		const char *name = jobs[i].o->table;
		const struct sheet *all = jobs[i].reader->sheets(jobs[i].report, name, a, &n_sheets);
		const struct sheet *s = named(all, n_sheets, name);
		if (!s || value_column(s) == SIZE_MAX)
			return no_table(&jobs[i], e);
		first = first ? first : s;
		for (size_t k = 0; k < s->n_rows; k++)
			add_row(&rows, s, &s->cells[k * s->n_columns], ranks->v[i].rank);
	}
	const struct merged **sorted = ARENA_ARRAY(a, rows.n + 1, const struct merged *);
	for (size_t i = 0; i < rows.n; i++)
		sorted[i] = rows.entries[i].value;
	qsort(sorted, rows.n, sizeof *sorted, by_mean);
	if (!first)
		BUG("no rank");
	init_sheet(out, first, a);
	for (size_t i = 0; i < rows.n; i++)
		put_row(out, first, sorted[i]);
	return true;
}
