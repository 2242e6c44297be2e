/* The loop (seed 000, RULES R1): one call evaluates one version, keeps its evidence in the run folder, and says where the
 * next one goes. With a proposer it repeats until a bound that the user gave. It never writes or repairs a kernel. */
#ifndef ASSAY_LOOP_LOOP_H
#define ASSAY_LOOP_LOOP_H

#include "measure/bench.h"

#define LOOP_WAIT_S 86400 /* for the lease, unless bench.wait_s says otherwise */

struct loop_hands;
struct opt_list;
enum loop_flags {
	LOOP_PREFLIGHT_ONLY = 1,
	LOOP_WITHOUT_PROFILE = 2,
	LOOP_REDO = 4,
	LOOP_ONE_COLLECTION = 8, /* the targeted report is a view of the full one */
	LOOP_ANY_LOAD = 16       /* comparisons decide although others use the machine */
};
struct loop_options {
	struct bench_options bench; /* input.path: the version of this call */
	int64_t max_iterations;     /* optimisations after v0: versions are v0 .. vN */
	int64_t iteration;          /* -1: the next one */
	const char *run_dir;        /* NULL: ./assay-runs/<stem>-<UTC> */
	const char *proposer;       /* command, run by /bin/sh; NULL: one version only */
	const char *ncu;
	const char *memory_dir;           /* of the strategy memory; NULL: memory_default_folder */
	const struct opt_list *retry;     /* blocked fingerprints to open again, or NULL */
	const char *because;              /* why; needed with retry */
	double target_ms, target_speedup; /* 0: none */
	int64_t patience;                 /* rounds without a confirmed gain; 0: none */
	double min_effect;                /* fraction: a difference below it is none */
	double compare_budget_s;          /* of one paired comparison */
	double proposer_timeout_s, profile_timeout_s;
	unsigned flags;
	void (*announce)(void *ctx, const char *text); /* called early: the run folder, then a line a version */
	void *ctx;
	const struct loop_hands *hands; /* who measures and compares; NULL: the real ones */
};
struct loop_result {
	struct json *state; /* what is printed (docs/FORMATS.md, "State and proposal") */
	int status;         /* exit status: 0 the version(s) passed, 1 the last one failed or none is eligible */
};

MUST_USE bool loop_run(struct loop_result *out, struct arena *a, const struct loop_options *o, struct err *e);

#endif
