/* The door of the evidence protocol: one closed JSON request in, one answer out. */
#ifndef ASSAY_PROTOCOL_REQUEST_H
#define ASSAY_PROTOCOL_REQUEST_H

#include "protocol/evidence.h"

enum request_flags { REQUEST_WAIT = 1, REQUEST_FOREGROUND = 2, REQUEST_EXPLAIN = 4 };
struct request_result {
	struct json *answer; /* NULL when it was refused */
	const char *code;    /* published error code of a refusal */
	int status;          /* exit status: 0 passed or done, 1 the measured thing failed */
};
struct request_call { /* who asks, and how */
	struct arena *arena;
	const char *program; /* this binary */
	unsigned flags;      /* enum request_flags */
};
/* False: refused or failed, e says why and out->code in the published words. */
MUST_USE bool request_answer(struct request_result *out, struct arena *a, const char *program,
			     const struct json *request, unsigned flags, struct err *e);
/* Exit status that a result's verdict stands for. */
int request_status(const struct json *answer);

#endif
