/* compute-sanitizer over our own runner: one call a case, each tensor in memory that ends where it ends. The candidate's code
 * lives in the process under the tool: what the tool does not find is the candidate's claim. */
#ifndef ASSAY_COLLECT_SANITIZE_H
#define ASSAY_COLLECT_SANITIZE_H

#include "operator/operator.h"
#include "read/sanitizer/sanitizer.h"

#define SANITIZE_TOOLS 4 /* memcheck, racecheck, initcheck, synccheck: the first of enum sanitizer_tool */

struct guest;
struct store;
struct sanitize_collect {
	const char *program; /* assay's binary */
	const char *tool;    /* resolved path of compute-sanitizer */
	const char *gpu;     /* UUID */
	const struct operator* op;
	const char *library, *symbol, *sha256; /* sha256: of the library */
	bool returns_int;
	const struct guest *guest; /* written in Python; NULL: native */
	const char *data;          /* run/job.h: data of the first case, the only one then; NULL: all cases, filled */
	const char *scratch;       /* private, writable */
	struct store *store;       /* gets what the tool printed */
	unsigned which;            /* 1 << enum sanitizer_tool */
	double timeout_s;          /* of one tool over one case */
};
enum sanitize_state {
	SANITIZE_CLEAN,
	SANITIZE_FOUND,      /* errors in the candidate's kernels */
	SANITIZE_NO_SUBJECT, /* clean, and the binary has no instruction that the tool looks at */
	SANITIZE_INCOMPLETE  /* the tool came to no end */
};
struct sanitize_found {
	enum sanitizer_tool tool;
	enum sanitize_state state;
	const char *text; /* one line */
};
struct sanitize_collected {
	struct sanitize_found tools[SANITIZE_TOOLS];
	size_t n;
	struct json *facts; /* docs/FORMATS.md, "Sanitizer" */
};

/* Names with commas between, or "all". ERR_USAGE names what there is. */
MUST_USE bool sanitize_parse(unsigned *which, const char *names, struct err *e);
/* False only when the system fails or the run was interrupted; what a tool lacks is in its state. */
MUST_USE bool sanitize_collect(struct sanitize_collected *out, struct arena *a, const struct sanitize_collect *o,
			       struct err *e);

#endif
