/* Tables that fit the terminal.
 * In: headings and cells that may hold anything.
 * Out: aligned lines; control bytes become spaces or ?, what does not fit is shortened.
 * Never: prints; cuts a number. */
#include "base/term.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/term_shorten.h"

#define GAP 2         /* columns between cells */
#define LEAST_WIDTH 8 /* no text column is shrunk below this */
#define WRAP_WIDTH 20 /* a narrower column is cut: text in it would be a tower */

struct column {
	struct str heading;
	bool right;
	bool is_same;   /* all cells are alike: it tells no row from another */
	bool is_hidden; /* what it says stands once above the table */
	size_t width, least;
};

struct term_table {
	struct arena *arena;
	struct column *columns;
	size_t n_columns;
	struct str *cells; /* n_rows * n_columns */
	size_t n_rows, cap_rows;
	size_t i_cell;    /* next cell of the open row */
	bool open, wraps; /* wraps: the last column goes on below itself instead of being cut */
};

struct term_table *term_table_new(struct arena *a, const char *headings)
{
	struct term_table *t = ARENA_NEW(a, struct term_table);
	struct str rest = str_from(headings), one;
	size_t n = 1;
	for (const char *c = headings; *c; c++)
		n += *c == '|';
	t->arena = a;
	t->columns = ARENA_ARRAY(a, n, struct column);
	while (str_split(&rest, '|', &one)) {
		struct column *c = &t->columns[t->n_columns++];
		c->right = str_starts(one, ">");
		c->heading = arena_str(a, c->right ? str_sub(one, 1, one.n) : one);
	}
	return t;
}

static struct str clean(struct arena *a, struct str s)
{
	char *p = arena_strndup(a, s.p, s.n);
	for (size_t i = 0; i < s.n; i++) {
		if (p[i] == '\n' || p[i] == '\t' || p[i] == '\r')
			p[i] = ' ';
		else if ((unsigned char)p[i] < 0x20 || p[i] == 0x7f)
			p[i] = '?';
		else if ((unsigned char)p[i] == 0xc2 && i + 1 < s.n && (unsigned char)p[i + 1] < 0xa0)
			p[i] = p[i + 1] = '?'; /* the C1 controls, among them a second CSI */
	}
	return (struct str){p, s.n};
}

static void open_row(struct term_table *t)
{
	if (t->open)
		return;
	if (t->n_rows == t->cap_rows) {
		size_t cap = t->cap_rows ? 2 * t->cap_rows : 16;
		struct str *cells = ARENA_ARRAY(t->arena, cap * t->n_columns, struct str);
		if (t->n_rows)
			memcpy(cells, t->cells, t->n_rows * t->n_columns * sizeof *cells);
		t->cells = cells;
		t->cap_rows = cap;
	}
	t->open = true;
	t->i_cell = 0;
	for (size_t i = 0; i < t->n_columns; i++)
		t->cells[t->n_rows * t->n_columns + i] = STR("");
}

static void put_cell(struct term_table *t, struct str cell)
{
	open_row(t);
	struct str *row = &t->cells[t->n_rows * t->n_columns];
	if (t->i_cell < t->n_columns) {
		row[t->i_cell++] = cell;
		return;
	}
	/* A | that stood in a value: it belongs to the last cell. */
	struct str *last = &row[t->n_columns - 1];
	*last = str_from(arena_printf(t->arena, "%.*s|%.*s", STR_ARG(*last), STR_ARG(cell)));
}

void term_table_cell(struct term_table *t, struct str text)
{
	put_cell(t, clean(t->arena, text));
}

void term_table_styled(struct term_table *t, const struct term *term, enum term_style s, struct str text)
{
	struct buf b;
	buf_init(&b);
	term_styled(term, &b, s, clean(t->arena, text).p);
	put_cell(t, arena_str(t->arena, buf_view(&b)));
	buf_release(&b);
}

void term_table_end_row(struct term_table *t)
{
	open_row(t);
	t->open = false;
	t->n_rows++;
}

void term_table_row(struct term_table *t, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		BUG("table row format");
	char *text = arena_alloc(t->arena, (size_t)n + 1);
	vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	struct str rest = {text, (size_t)n}, cell;
	while (str_split(&rest, '|', &cell))
		term_table_cell(t, cell);
	term_table_end_row(t);
}

static struct column *widest(struct term_table *t, bool among_same)
{
	struct column *best = NULL;
	for (size_t c = 0; c < t->n_columns; c++) {
		struct column *one = &t->columns[c];
		bool may = among_same ? one->is_same : one->width > one->least;
		if (may && !one->right && !one->is_hidden && (!best || one->width > best->width))
			best = one;
	}
	return best;
}

/* Columns of the longest word; colours count none. */
static size_t longest_word(struct str text)
{
	struct str word;
	size_t most = 0;
	while (text.n && str_split(&text, ' ', &word)) {
		size_t n = term_columns(word);
		most = n > most ? n : most;
	}
	return most;
}

static bool is_id(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (!((s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] >= 'a' && s.p[i] <= 'f')))
			return false;
	}
	return s.n >= 8;
}

/* How far a column may shrink: ids not at all, half of one names nothing; the last one, where it is wrapped, to its longest
 * word, so that none is broken. */
