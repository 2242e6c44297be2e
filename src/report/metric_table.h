/* The metrics of every version's full report side by side, with the change from the version before. */
#ifndef ASSAY_REPORT_METRIC_TABLE_H
#define ASSAY_REPORT_METRIC_TABLE_H

#include "base/arena.h"
#include "base/buf.h"

/* Reads FOLDER/iter_v<i>/full_summary.txt (rows "label  value unit  id"; docs/FORMATS.md) of n versions; without any it says so. */
void metric_table(struct buf *out, struct arena *a, const char *folder, size_t n);

#endif
