/* --sanitize of bench and optimize: compute-sanitizer as a further look of measure/bench_extra.h. */
#ifndef ASSAY_VERB_SANITIZE_H
#define ASSAY_VERB_SANITIZE_H

#include "base/scratch.h"
#include "measure/bench_extra.h"
#include "verb/dry_run.h"

#define SANITIZE_ROW(T, field)                                                                                         \
	{                                                                                                              \
		.name = "sanitize", .type = OPT_STRING, .offset = offsetof(T, field), .meta = "TOOLS",                 \
		.help = "Tools of compute-sanitizer, with commas, or all; an error of a GPU kernel rejects it."        \
	}

struct sanitize_verb {
	const char *program, *tool; /* tool: resolved path; NULL: it is not wanted */
	unsigned which;
	double timeout_s; /* of one tool over one case */
	struct bench_extra extra;
	struct scratch scratch;
};
/* names NULL: nothing happens. Else b->extra is set, and b->inputs where nobody keeps them. ERR_USAGE: a name, or a kernel that
 * runs on the CPU; ERR_ENVIRONMENT: no compute-sanitizer here. sanitize_end in every case. */
MUST_USE bool sanitize_begin(struct sanitize_verb *x, struct bench_options *b, const char *names, struct arena *a,
			     struct err *e);
void sanitize_end(struct sanitize_verb *x);
/* --dry-run: a step. */
void sanitize_dry(struct dry_run *d, const struct sanitize_verb *x);

#endif
