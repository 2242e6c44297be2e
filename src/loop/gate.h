/* The gate between two versions: the proposal of the one decides whether the other is looked at at all (RULES R1.7, R1.10). */
#ifndef ASSAY_LOOP_GATE_H
#define ASSAY_LOOP_GATE_H

#include "loop/constraints.h"
#include "loop/lint.h"
#include "loop/outcome.h"

struct gate {
	struct proposal proposal;
	struct evidence evidence;
	struct lint lint;
	struct strategy strategy;
	const struct json *blocked; /* the entry that blocks it; NULL: none */
	const struct json *same;    /* a blocked entry of the same mechanisms under other names; NULL: none */
};
struct gate_input {
	const char *path;   /* of the proposal */
	const char *folder; /* of its iteration: reports; NULL: evidence is only looked at in form */
	const char *backend;
	bool is_first;                  /* it is the proposal of v0 */
	const struct json *constraints; /* what blocks now; NULL: nothing is known */
	const struct json *shown;       /* what the author was shown: preferred strategies to answer; NULL: none */
};
/* False: the proposal or a report cannot be read. Findings are in the lint. */
MUST_USE bool gate_read(struct gate *out, struct arena *a, const struct gate_input *in, struct err *e);
/* ERR_INPUT with the first error of the lint: always false. */
bool gate_refuse(const struct gate *g, struct err *e);
/* {"path", "ok", "tags", "fingerprint", "mechanisms", "blocked", "same_mechanisms_as", "findings"} */
struct json *gate_json(struct arena *a, const struct gate *g);

#endif
