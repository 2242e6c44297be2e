/* Hot spots of a report: per instruction and per source line. */
#ifndef ASSAY_READ_NCU_HOTSPOT_H
#define ASSAY_READ_NCU_HOTSPOT_H

#include "read/ncu/ncu.h"
#include "read/sheet.h"

/* Columns: id, kernel, function, offset_bytes, pc, file, line, samples, not_issued, stall, executed, thread_executed,
 * code (16 bytes in hex). One row an instruction of the profiled functions, also those without a sample. */
void hotspot_sass(const struct ncu_report *r, struct sheet *out, struct arena *a);
/* Columns: id, kernel, file, line, text, samples, samples_pct (of the result's), not_issued, stall, executed. Lines without
 * sample or execution are left out. `note` says why there are none. */
void hotspot_lines(const struct ncu_report *r, struct sheet *out, struct arena *a);

#endif
