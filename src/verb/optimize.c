/* assay optimize: evaluates a version of a kernel in a run, or drives a proposer to the end.
 * In: a kernel file and the number of optimisations. Out: the run folder, the state.
 * The work is loop/loop.c.
 * Never: takes a default for max-iterations. */
#include <stddef.h>

#include "loop/loop.h"
#include "verb/candidate.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
	struct candidate_options candidate;
	int64_t max_iterations, iteration;
	const char *run_dir, *proposer, *ncu_bin;
	double proposer_timeout_s, profile_timeout_s;
	bool preflight_only, without_profile, redo;
};

static const struct opt_row rows[] = {
	{.name = "max-iterations",
	 .type = OPT_I64,
	 .offset = offsetof(struct options, max_iterations),
	 .min = 0,
	 .max = 1000,
	 .meta = "N",
	 .flags = OPT_REQUIRED,
	 .help = "Optimisations after v0: versions are v0 to vN."},
	{.name = "run-dir",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, run_dir),
	 .meta = "DIR",
	 .help = "Run folder; without it a new one below ./assay-runs."},
	{.name = "iteration",
	 .type = OPT_I64,
	 .offset = offsetof(struct options, iteration),
	 .min = -1,
	 .max = 1000,
	 .meta = "I",
	 .help = "Version that FILE is; without it the next one."},
	{.name = "proposer",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, proposer),
	 .meta = "CMD",
	 .help = "Command that writes each next version and its proposal."},
	{.name = "proposer-timeout",
	 .type = OPT_F64,
	 .offset = offsetof(struct options, proposer_timeout_s),
	 .min = 1,
	 .max = 1e6,
	 .meta = "S",
	 .help = "Deadline of one proposal."},
	{.name = "ncu-bin",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, ncu_bin),
	 .meta = "FILE",
	 .help = "Nsight Compute to use."},
	{.name = "profile-timeout",
	 .type = OPT_F64,
	 .offset = offsetof(struct options, profile_timeout_s),
	 .min = 1,
	 .max = 1e6,
	 .meta = "S",
	 .help = "Deadline of one profiler run."},
	{.name = "preflight-only",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, preflight_only),
	 .help = "Only look at the environment."},
	{.name = "without-profile",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, without_profile),
	 .help = "Run without profiler reports; no version is then best by the seed's rule."},
	{.name = "redo",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, redo),
	 .help = "Evaluate a version again; the old folder is kept as iter_vI.1."},
	CANDIDATE_ROWS(struct options, candidate),
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS,
					.candidate = CANDIDATE_DEFAULTS,
					.iteration = -1,
					.proposer_timeout_s = 3600,
					.profile_timeout_s = 600};
static const char *const examples[] = {
	"assay optimize examples/softmax/softmax_v0.c --max-iterations=5 --proposer=examples/softmax/propose.sh "
	"--op-file=examples/softmax/softmax.op.json --ref=examples/softmax/softmax_ref.c",
	"assay optimize my.cu --max-iterations=3 --ref=my_ref.py --M=4096 --N=1024",
	NULL,
};

struct voice {
	struct verb_call *call;
	bool json;
};

static void announce(void *ctx, const char *text)
{
	struct voice *v = ctx;
	if (v->json) {
		fprintf(stderr, "%s\n", text);
		return;
	}
	buf_printf(v->call->out, "%s\n", text);
	verb_flush(v->call);
}

static void put_text(const struct json *state, struct verb_call *call)
{
	struct str summary = json_str(state, "final_summary", STR("")), next = json_str(state, "next_path", STR(""));
	struct str answer = json_str(state, "answer", STR(""));
	if (answer.n)
		return; /* said already */
	if (summary.n)
		buf_printf(call->out, "summary: %.*s\n", STR_ARG(summary));
	if (next.n)
		buf_printf(call->out, "next version: %.*s\n", STR_ARG(next));
	json_write(call->out, state, JSON_PRETTY);
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	struct voice voice = {call, o->common.json};
	struct loop_options l = {.max_iterations = o->max_iterations,
				 .iteration = o->iteration,
				 .run_dir = o->run_dir,
				 .proposer = o->proposer,
				 .ncu = o->ncu_bin,
				 .proposer_timeout_s = o->proposer_timeout_s,
				 .profile_timeout_s = o->profile_timeout_s,
				 .flags = (o->preflight_only ? LOOP_PREFLIGHT_ONLY : 0u) |
					  (o->without_profile ? LOOP_WITHOUT_PROFILE : 0u) | (o->redo ? LOOP_REDO : 0u),
				 .announce = announce,
				 .ctx = &voice};
	struct loop_result result;
	candidate_bench(&l.bench, &o->candidate, o->args.items[0], call);
	if (!loop_run(&result, call->arena, &l, e))
		return false;
	if (o->common.json)
		verb_put_json(call, result.state);
	else
		put_text(result.state, call);
	call->status = result.status;
	return true;
}

static const struct opt_spec spec = {
	.verb = "optimize",
	.summary = "Evaluates versions of a kernel in a run, with reports and the best one.",
	.positional = "FILE",
	.min_args = 1,
	.max_args = 1,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = offsetof(struct options, candidate) + offsetof(struct candidate_options, dims),
	.examples = examples,
	.notes =
		"One call evaluates one version and prints where the next one and its proposal go. With --proposer the "
		"call repeats until N.",
};
const struct verb verb_optimize = {&spec, &defaults, run, 0};
