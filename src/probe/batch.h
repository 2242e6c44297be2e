/* A batch of calls in the worker: made one after the other, records attributed to calls afterwards. */
#ifndef ASSAY_PROBE_BATCH_H
#define ASSAY_PROBE_BATCH_H

#include "probe/probe.h"

#define BATCH_MAX_CALLS 65536

struct batch {
	struct arena arena;
	struct wire_row *rows;
	size_t n;
	uint64_t *begin, *end; /* CUPTI's clock around each call; NULL without CUPTI */
};
void batch_init(struct batch *b);
void batch_release(struct batch *b);
/* Makes the calls. False with `fault` set at the first call that fails. */
MUST_USE bool batch_run(struct batch *b, struct probe *p, const struct wire_calls *c, struct probe_fault *fault);
/* Attributes records and answers: LAUNCHES first in identity mode, then ROWS. */
MUST_USE bool batch_answer(struct batch *b, struct probe *p, struct err *e);

#endif
