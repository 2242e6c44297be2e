/* Constraints of a comparison, and the table of pairs that judging works on. For judge.c. */
#ifndef ASSAY_PROTOCOL_EVALUATE_JUDGE_CONSTRAINT_H
#define ASSAY_PROTOCOL_EVALUATE_JUDGE_CONSTRAINT_H

#include "base/json.h"
#include "stats/published.h"

struct judge_table {
	size_t n_pairs, n_cases, minimum_pairs;
	const struct json *cases;
	char *orders;                /* [pair] 'A' or 'B' */
	const struct json **side[2]; /* [pair * n_cases + case]: the role's measurement; NULL: not there */
	struct published_rule rule;
	struct published_interval published;
	double level;
};
enum judge_constraint { JUDGE_CONSTRAINT_PASSED, JUDGE_CONSTRAINT_INCONCLUSIVE, JUDGE_CONSTRAINT_FAILED };
struct judge_rule {
	double minimum, minimum_pct; /* ln, per cent */
	bool lower;
	size_t n_findings;
	enum published_status status;
	enum judge_constraint constraints;
};
/* Reference and candidate values of one pair and case: of the primary (NULL) or a constraint. False: one is missing. */
bool judge_pair(const struct judge_table *t, size_t i, const char *constraint, double out[2]);
/* constraint_statistics, and what they come to together. A constraint passes when the published interval and the one over pairs
 * both stay below the limit. A reference of 0 that becomes worse is no percentage: it never passes, and fails when half of the
 * pairs have it. */
enum judge_constraint judge_constraints(struct json *receipt, struct judge_table *t, const struct json *constraints);

#endif
