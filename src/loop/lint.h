/* A proposal held against the report of its iteration and the strategy memory (RULES R1.7). Findings are lines; an error
 * among them refuses the next version, there is no override. */
#ifndef ASSAY_LOOP_LINT_H
#define ASSAY_LOOP_LINT_H

#include "loop/proposal.h"

enum lint_level { LINT_NOTE, LINT_ERROR };
struct lint_finding {
	enum lint_level level;
	unsigned line; /* 0: of the whole file */
	const char *text;
};
struct lint_context {
	const char *backend;
	bool is_first;                   /* of iter_v0: references instead of bottlenecks */
	const struct evidence *evidence; /* NULL: evidence is only looked at in form */
	const struct json *preferred;    /* [{"fingerprint", "tags", "reason"}], or NULL */
};
struct lint {
	struct arena *arena;
	const char *path;
	struct lint_finding *items;
	size_t n, cap, n_errors;
};

void lint_proposal(struct lint *out, struct arena *a, const struct proposal *p, const struct lint_context *c);
/* "FILE:LINE: error: text", one a line. */
void lint_text(const struct lint *l, struct buf *out);
struct json *lint_json(const struct lint *l, struct arena *a);     /* [{"level", "line", "text"}] */
const struct lint_finding *lint_first_error(const struct lint *l); /* NULL: none */

#endif
