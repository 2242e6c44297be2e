/* Early stop (RULES R1.13): conditions are facts in the state; a run ends only by a bound that the user gave. */
#ifndef ASSAY_LOOP_STOP_H
#define ASSAY_LOOP_STOP_H

#include "loop/hands.h"

#define STOP_NO_GAIN_ROUNDS 3

/* [{"condition", "evidence"}], after the last iteration of the manifest. */
struct json *stop_conditions(struct run *r, const struct loop_options *o);
/* The user's bound that is reached: "max_iterations", "target_ms", "target_speedup", "patience"; NULL: none. target_speedup
 * needs a confirmation: best_confirm is called where the rank speaks for it. */
MUST_USE bool stop_bound(const char **out, struct run *r, const struct loop_options *o, struct err *e);

#endif
