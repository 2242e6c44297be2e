/* The hidden verbs: this binary as a worker or as the keeper.
 * In: descriptor numbers. Out: the process's exit status.
 * They are started by run/worker.c; a person has no use for them.
 * Never: prints on stdout. */
#include <stddef.h>

#include "probe/probe.h"
#include "run/keeper_main.h"
#include "run/sampler.h"
#include "verb/verbs.h"

struct hidden_options {
	struct verb_common common;
	int64_t link, seal;
	const char *job;
};

static const struct opt_row rows[] = {
	{.name = "link",
	 .type = OPT_I64,
	 .offset = offsetof(struct hidden_options, link),
	 .min = -1,
	 .max = 1 << 20,
	 .meta = "FD",
	 .help = "Socket to the parent."},
	{.name = "seal",
	 .type = OPT_I64,
	 .offset = offsetof(struct hidden_options, seal),
	 .min = -1,
	 .max = 1 << 20,
	 .meta = "FD",
	 .help = "Filter to install before the candidate is loaded."},
	{.name = "job",
	 .type = OPT_STRING,
	 .offset = offsetof(struct hidden_options, job),
	 .meta = "FILE",
	 .help = "Messages from a file, for a profiler's process."},
	VERB_COMMON_ROWS,
};
static const struct hidden_options defaults = {.common = VERB_COMMON_DEFAULTS, .link = -1, .seal = -1};

static bool run_worker(void *options, struct verb_call *call, struct err *e)
{
	const struct hidden_options *o = options;
	if (o->link < 0 && !o->job)
		return err_set(e, ERR_USAGE, "worker: is started by assay itself");
	call->status = probe_main((int)o->link, (int)o->seal, o->job);
	return true;
}

static bool run_keeper(void *options, struct verb_call *call, struct err *e)
{
	const struct hidden_options *o = options;
	if (o->link < 0)
		return err_set(e, ERR_USAGE, "keeper: is started by assay itself");
	call->status = keeper_main((int)o->link);
	return true;
}

static bool run_sampler(void *options, struct verb_call *call, struct err *e)
{
	const struct hidden_options *o = options;
	if (o->link < 0)
		return err_set(e, ERR_USAGE, "sampler: is started by assay itself");
	call->status = sampler_main((int)o->link);
	return true;
}

static const struct opt_spec worker_spec = {.verb = "worker",
					    .summary = "Runs one candidate (internal).",
					    .rows = rows,
					    .n_rows = COUNT_OF(rows),
					    .options_size = sizeof(struct hidden_options),
					    .dims_offset = SIZE_MAX};
static const struct opt_spec keeper_spec = {.verb = "keeper",
					    .summary = "Owns the tensors (internal).",
					    .rows = rows,
					    .n_rows = COUNT_OF(rows),
					    .options_size = sizeof(struct hidden_options),
					    .dims_offset = SIZE_MAX};
static const struct opt_spec sampler_spec = {.verb = "sampler",
					     .summary = "Watches device and machine (internal).",
					     .rows = rows,
					     .n_rows = COUNT_OF(rows),
					     .options_size = sizeof(struct hidden_options),
					     .dims_offset = SIZE_MAX};
const struct verb verb_sampler = {&sampler_spec, &defaults, run_sampler, VERB_HIDDEN};
const struct verb verb_worker = {&worker_spec, &defaults, run_worker, VERB_HIDDEN};
const struct verb verb_keeper = {&keeper_spec, &defaults, run_keeper, VERB_HIDDEN};
