/* What was checked about how an answer came about: one line a check, each with its witness and its evidence. A check that
 * fails rejects; a fact that is no fault is a flag, which --forbid turns into a rejection. The first rejection stands. */
#ifndef ASSAY_MEASURE_INTEGRITY_H
#define ASSAY_MEASURE_INTEGRITY_H

#include "base/json.h"
#include "facts/verdict.h"

enum integrity_state { INTEGRITY_PASSED, INTEGRITY_FAILED, INTEGRITY_NOT_APPLICABLE, INTEGRITY_UNAVAILABLE };
struct integrity {
	struct arena *arena;
	struct json *checks, *flags, *seconds;
	bool is_forbidden[VERDICT_COUNT];
	enum verdict verdict; /* VERDICT_PASSED, or what rejects */
	const char *text;
};
struct integrity_check {
	const char *name;
	enum integrity_state state;
	const char *witness;   /* "keeper", "parent", "kernel", "nvml", "binary", "claim" */
	const char *text;      /* one line: what was seen, or why it was not looked at */
	struct json *evidence; /* numbers; NULL: none beyond the text */
};

void integrity_open(struct integrity *g, struct arena *a);
/* Names of flags with commas between: "library,precision". ERR_USAGE names what there is. NULL: none. */
MUST_USE bool integrity_forbid(struct integrity *g, const char *names, struct err *e);
void integrity_add(struct integrity *g, const struct integrity_check *c);
void integrity_reject(struct integrity *g, enum verdict v, const char *text);
/* What a round cost, from begin_ns (clock_ns) until now. */
void integrity_cost(struct integrity *g, const char *round, int64_t begin_ns);
/* A flag; rejects where it is forbidden. */
void integrity_flag(struct integrity *g, enum verdict flag, const char *witness, const char *text);
/* {"verdict": "accepted" | "rejected:..." | other, "flags": [...], "checks": [...], "seconds": {...}}; `v` is the verdict of the whole run. */
struct json *integrity_json(const struct integrity *g, enum verdict v);

#endif
