/* A private folder for the time of one piece of work. Its lock dies with the process, so that what a killed one left is known
 * and removed by the next that makes a folder there. */
#ifndef ASSAY_BASE_SCRATCH_H
#define ASSAY_BASE_SCRATCH_H

#include "base/arena.h"
#include "base/err.h"

struct scratch {
	const char *path; /* mode 0700 */
	int lock;
};
/* $TMPDIR/assay-WORD-XXXXXX, else in /tmp. */
MUST_USE bool scratch_make(struct scratch *out, struct arena *a, const char *word, struct err *e);
/* Removes the folder; what cannot be removed is said on stderr. */
void scratch_remove(struct scratch *s);

#endif
