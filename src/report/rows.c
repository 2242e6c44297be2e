/* Rows as CSV or Markdown.
 * In: cells. Out: lines.
 * A cell with the sign that ends cells is quoted in CSV and escaped in Markdown.
 * Never: breaks a row in two. */
#include "report/rows.h"

#include <math.h>

#include "base/json.h"

static bool wants_quotes(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == ',' || s.p[i] == '"' || s.p[i] == '\n' || s.p[i] == '\r')
			return true;
	}
	return false;
}

static void put_md(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '|')
			buf_char(out, '\\');
		buf_char(out, s.p[i] == '\n' || s.p[i] == '\r' ? ' ' : s.p[i]);
	}
}

static void put_csv(struct buf *out, struct str s)
{
	bool quotes = wants_quotes(s);
	if (quotes)
		buf_char(out, '"');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"')
			buf_char(out, '"');
		buf_char(out, s.p[i]);
	}
	if (quotes)
		buf_char(out, '"');
}

void rows_cell(struct rows *r, struct str text)
{
	if (r->is_md)
		buf_puts(r->out, r->has_cell ? " " : "| ");
	else if (r->has_cell)
		buf_char(r->out, ',');
	(r->is_md ? put_md : put_csv)(r->out, text);
	if (r->is_md)
		buf_puts(r->out, " |");
	r->has_cell = true;
}

void rows_number(struct rows *r, double v)
{
	char text[32] = "";
	if (isfinite(v))
		json_repr(text, v);
	rows_cell(r, str_from(text));
}

void rows_end(struct rows *r)
{
	buf_char(r->out, '\n');
	r->has_cell = false;
}

void rows_head(struct rows *r, const char *headings)
{
	struct str rest = str_from(headings), heading;
	size_t n = 0;
	for (; str_split(&rest, '|', &heading); n++)
		rows_cell(r, heading);
	rows_end(r);
	if (!r->is_md)
		return;
	for (size_t i = 0; i < n; i++)
		buf_puts(r->out, i ? "---|" : "|---|");
	rows_end(r);
}
