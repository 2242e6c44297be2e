/* assay experiment: freezes a candidate with what it claims.
 * In: a candidate, a hypothesis, a scope. Out: an Experiment.
 * It is the request "experiment"; base, baseline, gates and cost come from the Target where they are not named.
 * Never: runs a driver. */
#include <stddef.h>

#include "verb/submit.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
	struct compose_experiment x;
	struct submit_options submit;
};
#define TEXT(key, field, what, text)                                                                                   \
	{                                                                                                              \
		.name = key, .type = OPT_STRING, .offset = offsetof(struct options, x.field), .meta = what,            \
		.help = text                                                                                           \
	}
#define WORD(key, field, words, text)                                                                                  \
	{                                                                                                              \
		.name = key, .type = OPT_ENUM, .offset = offsetof(struct options, x.field), .choices = words,          \
		.meta = "W", .help = text                                                                              \
	}
#define LIST(key, field, text)                                                                                         \
	{                                                                                                              \
		.name = key, .type = OPT_LIST, .offset = offsetof(struct options, x.field), .meta = "LIST",            \
		.help = text                                                                                           \
	}

static const struct opt_row rows[] = {
	TEXT("candidate", candidate, "PATH", "Folder or file that is to be faster."),
	WORD("candidate-kind", kind, "source_snapshot|artifact", "What the candidate is."),
	TEXT("hypothesis", hypothesis, "TEXT", "Why it is faster."),
	TEXT("mechanism", mechanism, "KEY", "Mechanism: words of a-z 0-9 joined by . _ or -"),
	LIST("scope", scope, "Paths that may differ from the original; . for all."),
	TEXT("base", base, "PATH", "Original that the candidate came from; without it the frozen one."),
	TEXT("baseline", baseline, "INVOCATION", "Baseline; without it the newest that passed."),
	WORD("claim-layer", claim_layer, "diagnostic|kernel|workload|serving", "Without it the Target's."),
	WORD("max-risk", max_risk, "low|medium|high", "Risk of the change; low without it."),
	WORD("screen", screen_kind, "diagnostic_proxy|conservative_bound", "A screen comes first, of that kind."),
	TEXT("screen-claim", screen_claim, "TEXT", "What the screen can falsify; the hypothesis without it."),
	WORD("lifecycle", lifecycle, "isolated_process|same_process", "Processes of the two sides."),
	LIST("shared", shared, "What both sides share in one process."),
	LIST("rebuilt", rebuilt, "What is made anew for each side."),
	WORD("relationship", relationship, "implementation_equivalence|artifact_fidelity|deployment_effect",
	     "What is compared."),
	LIST("gate", gates, "More correctness gates, METRIC<=VALUE."),
	LIST("diagnostic", diagnostics, "Metrics to keep that decide nothing."),
	LIST("secondary", secondaries, "NAME:lower|higher:THRESHOLD_PCT:WORTH, metrics beside the primary one."),
	LIST("reject-if", reject_if, "What rejects it."),
	LIST("promote-if", promote_if, "What promotes it."),
	WORD("failure-reach", failure_reach, "implementation|integration|proxy|mechanism",
	     "How far a failure would close the direction."),
	TEXT("falsifier-reason", falsifier_reason, "TEXT", "Why that falsifier, or why there is none."),
	{.name = "falsifier-timeout",
	 .type = OPT_F64,
	 .offset = offsetof(struct options, x.falsifier_s),
	 .min = 0.01,
	 .max = 86400,
	 .meta = "S",
	 .help = "Seconds for the falsifier."},
	TEXT("more", more, "FILE",
	     "JSON whose members go into the request: opportunity_claim, material_premises, equivalents."),
	{.name = "falsifier",
	 .type = OPT_COMMAND,
	 .offset = offsetof(struct options, x.falsifier),
	 .meta = "COMMAND...",
	 .help = "The cheapest command that can falsify it, after --; exit 0: not falsified."},
	SUBMIT_ROW_PRINT(struct options, submit),
	VERB_COMMON_ROWS,
};
static const struct options defaults = {
	.common = VERB_COMMON_DEFAULTS, .x = {.falsifier_s = 600}, .submit = SUBMIT_DEFAULTS};
static const char *const examples[] = {"assay experiment ROOT --candidate src2 --hypothesis 'fewer copies' --mechanism "
				       "memory.kernel_fusion --scope src",
				       NULL};

static bool run(void *options, struct verb_call *call, struct err *e)
{
	struct options *o = options;
	struct protocol p = submit_protocol(call, o->args.items[0]);
	return submit(call, &o->common, &o->submit, compose_experiment(&p, &o->x, e), e);
}

static const struct opt_spec spec = {
	.verb = "experiment",
	.summary = "Freezes a candidate with what it claims.",
	.positional = "ROOT",
	.min_args = 1,
	.max_args = 1,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = SIZE_MAX,
	.examples = examples,
};
const struct verb verb_experiment = {&spec, &defaults, run, 0};

/* ---- falsify ---- */

struct falsify_options {
	struct verb_common common;
	struct opt_list args;
	const char *experiment;
	struct submit_options submit;
};
static const struct opt_row falsify_rows[] = {
	{.name = "experiment",
	 .type = OPT_STRING,
	 .offset = offsetof(struct falsify_options, experiment),
	 .meta = "ID",
	 .help = "Experiment; without it the newest."},
	SUBMIT_ROW_PRINT(struct falsify_options, submit),
	VERB_COMMON_ROWS,
};
static const struct falsify_options falsify_defaults = {.common = VERB_COMMON_DEFAULTS, .submit = SUBMIT_DEFAULTS};
static const char *const falsify_examples[] = {"assay falsify ROOT", NULL};

static bool run_falsify(void *options, struct verb_call *call, struct err *e)
{
	const struct falsify_options *o = options;
	struct protocol p = submit_protocol(call, o->args.items[0]);
	return submit(call, &o->common, &o->submit, compose_falsify(&p, o->experiment, e), e);
}

static const struct opt_spec falsify_spec = {
	.verb = "falsify",
	.summary = "Runs the falsifier of an Experiment.",
	.positional = "ROOT",
	.min_args = 1,
	.max_args = 1,
	.rows = falsify_rows,
	.n_rows = COUNT_OF(falsify_rows),
	.options_size = sizeof(struct falsify_options),
	.args_offset = offsetof(struct falsify_options, args),
	.dims_offset = SIZE_MAX,
	.examples = falsify_examples,
	.notes = "Exit status of the command: 0 it held, 1 it falsified the hypothesis, others decide nothing.",
};
const struct verb verb_falsify = {&falsify_spec, &falsify_defaults, run_falsify, VERB_LONG};
