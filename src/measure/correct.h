/* Correctness: what a candidate's calls left in memory, looked at by the keeper. The witness of every line here is the
 * keeper; a candidate cannot write what it says. */
#ifndef ASSAY_MEASURE_CORRECT_H
#define ASSAY_MEASURE_CORRECT_H

#include "measure/reference.h"

struct correctness {
	enum verdict verdict;       /* VERDICT_PASSED, VERDICT_UNCHECKED or what is wrong */
	const char *text;           /* one line; "" when passed */
	struct json *cases, *check; /* per case and data set; the problem's own check (checker.h), NULL: it has none */
	double max_abs, max_rel;    /* over all cases; published keys */
	double worst_units, explained_units; /* of the output that passed with the largest share (error_model.h) */
};

struct correct_bench { /* what a look needs */
	struct arena *arena;
	struct lab *lab;
	struct reference *reference;
	struct checker *checker; /* keeps what correct_case looks at; NULL: none */
};
struct correct_place {
	size_t i_case, slot;
	const char *what; /* which calls: "correctness", "timed calls" */
};
/* One slot of the lab's current case after a call. Adds to out->cases; verdict and text say the first thing that is wrong. */
MUST_USE bool correct_look(struct correctness *out, const struct correct_bench *b, const struct correct_place *at,
			   struct err *e);
/* One case, step by step, where several workers take turns. correct_begin once, then correct_case for cases that are
 * laid out: the answers are fetched where they are not there yet, every data set is called once and looked at. */
struct correct_course {
	struct correctness *out;
	const struct correct_bench *b;
	struct lab_worker *worker; /* joined */
	struct lab_fault *fault;
	const char *what; /* as in correct_place; NULL: "correctness" */
};
void correct_begin(struct correctness *out, struct arena *a, const struct reference *r);
MUST_USE enum ask_result correct_case(const struct correct_course *k, size_t i_case, struct err *e);
bool correct_is_good(const struct correctness *c); /* passed, or nothing to check against */
/* All cases: for each, a call on every data set and a look. The candidate's worker must be joined. */
MUST_USE enum ask_result correct_run(struct correctness *out, const struct correct_bench *b, struct lab_worker *w,
				     struct lab_fault *fault, struct err *e);
struct json *correct_json(struct arena *a, const struct correctness *c, bool has_reference);

#endif
