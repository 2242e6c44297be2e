/* Rows as CSV (RFC 4180) or as a Markdown table: the same cells in both. */
#ifndef ASSAY_REPORT_ROWS_H
#define ASSAY_REPORT_ROWS_H

#include "base/buf.h"

struct rows {
	struct buf *out;
	bool is_md;
	bool has_cell; /* of the row that is being written */
};
void rows_head(struct rows *r, const char *headings); /* "side|time_ns" */
void rows_cell(struct rows *r, struct str text);
void rows_number(struct rows *r, double v); /* NaN: an empty cell */
void rows_end(struct rows *r);

#endif