static size_t least_of(const struct term_table *t, size_t c, size_t width)
{
	if (t->n_rows && is_id(t->cells[c]))
		return SIZE_MAX;
	size_t most = t->wraps && c + 1 == t->n_columns ? WRAP_WIDTH : LEAST_WIDTH;
	for (size_t r = 0; r < t->n_rows && t->wraps && c + 1 == t->n_columns; r++) {
		size_t n = longest_word(t->cells[r * t->n_columns + c]);
		most = n > most && n <= width / 2 ? n : most;
	}
	return most;
}

static void measure(struct term_table *t, size_t width)
{
	size_t total = GAP * (t->n_columns - 1);
	for (size_t c = 0; c < t->n_columns; c++) {
		size_t most = term_columns(t->columns[c].heading);
		bool is_same = t->n_rows > 1;
		for (size_t r = 0; r < t->n_rows; r++) {
			size_t n = term_columns(t->cells[r * t->n_columns + c]);
			most = n > most ? n : most;
			is_same = is_same && str_eq(t->cells[r * t->n_columns + c], t->cells[c]);
		}
		t->columns[c].is_same = is_same;
		t->columns[c].least = least_of(t, c, width);
		t->columns[c].width = most;
		total += most;
	}
	while (total > width) {
		struct column *one = widest(t, true);
		if (!one)
			break;
		one->is_hidden = true;
		total -= one->width + GAP;
	}
	for (; total > width; total--) {
		struct column *one = widest(t, false);
		if (!one)
			return; /* numbers are never cut: the line is longer than the terminal */
		one->width--;
	}
}

static void write_cell(const struct column *c, struct str text, bool is_last, struct buf *out)
{
	size_t columns = term_columns(text), pad = columns < c->width ? c->width - columns : 0;
	if (c->right)
		buf_repeat(out, ' ', pad);
	buf_str(out, text);
	if (!c->right && !is_last)
		buf_repeat(out, ' ', pad);
}

static void write_line(const struct term_table *t, const struct str *cells, struct buf *out)
{
	size_t last = 0, at = 0;
	bool is_open = false;
	for (size_t c = 0; c < t->n_columns; c++) {
		if (cells[c].n > 0 && !t->columns[c].is_hidden)
			last = c;
	}
	for (size_t c = 0; c <= last; c++) {
		if (t->columns[c].is_hidden)
			continue;
		if (is_open)
			buf_repeat(out, ' ', GAP);
		is_open = true;
		const struct column *one = &t->columns[c];
		bool is_long = term_columns(cells[c]) > one->width && one->width >= WRAP_WIDTH;
		if (t->wraps && c + 1 == t->n_columns && is_long)
			term_wrap(out, cells[c], at, at, at + one->width);
		else
			write_cell(one, cells[c], c == last, out);
		at += one->width + GAP;
	}
}

/* The cells as they are shown: those of a column that was made narrower are shortened, where they are not wrapped. */
static struct str *shortened(const struct term_table *t, struct arena *a)
{
	struct str *cells = ARENA_ARRAY(a, t->n_rows * t->n_columns + 1, struct str);
	struct str *column = ARENA_ARRAY(a, t->n_rows + 1, struct str);
	if (t->n_rows)
		memcpy(cells, t->cells, t->n_rows * t->n_columns * sizeof *cells);
	for (size_t c = 0; c < t->n_columns; c++) {
		const struct column *one = &t->columns[c];
		bool is_wrapped = t->wraps && c + 1 == t->n_columns && one->width >= WRAP_WIDTH;
		if (one->is_hidden || is_wrapped)
			continue;
		for (size_t r = 0; r < t->n_rows; r++)
			column[r] = cells[r * t->n_columns + c];
		term_shorten(column, t->n_rows, one->width, a);
		for (size_t r = 0; r < t->n_rows; r++)
			cells[r * t->n_columns + c] = column[r];
	}
	return cells;
}

/* "kernel: gather(const float *)", for each column that is not shown in the table. */
static void write_hidden(const struct term_table *t, size_t width, struct buf *out)
{
	for (size_t c = 0; c < t->n_columns; c++) {
		struct str heading = t->columns[c].heading;
		if (!t->columns[c].is_hidden || t->cells[c].n == 0)
			continue;
		buf_printf(out, "%.*s: ", STR_ARG(heading));
		size_t at = term_columns(heading) + 2;
		term_wrap(out, t->cells[c], at, 2, width);
		buf_char(out, '\n');
	}
}

void term_table_write(const struct term_table *t, const struct term *term, struct buf *out)
{
	struct arena scratch;
	arena_init(&scratch);
	struct term_table sized = *t;
	sized.columns = ARENA_ARRAY(&scratch, t->n_columns, struct column);
	memcpy(sized.columns, t->columns, t->n_columns * sizeof *sized.columns);
	sized.wraps = term->is_terminal;
	measure(&sized, term->width);
	write_hidden(&sized, term->width, out);
	struct str *headings = ARENA_ARRAY(&scratch, t->n_columns, struct str), *cells = shortened(&sized, &scratch);
	for (size_t c = 0; c < t->n_columns; c++)
		headings[c] = t->columns[c].heading;
	struct buf line;
	buf_init(&line);
	write_line(&sized, headings, &line);
	term_styled(term, out, TERM_BOLD, line.p);
	buf_char(out, '\n');
	for (size_t r = 0; r < t->n_rows; r++) {
		write_line(&sized, &cells[r * t->n_columns], out);
		buf_char(out, '\n');
	}
	buf_release(&line);
	arena_release(&scratch);
}
