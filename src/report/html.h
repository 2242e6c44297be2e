/* Pieces of one self-contained HTML page: escaped text, sections, tables. Nothing is fetched from anywhere. */
#ifndef ASSAY_REPORT_HTML_H
#define ASSAY_REPORT_HTML_H

#include "base/buf.h"

void html_begin(struct buf *out, struct str title); /* doctype, style, main landmark */
void html_end(struct buf *out);
void html_text(struct buf *out, struct str s); /* escaped, also for attribute values */
void html_cstr(struct buf *out, const char *s);
/* <section> with a heading; the id is for links inside the page. */
void html_section(struct buf *out, const char *id, const char *heading);
void html_section_end(struct buf *out);
/* A table that the page's script sorts and filters; it reads without script too. `headings`: "name|>time" (> = number). */
void html_table(struct buf *out, const char *caption, const char *headings);
void html_row(struct buf *out);
/* A cell; `sort` (may be NULL) is what the script sorts by when the text is rounded. */
void html_cell(struct buf *out, struct str text, const char *sort);
/* A number: `text` is shown, `v` is what the script sorts by; NaN sorts behind every number. */
void html_number(struct buf *out, const char *text, double v);
void html_row_end(struct buf *out);
void html_table_end(struct buf *out);

#endif
