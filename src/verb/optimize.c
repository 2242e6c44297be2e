/* assay optimize: evaluates a version of a kernel in a run, or drives a proposer to the end.
 * In: a kernel file and the number of optimisations. Out: the run folder, the state.
 * The work is loop/loop.c.
 * Never: takes a default for max-iterations. */
#include <stddef.h>

#include "base/log.h"
#include "loop/lint_file.h"
#include "loop/loop.h"
#include "verb/candidate_rows.h"
#include "verb/dry_run.h"
#include "verb/sanitize.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
	struct candidate_options candidate;
	int64_t max_iterations, iteration;
	const char *run_dir, *proposer, *ncu_bin, *lint_proposal, *memory_dir, *because, *sanitize;
	struct opt_list retry;
	double proposer_timeout_s, profile_timeout_s, compare_budget_s, min_effect_pct, target_ms, target_speedup;
	int64_t patience;
	bool preflight_only, without_profile, redo, one_collection, any_load, dry_run;
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
	 .flags = OPT_SETTABLE,
	 .help = "Command that writes each next version and its proposal."},
	{.name = "proposer-timeout",
	 .type = OPT_F64,
	 .offset = offsetof(struct options, proposer_timeout_s),
	 .min = 1,
	 .max = 1e6,
	 .meta = "S",
	 .flags = OPT_SETTABLE,
	 .help = "Deadline of one proposal."},
	{.name = "ncu-bin",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, ncu_bin),
	 .meta = "FILE",
	 .flags = OPT_SETTABLE,
	 .help = "Nsight Compute to use."},
	{.name = "profile-timeout",
	 .type = OPT_F64,
	 .offset = offsetof(struct options, profile_timeout_s),
	 .min = 1,
	 .max = 1e6,
	 .meta = "S",
	 .flags = OPT_SETTABLE,
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
	{.name = "one-collection",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, one_collection),
	 .flags = OPT_SETTABLE,
	 .help = "Collect the full report alone; the targeted one is a view of it (saves one run of ncu a version)."},
	{.name = "lint-proposal",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, lint_proposal),
	 .meta = "FILE",
	 .flags = OPT_ALONE,
	 .help = "Only look at a proposal; of a run's own folder, or with --run-dir and --iteration, also at its "
		 "numbers."},
	{.name = "target-ms",
	 .type = OPT_F64,
	 .offset = offsetof(struct options, target_ms),
	 .min = 0,
	 .max = 1e12,
	 .meta = "MS",
	 .help = "End when the first in rank has this median."},
	{.name = "target-speedup",
	 .type = OPT_F64,
	 .offset = offsetof(struct options, target_speedup),
	 .min = 0,
	 .max = 1e12,
	 .meta = "X",
	 .help = "End when a version is confirmed to be X times as fast as v0."},
	{.name = "patience",
	 .type = OPT_I64,
	 .offset = offsetof(struct options, patience),
	 .min = 0,
	 .max = 1000,
	 .meta = "K",
	 .flags = OPT_SETTABLE,
	 .help = "End after K rounds without a confirmed gain; 0: never."},
	{.name = "min-effect",
	 .type = OPT_F64,
	 .offset = offsetof(struct options, min_effect_pct),
	 .min = 0,
	 .max = 99,
	 .meta = "PCT",
	 .flags = OPT_SETTABLE,
	 .help = "Least difference that counts, in percent."},
	{.name = "compare-budget",
	 .type = OPT_F64,
	 .offset = offsetof(struct options, compare_budget_s),
	 .min = 0.1,
	 .max = 3600,
	 .meta = "S",
	 .flags = OPT_SETTABLE,
	 .help = "Seconds of one paired comparison."},
	{.name = "any-load",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, any_load),
	 .help = "Comparisons decide although others use the device or the CPUs."},
	{.name = "memory-dir",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, memory_dir),
	 .meta = "DIR",
	 .flags = OPT_SETTABLE,
	 .help = "Strategy memory to use."},
	{.name = "retry-blocked",
	 .type = OPT_LIST,
	 .offset = offsetof(struct options, retry),
	 .meta = "FP",
	 .help = "Blocked fingerprint to open again."},
	{.name = "because",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, because),
	 .meta = "TEXT",
	 .help = "Why, for --retry-blocked."},
	CANDIDATE_ROWS(struct options, candidate),
	SANITIZE_ROW(struct options, sanitize),
	DRY_RUN_ROW(struct options, dry_run),
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS,
					.candidate = CANDIDATE_DEFAULTS,
					.iteration = -1,
					.min_effect_pct = 0.5,
					.compare_budget_s = 8,
					.proposer_timeout_s = 3600,
					.profile_timeout_s = 600};
