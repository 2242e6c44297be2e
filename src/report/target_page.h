/* An evidence root (docs/PROTOCOL.md) as a page, or as a line an invocation. From its records alone. */
#ifndef ASSAY_REPORT_TARGET_PAGE_H
#define ASSAY_REPORT_TARGET_PAGE_H

#include "base/json.h"

bool target_is_root(struct arena *a, const char *folder); /* it has a target.json */
MUST_USE bool target_page(struct buf *out, struct arena *a, const char *root, struct err *e);
/* invocation, operation, experiment, verdict, stop_reason, measurement_validity, estimate_pct, lower_pct, upper_pct,
 * n_pairs, elapsed_seconds; the Markdown has the verdict line above them. */
MUST_USE bool target_rows(struct buf *out, struct arena *a, const char *root, bool is_md, struct err *e);

#endif
