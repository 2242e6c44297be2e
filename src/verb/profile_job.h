/* The verb `profile` in parts. */
#ifndef ASSAY_VERB_PROFILE_JOB_H
#define ASSAY_VERB_PROFILE_JOB_H

#include "collect/profile.h"
#include "verb/candidate.h"
#include "verb/profile_print.h"

struct profile_verb {
	struct verb_common common;
	struct opt_list args, command, sections, metrics;
	struct candidate_options candidate;
	const char *tool, *tool_path, *nvtx, *kernel, *out;
	int64_t launches, skip;
	bool full, stacks, lock_clocks, dry_run;
};
struct profile_job {
	const struct profile_verb *o;
	struct verb_call *call;
	struct arena *a;
	const char *folder;
};

struct profile_options profile_job_options(const struct profile_job *j);
const char *const *profile_list(struct arena *a, const struct opt_list *l);
/* --dry-run of it, to its end. */
struct dry_run;
MUST_USE bool profile_kernel_dry(struct dry_run *d, const struct profile_job *j, struct err *e);
/* A kernel file through assay's own runner: built, called, the last call captured; a .c one under perf_event. */
MUST_USE bool profile_kernel(const struct profile_job *j, struct err *e);
#endif
