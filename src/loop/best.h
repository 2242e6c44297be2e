/* The best version (RULES R1.12): the seed's order among the eligible, then confirmed against v0 by the paired comparison. */
#ifndef ASSAY_LOOP_BEST_H
#define ASSAY_LOOP_BEST_H

#include "loop/hands.h"

/* Eligible versions, best first: lowest median, then lowest average, then the earlier one, all within one source of time. A
 * version that has no time of that source is left out and gets "ranking_reason". Returns their number. */
size_t best_order(struct run *r, size_t **out);
/* Sets best_* in the manifest from the order and the confirmations that are there. */
void best_choose(struct run *r);
/* The version that the order puts first and that has no confirmation yet; -1: nothing is left to confirm. */
int64_t best_to_confirm(struct run *r);
/* Forgets confirmations that were disturbed, so that they are made again. */
void best_forget_disturbed(struct run *r);
/* Confirms down the order until one is faster than v0, or v0 is reached. */
MUST_USE bool best_confirm(struct run *r, const struct loop_options *o, struct err *e);
/* The confirmation of version i against v0 in the manifest; NULL: none. */
const struct json *best_confirmation(const struct run *r, size_t i);

#endif
