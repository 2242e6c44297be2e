/* Invocations: submitted, watched, cancelled. */
#ifndef ASSAY_PROTOCOL_EVALUATE_INVOCATION_H
#define ASSAY_PROTOCOL_EVALUATE_INVOCATION_H

#include "protocol/evidence.h"

enum invocation_flags {
	INVOCATION_WAIT = 1,       /* answer when it has ended */
	INVOCATION_FOREGROUND = 2, /* in this process: CI, Slurm steps */
};
/* Answers a long evaluator request: an identical one that is done is answered from its result, one that runs is joined. */
MUST_USE bool invocation_submit(struct json **answer, struct protocol *p, const struct json *request, unsigned flags,
				struct err *e);
/* The same of a request that is frozen already: by plan_freeze, or by a room above for evidence that is read. */
MUST_USE bool invocation_begin(struct json **answer, struct protocol *p, const struct json *request,
			       const struct json *frozen, unsigned flags, struct err *e);
/* {query_status: starting|running|completed|..., ...} */
MUST_USE bool invocation_status(struct json **answer, struct protocol *p, const char *id, struct err *e);
MUST_USE bool invocation_cancel(struct json **answer, struct protocol *p, const char *id, struct err *e);
/* What would run, without writing anything: calls, starts, GPUs, expected seconds. */
MUST_USE bool invocation_explain(struct json **answer, struct protocol *p, const struct json *request, struct err *e);

#endif
