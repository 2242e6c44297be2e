/* The best version by the seed's order: lowest median, then lowest average, then the earlier one, among the eligible. */
#ifndef ASSAY_LOOP_BEST_H
#define ASSAY_LOOP_BEST_H

#include "loop/run.h"

/* Index of the best eligible version, or -1. Sets best_iteration and best_reason in the manifest. */
int64_t best_choose(struct run *r);
/* Whether iteration a ranks before b; both have times. */
bool best_before(const struct json *a, const struct json *b);

#endif
