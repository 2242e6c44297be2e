/* CSV records.
 * In: text and a position.
 * Out: cells.
 * Never: knows what a cell means. */
#include "read/ncu/record.h"

#include <string.h>

static void add_cell(struct record *out, struct arena *a, struct str cell)
{
	if (out->n == out->cap) {
		size_t cap = out->cap ? out->cap * 2 : 64;
		struct str *more = ARENA_ARRAY(a, cap, struct str);
		if (out->n)
			memcpy(more, out->cells, out->n * sizeof(*more));
		out->cells = more;
		out->cap = cap;
	}
	out->cells[out->n++] = cell;
}

static bool ends_cell(struct str text, size_t at)
{
	return at >= text.n || text.p[at] == ',' || text.p[at] == '\n' || text.p[at] == '\r';
}

/* Position of the quote that closes a cell opened before `from`; SIZE_MAX: none. */
static size_t closing_quote(struct str text, size_t from, bool *is_escaped)
{
	size_t i = from;
	*is_escaped = false;
	while (i < text.n) {
		const char *q = memchr(text.p + i, '"', text.n - i);
		if (!q)
			return SIZE_MAX;
		i = (size_t)(q - text.p);
		if (i + 1 < text.n && text.p[i + 1] == '"') {
			*is_escaped = true;
			i += 2;
		} else if (ends_cell(text, i + 1)) {
			return i;
		} else {
			i++;
		}
	}
	return SIZE_MAX;
}

static struct str unescape(struct arena *a, struct str cell)
{
	char *p = arena_alloc(a, cell.n + 1);
	size_t n = 0;
	for (size_t i = 0; i < cell.n; i++) {
		p[n++] = cell.p[i];
		if (cell.p[i] == '"' && i + 1 < cell.n && cell.p[i + 1] == '"')
			i++;
	}
	return (struct str){p, n};
}

bool record_take(struct record *out, struct arena *a, struct str text, size_t *at)
{
	size_t i = *at;
	out->n = 0;
	out->offset = i;
	if (i >= text.n)
		return false;
	for (;;) {
		if (out->n == RECORD_MAX_CELLS)
			return false;
		if (i < text.n && text.p[i] == '"') {
			bool is_escaped;
			size_t end = closing_quote(text, i + 1, &is_escaped);
			if (end == SIZE_MAX)
				return false;
			struct str cell = str_sub(text, i + 1, end - i - 1);
			add_cell(out, a, is_escaped ? unescape(a, cell) : cell);
			i = end + 1;
		} else {
			size_t from = i;
			while (!ends_cell(text, i))
				i++;
			add_cell(out, a, str_sub(text, from, i - from));
		}
		if (i < text.n && text.p[i] == ',') {
			i++;
			continue;
		}
		if (i < text.n && text.p[i] == '\r')
			i++;
		if (i < text.n && text.p[i] == '\n')
			i++;
		*at = i;
		return true;
	}
}

void record_put(struct buf *out, struct str cell)
{
	buf_char(out, '"');
	size_t from = 0;
	for (size_t i = 0; i < cell.n; i++) {
		if (cell.p[i] != '"')
			continue;
		buf_str(out, str_sub(cell, from, i + 1 - from));
		buf_char(out, '"');
		from = i + 1;
	}
	buf_str(out, str_sub(cell, from, SIZE_MAX));
	buf_char(out, '"');
}
