/* Sheets.
 * In: rows of cells.
 * Out: a table, CSV or JSON.
 * Never: fills in what is missing. */
#include "read/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sheet_init(struct sheet *s, struct arena *a, const char *name, const struct sheet_column *columns, size_t n)
{
	*s = (struct sheet){.arena = a, .name = name, .title = name, .columns = columns, .n_columns = n};
}

struct sheet_cell *sheet_row(struct sheet *s)
{
	if (s->n_rows == s->cap_rows) {
		size_t cap = s->cap_rows ? s->cap_rows * 2 : 64;
		struct sheet_cell *more = ARENA_ARRAY(s->arena, cap * s->n_columns, struct sheet_cell);
		if (s->n_rows)
			memcpy(more, s->cells, s->n_rows * s->n_columns * sizeof(*more));
		s->cells = more;
		s->cap_rows = cap;
	}
	return &s->cells[s->n_rows++ * s->n_columns];
}

void sheet_put(struct sheet_cell *c, double v)
{
	c->has = true;
	c->v = v;
}

void sheet_put_text(struct sheet_cell *c, struct str text)
{
	c->has = true;
	c->text = text;
}

static bool match_glob(struct str s, struct str pattern)
{
	size_t i = 0, k = 0, star = SIZE_MAX, from = 0;
	while (i < s.n) {
		if (k < pattern.n && pattern.p[k] == '*') {
			star = k++;
			from = i;
		} else if (k < pattern.n && (pattern.p[k] == '?' || pattern.p[k] == s.p[i])) {
			i++;
			k++;
		} else if (star != SIZE_MAX) {
			k = star + 1;
			i = ++from;
		} else {
			return false;
		}
	}
	while (k < pattern.n && pattern.p[k] == '*')
		k++;
	return k == pattern.n;
}

bool sheet_match(struct str text, const char *pattern)
{
	struct str p = str_from(pattern);
	if (!strpbrk(pattern, "*?"))
		return str_find(text, p) != SIZE_MAX;
	return match_glob(text, p);
}

static size_t column_of(const struct sheet *s, struct str name)
{
	for (size_t i = 0; i < s->n_columns; i++) {
		if (str_is(name, s->columns[i].name))
			return i;
	}
	return SIZE_MAX;
}

static bool unknown_column(const struct sheet *s, struct str name, struct err *e)
{
	struct buf b;
	buf_init(&b);
	for (size_t i = 0; i < s->n_columns; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", s->columns[i].name);
	err_set(e, ERR_USAGE, "no column \"%.*s\" in %s; it has %s", STR_ARG(name), s->name, b.p);
	buf_release(&b);
	return false;
}

static void keep_matching(struct sheet *s, const char *filter)
{
	size_t key = SIZE_MAX, n = 0;
	for (size_t c = s->n_columns; c-- > 0;) {
		if (s->columns[c].flags & SHEET_KEY)
			key = c;
	}
	if (key == SIZE_MAX) /* rows are no kernels */
		return;
	for (size_t i = 0; i < s->n_rows; i++) {
		struct sheet_cell *row = &s->cells[i * s->n_columns];
		if (!sheet_match(row[key].text, filter))
			continue;
		if (n != i)
			memcpy(&s->cells[n * s->n_columns], row, s->n_columns * sizeof(*row));
		n++;
	}
	s->n_rows = n;
}

struct order {
	const struct sheet_cell *cell;
	size_t row;
	bool ascending, is_text;
};

/* Missing cells last; ties keep their order. */
static int by_cell(const void *a, const void *b)
{
	const struct order *x = a, *y = b;
	int c = 0;
	if (x->cell->has != y->cell->has)
		return x->cell->has ? -1 : 1;
	if (x->is_text)
		c = str_cmp(y->cell->text, x->cell->text);
	else if (x->cell->v != y->cell->v)
		c = x->cell->v < y->cell->v ? 1 : -1;
	if (c)
		return x->ascending ? -c : c;
	return x->row < y->row ? -1 : x->row > y->row;
}

static void sort_rows(struct sheet *s, size_t column, bool ascending)
{
	struct order *order = ARENA_ARRAY(s->arena, s->n_rows, struct order);
	struct sheet_cell *sorted = ARENA_ARRAY(s->arena, s->n_rows * s->n_columns, struct sheet_cell);
	bool is_text = s->columns[column].flags & SHEET_TEXT;
	for (size_t i = 0; i < s->n_rows; i++)
		order[i] = (struct order){&s->cells[i * s->n_columns + column], i, ascending, is_text};
	qsort(order, s->n_rows, sizeof(*order), by_cell);
	for (size_t i = 0; i < s->n_rows; i++)
		memcpy(&sorted[i * s->n_columns], &s->cells[order[i].row * s->n_columns],
		       s->n_columns * sizeof(*sorted));
	s->cells = sorted;
	s->cap_rows = s->n_rows;
}

static bool check_columns(const struct sheet *s, const char *columns, struct err *e)
{
	struct str rest = str_from(columns), name;
	while (str_split(&rest, ',', &name)) {
		if (column_of(s, name) == SIZE_MAX)
			return unknown_column(s, name, e);
	}
	return true;
}

bool sheet_apply(struct sheet *s, const struct sheet_view *v, size_t *n_all, struct err *e)
{
	if (v->columns && !check_columns(s, v->columns, e))
		return false;
	if (v->filter)
		keep_matching(s, v->filter);
	*n_all = s->n_rows;
	if (v->sort) {
		bool ascending = *v->sort == '-';
		struct str name = str_from(v->sort + ascending);
		size_t c = column_of(s, name);
		if (c == SIZE_MAX)
			return unknown_column(s, name, e);
		if (s->n_rows)
			sort_rows(s, c, ascending);
	}
	if (v->top && v->top < s->n_rows)
		s->n_rows = v->top;
	return true;
}

static bool is_shown(const struct sheet *s, size_t c, const char *columns)
{
	struct str rest, name;
	if (!columns)
		return !(s->columns[c].flags & SHEET_HIDDEN);
	rest = str_from(columns);
	while (str_split(&rest, ',', &name)) {
		if (str_is(name, s->columns[c].name))
			return true;
	}
	return false;
}

static const char *cell_text(struct arena *a, const struct sheet_column *c, double v)
{
	if (isnan(v))
		return "nan";
	if (strcmp(c->unit, "ns") == 0)
		return term_time(a, v);
	if (strcmp(c->unit, "byte") == 0)
		return term_bytes(a, v);
	if (strcmp(c->unit, "byte/s") == 0)
		return term_rate(a, v, "B");
	if (strcmp(c->unit, "flop/s") == 0)
		return term_rate(a, v, "FLOP");
	if (strcmp(c->unit, "%") == 0)
		return arena_printf(a, "%.1f", v);
	return arena_printf(a, v == trunc(v) && fabs(v) < 1e15 ? "%.0f" : "%.4g", v);
}

void sheet_text(const struct sheet *s, const char *columns, const struct term *t, struct buf *out)
{
	struct arena a;
	struct buf head;
	arena_init(&a);
	buf_init(&head);
	for (size_t c = 0; c < s->n_columns; c++) {
		const struct sheet_column *col = &s->columns[c];
		if (!is_shown(s, c, columns))
			continue;
		buf_printf(&head, "%s%s%s%s", head.n ? "|" : "", col->flags & SHEET_TEXT ? "" : ">", col->title,
			   strcmp(col->unit, "%") == 0 ? " %" : "");
	}
	struct term_table *table = term_table_new(&a, head.p);
	for (size_t i = 0; i < s->n_rows; i++) {
		for (size_t c = 0; c < s->n_columns; c++) {
			const struct sheet_cell *cell = &s->cells[i * s->n_columns + c];
			if (!is_shown(s, c, columns))
				continue;
			if (!cell->has)
				term_table_cell(table, STR("-"));
			else if (s->columns[c].flags & SHEET_TEXT)
				term_table_cell(table, cell->text);
			else
				term_table_cell(table, str_from(cell_text(&a, &s->columns[c], cell->v)));
		}
		term_table_end_row(table);
	}
	term_table_write(table, t, out);
	buf_release(&head);
	arena_release(&a);
}

static void put_csv_text(struct buf *out, struct str text)
{
	bool quote = false;
	for (size_t i = 0; i < text.n; i++)
		quote |= text.p[i] == ',' || text.p[i] == '"' || text.p[i] == '\n' || text.p[i] == '\r';
	if (!quote) {
		buf_str(out, text);
		return;
	}
	buf_char(out, '"');
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '"')
			buf_char(out, '"');
		buf_char(out, text.p[i]);
	}
	buf_char(out, '"');
}

