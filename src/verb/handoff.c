/* assay handoff: what the evidence of a Target comes to.
 * In: an evidence root, a file with what a person judged. Out: one record.
 * The work is protocol/handoff.c.
 * Never: writes into the evidence. */
#include <stddef.h>

#include "protocol/handoff.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
	const char *judgement;
	bool redact;
};

static const struct opt_row rows[] = {
	{.name = "judgement",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, judgement),
	 .meta = "FILE",
	 .help = "JSON: conclusion, risks, skill_feedback and what else only a person can say."},
	{.name = "redact",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, redact),
	 .help = "Leave out paths and command lines."},
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS};
static const char *const examples[] = {"assay handoff ROOT --judgement mine.json", NULL};

static void put_text(struct verb_call *call, const struct json *j)
{
	const struct json *blanks = json_get(j, "blanks");
	buf_printf(call->out, "primary %s, %zu results, %zu rejected directions, %zu local results\n",
		   json_bool(j, "primary_reached", false) ? "reached" : "not reached", json_get(j, "evidence")->n,
		   json_get(j, "rejected_directions")->n, json_get(j, "local_results")->n);
	for (size_t i = 0; i < blanks->n; i++)
		buf_printf(call->out, "blank: %s\n", blanks->items[i]->text.p);
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	struct protocol p = {
		.arena = call->arena, .program = call->program, .root = path_absolute(call->arena, o->args.items[0])};
	struct json *judgement = NULL, *record;
	if (o->judgement && !(judgement = json_read_file(call->arena, o->judgement, JSON_STRICT, e)))
		return false;
	if (!handoff_make(&record, &p, judgement, o->redact, e))
		return false;
	if (o->common.json)
		verb_put_json(call, record);
	else
		put_text(call, record);
	return true;
}

static const struct opt_spec spec = {
	.verb = "handoff",
	.summary = "Says what the evidence of a Target comes to.",
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
const struct verb verb_handoff = {&spec, &defaults, run, 0};
