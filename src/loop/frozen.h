/* What v0 freezes (RULES R1.4): a later call that differs is refused and the field named. */
#ifndef ASSAY_LOOP_FROZEN_H
#define ASSAY_LOOP_FROZEN_H

#include "loop/loop.h"
#include "loop/run.h"

/* A new run: writes "frozen" into the manifest. Otherwise ERR_USAGE when reference, operator file, dims, seed, tolerances,
 * ptr-size or backend differ from v0's. */
MUST_USE bool frozen_check(struct run *r, const struct operator* op, const struct loop_options *o, struct err *e);

/* Before each step: reference and operator file are still what v0 froze. ERR_USAGE names the one that is not. */
MUST_USE bool frozen_verify(const struct run *r, struct err *e);

#endif
