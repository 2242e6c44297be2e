/* assay cache: what the caches hold, and emptying them.
 * In: an action. Out: entries and bytes of each cache.
 * Caches hold builds, reference outputs and tool versions; all of it can be made again.
 * Never: touches the store. */
#include <stddef.h>

#include "store/cache.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
};

static const char *const names[] = {"build", "reference", "tools"};
static const struct opt_row rows[] = {VERB_COMMON_ROWS};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS};
static const char *const examples[] = {"assay cache stats", "assay cache clear", NULL};

static bool one(struct verb_call *call, const char *name, bool is_clear, struct json *list, struct err *e)
{
	struct cache_usage u;
	struct cache *c = cache_open(name, 0, e);
	if (!c)
		return false;
	bool ok = (!is_clear || cache_trim(c, 0, e)) && cache_usage(c, &u, e);
	if (ok && list) {
		struct json *x = json_object(call->arena);
		json_set_cstr(x, "name", name);
		json_set_cstr(x, "folder", cache_folder(c));
		json_set_u64(x, "n_entries", u.n_entries);
		json_set_u64(x, "n_bytes", u.n_bytes);
		json_set_u64(x, "max_bytes", u.max_bytes);
		json_push(list, x);
	} else if (ok) {
		buf_printf(call->out, "%-10s %6llu entries %10s of %s  %s\n", name, (unsigned long long)u.n_entries,
			   term_bytes(call->arena, (double)u.n_bytes), term_bytes(call->arena, (double)u.max_bytes),
			   cache_folder(c));
	}
	cache_free(c);
	return ok;
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	const char *what = o->args.items[0];
	bool is_clear = strcmp(what, "clear") == 0;
	struct json *j = json_object(call->arena), *list = json_set_array(j, "caches");
	if (!is_clear && strcmp(what, "stats") != 0)
		return err_set(e, ERR_USAGE, "cache %s: there is stats and clear", what);
	json_set_cstr(j, "format", "assay/cache-v1");
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (!one(call, names[i], is_clear, o->common.json ? list : NULL, e))
			return false;
	}
	if (o->common.json)
		verb_put_json(call, j);
	return true;
}

static const struct opt_spec spec = {
	.verb = "cache",
	.summary = "Says what the caches hold, or empties them.",
	.positional = "stats|clear",
	.min_args = 1,
	.max_args = 1,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = SIZE_MAX,
	.examples = examples,
};
const struct verb verb_cache = {&spec, &defaults, run, VERB_DESTRUCTIVE};
