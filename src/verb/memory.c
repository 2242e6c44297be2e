/* assay memory: the strategy memory of all runs of this user.
 * In: an action. Out: entries, a document, or how many were taken or forgotten.
 * The work is loop/memory.c.
 * Never: changes what a run says about itself. */
#include <stddef.h>

#include "base/file.h"
#include "base/output.h"
#include "base/progress.h"
#include "loop/memory.h"
#include "verb/verb.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
	const char *memory_dir, *scope, *backend;
};

static const struct opt_row rows[] = {
	{.name = "memory-dir",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, memory_dir),
	 .meta = "DIR",
	 .flags = OPT_SETTABLE,
	 .help = "Strategy memory to use; without it the user's."},
	{.name = "scope",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, scope),
	 .meta = "KEY",
	 .help = "Only this scope."},
	{.name = "backend",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, backend),
	 .meta = "B",
	 .help = "Only scopes of this backend."},
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS};
static const char *const examples[] = {
	"assay memory list",
	"assay memory show d576b5ea15008131",
	"assay memory export memory.json",
	NULL,
};

struct work {
	const struct options *o;
	struct verb_call *call;
	struct memory *memory;
};

static const char *argument(const struct work *w, size_t i)
{
	return i < w->o->args.n ? w->o->args.items[i] : NULL;
}

/* Entries as one flat list: {scope, fingerprint, outcome, ...}. */
static struct json *entries(const struct work *w, const char *fingerprint, struct err *e)
{
	struct arena *a = w->call->arena;
	const struct json *document = memory_document(w->memory, a, e), *scopes = json_get(document, "scopes");
	struct json *list = json_array(a);
	for (size_t i = 0; scopes && i < scopes->n; i++) {
		const struct json_member *s = &scopes->members[i];
		struct str backend = json_str(json_get(s->value, "meta"), "backend", STR(""));
		if ((w->o->scope && !str_is(s->key, w->o->scope)) || (w->o->backend && !str_is(backend, w->o->backend)))
			continue;
		for (size_t k = 0; k < COUNT_OF(memory_outcomes); k++) {
			const struct json *bucket = json_get(s->value, memory_outcomes[k]);
			for (size_t x = 0; bucket && x < bucket->n; x++) {
				const struct json_member *m = &bucket->members[x];
				if (fingerprint && !str_is(m->key, fingerprint))
					continue;
				json_set_str(m->value, "scope", s->key);
				json_set_str(m->value, "fingerprint", m->key);
				json_set_cstr(m->value, "outcome", memory_outcomes[k]);
				json_push(list, m->value);
			}
		}
	}
	return document ? list : NULL;
}

static struct str tags_of(struct arena *a, const struct json *entry)
{
	struct tags t;
	tags_from_json(&t, a, json_get(entry, "tags"));
	return str_from(tags_text(a, &t));
}

/* The entries of one scope, from the i-th on; returns the first of the next. */
static size_t put_scope(struct work *w, const struct json *all, size_t i)
{
	struct verb_call *call = w->call;
	struct str scope = json_str(all->items[i], "scope", STR(""));
	struct term_table *t = term_table_new(call->arena, "fingerprint|outcome|>times|reason|tags");
	for (; i < all->n && str_eq(json_str(all->items[i], "scope", STR("")), scope); i++) {
		const struct json *x = all->items[i];
		term_table_cell(t, json_str(x, "fingerprint", STR("")));
		term_table_cell(t, json_str(x, "outcome", STR("")));
		term_table_cell(t, str_from(arena_printf(call->arena, "%lld", (long long)json_i64(x, "count", 0))));
		term_table_cell(t, json_str(x, "last_reason", STR("-")));
		term_table_cell(t, tags_of(call->arena, x));
		term_table_end_row(t);
	}
	buf_printf(call->out, "%.*s\n", STR_ARG(scope));
	term_table_write(t, &call->term, call->out);
	buf_char(call->out, '\n');
	return i;
}

static bool list(struct work *w, struct err *e)
{
	struct verb_call *call = w->call;
	struct json *all = entries(w, NULL, e);
	if (!all)
		return false;
	if (w->o->common.json) {
		struct json *j = json_object(call->arena);
		json_set_cstr(j, "format", "assay/memory-list-v1");
		json_set_cstr(j, "folder", memory_folder(w->memory));
		json_set(j, "entries", all);
		verb_put_json(call, j);
		return true;
	}
	for (size_t i = 0; i < all->n;)
		i = put_scope(w, all, i);
	buf_printf(call->out, "%zu entr%s in %s\n", all->n, all->n == 1 ? "y" : "ies", memory_folder(w->memory));
	return true;
}

