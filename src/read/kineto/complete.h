/* Every event of a trace, one after another, as the file has it: for answers that name each one. What a trace says in sum is
 * kineto.h. */
#ifndef ASSAY_READ_KINETO_COMPLETE_H
#define ASSAY_READ_KINETO_COMPLETE_H

#include "base/err.h"
#include "base/json.h"

/* `event` lives until the call returns. False ends the reading; the error is the callee's. */
typedef bool kineto_each(void *ctx, const struct json *event, struct err *e);
struct kineto_summary {
	struct json *members; /* beside the events, one value a name; texts above 64 KiB as null */
	uint64_t n_events;
};
/* Compressed or not, of any size, as a stream. A trace that is torn, or an event that is no JSON object, is an error: nothing is
 * mended here. */
MUST_USE bool kineto_each_event(struct kineto_summary *out, struct arena *a, const char *path, kineto_each *each,
				void *ctx, struct err *e);

#endif
