/* The proposer: the user's command that writes the next version and the proposal. */
#ifndef ASSAY_LOOP_PROPOSER_H
#define ASSAY_LOOP_PROPOSER_H

#include "loop/loop.h"
#include "loop/run.h"

/* Runs it with the state on stdin. ERR_INPUT when it ends otherwise than with 0, or one of its two files is missing or
 * unchanged; the run stays as it is and can go on. */
MUST_USE bool proposer_run(struct run *r, const struct json *state, const struct loop_options *o, struct err *e);

#endif
