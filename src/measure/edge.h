/* Tensors at the edges of pages whose neighbours nobody may touch (backend c): reads and writes beside a tensor end the
 * worker, without a sanitizer. Once with each tensor's end at an edge and no more alignment than its elements have, once
 * with its beginning at an edge. A kernel that needs more alignment is told apart and tried again with it. */
#ifndef ASSAY_MEASURE_EDGE_H
#define ASSAY_MEASURE_EDGE_H

#include "measure/correct.h"
#include "measure/integrity.h"

struct edge_ask {
	const struct correct_bench *bench;
	const struct lab_subject *subject;
	struct lab_worker *worker; /* joined; it is used up: its slots are gone, or it is */
};
/* All cases that are small enough. Adds the check "page_edges"; wrong results there go into *c. The lab's current case
 * stays what it was for the keeper. */
MUST_USE bool edge_run(struct integrity *g, struct correctness *c, const struct edge_ask *ask, struct err *e);

#endif
