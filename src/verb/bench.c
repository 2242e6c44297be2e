/* assay bench: is this kernel right, and how long does it take.
 * In: a kernel file. Out: the record and a short text.
 * The work is measure/bench.c.
 * Never: compares two kernels. */
#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "base/file.h"
#include "report/bench_text.h"
#include "verb/bench_configs.h"
#include "verb/candidate_rows.h"
#include "verb/dry_run.h"
#include "verb/sanitize.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
	struct candidate_options candidate;
	const char *json_out, *configs, *sanitize;
	bool dry_run;
};

static const struct opt_row rows[] = {
	CANDIDATE_ROWS(struct options, candidate),
	{.name = "json-out",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, json_out),
	 .meta = "FILE",
	 .help = "Also write the JSON record there."},
	{.name = "configs",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, configs),
	 .meta = "FILE",
	 .help = "A set of configurations (macros of the kernel's file): each is built and benched."},
	SANITIZE_ROW(struct options, sanitize),
	DRY_RUN_ROW(struct options, dry_run),
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS, .candidate = CANDIDATE_DEFAULTS};
static const char *const examples[] = {
	"assay bench examples/softmax/softmax_v0.c --ref examples/softmax/softmax_ref.c --op-file "
	"examples/softmax/softmax.op.json",
	"assay bench my.cu --ref my_ref.py --M=4096 --N=1024",
	NULL,
};

static bool dry(const struct options *o, const struct bench_options *b, const struct sanitize_verb *z,
		struct verb_call *call, struct err *e)
{
	struct dry_run d;
	struct operator op;
	struct lab_device device;
	struct json *facts;
	dry_begin(&d, call, "bench");
	if (o->configs) {
		struct bench_configs c = {o->configs, b, &o->common, o->json_out};
		if (!bench_configs_dry(&d, &c, e))
			return false;
		dry_end(&d, &o->common);
		return true;
	}
	if (!operator_read(&op, call->arena, &b->input, e) ||
	    !device_choose(&device, &facts, call->arena, operator_device(&op), b->i_gpu, e))
		return false;
	dry_operator(&d, "kernel", &op);
	dry_device(&d, &device);
	if (!dry_build(&d, "build", &op, &device, b, e))
		return false;
	dry_bench(&d, &op, &device, b);
	sanitize_dry(&d, z);
	dry_record(&d, b->store);
	if (o->json_out)
		dry_write(&d, o->json_out, "the record");
	dry_end(&d, &o->common);
	return true;
}

static bool dry_of_problem(const struct options *o, struct verb_call *call, struct err *e)
{
	struct dry_run d;
	dry_begin(&d, call, "bench");
	if (!dry_problem(&d, &o->candidate, &o->args, e))
		return false;
	if (o->json_out)
		dry_write(&d, o->json_out, "the record");
	dry_end(&d, &o->common);
	return true;
}

static bool measure(const struct options *o, const struct bench_options *b, const struct sanitize_verb *z,
		    struct verb_call *call, struct err *e)
{
	struct bench result;
	if (o->dry_run)
		return dry(o, b, z, call, e);
	if (o->configs) {
		struct bench_configs c = {o->configs, b, &o->common, o->json_out};
		return bench_configs(&c, call, e);
	}
	if (!bench_run(&result, call->arena, b, e))
		return false;
	if (o->json_out && !verb_write_json(o->json_out, result.record, e))
		return false;
	call->term.is_quiet = o->common.quiet;
	if (o->common.json)
		verb_put_json(call, result.record);
	else
		bench_text(result.record, &call->term, call->arena, call->out);
	call->status = verdict_exit(result.verdict);
	return true;
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	struct candidate_options candidate = o->candidate;
	const char *path = o->args.items[0];
	struct bench_options b;
	if (!verb_may_write(call, o->json_out, e)) /* before anything is measured */
		return false;
	if (o->dry_run && candidate.problem)
		return dry_of_problem(o, call, e);
	if (!candidate_import(&candidate, &path, call, e))
		return false;
	candidate_bench(&b, &candidate, path, call);
	struct sanitize_verb z;
	bool ok = sanitize_begin(&z, &b, o->sanitize, call->arena, e) && measure(o, &b, &z, call, e);
	sanitize_end(&z);
	return ok;
}

static const struct opt_spec spec = {
	.verb = "bench",
	.summary = "Checks and times one kernel.",
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
		"Dimensions are given by the names of the entry's parameters: --M=4096. The kernel runs in a sandboxed "
		"process of its own; inputs, outputs and the expected answer belong to another one.",
};
const struct verb verb_bench = {&spec, &defaults, run, VERB_LONG};
