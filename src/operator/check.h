/* The prerequisites of the loop (RULES R1.3, seed 000), as far as text shows them. Nothing is built or run here. */
#ifndef ASSAY_OPERATOR_CHECK_H
#define ASSAY_OPERATOR_CHECK_H

#include "operator/operator.h"

enum check_status {
	CHECK_MET,
	CHECK_NOT_MET,
	CHECK_NOT_APPLICABLE,
	CHECK_LATER /* text cannot tell: build, run or comparison of v0 decides */
};
const char *check_status_name(enum check_status s); /* "met", "not_met", "not_applicable", "decided_by_running" */

/* What to do about it: the seed's four answers. */
enum check_answer {
	CHECK_ANSWER_NONE,
	CHECK_ANSWER_COMPLETE,  /* wrapper or kernel missing: get a complete implementation first */
	CHECK_ANSWER_INTERFACE, /* no entry or no setup/run_kernel: add the benchmark interface */
	CHECK_ANSWER_FIX,       /* does not parse, compile or run: fix that first */
	CHECK_ANSWER_ALGORITHM  /* v0 is wrong: fix the algorithm first */
};
const char *check_answer_text(enum check_answer a); /* a sentence; "" for NONE */

/* keys in this order: implementation, overloads, kernel, benchmark_interface, data, parses, compiles_and_runs, correct */
#define CHECK_ITEMS 8
struct check_item {
	const char *key;
	enum check_status status;
	enum check_answer answer; /* of what is or would be not met */
	const char *found;        /* one sentence: what was seen */
	unsigned line;            /* looked at; 0: none */
	struct str line_text;
};
struct check {
	struct check_item items[CHECK_ITEMS];
	size_t n_not_met;
	struct operator op; /* without cases; as far as it could be read */
	bool is_readable;   /* op is complete up to its sizes, and op.data says who supplies the data */
};

/* False only for input that cannot be looked at: missing file, bad operator file or option, missing reference. */
MUST_USE bool check_read(struct check *out, struct arena *a, const struct operator_input *in, struct err *e);
/* Sets the outcome of an item that running decides ("compiles_and_runs", "correct"). `found` is copied. */
void check_settle(struct check *c, struct arena *a, const char *key, enum check_status s, const char *found);
/* Format assay/check-v1 (docs/FORMATS.md). */
struct json *check_json(struct arena *a, const struct check *c);

#endif
