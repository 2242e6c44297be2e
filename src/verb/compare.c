/* assay compare: is B faster than A, and by how much.
 * In: kernel files, each with flags of its own where wanted. Out: the record and a short text.
 * The work is measure/compare.c.
 * Never: compares stored times, or times of two devices. */
#include <stddef.h>

#include "base/file.h"
#include "measure/compare.h"
#include "report/compare_text.h"
#include "verb/candidate_rows.h"
#include "verb/compare_records.h"
#include "verb/dry_run.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
	struct candidate_options candidate;
	const char *json_out, *cache;
	double min_effect_pct;
	int64_t n_placements, n_blocks, n_calls;
	bool all_cases;
	const char *source;
	bool any_load, dry_run;
};

static const struct opt_row rows[] = {
	CANDIDATE_INPUT_ROWS(struct options, candidate),
	{.name = "min-effect",
	 .type = OPT_F64,
	 .offset = offsetof(struct options, min_effect_pct),
	 .min = 0,
	 .max = 99,
	 .meta = "PCT",
	 .flags = OPT_SETTABLE,
	 .help = "Least effect that counts, in percent; 0: any."},
	{.name = "all-cases",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, all_cases),
	 .help = "Time every case, not the first alone."},
	{.name = "cache",
	 .type = OPT_ENUM,
	 .offset = offsetof(struct options, cache),
	 .choices = "cold|warm",
	 .meta = "C",
	 .flags = OPT_SETTABLE,
	 .help = "Caches emptied before each call, or left as they are."},
	{.name = "source",
	 .type = OPT_ENUM,
	 .offset = offsetof(struct options, source),
	 .choices = "auto|event",
	 .meta = "S",
	 .help = "Source of time; auto: device records where every side makes one launch."},
	{.name = "any-load",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, any_load),
	 .help = "Decide although others use the device or the CPUs; what they used is said."},
	{.name = "placements",
	 .type = OPT_I64,
	 .offset = offsetof(struct options, n_placements),
	 .min = 0,
	 .max = 1000,
	 .meta = "N",
	 .help = "Exactly N placements, whatever the looks say: a recording."},
	{.name = "blocks",
	 .type = OPT_I64,
	 .offset = offsetof(struct options, n_blocks),
	 .min = 0,
	 .max = 10000,
	 .meta = "N",
	 .help = "Blocks of a placement; without it by the budget."},
	{.name = "calls",
	 .type = OPT_I64,
	 .offset = offsetof(struct options, n_calls),
	 .min = 0,
	 .max = 1000,
	 .meta = "N",
	 .help = "Calls of a quarter of a block, 2 or more; without it by their cost."},
	{.name = "json-out",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, json_out),
	 .meta = "FILE",
	 .help = "Also write the JSON record there."},
	DRY_RUN_ROW(struct options, dry_run),
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS,
					.candidate = {CANDIDATE_INPUT_DEFAULTS, .time_budget_s = 10},
					.min_effect_pct = 0.5,
					.cache = "cold",
					.source = "auto"};
static const char *const examples[] = {
	"assay compare examples/softmax/softmax_v1.c examples/softmax/softmax_v2.c --op-file "
	"examples/softmax/softmax.op.json",
	"assay compare my.cu my.cu::-use_fast_math --M=4096 --N=1024",
	NULL,
};

/* "kernel.cu::-O2 -DX", "kernel.cu::@built.so" */
static bool read_side(struct compare_side *out, struct arena *a, const char *text, struct err *e)
{
	struct str s = str_from(text);
	size_t at = str_find(s, STR("::"));
	*out = (struct compare_side){.path = text};
	if (at == SIZE_MAX)
		return true;
	out->path = arena_strndup(a, s.p, at);
	const char *rest = text + at + 2;
	if (*rest == '@' && !file_exists(rest + 1))
		return err_set(e, ERR_INPUT, "%s: no such file; after ::@ stands the built shared object", rest + 1);
	if (*rest == '@')
		out->library = rest + 1;
	else
		out->flags = rest;
	return true;
}

static void fill(struct compare_options *out, const struct options *o, const struct bench_options *b)
{
	*out = (struct compare_options){.n_sides = o->args.n,
					.input = b->input,
					.program = b->program,
					.command = b->command,
					.store = b->store,
					.setup = b->setup,
					.python = b->python,
					.nvcc = b->nvcc,
					.cupti = b->cupti,
					.flags = b->flags,
					.arch = b->arch,
					.i_gpu = b->i_gpu,
					.min_effect = o->min_effect_pct / 100,
					.budget_s = b->budget_s,
					.timeout_s = b->timeout_s,
					.wait_s = b->wait_s,
					.evict_bytes = b->evict_bytes,
					.n_placements = (size_t)o->n_placements,
					.n_blocks = (size_t)o->n_blocks,
					.n_calls = (size_t)o->n_calls,
					.options = (strcmp(o->cache, "warm") == 0 ? COMPARE_WARM : 0u) |
						   (o->all_cases ? COMPARE_ALL_CASES : 0u) |
						   (o->candidate.no_cache ? COMPARE_NO_CACHE : 0u) |
						   (o->any_load ? COMPARE_ANY_LOAD : 0u) |
						   (strcmp(o->source, "event") == 0 ? COMPARE_EVENTS : 0u)};
}

