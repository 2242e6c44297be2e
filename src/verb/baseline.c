/* assay baseline, screen and audit: long operations over a frozen Target.
 * In: an evidence root and how often. Out: an invocation, or its result.
 * Each is the request of the same name; see protocol/compose.h.
 * Never: measures by itself. */
#include <stddef.h>

#include "verb/submit.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
	struct compose_run run;
	struct submit_options submit;
};
#define RUN(field) offsetof(struct options, run.field)

#define ROW_CASES                                                                                                      \
	{                                                                                                              \
		.name = "cases", .type = OPT_LIST, .offset = RUN(cases), .meta = "LIST",                               \
		.help = "Cases of the test set; without it all."                                                       \
	}
#define ROW_SEED                                                                                                       \
	{                                                                                                              \
		.name = "seed", .type = OPT_I64, .offset = RUN(seed), .min = 0, .max = 9e15, .meta = "N",              \
		.help = "Of the order within pairs and of the published bootstrap."                                    \
	}
#define ROW_REPLICATE                                                                                                  \
	{                                                                                                              \
		.name = "replicate", .type = OPT_I64, .offset = RUN(replicate), .min = 0, .max = 1e6, .meta = "N",     \
		.help = "Measure the same design anew, as number N; 0: answer from a result that is there."            \
	}
#define ROW_RETRY                                                                                                      \
	{                                                                                                              \
		.name = "retry-of", .type = OPT_STRING, .offset = RUN(retry_of), .meta = "INVOCATION",                 \
		.help = "One of the same request that ended without a valid measurement."                              \
	}
#define ROW_PAIRS                                                                                                      \
	{                                                                                                              \
		.name = "pairs", .type = OPT_I64, .offset = RUN(count), .min = 0, .max = 1e6, .meta = "N",             \
		.help = "Pairs; 0: the Target's least number."                                                         \
	}
#define ROW_EXPERIMENT                                                                                                 \
	{                                                                                                              \
		.name = "experiment", .type = OPT_STRING, .offset = RUN(experiment), .meta = "ID",                     \
		.help = "Experiment; without it the newest."                                                           \
	}
#define ROWS_COMMON                                                                                                    \
	ROW_CASES, ROW_SEED, ROW_REPLICATE, ROW_RETRY, SUBMIT_ROW_PRINT(struct options, submit),                       \
		SUBMIT_ROWS_WAIT(struct options, submit), SUBMIT_ROWS_LIMITS(struct options, submit), VERB_COMMON_ROWS

static bool answer(struct options *o, struct verb_call *call, const char *operation, struct err *e)
{
	struct protocol p = submit_protocol(call, o->args.items[0]);
	o->run.operation = operation;
	o->run.limits = o->submit.limits;
	return submit(call, &o->common, &o->submit, compose_run(&p, &o->run, e), e);
}

#define SPEC(name, text, its_rows, its_examples, more)                                                                 \
	{                                                                                                              \
		.verb = name, .summary = text, .positional = "ROOT", .min_args = 1, .max_args = 1, .rows = its_rows,   \
		.n_rows = COUNT_OF(its_rows), .options_size = sizeof(struct options),                                  \
		.args_offset = offsetof(struct options, args), .dims_offset = SIZE_MAX, .examples = its_examples,      \
		.notes = more                                                                                          \
	}
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS, .run = {.seed = 1}, .submit = SUBMIT_DEFAULTS};

/* ---- baseline ---- */

static const struct opt_row baseline_rows[] = {
	{.name = "samples",
	 .type = OPT_I64,
	 .offset = RUN(count),
	 .min = 0,
	 .max = 1e6,
	 .meta = "N",
	 .help = "Samples that the driver takes of each case; 0: 3."},
	{.name = "repeats",
	 .type = OPT_I64,
	 .offset = RUN(repeats),
	 .min = 0,
	 .max = 1000,
	 .meta = "N",
	 .help = "Calls of each case: how far apart they lie is the resolution."},
	ROWS_COMMON,
};
static const char *const baseline_examples[] = {"assay baseline ROOT --samples 20 --wait", NULL};

static bool run_baseline(void *options, struct verb_call *call, struct err *e)
{
	return answer(options, call, "baseline", e);
}
static const struct opt_spec baseline_spec = SPEC("baseline", "Measures the original of a Target through its driver.",
						  baseline_rows, baseline_examples, NULL);
const struct verb verb_baseline = {&baseline_spec, &defaults, run_baseline, VERB_LONG};

/* ---- screen ---- */

static const struct opt_row screen_rows[] = {ROW_EXPERIMENT, ROW_PAIRS, ROWS_COMMON};
static const char *const screen_examples[] = {"assay screen ROOT --pairs 4 --wait", NULL};

static bool run_screen(void *options, struct verb_call *call, struct err *e)
{
	return answer(options, call, "screen", e);
}
static const struct opt_spec screen_spec = SPEC("screen", "Takes a first look at an Experiment; it never passes.",
						screen_rows, screen_examples, "It looks for what rejects early.");
const struct verb verb_screen = {&screen_spec, &defaults, run_screen, VERB_LONG};

/* ---- audit ---- */

static const struct opt_row audit_rows[] = {
	ROW_PAIRS,
	{.name = "lifecycle",
	 .type = OPT_ENUM,
	 .offset = RUN(lifecycle),
	 .choices = "isolated_process|same_process",
	 .meta = "L",
	 .help = "Processes of the two sides."},
	{.name = "shared",
	 .type = OPT_LIST,
	 .offset = RUN(shared),
	 .meta = "LIST",
	 .help = "What both sides share in one process."},
	{.name = "relationship",
	 .type = OPT_ENUM,
	 .offset = RUN(relationship),
	 .choices = "implementation_equivalence|artifact_fidelity|deployment_effect",
	 .meta = "R",
	 .help = "What is compared."},
	ROWS_COMMON,
};
static const char *const audit_examples[] = {"assay audit ROOT --pairs 20 --wait", NULL};

static bool run_audit(void *options, struct verb_call *call, struct err *e)
{
	return answer(options, call, "final_audit", e);
}
static const struct opt_spec audit_spec =
	SPEC("audit", "Compares the original with the Champion, at the end.", audit_rows, audit_examples, NULL);
const struct verb verb_audit = {&audit_spec, &defaults, run_audit, VERB_LONG};
