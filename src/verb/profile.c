/* The verb `profile`: one collection with Nsight Compute, Nsight Systems or torch.profiler, over a kernel file or a command.
 * In: a kernel file, or a command after --.
 * Out: reports, how they were made, what stands against them, and the first tables.
 * Never: changes clocks unless asked; never calls a number out of a profile a measurement. */
/* table: option rows */
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/progress.h"
#include "verb/candidate_rows.h"
#include "verb/dry_run.h"
#include "verb/profile_job.h"
#include "verb/verbs.h"

#define ROW(field_, type_) .type = (type_), .offset = offsetof(struct profile_verb, field_)
static const struct opt_row rows[] = {
	{.name = "tool",
	 ROW(tool, OPT_ENUM),
	 .meta = "TOOL",
	 .choices = "ncu|nsys|torch",
	 .flags = OPT_SETTABLE,
	 .help = "The profiler."},
	{.name = "full",
	 ROW(full, OPT_FLAG),
	 .flags = OPT_SETTABLE,
	 .help = "ncu: every section; without it those that the loop calls targeted."},
	{.name = "sections", ROW(sections, OPT_LIST), .meta = "NAME", .help = "ncu: these sections."},
	{.name = "metrics", ROW(metrics, OPT_LIST), .meta = "NAME", .help = "ncu: these metrics."},
	{.name = "kernel", ROW(kernel, OPT_STRING), .meta = "REGEX", .help = "ncu: only kernels whose name matches."},
	{.name = "nvtx", ROW(nvtx, OPT_STRING), .meta = "RANGE", .help = "ncu, nsys: only inside this NVTX range."},
	{.name = "launches",
	 ROW(launches, OPT_I64),
	 .meta = "N",
	 .min = 0,
	 .max = 1e9,
	 .help = "ncu: at most N launches."},
	{.name = "skip",
	 ROW(skip, OPT_I64),
	 .meta = "N",
	 .min = 0,
	 .max = 1e9,
	 .help = "ncu: leave the first N launches out."},
	{.name = "lock-clocks",
	 ROW(lock_clocks, OPT_FLAG),
	 .help = "ncu: let it set the base clocks while it profiles (needs the right to)."},
	{.name = "stacks", ROW(stacks, OPT_FLAG), .flags = OPT_SETTABLE, .help = "torch: with Python stacks."},
	{.name = "out",
	 .letter = 'o',
	 ROW(out, OPT_STRING),
	 .meta = "DIR",
	 .help = "Reports and logs go there; without it assay-profile-<UTC>."},
	{.name = "tool-path",
	 ROW(tool_path, OPT_STRING),
	 .meta = "FILE",
	 .flags = OPT_SETTABLE,
	 .help = "The ncu or nsys to use."},
	{.name = "command", ROW(command, OPT_COMMAND), .meta = "COMMAND", .help = "Any program with its arguments."},
	CANDIDATE_INPUT_ROWS(struct profile_verb, candidate),
	DRY_RUN_ROW(struct profile_verb, dry_run),
	VERB_COMMON_ROWS,
};
static const struct profile_verb defaults = {.common = VERB_COMMON_DEFAULTS,
					     .candidate = {.seed = 42, .atol = NAN, .rtol = NAN, .timeout_s = 600},
					     .tool = "ncu"};
static const char *const examples[] = {
	"assay profile my.cu --M=4096 --N=1024 --full --out reports",
	"assay profile --tool nsys --out reports -- python3 train.py --steps 20",
	"assay profile --kernel softmax --launches 1 -- ./program",
	"assay profile examples/softmax/softmax_v0.c --op-file examples/softmax/softmax.op.json --out reports",
	NULL,
};

const char *const *profile_list(struct arena *a, const struct opt_list *l)
{
	const char **v = ARENA_ARRAY(a, l->n + 1, const char *);
	if (l->n)
		memcpy(v, l->items, l->n * sizeof(*v));
	return v;
}

struct profile_options profile_job_options(const struct profile_job *j)
{
	const struct profile_verb *o = j->o;
	return (struct profile_options){
		.tool = strcmp(o->tool, "ncu") == 0    ? PROFILE_NCU
			: strcmp(o->tool, "nsys") == 0 ? PROFILE_NSYS
						       : PROFILE_TORCH,
		.path = o->tool_path,
		.flags = (o->full ? PROFILE_FULL : 0u) | (o->stacks ? PROFILE_STACKS : 0u) |
			 (o->lock_clocks ? PROFILE_LOCK_CLOCKS : 0u),
		.sections = profile_list(j->a, &o->sections),
		.metrics = profile_list(j->a, &o->metrics),
		.nvtx = o->nvtx,
		.kernel = o->kernel,
		.n_launches = o->launches,
		.n_skip = o->skip,
		.folder = j->folder,
		.timeout_s = o->candidate.timeout_s,
	};
}

static bool over_command(const struct profile_job *j, struct err *e)
{
	struct profile_options p = profile_job_options(j);
	struct profile_collected got;
	p.command = profile_list(j->a, &j->o->command);
	return profile_run(&got, j->a, &p, e) && profile_show(&got, &j->o->common, j->call, e);
}

static bool dry(const struct profile_job *j, struct err *e)
{
	const struct profile_verb *o = j->o;
	struct dry_run d;
	dry_begin(&d, j->call, "profile");
	if (o->command.n) {
		struct profile_options p = profile_job_options(j);
		p.command = profile_list(j->a, &o->command);
		const char *command = profile_command(j->a, &p, e);
		if (!command)
			return false;
		dry_step(&d, o->tool, NAN,
			 arena_printf(j->a, "%s; ended after %.15g s", command, o->candidate.timeout_s));
	} else if (!profile_kernel_dry(&d, j, e)) {
		return false;
	}
	dry_write(&d, j->folder, "reports and logs");
	dry_end(&d, &o->common);
	return true;
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct profile_verb *o = options;
	struct profile_job j = {.o = o, .call = call, .a = call->arena};
	char utc[17];
	bool has_file = o->args.n > 0, has_command = o->command.n > 0;
	if (has_file == has_command)
		return err_set(e, ERR_USAGE, "profile: a kernel file, or a command after --");
	clock_utc_compact(utc);
	j.folder = path_absolute(call->arena, o->out ? o->out : arena_printf(call->arena, "assay-profile-%s", utc));
	if (o->dry_run)
		return dry(&j, e);
	if (!file_mkdirs(j.folder, 0755, e))
		return false;
	progress_begin("profile %s", path_base(has_command ? o->command.items[0] : o->args.items[0]));
	progress_phase(has_command ? o->tool : "build and profiler", o->candidate.timeout_s);
	bool ok = has_command ? over_command(&j, e) : profile_kernel(&j, e);
	progress_end();
	return ok;
}

static const struct opt_spec spec = {
	.verb = "profile",
	.summary = "Collects a report with ncu, nsys or torch.profiler.",
	.positional = "[FILE]",
	.min_args = 0,
	.max_args = 1,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct profile_verb),
	.args_offset = offsetof(struct profile_verb, args),
	.dims_offset = offsetof(struct profile_verb, candidate) + offsetof(struct candidate_options, dims),
	.examples = examples,
	.notes = "Exit status: 0 collected; 1 nothing ran inside what was captured, or the command failed; 3 the "
		 "machine does not "
		 "allow it (the reason and what an administrator could change are printed; assay changes nothing). On "
		 "the CPU kernels in C and Python get perf_event counters. The command that is printed collects again; "
		 "what it names stays in --out.",
};
const struct verb verb_profile = {&spec, &defaults, run, VERB_LONG};
