/* Runs and their versions as lists: CSV, a table for a terminal, the index page of a folder of runs. */
#ifndef ASSAY_REPORT_RUN_LIST_H
#define ASSAY_REPORT_RUN_LIST_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/term.h"

/* The versions of a run as CSV: version, status, verdict, median_ms, average_ms, min_ms, max_ms, source, eligible. */
MUST_USE bool run_csv(struct buf *out, struct arena *a, const char *folder, struct err *e);
/* The same of one record of assay bench, as CSV or as Markdown. */
void bench_rows(struct buf *out, struct arena *a, struct json *record, bool is_md);
/* The verdict line and the versions as a table. */
MUST_USE bool run_txt(struct buf *out, struct arena *a, const char *folder, const struct term *term, struct err *e);
/* Whether a folder holds folders with a run_manifest.json. */
bool run_is_index(struct arena *a, const char *folder);
/* A page with a line a run, newest first; it links the pages that are there. */
MUST_USE bool run_index(struct buf *out, struct arena *a, const char *folder, struct err *e);

#endif