static bool show(struct work *w, struct err *e)
{
	struct verb_call *call = w->call;
	static const char *const lines[][2] = {{"outcome", "outcome"}, {"reason", "last_reason"}, {"why", "why"},
					       {"closes", "closes"},   {"scope", "scope"},        {"at", "at"}};
	struct json *all = entries(w, argument(w, 1), e);
	if (!all)
		return false;
	if (!all->n)
		return err_set(e, ERR_INPUT, "memory show: %s has no entry for %s", memory_folder(w->memory),
			       argument(w, 1));
	if (w->o->common.json) {
		struct json *j = json_object(call->arena);
		json_set_cstr(j, "format", "assay/memory-list-v1");
		json_set_cstr(j, "folder", memory_folder(w->memory));
		json_set(j, "entries", all);
		verb_put_json(call, j);
		return true;
	}
	struct buf b;
	buf_init(&b);
	for (size_t i = 0; i < all->n; i++) {
		struct str tags = tags_of(call->arena, all->items[i]);
		buf_printf(&b, "%s%s\n  tags     %.*s\n  times    %lld\n", i ? "\n" : "", argument(w, 1), STR_ARG(tags),
			   (long long)json_i64(all->items[i], "count", 0));
		for (size_t k = 0; k < COUNT_OF(lines); k++) {
			struct str s = json_str(all->items[i], lines[k][1], STR("-"));
			buf_printf(&b, "  %-8s %.*s\n", lines[k][0], STR_ARG(s));
		}
	}
	term_lines(call->out, &call->term, buf_view(&b), 11);
	buf_release(&b);
	return true;
}

static bool export_it(struct work *w, struct err *e)
{
	progress_begin("memory export");
	struct json *document = memory_document(w->memory, w->call->arena, e);
	progress_end();
	struct buf b;
	if (!document)
		return false;
	if (!argument(w, 1)) {
		verb_put_json(w->call, document);
		return true;
	}
	buf_init(&b);
	json_write(&b, document, JSON_PRETTY);
	bool ok = output_write(argument(w, 1), buf_view(&b), e);
	buf_release(&b);
	return ok;
}

static void answer(struct work *w, const char *word, size_t n)
{
	if (w->o->common.json) {
		struct json *j = json_object(w->call->arena);
		json_set_u64(j, word, n);
		verb_put_json(w->call, j);
		return;
	}
	buf_printf(w->call->out, "%s: %zu\n", word, n);
}

static bool import_it(struct work *w, struct err *e)
{
	size_t n;
	struct json *document = json_read_file(w->call->arena, argument(w, 1), JSON_STRICT, e);
	if (!document || !memory_import(w->memory, document, &n, e))
		return document ? err_prefix(e, "%s", argument(w, 1)) : false;
	answer(w, "new_entries", n);
	return true;
}

static bool forget(struct work *w, struct err *e)
{
	size_t n;
	if (w->o->backend)
		return err_set(e, ERR_USAGE, "memory forget: takes a fingerprint, --scope or both, no --backend");
	if (!argument(w, 1) && !w->o->scope)
		return err_set(e, ERR_USAGE, "memory forget: needs a fingerprint or --scope KEY");
	if (!memory_forget(w->memory, w->o->scope, argument(w, 1), &n, e))
		return false;
	answer(w, "forgotten", n);
	w->call->status = n ? 0 : 1;
	return true;
}

static const struct {
	const char *name;
	bool (*run)(struct work *w, struct err *e);
	size_t min_args; /* the action among them */
} actions[] = {{"list", list, 1},
	       {"show", show, 2},
	       {"export", export_it, 1},
	       {"import", import_it, 2},
	       {"forget", forget, 1}};

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	struct work w = {.o = o, .call = call};
	size_t i = 0;
	while (i < COUNT_OF(actions) && strcmp(actions[i].name, o->args.items[0]) != 0)
		i++;
	if (i == COUNT_OF(actions))
		return err_set(e, ERR_USAGE, "memory: '%.40s' is not one of list, show, export, import, forget",
			       o->args.items[0]);
	if (o->args.n < actions[i].min_args)
		return err_set(e, ERR_USAGE, "memory %s: needs %s", actions[i].name,
			       actions[i].run == show ? "a fingerprint" : "a file");
	w.memory = memory_open(o->memory_dir ? o->memory_dir : memory_default_folder(call->arena), e);
	if (!w.memory)
		return false;
	bool ok = actions[i].run(&w, e);
	memory_close(w.memory);
	return ok;
}

static const struct opt_spec spec = {
	.verb = "memory",
	.summary = "Shows and moves what past runs learned about strategies.",
	.positional = "list | show FP | export [FILE] | import FILE | forget [FP]",
	.min_args = 1,
	.max_args = 2,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = SIZE_MAX,
	.examples = examples,
	.notes = "An entry is about one set of tags in one scope: backend, entry and parameters, reference, sizes, "
		 "types and "
		 "architecture. It closes an implementation there, not an idea. import takes files of ours and "
		 "published ones.",
};
const struct verb verb_memory = {&spec, &defaults, run, VERB_DESTRUCTIVE};
