/* Which version comes next, and the proposer that writes it. Part of loop.c. */
#ifndef ASSAY_LOOP_DRIVE_H
#define ASSAY_LOOP_DRIVE_H

#include "loop/inside.h"

#define DRIVE_TRIES 3 /* calls of a proposer whose proposal has errors */

/* Sets l->i and l->path. With a proposer, a run that has versions goes on after the last one: l->path is NULL then. */
MUST_USE bool drive_choose(struct loop *l, struct err *e);
/* Has version l->i + 1 and the proposal in iter_v(l->i) written, unless a call that was cut short had that done already. A
 * proposal with errors goes back to the proposer with "proposal_errors" in the state. *touched: files that it touched. */
MUST_USE bool drive_propose(struct loop *l, struct json **touched, struct err *e);

#endif
