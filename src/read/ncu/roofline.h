/* Roofline of each profiled launch as numbers: what it reached, the two roofs, how far below. */
#ifndef ASSAY_READ_NCU_ROOFLINE_H
#define ASSAY_READ_NCU_ROOFLINE_H

#include "read/ncu/ncu.h"
#include "read/sheet.h"

/* One row a launch and arithmetic unit that it used: fp32, fp64, fp16 (add and multiply count 1, a fused one 2; half
 * instructions work on two values), and each tensor path. Columns: id, kernel, unit, flop_rate, flop_peak, flop_pct, byte_rate,
 * byte_peak, byte_pct (DRAM), intensity (flop a byte), ridge (intensity where the roofs meet), roof (least of flop_peak and
 * intensity * byte_peak), roof_pct, side ("memory" below the ridge, else "compute").
 * Rates from smsp__sass_thread_inst_executed_op_* and sm__ops_path_tensor_*, as ncu's own charts make them. `note` says which
 * section is missing. */
void roofline_rows(const struct ncu_report *r, struct sheet *out, struct arena *a);

#endif
