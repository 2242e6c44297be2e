/* A sheet: rows of a report as people want them, with units. One form for every reader: sorted, filtered, cut to the top,
 * printed as a table, CSV or JSON. Values are in base units. */
#ifndef ASSAY_READ_SHEET_H
#define ASSAY_READ_SHEET_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/term.h"

enum sheet_flags {
	SHEET_TEXT = 1,   /* cells are text */
	SHEET_KEY = 2,    /* the column that --filter matches */
	SHEET_SHARE = 4,  /* its sum is kept when rows are cut: "others" */
	SHEET_HIDDEN = 8, /* not in the terminal table unless asked for; in CSV and JSON always */
};
struct sheet_column {
	const char *name;  /* "time_ns": CSV heading and JSON key */
	const char *title; /* "time": terminal heading */
	const char *unit;  /* base unit: "ns", "byte", "%", "" */
	unsigned flags;
};
struct sheet_cell {
	bool has; /* missing is not zero */
	double v;
	struct str text;
};
struct sheet {
	struct arena *arena;
	const char *name;  /* "kernels" */
	const char *title; /* "Time by kernel" */
	const char *note;  /* how it is defined, or why it is empty; may be NULL */
	bool is_main;      /* shown when no table is named */
	const struct sheet_column *columns;
	size_t n_columns;
	struct sheet_cell *cells; /* n_rows * n_columns */
	size_t n_rows, cap_rows;
};

void sheet_init(struct sheet *s, struct arena *a, const char *name, const struct sheet_column *columns, size_t n);
/* Adds a row and returns its cells, all missing. Valid until the next row. */
struct sheet_cell *sheet_row(struct sheet *s);
void sheet_put(struct sheet_cell *c, double v);
void sheet_put_text(struct sheet_cell *c, struct str text);

struct sheet_view {
	const char *filter;  /* keep rows whose key column matches (sheet_match), where there is one; NULL: all */
	const char *sort;    /* column name, "-name" ascending; NULL: as given */
	size_t top;          /* 0: all rows */
	const char *columns; /* comma list of names; NULL: those not hidden */
};
/* Substring, or a pattern with * and ?; case matters. */
bool sheet_match(struct str text, const char *pattern);
/* Filters, sorts and cuts in place; n_all is how many rows passed the filter. False: an unknown column name. */
MUST_USE bool sheet_apply(struct sheet *s, const struct sheet_view *v, size_t *n_all, struct err *e);
/* columns: as in the view. */
void sheet_text(const struct sheet *s, const char *columns, const struct term *t, struct buf *out);
void sheet_csv(const struct sheet *s, const char *columns, struct buf *out); /* NULL: all */
struct json *sheet_json(const struct sheet *s,
			struct arena *a); /* {"name","title","columns":[{name,unit}],"rows":[{...}]} */

#endif
