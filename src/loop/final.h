/* The final answer: the seed's nine items (RULES R1.14), from records, for whatever state the run is in. */
#ifndef ASSAY_LOOP_FINAL_H
#define ASSAY_LOOP_FINAL_H

#include "loop/run.h"

/* Format assay/summary-v1 (docs/FORMATS.md): one member an item, best, comparison, full_report, commands, bottleneck,
 * key_ideas, others, strategy_memory, constraints. */
struct json *final_make(struct run *r);
void final_markdown(struct buf *out, const struct json *summary);
/* final_summary.json and final_summary.md. */
MUST_USE bool final_write(struct run *r, struct err *e);

#endif
