/* The outcome of a version (RULES R1.9) and the run's own level of the strategy memory. */
#ifndef ASSAY_LOOP_OUTCOME_H
#define ASSAY_LOOP_OUTCOME_H

#include "loop/hands.h"
#include "loop/memory.h"

/* Words of outcomes; one table (outcome.def). */
enum outcome_reason {
#define REASON(id, word, outcome, text) REASON_##id,
#include "loop/outcome.def"
#undef REASON
	REASON_COUNT
};
const char *outcome_reason_word(enum outcome_reason r);
const char *outcome_word(enum outcome_reason r); /* "positive", "negative", "rejected" */

struct outcome {
	enum outcome_reason reason;
	int64_t previous;    /* the version it was compared with, -1: none */
	bool is_environment; /* nothing that this version did: not judged, not shared */
	const char *why;
};
/* The last version before i with a valid time; -1: none. */
int64_t outcome_previous(const struct run *r, size_t i);
/* it: the entry of version i with its verdict and reports. pair: the comparison with `previous`, NULL where none was made. */
void outcome_judge(struct outcome *out, struct arena *a, const struct json *it, const struct confirmed *pair,
		   int64_t previous);
/* What a version's verdict says about it. */
enum outcome_reason outcome_of_verdict(enum verdict v);

struct strategy { /* what version i tries: the tags of the proposal in iter_v(i-1); v0: baseline */
	struct tags tags;
	char fingerprint[FINGERPRINT_SIZE];
};
/* Puts "strategy" into the entry (docs/FORMATS.md, "Run manifest"). */
void outcome_put(struct run *r, struct json *it, const struct strategy *s, const struct outcome *o,
		 const struct json *constraints);
/* Makes strategy_memory.current_run from the iterations. */
void outcome_rebuild(struct run *r);
/* Puts outcomes that the global level does not have yet there, oldest first, and notes it in the manifest (not saved). */
MUST_USE bool outcome_share(struct run *r, struct memory *m, const struct scope *s, struct err *e);

#endif
