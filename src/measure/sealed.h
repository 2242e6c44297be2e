/* The sealed batch: n calls on n fresh slots in new memory, asked for by one message, timed by the parent's clock alone.
 * The worker stands still until the question lies before it and again the moment its answer is there, so that all work
 * lies between. Whatever a candidate does to clocks and counters of its own process, a call takes no longer than the
 * bound that comes out here; nothing that it says is used. */
#ifndef ASSAY_MEASURE_SEALED_H
#define ASSAY_MEASURE_SEALED_H

#include "measure/fresh.h"

#define SEALED_MAX_ROUNDS 4

struct sealed {
	size_t n_calls, n_rounds; /* n_calls: of a round */
	double bound_ns; /* wall time of a round by the parent / n_calls, least of the rounds: includes the message */
	double cpu_ns;   /* CPU time of the process by the kernel / n_calls, in that round; NaN: not known */
	double wall_ns[SEALED_MAX_ROUNDS]; /* per call, by round */
	size_t n_busy;                     /* threads that ran in that round (run/watch.h) */
	size_t n_unfrozen;                 /* rounds in which the worker could not be stopped */
	double slack_ns;                   /* what messages and wake-ups of a round may cost */
	bool is_device;
};
/* More rounds follow while the bound lies far above what was claimed: load of others makes a round longer, never shorter.
 * claimed_ns: what the calls are said to take, only for that choice; `n_kept` captures at most are kept. */
struct sealed_ask {
	struct fresh *fresh;
	struct lab_worker *worker;
	double claimed_ns;
	size_t n_kept;
	bool is_device; /* a GPU: CPU time says nothing about the calls */
	bool is_guest;  /* an interpreter: its code is read again after it stood still */
};
MUST_USE enum ask_result sealed_run(struct sealed *out, const struct sealed_ask *ask, struct lab_fault *fault,
				    struct err *e);
/* Whether the calls took so much longer than was claimed that the claim cannot be true: by more than the factor, in wall
 * time and, on the CPU, in CPU time. False in doubt: a message costs time too. */
bool sealed_denies(const struct sealed *s, double claimed_ns, double factor);
struct json *sealed_json(struct arena *a, const struct sealed *s);

#endif
