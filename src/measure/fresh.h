/* Timed calls on data that nobody has met. Before a block the worker stands still while the keeper gives every slot a
 * fresh data set and poisons its outputs; each slot is called once; when the worker has answered it stands still again.
 * A sample of the calls, drawn when they are over so that every call is as likely as any other, is kept as it was then,
 * and checked at the end against answers that are computed for it (fresh_check): a candidate that does not do the work
 * in a part p of its calls passes n such looks with the chance (1 - p)^n. */
#ifndef ASSAY_MEASURE_FRESH_H
#define ASSAY_MEASURE_FRESH_H

#include "measure/correct.h"
#include "measure/lab_data.h"

struct fresh_kept { /* one capture */
	size_t i_capture;
	const char *what; /* "timed calls", "sealed batch" */
	uint64_t call;    /* its number in the series */
	bool is_done;     /* checked */
};
struct fresh { /* of one candidate in one lab */
	struct arena *arena;
	struct lab *lab;
	uint64_t random;
	struct fresh_kept kept[LAB_MAX_CAPTURES];
	size_t n_kept;
	size_t n_blocks, n_calls;   /* of all series */
	size_t n_unfrozen;          /* times the worker could not be stopped */
	size_t n_checked, n_failed; /* captures */
	const char *reason;         /* why fewer were checked than kept; NULL: all were */
	uint64_t pattern;
};
void fresh_open(struct fresh *f, struct arena *a, struct lab *l);

struct fresh_series { /* one series of timed calls */
	struct fresh *fresh;
	struct lab_worker *worker;
	const char *what;
	size_t first, n_most; /* captures first .. first + n_most - 1 are this series' */
	size_t n_seen;        /* calls so far */
	bool wants_last;      /* the last call of a block is kept in any case: what is not over yet shows there */
};
/* Takes up to n_most of the captures that are left; 0 of them: calls are on fresh data, none is checked. */
void fresh_begin(struct fresh_series *s, struct fresh *f, struct lab_worker *w, const char *what, size_t n_most);
/* Before and after a block of n calls on slots 0 .. n-1 with WIRE_CALL_AS_IS. */
MUST_USE bool fresh_prepare(struct fresh_series *s, size_t n, struct err *e);
MUST_USE bool fresh_keep(struct fresh_series *s, size_t n, struct err *e);

/* Computes answers and looks at what was kept. No candidate's worker may be left. Adds to `c` like every look. */
MUST_USE bool fresh_check(struct fresh *f, struct correctness *c, const struct correct_bench *b, struct err *e);

#endif
