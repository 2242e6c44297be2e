/* An attempt at a version: its folder is marked while it is being made, so that what a killed process leaves is known. */
#ifndef ASSAY_LOOP_ATTEMPT_H
#define ASSAY_LOOP_ATTEMPT_H

#include "loop/run.h"

/* Makes iter_vI with its mark. The folder of an earlier attempt that was finished is kept as iter_vI.K (redo); its proposal
 * is copied back once the new one is done. *id goes into the entry as "attempt". */
MUST_USE bool attempt_begin(struct run *r, size_t i, const char **id, struct err *e);
/* After the manifest holds the entry. */
MUST_USE bool attempt_end(struct run *r, size_t i, struct err *e);
/* After a run folder is opened: an attempt that never reached the manifest is moved to iter_vI.partial-K, and the attempt
 * that it was to replace is put back. *n_moved says how many. */
MUST_USE bool attempt_recover(struct run *r, size_t *n_moved, struct err *e);
/* The newest iter_vI.K, or NULL. */
const char *attempt_kept(const struct run *r, size_t i);

#endif
