/* The problem's own check: a function check(given, got) of the reference's module. It is asked about what the candidate
 * left, in a process of its own like the reference's, after the keeper's comparison; both must accept. */
#ifndef ASSAY_MEASURE_CHECKER_H
#define ASSAY_MEASURE_CHECKER_H

#include "measure/correct.h"

struct checker_set { /* one data set of a case */
	size_t i_case, i_seed;
	const struct layout *layout;
	int given, got; /* memory files: inputs as they were, outputs as the candidate left them */
	bool is_own;    /* the keeper's comparison accepts it */
};
struct checker {
	struct arena *arena;
	const struct reference *reference;
	bool has_check; /* false: the module has none, and nothing is kept */
	struct checker_set *sets;
	size_t n, n_left_out; /* left out: no room to keep them */
	uint64_t bytes;
};
void checker_open(struct checker *out, struct arena *a, const struct reference *r);
void checker_release(struct checker *c); /* all zero is fine */
/* Keeps slots 0 .. LAB_SEEDS-1 of the lab's current case, whose looks are the last ones of k->cases. */
MUST_USE bool checker_take(struct checker *c, struct lab *l, size_t i_case, const struct correctness *k, struct err *e);
/* Puts k->check; one that refuses what the comparison accepts makes the verdict wrong_result. */
MUST_USE bool checker_ask(struct checker *c, struct correctness *k, struct err *e);

#endif