static const char *const examples[] = {
	"assay optimize examples/softmax/softmax_v0.c --max-iterations=5 --proposer=examples/softmax/propose.sh "
	"--op-file=examples/softmax/softmax.op.json --ref=examples/softmax/softmax_ref.c",
	"assay optimize my.cu --max-iterations=3 --ref=my_ref.py --M=4096 --N=1024",
	"assay optimize --lint-proposal assay-runs/my-20261129T100000Z/iter_v0/optimization_proposal.md",
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
		log_progress_end();
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

static bool lint(const struct options *o, struct verb_call *call, struct err *e)
{
	struct lint_file in = {.path = o->lint_proposal,
			       .run_dir = o->run_dir,
			       .iteration = o->iteration,
			       .backend = o->candidate.backend};
	struct json *answer;
	struct buf text;
	buf_init(&text);
	bool ok = lint_file(&answer, &text, call->arena, &in, e);
	if (ok && o->common.json)
		verb_put_json(call, answer);
	else if (ok)
		buf_str(call->out, buf_view(&text));
	buf_release(&text);
	call->status = ok && !json_bool(answer, "ok", false) ? 1 : 0;
	return ok;
}

static bool loop(const struct options *o, const struct loop_options *l, struct dry_run *d,
		 const struct sanitize_verb *z, struct verb_call *call, struct err *e)
{
	struct loop_result result;
	if (o->dry_run && !o->candidate.problem && !dry_loop(d, l, e))
		return false;
	if (o->dry_run) {
		sanitize_dry(d, z);
		dry_end(d, &o->common);
		return true;
	}
	if (!loop_run(&result, call->arena, l, e))
		return false;
	if (o->common.json)
		verb_put_json(call, result.state);
	else
		put_text(result.state, call);
	call->status = result.status;
	return true;
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
				 .memory_dir = o->memory_dir,
				 .retry = &o->retry,
				 .because = o->because,
				 .target_ms = o->target_ms,
				 .target_speedup = o->target_speedup,
				 .patience = o->patience,
				 .min_effect = o->min_effect_pct / 100,
				 .compare_budget_s = o->compare_budget_s,
				 .proposer_timeout_s = o->proposer_timeout_s,
				 .profile_timeout_s = o->profile_timeout_s,
				 .flags = (o->preflight_only ? LOOP_PREFLIGHT_ONLY : 0u) |
					  (o->without_profile ? LOOP_WITHOUT_PROFILE : 0u) |
					  (o->redo ? LOOP_REDO : 0u) | (o->one_collection ? LOOP_ONE_COLLECTION : 0u) |
					  (o->any_load ? LOOP_ANY_LOAD : 0u),
				 .announce = announce,
				 .ctx = &voice};
	if (o->lint_proposal)
		return lint(o, call, e);
	struct candidate_options candidate = o->candidate;
	const char *path = o->args.items[0];
	struct dry_run d;
	dry_begin(&d, call, "optimize");
	if (o->dry_run && candidate.problem ? !dry_problem(&d, &candidate, &o->args, e)
					    : !candidate_import(&candidate, &path, call, e))
		return false;
	candidate_bench(&l.bench, &candidate, path, call);
	struct sanitize_verb z;
	bool ok = sanitize_begin(&z, &l.bench, o->sanitize, call->arena, e) && loop(o, &l, &d, &z, call, e);
	sanitize_end(&z);
	return ok;
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
		"call repeats until N. A call that was cut short is continued by the same command with --run-dir.",
};
const struct verb verb_optimize = {&spec, &defaults, run, VERB_LONG};
