/* assay status: who measures on this machine now.
 * In: nothing. Out: the leases that are held.
 * The work is store/lease.c.
 * Never: takes or breaks a lease. */
#include "store/lease.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
};

static const struct opt_row rows[] = {VERB_COMMON_ROWS};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS};
static const char *const examples[] = {"assay status", NULL};

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
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

static const struct opt_spec spec = {
	.verb = "status",
	.summary = "Says who measures on this machine now.",
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.dims_offset = SIZE_MAX,
	.examples = examples,
};
const struct verb verb_status = {&spec, &defaults, run, VERB_READ_ONLY | VERB_QUICK};