static int status_of(const struct compare *c)
{
	for (size_t i = 0; i < c->n_sides; i++) {
		if (verdict_exit(c->sides[i].verdict))
			return verdict_exit(c->sides[i].verdict);
	}
	return 0;
}

static bool dry(const struct options *o, const struct compare_options *c, struct bench_options *b,
		struct verb_call *call, struct err *e)
{
	struct arena *a = call->arena;
	struct dry_run d;
	struct compare read;
	bool ok = true;
	dry_begin(&d, call, "compare");
	if (!compare_read(&read, a, c, e))
		return false;
	for (size_t i = 0; i < read.n_sides; i++)
		dry_operator(&d, arena_printf(a, "%c", (char)('A' + i)), &read.sides[i].op);
	dry_device(&d, &read.device);
	for (size_t i = 0; ok && i < read.n_sides; i++) {
		const char *name = arena_printf(a, "build %c", (char)('A' + i));
		struct bench_options side = *b;
		side.flags = c->sides[i].flags ? c->sides[i].flags : b->flags;
		if (c->sides[i].library)
			dry_step(&d, name, NAN, arena_printf(a, "%s is taken as it is", c->sides[i].library));
		else
			ok = dry_build(&d, name, &read.sides[i].op, &read.device, &side, e);
	}
	if (!ok)
		return false;
	dry_lease(&d, &read.device, b->wait_s);
	dry_step(&d, "processes", NAN, "a keeper with the tensors, a worker in a sandbox a side, a sampler");
	dry_correctness(&d, &read.sides[0].op);
	dry_step(&d, "identity", NAN, "what one call of each side launches; one source of time for all");
	dry_step(&d, "placements", c->n_placements ? NAN : c->budget_s,
		 c->n_placements
			 ? arena_printf(a, "exactly %zu, sides in turn in fresh processes", c->n_placements)
			 : arena_printf(a,
					"sides in turn in fresh processes, until the interval decides; %.3g %% is the "
					"least effect that counts",
					o->min_effect_pct));
	dry_record(&d, b->store);
	if (o->json_out)
		dry_write(&d, o->json_out, "the record");
	dry_end(&d, &o->common);
	return true;
}

static bool dry_of_problem(const struct options *o, const struct compare_side *sides, struct verb_call *call,
			   struct err *e)
{
	struct dry_run d;
	struct opt_list paths = o->args;
	const char *items[COMPARE_MAX_SIDES];
	for (size_t i = 0; i < o->args.n; i++)
		items[i] = sides[i].path;
	paths.items = items;
	dry_begin(&d, call, "compare");
	if (!dry_problem(&d, &o->candidate, &paths, e))
		return false;
	if (o->json_out)
		dry_write(&d, o->json_out, "the record");
	dry_end(&d, &o->common);
	return true;
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	struct compare_side sides[COMPARE_MAX_SIDES] = {{.path = ""}};
	struct bench_options b;
	struct compare_options c;
	struct compare result;
	if (!verb_may_write(call, o->json_out, e)) /* before anything is measured */
		return false;
	if (o->n_calls == 1)
		return err_set(e, ERR_USAGE, "compare: --calls=1: the first call after a change of side is discarded");
	if (compare_is_record(o->args.items[0]) && !file_exists(o->args.items[0]))
		return compare_refuse_records(&o->args, o->candidate.store, call, e);
	for (size_t i = 0; i < o->args.n; i++) {
		if (!read_side(&sides[i], call->arena, o->args.items[i], e))
			return false;
	}
	if (o->dry_run && o->candidate.problem)
		return dry_of_problem(o, sides, call, e);
	struct candidate_options first = o->candidate;
	for (size_t i = 0; i < o->args.n; i++) {
		struct candidate_options one = o->candidate;
		if (!candidate_import(&one, &sides[i].path, call, e))
			return false;
		first = i == 0 ? one : first;
	}
	candidate_bench(&b, &first, sides[0].path, call);
	fill(&c, o, &b);
	c.sides = sides;
	if (o->dry_run)
		return dry(o, &c, &b, call, e);
	if (!compare_run(&result, call->arena, &c, e))
		return false;
	if (o->json_out && !verb_write_json(o->json_out, result.record, e))
		return false;
	call->term.is_quiet = o->common.quiet;
	if (o->common.json)
		verb_put_json(call, result.record);
	else
		compare_text(result.record, &call->term, call->arena, call->out);
	call->status = status_of(&result);
	return true;
}

static const struct opt_spec spec = {
	.verb = "compare",
	.summary = "Says whether one kernel is faster than another.",
	.positional = "A B [C ...]",
	.min_args = 2,
	.max_args = COMPARE_MAX_SIDES,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = offsetof(struct options, candidate) + offsetof(struct candidate_options, dims),
	.examples = examples,
	.notes = "A is the baseline. FILE::FLAGS builds one side with flags of its own, FILE::@built.so takes an "
		 "artifact that is "
		 "there. Every side is checked first; then they take turns in fresh processes until the interval "
		 "decides or "
		 "--time-budget (10 s, worker starts included) is used up. `compare A A` shows what the measurement "
		 "resolves here.",
};
const struct verb verb_compare = {&spec, &defaults, run, VERB_LONG};
