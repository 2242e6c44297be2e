/* Hidden rounds: cases that no operator file names, called once in a fresh worker when all else is done and held against
 * the reference. Whether a fault there rejects is for who chose the case to say. */
#ifndef ASSAY_MEASURE_HIDDEN_H
#define ASSAY_MEASURE_HIDDEN_H

#include "measure/correct.h"
#include "measure/integrity.h"

#define HIDDEN_MOST 16 /* rounds of one hidden_run */

struct hidden_ask {
	const struct correct_bench *bench;
	const struct lab_subject *subject;
};
struct hidden_round {
	struct op_case c; /* of the operator's parameters; name, seed */
	const char *what; /* as in correct_place */
	bool is_declared; /* inside of what the operator file declares: a fault rejects */
	/* Out. A fault of the worker is a verdict in `got`, too. */
	struct correctness got;
	const char *reason; /* why it was not looked at; NULL: it was */
	double seconds;
};
/* No candidate's worker may be left; the lab has these cases afterwards, and no use for others. True: each round was
 * looked at or has a reason. */
MUST_USE bool hidden_run(struct hidden_round *rounds, size_t n, const struct hidden_ask *ask, struct err *e);
/* How many of n rounds the reference's time allows; 0: *reason says why not one. */
size_t hidden_afford(const struct hidden_ask *ask, size_t n, const char **reason);
bool hidden_is_wrong(const struct hidden_round *r);
/* {"dims", "seed", "declared", "verdict", "text", "reason", "output", "element", "got", "wanted", "seconds"} */
struct json *hidden_json(struct arena *a, const struct operator* op, const struct hidden_round *r);
struct hidden_check {
	const char *name;   /* of the check */
	enum verdict flag;  /* of rounds that are wrong and not declared; its forbidden word rejects those that are */
	const char *passed; /* what is said where all are right */
};
/* Adds the check with all rounds in its evidence; the flag, the rejection. */
void hidden_conclude(struct integrity *g, const struct operator* op, const struct hidden_round *rounds, size_t n,
		     const struct hidden_check *check);

#endif
