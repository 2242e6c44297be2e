/* Terminal: width, colour, tables that fit. Text goes into a buf; the caller prints it. */
#ifndef ASSAY_BASE_TERM_H
#define ASSAY_BASE_TERM_H

#include "base/arena.h"
#include "base/buf.h"

enum term_colour { TERM_AUTO, TERM_ALWAYS, TERM_NEVER }; /* --color; NO_COLOR counts for TERM_AUTO */
enum term_style { TERM_PLAIN, TERM_BOLD, TERM_DIM, TERM_GOOD, TERM_BAD, TERM_WARN };
struct term {
	size_t width, height;     /* columns and rows: COLUMNS, LINES, the window, or 80 and 24 */
	bool colour, is_terminal; /* is_terminal: somebody reads along, no pipe */
	bool is_utf8, is_quiet;   /* by LC_ALL, LC_CTYPE or LANG, the first that is set; --quiet: no charts */
};
void term_init(struct term *t, int fd, enum term_colour c);
void term_styled(const struct term *t, struct buf *out, enum term_style s, const char *text);
void term_safe(struct buf *out, struct str text); /* of any origin: controls but \n and \t become ?, our colours stay */
size_t term_columns(struct str s);             /* display columns of UTF-8 (wide CJK count two), escapes count none */
size_t term_fit(struct str s, size_t columns); /* bytes of the longest beginning that fits */
/* Appends text broken at spaces so that no line is wider than `width` (a longer word keeps a line of its own). The first
 * line begins at column `at`, the others are indented by `indent`. No newline at the end. */
void term_wrap(struct buf *out, struct str text, size_t at, size_t indent, size_t width);
/* Whole lines; on a terminal wrapped at column `indent`, but for those that begin with "command ": these are copied. */
void term_lines(struct buf *out, const struct term *t, struct str lines, size_t indent);
struct term_table; /* too wide: a column that never changes is said once above it, then the widest are cut or wrapped */
struct term_table *term_table_new(struct arena *a, const char *headings); /* "name|>time us|>share": > = right */
void term_table_row(struct term_table *t, const char *fmt, ...) PRINTF_LIKE(2, 3); /* cells separated by | */
void term_table_cell(struct term_table *t, struct str text); /* next cell; text may contain anything */
void term_table_styled(struct term_table *t, const struct term *term, enum term_style s, struct str text);
void term_table_end_row(struct term_table *t);
void term_table_write(const struct term_table *t, const struct term *term, struct buf *out);
/* Humane numbers: "15.1 us", "4.27 ms", "1.50 GiB", "3.35 TB/s", three significant digits. */
const char *term_time(struct arena *a, double ns);
const char *term_bytes(struct arena *a, double bytes);
const char *term_rate(struct arena *a, double per_second, const char *unit); /* unit "B", "FLOP" */

#endif
