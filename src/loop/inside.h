/* What the parts of one call of the loop share: loop.c, step.c, state.c. */
#ifndef ASSAY_LOOP_INSIDE_H
#define ASSAY_LOOP_INSIDE_H

#include "loop/constraints.h"
#include "loop/hands.h"
#include "loop/outcome.h"

struct loop {
	const struct loop_options *o;
	const struct loop_hands *hands;
	struct arena *arena;
	struct run run;
	struct operator op; /* of the file of this call */
	struct memory *memory;
	struct scope scope;
	struct json *constraints; /* of the next step */
	struct loop_result *out;
	const char *path; /* the version to evaluate */
	size_t i;
};

void loop_say(const struct loop *l, const char *text);
/* What the memory says now, and the fingerprints to open again by the options of this call. */
MUST_USE bool loop_remember(struct loop *l, struct err *e);

/* Evaluates l->path as version l->i: gate, measurement, comparison, outcome, memory, best, texts. A version that is refused
 * because its strategy is blocked is recorded too. l->out->status is 1 when it is rejected. */
MUST_USE bool step_run(struct loop *l, struct err *e);
/* What follows from version i in the manifest: memory, constraints, proposal, texts. It can be made again at any time. */
MUST_USE bool step_follow(struct loop *l, size_t i, struct err *e);

/* Fills l->out->state after version l->i. is_over: no version follows. */
void state_put(struct loop *l, bool is_over);

#endif
