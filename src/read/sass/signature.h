/* Mechanisms and the SASS that shows them: a table of patterns per architecture (sass/signature.def), judged on the opcodes
 * of kernels. */
#ifndef ASSAY_READ_SASS_SIGNATURE_H
#define ASSAY_READ_SASS_SIGNATURE_H

#include "read/sass/sass.h"

enum sass_verdict { SASS_SHOWN, SASS_NOT_SHOWN, SASS_NOT_APPLICABLE, SASS_NO_SIGNATURE };

#define SASS_EVIDENCE 16
struct sass_evidence {
	const struct sass_kernel *kernel;
	const struct sass_opcode *opcode;
};
struct sass_finding {
	const char *key; /* of facts/mechanism.def */
	enum sass_verdict verdict;
	bool contradicts;    /* NOT_SHOWN, and code with the mechanism cannot lack the pattern */
	const char *pattern; /* the one that was looked for, or that matched; NULL: no signature */
	const char *note;    /* NULL, or why absence proves nothing, or why it is not applicable */
	struct sass_evidence evidence[SASS_EVIDENCE]; /* the first opcodes that match a part of the pattern */
	size_t n_evidence;
	uint64_t n_instructions; /* that match, over all kernels */
};

/* Judges one mechanism (key or alias) over one kernel, or over all kernels when `kernel` is NULL: shown when one of them
 * shows it. A key without a signature, or not in the table: SASS_NO_SIGNATURE. */
void sass_judge(struct sass_finding *out, const struct sass_listing *l, const struct sass_kernel *kernel,
		struct str key);
/* Judges every mechanism that has a signature: n findings, in table order, in the arena. Quicker than one by one. */
struct sass_finding *sass_judge_all(const struct sass_listing *l, const struct sass_kernel *kernel, struct arena *a,
				    size_t *n);
/* The i-th mechanism that has a signature, in table order; NULL beyond the end. */
const char *sass_signature_key(size_t i);
/* Whether the table has a signature of that mechanism for this architecture (the number in sm_90). */
bool sass_signature_covers(const char *key, unsigned sm);
const char *sass_verdict_name(enum sass_verdict v); /* "shown", "not_shown", "not_applicable", "no_signature" */
/* One object a mechanism: verdict, pattern, evidence {kernel, opcode, n, pc, file, line}. */
struct json *sass_finding_json(const struct sass_finding *f, const struct sass_listing *l, struct arena *a);
/* Every mechanism with a signature, as an array. */
struct json *sass_findings_json(const struct sass_listing *l, const struct sass_kernel *kernel, struct arena *a);
/* Patterns, for tests: does the opcode match one alternative of the pattern? */
bool sass_pattern_matches(const char *pattern, const struct sass_opcode *o);

#endif
