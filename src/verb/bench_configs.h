/* bench --configs: one kernel in a set of configurations. */
#ifndef ASSAY_VERB_BENCH_CONFIGS_H
#define ASSAY_VERB_BENCH_CONFIGS_H

#include "measure/bench.h"
#include "verb/verb.h"

struct bench_configs {
	const char *path; /* of the set */
	const struct bench_options *bench;
	const struct verb_common *common;
	const char *json_out;
};
/* The plan is stored and printed, then all is built, then each that builds is benched. The status is 0 when one passed. */
MUST_USE bool bench_configs(const struct bench_configs *o, struct verb_call *call, struct err *e);
/* --dry-run of it: configurations and the command of each build. */
struct dry_run;
struct configs;
MUST_USE bool bench_configs_dry(struct dry_run *d, const struct bench_configs *o, struct err *e);
/* The part of it that the loop shares: the set and the command of each build. */
MUST_USE bool bench_configs_dry_builds(struct dry_run *d, const struct configs *c, struct err *e);

#endif
