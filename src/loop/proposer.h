/* The proposer: a command of the user that writes the next version and its proposal. */
#ifndef ASSAY_LOOP_PROPOSER_H
#define ASSAY_LOOP_PROPOSER_H

#include "loop/loop.h"
#include "loop/run.h"

/* Runs it with the state as JSON on stdin. Success: exit 0, and next_path and proposal_path are there and changed.
 * *touched lists the other files of the run folder and of the kernel's folder that it changed (RULES R1.4); empty: none.
 * Else ERR_INPUT: what it did not do. */
MUST_USE bool proposer_run(struct json **touched, struct run *r, const struct json *state, const struct loop_options *o,
			   struct err *e);
/* Waits, at most 10 s, for what a proposer of a killed call left running. */
void proposer_settle(struct run *r);
/* What a proposer that did not end left is moved aside (NAME.partial-K), so that it begins from the template again. */
MUST_USE bool proposer_clear(struct run *r, size_t i, struct err *e);

#endif
