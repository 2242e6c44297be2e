/* assay status: who measures on this machine now; how a Target stands, or one of its invocations.
 * In: nothing, an evidence root, an invocation. Out: leases; Experiments and invocations; a status or result.
 * The work is store/lease.c and protocol/.
 * Never: takes or breaks a lease. */
#include <stddef.h>

#include "protocol/listing.h"
#include "store/lease.h"
#include "verb/submit.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
	struct submit_options submit;
};

static const struct opt_row rows[] = {SUBMIT_ROW_PRINT(struct options, submit), VERB_COMMON_ROWS};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS, .submit = SUBMIT_DEFAULTS};
static const char *const examples[] = {"assay status", "assay status ROOT", "assay status ROOT INVOCATION", NULL};

static bool leases(const struct options *o, struct verb_call *call, struct err *e)
{
	struct lease_holder *h;
	size_t n;
	if (!lease_list(call->arena, &h, &n, e))
		return false;
	if (o->common.json) {
		struct json *j = json_object(call->arena), *list = json_set_array(j, "leases");
		json_set_cstr(j, "format", "assay/status-v1");
		for (size_t i = 0; i < n; i++)
			json_push(list, lease_holder_json(call->arena, &h[i]));
		verb_put_json(call, j);
		return true;
	}
	for (size_t i = 0; i < n; i++)
		buf_printf(call->out, "%s: pid %lld (%s), user %s, since %s%s%s\n", h[i].key, (long long)h[i].pid,
			   h[i].command, h[i].user, h[i].since, *h[i].note ? ": " : "", h[i].note);
	if (n == 0)
		buf_puts(call->out, "no lease is held\n");
	return true;
}

static const char *text_of(const struct json *j, const char *key)
{
	return json_str(j, key, STR("-")).p;
}

static bool target(const struct options *o, struct verb_call *call, struct err *e)
{
	struct protocol p = submit_protocol(call, o->args.items[0]);
	struct json *j = listing_make(&p, e);
	if (!j || o->common.json) {
		if (j)
			verb_put_json(call, j);
		return j != NULL;
	}
	const struct json *list = json_get(j, "experiments"), *c = json_get(j, "champion");
	buf_printf(call->out, "target     %s (%s)\n", text_of(j, "target_id"), text_of(j, "target_mode"));
	if (c->type == JSON_OBJECT)
		buf_printf(call->out, "champion   %s%s\n", text_of(c, "digest"),
			   json_bool(c, "is_original", false) ? ", the original" : "");
	for (size_t i = 0; i < list->n; i++)
		buf_printf(call->out, "experiment %s %s: %s\n", text_of(list->items[i], "id"),
			   text_of(list->items[i], "mechanism_key"), text_of(list->items[i], "hypothesis"));
	list = json_get(j, "invocations");
	for (size_t i = 0; i < list->n; i++)
		buf_printf(call->out, "%-10s %s %s %s %s\n", text_of(list->items[i], "operation"),
			   text_of(list->items[i], "id"), text_of(list->items[i], "state"),
			   text_of(list->items[i], "verdict"), text_of(list->items[i], "stop_reason"));
	return true;
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	if (o->args.n == 0)
		return leases(o, call, e);
	if (o->args.n == 1)
		return target(o, call, e);
	struct protocol p = submit_protocol(call, o->args.items[0]);
	return submit(call, &o->common, &o->submit, compose_about(&p, "status", o->args.items[1]), e);
}

static const struct opt_spec spec = {
	.verb = "status",
	.summary = "Says who measures now, or how a Target stands.",
	.positional = "[ROOT [INVOCATION]]",
	.max_args = 2,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = SIZE_MAX,
	.examples = examples,
};
const struct verb verb_status = {&spec, &defaults, run, VERB_READ_ONLY};
