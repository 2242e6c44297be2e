/* The entry of a .c or .cu file and its parameters. */
#ifndef ASSAY_OPERATOR_SIGNATURE_H
#define ASSAY_OPERATOR_SIGNATURE_H

#include "operator/operator.h"
#include "operator/source.h"

struct signature {
	struct str entry;
	unsigned line;
	enum operator_linkage linkage;
	bool returns_int;
	unsigned setup_line, run_kernel_line; /* extern "C" functions of these names; 0: none */
	struct param *params;                 /* type, name, default; roles are not set */
	size_t n_params;
	bool no_entry; /* on failure: there is none, or none that can be used; else one that was not understood */
};

/* Picks the entry: `wanted` (may be NULL), else solve, solution, run_kernel (run_kernel first where setup exists), else
 * the only extern "C" function; in a .c any function that is not static counts as extern "C"; last, C++ linkage under
 * those names. On failure e->text is "file:line: ..." and says what to do. */
MUST_USE bool signature_read(struct signature *out, struct arena *a, const struct source *s, const char *wanted,
			     bool is_c, struct err *e);

#endif
