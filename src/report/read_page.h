/* What `assay read --json` says of a file (assay/read-v1) as a page or as Markdown. */
#ifndef ASSAY_REPORT_READ_PAGE_H
#define ASSAY_REPORT_READ_PAGE_H

#include "base/json.h"
#include "report/chart.h"

struct read_excerpt { /* the first activities of a trace */
	const struct chart_activity *x;
	size_t n, n_all; /* n_all 0: the file has none */
};
void read_page(struct buf *out, struct arena *a, const char *path, const struct json *doc,
	       const struct read_excerpt *excerpt);
void read_rows(struct buf *out, struct arena *a, const char *path, const struct json *doc);

#endif
