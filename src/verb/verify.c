/* assay verify: hashes everything in the store again and names what is damaged.
 * In: a store. Out: counts, and one line for each damage.
 * The work is store_verify.
 * Never: repairs or removes anything. */
#include <stddef.h>

#include "base/progress.h"
#include "protocol/evidence.h"
#include "store/object.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	const char *store;
};

static const struct opt_row rows[] = {
	{.name = "store",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, store),
	 .meta = "DIR",
	 .flags = OPT_SETTABLE,
	 .help = "Store to look at; without it the default one."},
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS};
static const char *const examples[] = {"assay verify", NULL};

static struct json *document(struct arena *a, const char *root, const struct store_check *c)
{
	struct json *j = json_object(a), *list = json_set_array(j, "damage");
	json_set_cstr(j, "format", "assay/verify-v1");
	json_set_cstr(j, "store", root);
	json_set_u64(j, "n_objects", c->n_objects);
	json_set_u64(j, "n_records", c->n_records);
	json_set_u64(j, "n_bytes", c->n_bytes);
	json_set_u64(j, "n_leftovers", c->n_leftovers);
	for (size_t i = 0; i < c->n_damage; i++) {
		struct json *x = json_object(a);
		json_set_cstr(x, "path", c->damage[i].path);
		json_set_cstr(x, "what", c->damage[i].what);
		json_push(list, x);
	}
	return j;
}

static void put_text(struct verb_call *call, const char *root, const struct store_check *c)
{
	struct buf lines;
	buf_init(&lines);
	for (size_t i = 0; i < c->n_damage; i++)
		buf_printf(&lines, "damaged    %s: %s\n", c->damage[i].path, c->damage[i].what);
	buf_printf(&lines, "%s: %llu objects, %llu records, %s hashed; %zu damaged, %llu leftovers of dead writers\n",
		   root, (unsigned long long)c->n_objects, (unsigned long long)c->n_records,
		   term_bytes(call->arena, (double)c->n_bytes), c->n_damage, (unsigned long long)c->n_leftovers);
	term_lines(call->out, &call->term, buf_view(&lines), 11);
	buf_release(&lines);
}

/* An evidence root (assay request) instead of a store. */
static bool verify_evidence(const struct options *o, struct verb_call *call, struct err *e)
{
	struct protocol p = {
		.arena = call->arena, .program = call->program, .root = path_absolute(call->arena, o->store)};
	struct json *report = evidence_verify(&p, e);
	if (!report)
		return false;
	const struct json *list = json_get(report, "damage");
	call->status = list->n ? 1 : 0;
	if (o->common.json) {
		verb_put_json(call, report);
		return true;
	}
	for (size_t i = 0; i < list->n; i++)
		buf_printf(call->out, "damaged    %s: %s\n", json_str(list->items[i], "path", STR("")).p,
			   json_str(list->items[i], "what", STR("")).p);
	buf_printf(call->out, "%s: %lld objects, %lld records hashed; %zu damaged, %zu unfinished, %lld leftovers\n",
		   p.root, (long long)json_i64(report, "n_objects", 0), (long long)json_i64(report, "n_records", 0),
		   list->n, json_get(report, "unfinished")->n, (long long)json_i64(report, "n_leftovers", 0));
	return true;
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	struct store_check c;
	if (o->store && !file_is_dir(o->store))
		return err_set(e, ERR_INPUT, "%s: there is no store", o->store);
	if (o->store && file_exists(path_join(call->arena, o->store, "target.json")))
		return verify_evidence(o, call, e);
	struct store *s = store_open(o->store, e);
	if (!s)
		return false;
	const char *root = arena_strdup(call->arena, store_root(s));
	progress_begin("verify");
	progress_phase("hashing", 0);
	bool ok = store_verify(s, call->arena, &c, e);
	progress_end();
	store_close(s);
	if (!ok)
		return false;
	if (o->common.json)
		verb_put_json(call, document(call->arena, root, &c));
	else
		put_text(call, root, &c);
	call->status = c.n_damage ? 1 : 0;
	return true;
}

static const struct opt_spec spec = {
	.verb = "verify",
	.summary = "Hashes the store again and names what is damaged.",
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.dims_offset = SIZE_MAX,
	.examples = examples,
};
const struct verb verb_verify = {&spec, &defaults, run, VERB_READ_ONLY};
