/* Pieces of one self-contained HTML page.
 * In: texts. Out: escaped markup in a buffer.
 * Style and script are embedded files (page.css, page.js); the page works without the script.
 * Never: lets a text through unescaped. */
#include "report/html.h"

#include <math.h>

extern const char report_css[], report_js[];

void html_text(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		switch (s.p[i]) {
		case '<':
			buf_puts(out, "&lt;");
			break;
		case '>':
			buf_puts(out, "&gt;");
			break;
		case '&':
			buf_puts(out, "&amp;");
			break;
		case '"':
			buf_puts(out, "&quot;");
			break;
		case '\'':
			buf_puts(out, "&#39;");
			break;
		default:
			buf_char(out, s.p[i]);
		}
	}
}

void html_cstr(struct buf *out, const char *s)
{
	html_text(out, str_from(s));
}

void html_begin(struct buf *out, struct str title)
{
	buf_puts(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
		      "<meta name=\"color-scheme\" content=\"light dark\"><title>");
	html_text(out, title);
	buf_puts(out, "</title><style>\n");
	buf_puts(out, report_css);
	buf_puts(out, "</style></head><body><main>\n");
}

void html_end(struct buf *out)
{
	buf_puts(out, "</main><script>\n");
	buf_puts(out, report_js);
	buf_puts(out, "</script></body></html>\n");
}

void html_section(struct buf *out, const char *id, const char *heading)
{
	buf_printf(out, "<section id=\"%s\" aria-labelledby=\"h-%s\"><h2 id=\"h-%s\">", id, id, id);
	html_cstr(out, heading);
	buf_puts(out, "</h2>\n");
}

void html_section_end(struct buf *out)
{
	buf_puts(out, "</section>\n");
}

void html_table(struct buf *out, const char *caption, const char *headings)
{
	struct str rest = str_from(headings), heading;
	buf_puts(out, "<div class=\"scroll\"><table class=\"data\"><caption>");
	html_cstr(out, caption);
	buf_puts(out, "</caption><thead><tr>");
	while (str_split(&rest, '|', &heading)) {
		bool is_number = str_starts(heading, ">");
		buf_puts(out, is_number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
		html_text(out, is_number ? str_sub(heading, 1, heading.n) : heading);
		buf_puts(out, "</th>");
	}
	buf_puts(out, "</tr></thead><tbody>\n");
}

void html_row(struct buf *out)
{
	buf_puts(out, "<tr>");
}

void html_cell(struct buf *out, struct str text, const char *sort)
{
	buf_puts(out, sort ? "<td class=\"n\" data-sort=\"" : "<td>");
	if (sort) {
		html_cstr(out, sort);
		buf_puts(out, "\">");
	}
	html_text(out, text);
	buf_puts(out, "</td>");
}

void html_number(struct buf *out, const char *text, double v)
{
	if (isfinite(v))
		buf_printf(out, "<td class=\"n\" data-sort=\"%.12g\">", v);
	else
		buf_puts(out, "<td class=\"n\" data-sort=\"\">");
	html_cstr(out, text);
	buf_puts(out, "</td>");
}

void html_row_end(struct buf *out)
{
	buf_puts(out, "</tr>\n");
}

void html_table_end(struct buf *out)
{
	buf_puts(out, "</tbody></table></div>\n");
}
