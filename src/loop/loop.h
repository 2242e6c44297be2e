/* The loop (seed 000, RULES R1): one call evaluates one version, keeps its evidence in the run folder, and says where the
 * next one goes. With a proposer it repeats until max_iterations. It never writes or repairs a kernel. */
#ifndef ASSAY_LOOP_LOOP_H
#define ASSAY_LOOP_LOOP_H

#include "measure/bench.h"

enum loop_flags { LOOP_PREFLIGHT_ONLY = 1, LOOP_WITHOUT_PROFILE = 2, LOOP_REDO = 4 };
struct loop_options {
	struct bench_options bench; /* input.path: the version of this call */
	int64_t max_iterations;     /* optimisations after v0: versions are v0 .. vN */
	int64_t iteration;          /* -1: the next one */
	const char *run_dir;        /* NULL: ./assay-runs/<stem>-<UTC> */
	const char *proposer;       /* command, run by /bin/sh; NULL: one version only */
	const char *ncu;
	double proposer_timeout_s, profile_timeout_s;
	unsigned flags;
	void (*announce)(void *ctx, const char *text); /* called early: the run folder, then a line a version */
	void *ctx;
};
struct loop_result {
	struct json *state; /* what is printed (docs/FORMATS.md, "State and proposal") */
	int status;         /* exit status: 0 the version(s) passed, 1 the last one failed or none is eligible */
};

MUST_USE bool loop_run(struct loop_result *out, struct arena *a, const struct loop_options *o, struct err *e);

#endif
