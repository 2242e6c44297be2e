/* Running the calls of an execution, and keeping each on the disk as it ends. */
#ifndef ASSAY_PROTOCOL_EVALUATE_EXECUTE_H
#define ASSAY_PROTOCOL_EVALUATE_EXECUTE_H

#include "protocol/target.h"

struct execution {
	struct protocol *p;
	const struct json *frozen; /* request.json */
	struct target target;
	const char *id, *folder;        /* invocation, its folder */
	const char *token;              /* ASSAY_CALL of its drivers */
	struct json *calls;             /* {step, receipt, stop_reason, text, roles, ...}, as on the disk */
	const char *stop_reason, *text; /* what ended it early; NULL: all calls were made */
	bool is_clean, correctness_failed;
	int64_t start_ns;
	int64_t budget_end_ns; /* when the Target's budget is used up, monotonic; 0: it has none */
};
/* Everything that is known before the first call: target, folder names. */
MUST_USE bool execution_open(struct execution *out, struct protocol *p, const char *id, struct err *e);
/* Makes the calls. False when assay itself failed; what was measured so far is in x->calls and on the disk. */
MUST_USE bool execution_run(struct execution *x, struct err *e);
/* Reads the calls that are on the disk: after a loss. */
MUST_USE bool execution_recall(struct execution *x, struct err *e);
/* One line of events.jsonl. */
void execution_event(const struct execution *x, const char *event, const char *key, const char *value);

#endif
