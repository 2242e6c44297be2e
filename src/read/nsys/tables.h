/* The sheets of an Nsight Systems export. */
#ifndef ASSAY_READ_NSYS_TABLES_H
#define ASSAY_READ_NSYS_TABLES_H

#include "read/nsys/nsys.h"
#include "read/sheet.h"

/* Columns of the time sheets: name, time_pct (of the sheet), total_ns, count, mean_ns, p50_ns, p99_ns, min_ns, max_ns,
 * stddev_ns; largest total first. The memory sheet has bytes and bytes_per_second behind them, the NVTX sheet style. */
#define TABLES_COUNT 12
extern const char
	*const tables_names[TABLES_COUNT]; /* kernels memory api sync nvtx osrt graphs launches devices gpu_metrics
                                                        diagnostics trust */
/* Fills the sheet of that number. A sheet of an absent table is empty and its note says so. False: a table that is there
 * lacks a key column or holds another type there. */
MUST_USE bool tables_fill(struct sheet *out, size_t i, struct nsys_report *r, struct arena *a, struct err *e);

#define TABLES_MEMSET 1000 /* beside the kinds of copies */
/* "memcpy Host-to-Device" for a copyKind of nsys, or TABLES_MEMSET. */
const char *tables_memory_name(struct arena *a, int64_t kind);

#endif
