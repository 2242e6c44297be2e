/* The integrity battery around one candidate: what is done before, during and after its calls are timed, and the checks
 * that come of it. docs/INTEGRITY.md has a paragraph for each. */
#ifndef ASSAY_MEASURE_BATTERY_H
#define ASSAY_MEASURE_BATTERY_H

#include "measure/correct.h"

struct battery;
struct fresh;
struct integrity_check;
struct battery_ask {
	const struct correct_bench *bench;
	struct correctness *correct;
	const struct lab_subject *subject;
	struct lab_worker *worker; /* joined */
	struct lab_fault *fault;   /* set where ASK_FAULT is returned */
};

/* forbid: names of flags with commas between ("library,precision"); NULL: none. ERR_USAGE: no such flag. */
MUST_USE struct battery *battery_new(struct arena *a, const char *forbid, struct err *e);
void battery_begin(struct battery *x, struct lab *l);
/* The fresh data of a series, and how many of its calls are kept for checking: a part of what fits. */
struct fresh *battery_fresh(struct battery *x);
size_t battery_share(struct battery *x);
MUST_USE bool battery_settle(struct battery *x, struct err *e); /* after it: slots hold the public sets again */
/* After correctness. A result that is wrong where outputs were poisoned is tried with outputs that are zero; if it is right
 * then, *correct is what came out there, and outputs stay zero before every call. Then whether the task can be checked at
 * all. The lab's case is 0. */
MUST_USE enum ask_result battery_task(struct battery *x, const struct battery_ask *ask, struct err *e);
struct battery_claim {                    /* what is said of a call, the least of mean and median; 0: nothing */
	double cold_ns, warm_ns, wall_ns; /* wall: with the host's part, until the device is idle */
	bool is_partly_warm;              /* less than the cache was read before a cold call */
};
/* Determinism, sealed batch, the idle worker: after the calls were timed. */
MUST_USE enum ask_result battery_after(struct battery *x, const struct battery_ask *ask,
				       const struct battery_claim *claim, struct err *e);
/* Page edges; ends the worker. Then the answers for what was kept; then hidden rounds: the lab has other cases afterwards. */
MUST_USE bool battery_end(struct battery *x, const struct battery_ask *ask, struct err *e);

struct battery_facts { /* for the checks that rest on what others found */
	const struct operator* op;
	const struct lab_device *device;
	double l2_bytes, cold_ns;           /* cold_ns 0: no cold time */
	unsigned has;                       /* enum battery_has */
	const char *unordered, *unrecorded; /* what one clock of the calls misses; NULL: nothing */
};
enum battery_has { BATTERY_IDENTITY = 1, BATTERY_SYNCHRONIZES = 2, BATTERY_ALLOCATES = 4 };
/* The checks that need no further look, and the flags. */
void battery_conclude(struct battery *x, const struct battery_ask *ask, const struct battery_facts *f);

void battery_add(struct battery *x, const struct integrity_check *c); /* one that others made */
/* VERDICT_PASSED, or what rejects; *text says why. */
enum verdict battery_verdict(const struct battery *x, const char **text);
bool battery_is_zeroed(const struct battery *x); /* outputs are zero before each call: the candidate needs it */
/* The record's "integrity"; v: the verdict of the whole run. */
struct json *battery_json(const struct battery *x, enum verdict v);

#endif
