/* assay champion and assay cancel: which variant is the best one now; ending an invocation.
 * In: an evidence root, the result that a selection rests on. Out: the Champion; how the invocation stands.
 * A selection holds only while the Champion is what that result was measured against.
 * Never: selects without being told which result. */
#include <stddef.h>

#include "verb/submit.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
	const char *result;
	struct submit_options submit;
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS, .submit = SUBMIT_DEFAULTS};

static const struct opt_row rows[] = {
	{.name = "result",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, result),
	 .meta = "INVOCATION",
	 .help = "select: a target run that passed; restore-original: a final audit that rejected."},
	SUBMIT_ROW_PRINT(struct options, submit),
	VERB_COMMON_ROWS,
};
static const char *const examples[] = {"assay champion show ROOT", "assay champion select ROOT --result INVOCATION",
				       NULL};

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	const char *action = o->args.items[0];
	struct protocol p = submit_protocol(call, o->args.items[1]);
	if (!submit_word("champion", action, "show|select|restore-original", e))
		return false;
	return submit(call, &o->common, &o->submit, compose_champion(&p, action, o->result, e), e);
}

static const struct opt_spec spec = {
	.verb = "champion",
	.summary = "Shows, selects or restores the Champion of a Target.",
	.positional = "show|select|restore-original ROOT",
	.min_args = 2,
	.max_args = 2,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = SIZE_MAX,
	.examples = examples,
};
const struct verb verb_champion = {&spec, &defaults, run, 0};

/* ---- cancel ---- */

static const struct opt_row cancel_rows[] = {SUBMIT_ROW_PRINT(struct options, submit), VERB_COMMON_ROWS};
static const char *const cancel_examples[] = {"assay cancel ROOT INVOCATION", NULL};

static bool run_cancel(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	struct protocol p = submit_protocol(call, o->args.items[0]);
	bool ok = submit(call, &o->common, &o->submit, compose_about(&p, "cancel", o->args.items[1]), e);
	call->status = ok ? 0 : call->status; /* it was asked to end; how it ended is in the text */
	return ok;
}

static const struct opt_spec cancel_spec = {
	.verb = "cancel",
	.summary = "Ends an invocation and what it started.",
	.positional = "ROOT INVOCATION",
	.min_args = 2,
	.max_args = 2,
	.rows = cancel_rows,
	.n_rows = COUNT_OF(cancel_rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = SIZE_MAX,
	.examples = cancel_examples,
};
const struct verb verb_cancel = {&cancel_spec, &defaults, run_cancel, VERB_DESTRUCTIVE};
