/* Time by kernel and launch shape. */
#ifndef ASSAY_READ_KINETO_LAUNCHES_H
#define ASSAY_READ_KINETO_LAUNCHES_H

#include "read/kineto/kineto.h"
#include "read/sheet.h"

/* Columns: name, total_ns, share_pct, count, mean_ns, grid, block, registers, shared_bytes, occupancy_pct and limiter (theoretical,
 * from the launch alone; where the trace gives the compute capability). Largest total first. */
void launches_sheet(struct sheet *out, const struct kineto_trace *t, struct arena *a);

#endif
