/* Whether a task can be checked at all: outputs that need no computing (zeros, ones, the mean, an input copied, the answer
 * to other data) are scored against the tolerance like a candidate's. One that passes without being the exact answer
 * shows that the tolerance tells nothing; one that is the exact answer is a fact about the task. */
#ifndef ASSAY_MEASURE_TRIVIAL_H
#define ASSAY_MEASURE_TRIVIAL_H

#include "measure/correct.h"
#include "measure/integrity.h"

/* Looks at the answers of the lab's current case; adds the check "task_is_checkable". Rejects with VERDICT_UNCHECKABLE. */
MUST_USE bool trivial_look(struct integrity *g, const struct correct_bench *b, struct err *e);

#endif
