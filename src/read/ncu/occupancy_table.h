/* Occupancy of each profiled launch: what limits it, what was possible, what was reached. */
#ifndef ASSAY_READ_NCU_OCCUPANCY_TABLE_H
#define ASSAY_READ_NCU_OCCUPANCY_TABLE_H

#include "read/ncu/ncu.h"
#include "read/sheet.h"

/* One row a result. Columns: id, kernel, grid, block, theoretical_pct, achieved_pct, lost_pct (theoretical - achieved),
 * limiter, blocks (an SM), by_registers, by_shared, by_warps, by_blocks, by_barriers (blocks an SM by each limit alone),
 * registers, shared_bytes (a block, with the driver's own), waves, source: "ncu" (section Occupancy), or "launch": computed
 * from the launch (facts/occupancy.h) where the section was not collected. */
void occupancy_rows(const struct ncu_report *r, struct sheet *out, struct arena *a);

#endif
