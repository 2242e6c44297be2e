/* Sizes that the candidate was not timed at: primes near the first case's, so multiples of no tile. Inside the ranges that
 * the operator file declares a fault rejects; sizes that nothing is declared of give a flag. */
#ifndef ASSAY_MEASURE_OFF_GRID_H
#define ASSAY_MEASURE_OFF_GRID_H

#include "measure/correct.h"

struct hidden_round;
struct integrity;
#define OFF_GRID_MOST 3
/* Rounds with their cases, at most OFF_GRID_MOST, by operator and seed. 0: *reason says why. */
size_t off_grid_choose(struct hidden_round *rounds, struct arena *a, const struct operator* op, const char **reason);
/* Adds the check "off_grid". As hidden_run (hidden.h). */
MUST_USE bool off_grid_run(struct integrity *g, const struct correct_bench *b, const struct lab_subject *s,
			   struct err *e);

#endif
