/* assay check: are the prerequisites of the loop met (RULES R1.3).
 * In: a kernel file. Out: each prerequisite with the line looked at, who supplies the data, the answer where one is not met.
 * The looking is operator/check.c; with --run, measure/bench.c settles what only running can tell.
 * Never: completes or repairs a kernel. */
#include <stddef.h>

#include "measure/overloads.h"
#include "report/check_text.h"
#include "verb/candidate_rows.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
	struct candidate_options candidate;
	bool run;
	const char *op, *spec;
};

static const struct opt_row rows[] = {
	{.name = "run",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, run),
	 .help = "Also build and run it: settles what text cannot tell."},
	{.name = "op",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, op),
	 .meta = "aten::NAME",
	 .help = "A .py: hold its wrappers (add_Tensor for add.Tensor) against torch's schemas, and call them."},
	{.name = "spec",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, spec),
	 .meta = "FILE",
	 .help = "operator_spec.md: the interfaces under its heading are the ones that must be there."},
	CANDIDATE_ROWS(struct options, candidate),
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS, .candidate = CANDIDATE_DEFAULTS};
static const char *const examples[] = {
	"assay check examples/softmax/softmax_v0.c",
	"assay check examples/softmax/softmax_v0.c --run",
	NULL,
};

/* What a verdict says about the two open prerequisites. A reference that fails says nothing about the kernel. */
static void settle(struct check *c, struct arena *a, const struct bench *b)
{
	const char *word = verdict_word(b->verdict), *text = *b->text ? b->text : verdict_text(b->verdict);
	const char *said = str_starts(str_from(text), word) ? text : arena_printf(a, "%s: %s", word, text);
	bool is_ours = verdict_exit(b->verdict) > 2; /* assay's own trouble; 2 is the reference's */
	if (is_ours)
		return;
	switch (verdict_stage(b->verdict)) {
	case VERDICT_STAGE_BUILD:
	case VERDICT_STAGE_RUN:
		check_settle(c, a, "compiles_and_runs", CHECK_NOT_MET, said);
		return;
	case VERDICT_STAGE_CORRECTNESS:
	case VERDICT_STAGE_CHECK:
	case VERDICT_STAGE_INTEGRITY:
	case VERDICT_STAGE_FLAG:
	case VERDICT_STAGE_COMPARISON:
		break;
	}
	if (b->verdict == VERDICT_REFERENCE_FAILED || b->verdict == VERDICT_BAD_REFERENCE) {
		check_settle(c, a, "compiles_and_runs", CHECK_LATER,
			     "it builds and loads; the reference failed before it ran");
		check_settle(c, a, "correct", CHECK_LATER, said);
		return;
	}
	check_settle(c, a, "compiles_and_runs", CHECK_MET, "it builds and answers every call");
	if (b->verdict != VERDICT_UNCHECKED)
		check_settle(c, a, "correct", verdict_exit(b->verdict) ? CHECK_NOT_MET : CHECK_MET, said);
}

/* Few samples: the numbers are not the point here. */
static bool run_it(struct check *c, struct json **out, int *status, const struct options *o, struct verb_call *call,
		   struct err *e)
{
	struct bench_options b;
	struct bench result;
	candidate_bench(&b, &o->candidate, o->args.items[0], call);
	b.options |= BENCH_NO_WARM | BENCH_NO_EVENT;
	b.n_warmup = 1;
	b.n_repeat = 5;
	if (!bench_run(&result, call->arena, &b, e))
		return false;
	settle(c, call->arena, &result);
	*status = verdict_exit(result.verdict);
	*out = json_object(call->arena);
	json_set_cstr(*out, "verdict", verdict_word(result.verdict));
	json_set_cstr(*out, "text", *result.text ? result.text : verdict_text(result.verdict));
	json_set_cstr(*out, "record", result.id);
	return true;
}

/* The module is loaded and its wrappers are called, in a sandboxed process. */
static bool look_at_overloads(struct check *c, struct json **overloads, const struct options *o, struct verb_call *call,
			      struct err *e)
{
	struct lab_device device;
	struct json *facts;
	struct overloads_options x = {.op = o->op,
				      .spec = o->spec,
				      .python = o->candidate.python,
				      .timeout_ns = (int64_t)(o->candidate.timeout_s * 5e9)};
	if (c->op.linkage != LINKAGE_PYTHON && !backend_is_python(c->op.backend))
		return err_set(e, ERR_USAGE, "--op, --spec: overloads belong to a .py, this is a %s",
			       backend_name(c->op.backend));
	if (!device_choose(&device, &facts, call->arena, operator_device(&c->op), o->candidate.gpu, e))
		return false;
	x.gpu = device.gpu;
	return overloads_check(c, overloads, call->arena, &x, e);
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	struct options *o = options;
	struct bench_options b;
	struct check c;
	struct json *ran = NULL, *overloads = NULL;
	if (!candidate_import(&o->candidate, &o->args.items[0], call, e))
		return false;
	candidate_bench(&b, &o->candidate, o->args.items[0], call);
	if (!check_read(&c, call->arena, &b.input, e))
		return false;
	if ((o->op || o->spec) && !look_at_overloads(&c, &overloads, o, call, e))
		return false;
	if (o->run && !c.n_not_met && !run_it(&c, &ran, &call->status, o, call, e))
		return false;
	struct json *j = check_json(call->arena, &c);
	if (overloads)
		json_set(j, "overloads", overloads);
	json_set(j, "run", ran ? ran : json_new_null(call->arena));
	if (o->common.json)
		verb_put_json(call, j);
	else
		check_text(j, &call->term, call->arena, call->out);
	if (c.n_not_met)
		call->status = verdict_exit(VERDICT_NOT_READY);
	return true;
}

static const struct opt_spec spec = {
	.verb = "check",
	.summary = "Says whether a kernel file has what the loop needs.",
	.positional = "FILE",
	.min_args = 1,
	.max_args = 1,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = offsetof(struct options, candidate) + offsetof(struct candidate_options, dims),
	.examples = examples,
	.notes = "Exit 1 when a prerequisite is not met. Nothing is built or run without --run. A kernel is never "
		 "completed "
		 "or repaired here.",
};
const struct verb verb_check = {&spec, &defaults, run, VERB_READ_ONLY};