static void put_number(struct buf *out, double v)
{
	char text[32];
	if (v == trunc(v) && fabs(v) < 9e15)
		buf_printf(out, "%.0f", v == 0 ? 0.0 : v);
	else if (isfinite(v)) {
		json_repr(text, v);
		buf_puts(out, text);
	} else {
		buf_puts(out, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
	}
}

void sheet_csv(const struct sheet *s, const char *columns, struct buf *out)
{
	bool is_open = false;
	for (size_t c = 0; c < s->n_columns; c++) {
		if (columns && !is_shown(s, c, columns))
			continue;
		buf_printf(out, "%s%s", is_open ? "," : "", s->columns[c].name);
		is_open = true;
	}
	buf_char(out, '\n');
	for (size_t i = 0; i < s->n_rows; i++) {
		is_open = false;
		for (size_t c = 0; c < s->n_columns; c++) {
			const struct sheet_cell *cell = &s->cells[i * s->n_columns + c];
			if (columns && !is_shown(s, c, columns))
				continue;
			if (is_open)
				buf_char(out, ',');
			is_open = true;
			if (!cell->has)
				continue;
			if (s->columns[c].flags & SHEET_TEXT)
				put_csv_text(out, cell->text);
			else
				put_number(out, cell->v);
		}
		buf_char(out, '\n');
	}
}

static struct json *cell_json(const struct sheet_column *col, const struct sheet_cell *cell, struct arena *a)
{
	if (col->flags & SHEET_TEXT)
		return json_new_str(a, cell->text);
	if (cell->v == trunc(cell->v) && fabs(cell->v) < 9e15)
		return json_new_i64(a, (int64_t)cell->v);
	return json_new_f64(a, cell->v);
}

struct json *sheet_json(const struct sheet *s, struct arena *a)
{
	struct json *j = json_object(a), *columns, *rows;
	json_set_cstr(j, "name", s->name);
	json_set_cstr(j, "title", s->title);
	if (s->note)
		json_set_cstr(j, "note", s->note);
	columns = json_set_array(j, "columns");
	for (size_t c = 0; c < s->n_columns; c++) {
		struct json *o = json_object(a);
		json_push(columns, o);
		json_set_cstr(o, "name", s->columns[c].name);
		json_set_cstr(o, "unit", s->columns[c].unit);
	}
	rows = json_set_array(j, "rows");
	for (size_t i = 0; i < s->n_rows; i++) {
		struct json *o = json_object(a);
		json_push(rows, o);
		for (size_t c = 0; c < s->n_columns; c++) {
			const struct sheet_cell *cell = &s->cells[i * s->n_columns + c];
			if (cell->has)
				json_set(o, s->columns[c].name, cell_json(&s->columns[c], cell, a));
		}
	}
	return j;
}
