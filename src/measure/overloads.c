/* Wrappers of an ATen operator against torch's own schemas.
 * In: a check of a Python file, an operator name or a specification. Out: the settled item, a row an overload.
 * The names are read here, the wrappers are called by overloads.py in a sandboxed process.
 * Never: completes a wrapper. */
#include "measure/overloads.h"

#include "base/file.h"
#include "base/scratch.h"
#include "run/guest.h"

extern const char overloads_script[], overloads_script_end[];

enum { SPEC_MAX = 4 << 20, NAMES_MAX = 512 };

static bool is_heading(struct str line, size_t *level)
{
	*level = 0;
	while (*level < line.n && line.p[*level] == '#')
		(*level)++;
	return *level > 0 && *level < 7 && *level < line.n && line.p[*level] == ' ';
}

static bool is_ours(struct str heading)
{
	static const char *const words[] = {("\xe9\x9c\x80\xe8\xa6\x81\xe5\xae\x9e\xe7\x8e\xb0\xe7\x9a\x84\xe6\x8e\xa5"
					     "\xe5\x8f\xa3"), /* "interfaces to implement", as the seed writes it */
					    "nterfaces to implement", "equired interfaces",
					    "nterfaces to be implemented"};
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (str_find(heading, str_from(words[i])) != SIZE_MAX)
			return true;
	}
	return false;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static void add_name(struct json *names, struct str name)
{
	while (name.n && name.p[name.n - 1] == '.')
		name.n--;
	if (!name.n || names->n == NAMES_MAX)
		return;
	for (size_t i = 0; i < names->n; i++) {
		if (str_eq(names->items[i]->text, name))
			return;
	}
	json_push(names, json_new_str(names->arena, name));
}

/* The first interface of a line: behind "aten::", or what stands before the first "(" and holds a dot. */
static void take_name(struct json *names, struct str line)
{
	size_t at = str_find(line, STR("aten::"));
	if (at != SIZE_MAX) {
		size_t end = at + 6;
		while (end < line.n && is_word(line.p[end]))
			end++;
		add_name(names, str_sub(line, at + 6, end - at - 6));
		return;
	}
	size_t end = 0;
	while (end < line.n && line.p[end] != '(')
		end++;
	while (end && !is_word(line.p[end - 1]))
		end--;
	size_t from = end;
	while (from && is_word(line.p[from - 1]))
		from--;
	struct str name = str_sub(line, from, end - from);
	if (str_find(name, STR(".")) != SIZE_MAX && name.n > 2 && name.p[0] != '.')
		add_name(names, name);
}

struct json *overloads_listed(struct arena *a, const char *path, struct str text, struct err *e)
{
	struct json *names = json_array(a);
	struct str line;
	size_t inside = 0, level;
	bool is_found = false;
	while (str_split(&text, '\n', &line)) {
		line = str_trim(line);
		if (is_heading(line, &level)) {
			if (is_ours(line)) {
				inside = level;
				is_found = true;
			} else if (level <= inside) {
				inside = 0;
			}
			continue;
		}
		if (inside)
			take_name(names, line);
	}
	if (names->n)
		return names;
	if (is_found)
		err_set(e, ERR_INPUT, "%s: no interface (such as add.Tensor) stands under its heading", path);
	else
		err_set(e, ERR_INPUT,
			"%s: no heading \"\xe9\x9c\x80\xe8\xa6\x81\xe5\xae\x9e\xe7\x8e\xb0\xe7\x9a\x84\xe6\x8e\xa5\xe5"
			"\x8f\xa3\" or \"Interfaces to implement\"",
			path);
	return NULL;
}

static const char *summary_of(struct arena *a, const struct json *rows, size_t *n_bad)
{
	struct buf b;
	buf_init(&b);
	for (size_t i = 0; i < rows->n; i++) {
		const struct json *x = rows->items[i];
		struct str state = json_str(x, "state", STR("")), text = json_str(x, "text", STR(""));
		bool is_bad = !str_is(state, "passes") && !str_is(state, "not_called") && !str_is(state, "unknown");
		if (!is_bad)
			continue;
		(*n_bad)++;
		buf_printf(&b, "%s%.*s (%.*s) ", b.n ? "; " : "", STR_ARG(json_str(x, "wrapper", STR(""))),
			   STR_ARG(json_str(x, "overload", STR(""))));
		if (str_is(state, "missing"))
			buf_puts(&b, "is missing");
		else
			buf_printf(&b, "%.*s%s%.*s", STR_ARG(state), str_is(state, "fails") ? " " : ": ",
				   STR_ARG(text));
	}
	if (!*n_bad)
		buf_printf(&b, "%zu overloads: each has a wrapper that follows its schema and answers as torch does",
			   rows->n);
	const char *s = arena_strndup(a, b.p, b.n);
	buf_release(&b);
	return s;
}

static bool read_names(struct json *job, struct arena *a, const struct overloads_options *o, struct err *e)
{
	struct str text;
	struct json *names = json_array(a);
	if (o->spec) {
		if (!file_read(a, &text, o->spec, SPEC_MAX, e))
			return false;
		names = overloads_listed(a, o->spec, text, e);
	}
	if (names)
		json_set(job, "names", names);
	return names != NULL;
}

static bool run_script(struct json **result, const char **how, struct check *c, struct arena *a,
		       const struct overloads_options *o, struct err *e)
{
	struct guest g;
	struct json *job = json_object(a);
	json_set_cstr(job, "op", o->op ? o->op : "");
	if (!read_names(job, a, o, e) || !guest_identify(&g, a, o->python, e))
		return false;
	json_set_cstr(job, "module", c->op.kernel.path);
	json_set_bool(job, "is_gpu", o->gpu != NULL);
	json_set(job, "path", g.import_path);
	struct scratch scratch;
	if (!scratch_make(&scratch, a, "overloads", e))
		return false;
	struct guest_call call = {.guest = &g,
				  .script = str_upto(overloads_script, overloads_script_end),
				  .job = job,
				  .module = c->op.kernel.path,
				  .folder = path_join(a, scratch.path, "call"),
				  .gpu = o->gpu,
				  .timeout_ns = o->timeout_ns};
	bool ok = guest_run(result, how, a, &call, e);
	scratch_remove(&scratch);
	return ok;
}

bool overloads_check(struct check *c, struct json **rows, struct arena *a, const struct overloads_options *o,
		     struct err *e)
{
	struct json *result = NULL;
	const char *how = "";
	size_t n_bad = 0;
	if (!run_script(&result, &how, c, a, o, e))
		return false;
	*rows = result ? json_get(result, "overloads") : NULL;
	if (result && json_bool(result, "ok", false) && *rows && (*rows)->type == JSON_ARRAY) {
		const char *found = summary_of(a, *rows, &n_bad);
		check_settle(c, a, "overloads", n_bad ? CHECK_NOT_MET : CHECK_MET, found);
		return true;
	}
	*rows = NULL;
	struct str text = result ? json_str(result, "text", STR("")) : STR("");
	if (text.n && !json_str(result, "word", STR("x")).n)
		return err_set(e, ERR_ENVIRONMENT, "%.*s", STR_ARG(text));
	check_settle(c, a, "overloads", CHECK_NOT_MET,
		     text.n ? arena_printf(a, "the module cannot be loaded: %.*s", STR_ARG(text))
			    : arena_printf(a, "the process that calls the wrappers ended: %s", how));
	return true;
}
