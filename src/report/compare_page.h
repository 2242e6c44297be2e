/* The record of a comparison (assay/compare-v1) as a page, or as a line a side. */
#ifndef ASSAY_REPORT_COMPARE_PAGE_H
#define ASSAY_REPORT_COMPARE_PAGE_H

#include "base/json.h"

struct store;

/* `path`: where the record was read from. `s` holds the trial and the telemetry that it names; NULL, or without them: the
 * means of the placements are drawn. */
void compare_page(struct buf *out, struct arena *a, const char *path, struct json *record, struct store *s);
/* side, path, flags, verdict, time_ns, effect_pct, lower_pct, upper_pct, n_placements, binary_sha256. */
void compare_rows(struct buf *out, struct arena *a, struct json *record, bool is_md);

#endif
