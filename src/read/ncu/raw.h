/* The raw page as CSV. */
#ifndef ASSAY_READ_NCU_RAW_H
#define ASSAY_READ_NCU_RAW_H

#include "base/buf.h"
#include "read/ncu/ncu.h"

/* Byte for byte what `LC_ALL=C ncu --import FILE --csv --page raw --print-units base` of ncu 2025.3 prints (quotes inside
 * NVTX names are doubled, where ncu leaves them): header, units, one row a result. `flush` is called with full buffers
 * and may empty them; NULL: all stays in out. */
void ncu_raw_csv(const struct ncu_report *r, struct buf *out, void (*flush)(void *ctx, struct buf *out), void *ctx);
/* Indexes into r->names of what the results have, sorted bytewise, without the hidden "breakdown:", "group:" and "regex:" names; in the arena. */
uint32_t *ncu_sorted_names(const struct ncu_report *r, struct arena *a, size_t *n);

#endif
