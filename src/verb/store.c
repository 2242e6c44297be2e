/* assay store: removes what no record of an evidence root names.
 * In: `gc ROOT`. Out: what was removed, or with --dry-run what would be.
 * The work is protocol/evidence_gc.c.
 * Never: removes a record. */
#include <stddef.h>

#include "protocol/evidence_gc.h"
#include "verb/submit.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
	struct gc_options gc;
};

static const struct opt_row rows[] = {
	{.name = "dry-run",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, gc.is_dry),
	 .help = "Say what would be removed; nothing is."},
	{.name = "min-age",
	 .type = OPT_F64,
	 .offset = offsetof(struct options, gc.min_age_s),
	 .min = 0,
	 .max = 1e9,
	 .meta = "S",
	 .help = "Younger objects stay: somebody may be about to name them."},
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS, .gc = {.min_age_s = 3600}};
static const char *const examples[] = {"assay store gc ROOT --dry-run", NULL};

static void put_text(struct verb_call *call, const struct json *j)
{
	const struct json *list = json_get(j, "removed");
	for (size_t i = 0; i < list->n; i++)
		buf_printf(call->out, "%s %s\n", json_str(list->items[i], "digest", STR("")).p,
			   term_bytes(call->arena, json_f64(list->items[i], "bytes", 0)));
	buf_printf(call->out, "%zu of %lld objects%s, %s, %lld leftovers; %lld named, %lld younger\n", list->n,
		   (long long)json_i64(j, "n_objects", 0),
		   json_bool(j, "dry_run", false) ? " would be removed" : " removed",
		   term_bytes(call->arena, json_f64(j, "n_bytes", 0)), (long long)json_i64(j, "n_leftovers", 0),
		   (long long)json_i64(j, "n_referenced", 0), (long long)json_i64(j, "n_young", 0));
	if (json_i64(j, "n_restored", 0))
		buf_printf(call->out, "%lld%s their name again: records name what an earlier collection took aside\n",
			   (long long)json_i64(j, "n_restored", 0),
			   json_bool(j, "dry_run", false) ? " would get" : " got");
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	if (!submit_word("store", o->args.items[0], "gc", e))
		return false;
	struct protocol p = submit_protocol(call, o->args.items[1]);
	struct json *j = evidence_gc(&p, &o->gc, e);
	if (j && o->common.json)
		verb_put_json(call, j);
	else if (j)
		put_text(call, j);
	return j != NULL;
}

static const struct opt_spec spec = {
	.verb = "store",
	.summary = "Removes what no record of an evidence root names.",
	.positional = "gc ROOT",
	.min_args = 2,
	.max_args = 2,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = SIZE_MAX,
	.examples = examples,
};
const struct verb verb_store = {&spec, &defaults, run, VERB_DESTRUCTIVE};
