/* The HTML report of a run of the loop: one self-contained page made from the records in its folder. */
#ifndef ASSAY_REPORT_RUN_PAGE_H
#define ASSAY_REPORT_RUN_PAGE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

struct store;

/* FOLDER/run_manifest.json and iter_v*; a version whose files are missing is listed with what there is. `s` holds the
 * trials and the telemetry that the records name; NULL, or without them: samples are drawn by their number. */
MUST_USE bool run_page(struct buf *out, struct arena *a, const char *folder, struct store *s, struct err *e);
/* The same page of one record of assay bench (format assay/bench-v1), which was read from `path`. */
void bench_page(struct buf *out, struct arena *a, const char *path, struct json *record, struct store *s);

#endif
