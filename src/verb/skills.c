/* assay skills: installs the skills and references that the program carries, checks and removes them.
 * In: an action and a place. Out: files, the client's entry for the MCP server, what was done.
 * A list with digests (.assay-skills.json) stands beside the files: by it they are checked and removed.
 * Never: replaces or removes a file that a person has changed, unless told to. */
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "verb/skills_place.h"
#include "verb/verbs.h"

#define LIST ".assay-skills.json"

struct options {
	struct verb_common common;
	struct opt_list args;
	const char *dir;
	bool claude, codex, cursor, gemini, user, check, force, skills_only;
};
#define AT(field) .offset = offsetof(struct options, field)
static const struct opt_row rows[] = {
	{.name = "claude", .type = OPT_FLAG, AT(claude), .help = "Claude Code: .claude/skills and .mcp.json."},
	{.name = "codex", .type = OPT_FLAG, AT(codex), .help = "Codex: .agents/skills and .codex/config.toml."},
	{.name = "cursor", .type = OPT_FLAG, AT(cursor), .help = "Cursor: .cursor/skills and .cursor/mcp.json."},
	{.name = "gemini",
	 .type = OPT_FLAG,
	 AT(gemini),
	 .help = "Gemini CLI: .gemini/skills and .gemini/settings.json."},
	{.name = "dir",
	 .type = OPT_STRING,
	 AT(dir),
	 .meta = "D",
	 .help = "The published layout below D; without a place it is ./skills."},
	{.name = "user", .type = OPT_FLAG, AT(user), .help = "Below the home folder instead of the project."},
	{.name = "check",
	 .type = OPT_FLAG,
	 AT(check),
	 .help = "Only say what is missing or changed; exit 1 if anything is."},
	{.name = "force", .type = OPT_FLAG, AT(force), .help = "Replace files that were changed."},
	{.name = "skills-only",
	 .type = OPT_FLAG,
	 AT(skills_only),
	 .help = "Leave the client's list of MCP servers alone."},
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS};
static const char *const examples[] = {"assay skills install --dir /tmp/assay-skills", "assay skills install --claude",
				       "assay skills check --dir /tmp/assay-skills", NULL};

struct work {
	const struct options *o;
	struct verb_call *call;
	const struct skills_place *place;
	const char *base;     /* skills stand here */
	const char *settings; /* NULL: none */
	const struct json *list;
	struct json *done; /* the answer */
	size_t n_written, n_same, n_changed, n_missing, n_removed;
};

static const char *digest(struct arena *a, struct str s)
{
	char hex[SHA256_HEX];
	sha256_of(s.p, s.n, hex);
	return arena_strdup(a, hex);
}

static void note(struct work *w, const char *what, const char *path)
{
	struct json *list = json_get(w->done, what);
	json_push_str(list ? list : json_set_array(w->done, what), str_from(path));
}

/* What stands at `path`: NULL when nothing does. */
static const char *digest_at(struct work *w, const char *path, struct err *e)
{
	struct str s;
	if (!file_exists(path) || !file_read(w->call->arena, &s, path, (size_t)16 << 20, e))
		return NULL;
	return digest(w->call->arena, s);
}

static bool is_ours(const struct work *w, const char *name, const char *have)
{
	return str_is(json_str(json_get(w->list, "files"), name, STR("")), have);
}

/* One document: written, the same, or somebody else's. */
static bool place_one(struct work *w, const struct document *d, struct json *files, bool writes, struct err *e)
{
	struct arena *a = w->call->arena;
	const char *name;
	struct str text;
	skills_place_document(w->place, d, a, &name, &text);
	const char *path = path_join(a, w->base, name), *want = digest(a, text), *have = digest_at(w, path, e);
	json_set_cstr(files, name, want);
	if (have && strcmp(have, want) == 0) {
		w->n_same++;
		return true;
	}
	if (have && !w->o->force && (w->o->check || !is_ours(w, name, have))) {
		w->n_changed++;
		note(w, "changed", path);
		return true;
	}
	if (!have)
		w->n_missing++;
	if (!writes) {
		if (!have)
			note(w, "missing", path);
		return true;
	}
	bool is_script = str_starts(text, "#!");
	if (!file_mkdirs(path_dir(a, path), 0755, e) || !file_write_str(path, text, e))
		return false;
	if (is_script && chmod(path, 0755) != 0)
		return err_set(e, ERR_IO, "%s: its mode cannot be set", path);
	w->n_written++;
	return true;
}

static bool place_all(struct work *w, struct json *files, bool writes, struct err *e)
{
	struct document d;
	w->n_same = w->n_changed = w->n_missing = 0;
	for (size_t i = 0; document_at(&d, i); i++) {
		if (!place_one(w, &d, files, writes, e))
			return false;
	}
	return true;
}

static bool write_list(struct work *w, struct json *files, struct err *e)
{
	struct json *j = json_object(w->call->arena);
	struct buf b;
	json_set_cstr(j, "format", "assay/skills-v1");
	json_set(j, "files", files);
	buf_init(&b);
	json_write(&b, j, JSON_PRETTY);
	bool ok = file_write_str(path_join(w->call->arena, w->base, LIST), buf_view(&b), e);
	buf_release(&b);
	return ok;
}

static bool install(struct work *w, struct err *e)
{
	struct json *files = json_object(w->call->arena);
	bool changed = false;
	if (!place_all(w, files, false, e))
		return false;
	if (w->n_changed)
		return err_set(e, ERR_INPUT,
			       "skills: %zu file(s) below %s are not ours or were changed (%s); --force replaces them",
			       w->n_changed, w->base, json_at(json_get(w->done, "changed"), 0)->text.p);
	w->done = json_object(w->call->arena);
	if (!file_mkdirs(w->base, 0755, e) || !place_all(w, files, true, e) || !write_list(w, files, e))
		return false;
	if (w->settings) {
		const char *found = path_which(w->call->arena, "assay", NULL), *program = w->call->program;
		const char *real = found ? path_real(w->call->arena, found) : NULL;
		program = real && strcmp(real, program) == 0 ? "assay" : program;
		if (!skills_register(w->settings, program, &changed, w->call->arena, e))
			return false;
		json_set_cstr(w->done, "settings", w->settings);
	}
	json_set_u64(w->done, "n_written", w->n_written);
	return true;
}

static bool check(struct work *w, struct err *e)
{
	struct json *files = json_object(w->call->arena);
	if (!place_all(w, files, false, e))
		return false;
	json_set_u64(w->done, "n_same", w->n_same);
	w->call->status = w->n_changed || w->n_missing ? 1 : 0;
	return true;
}

/* Folders that are empty now, up to the base. */
static void prune(struct work *w, const char *path)
{
	size_t n = strlen(w->base);
	for (const char *dir = path_dir(w->call->arena, path); strlen(dir) >= n; dir = path_dir(w->call->arena, dir)) {
		if (rmdir(dir) != 0)
			return;
	}
}

static bool uninstall(struct work *w, struct err *e)
{
	const struct json *files = json_get(w->list, "files");
	bool changed = false;
	if (!files)
		return err_set(e, ERR_INPUT, "skills: %s/" LIST " is not there: nothing was installed by assay",
			       w->base);
	for (size_t i = 0; i < files->n; i++) {
		const char *name = files->members[i].key.p, *path = path_join(w->call->arena, w->base, name);
		const char *have = digest_at(w, path, e);
		bool is_safe = name[0] != '/' && !strstr(name, "..");
		if (!have || !is_safe)
			continue;
		if (!w->o->force && !is_ours(w, name, have)) {
			note(w, "kept", path);
			continue;
		}
		if (unlink(path) != 0)
			return err_set(e, ERR_IO, "%s: cannot be removed", path);
		w->n_removed++;
		prune(w, path);
	}
	const char *list = path_join(w->call->arena, w->base, LIST);
	if (unlink(list) != 0)
		return err_set(e, ERR_IO, "%s: cannot be removed", list);
	prune(w, list);
	if (w->settings && !skills_unregister(w->settings, &changed, w->call->arena, e))
		return false;
	json_set_u64(w->done, "n_removed", w->n_removed);
	return true;
}

static const char *wanted_place(const struct options *o, size_t *n)
{
	const struct {
		bool is_set;
		const char *name;
	} flags[] = {{o->claude, "claude"},
		     {o->codex, "codex"},
		     {o->cursor, "cursor"},
		     {o->gemini, "gemini"},
		     {o->dir != NULL, "dir"}};
	const char *name = "dir";
	*n = 0;
	for (size_t i = 0; i < COUNT_OF(flags); i++) {
		*n += flags[i].is_set;
		name = flags[i].is_set ? flags[i].name : name;
	}
	return name;
}

static bool find_place(struct work *w, struct err *e)
{
	const struct options *o = w->o;
	struct arena *a = w->call->arena;
	size_t n;
	w->place = skills_place_find(wanted_place(o, &n));
	const char *root = o->user ? getenv("HOME") : ".";
	if (n > 1)
		return err_set(e, ERR_USAGE, "skills: one place: --claude, --codex, --cursor, --gemini or --dir");
	if (!root || !*root)
		return err_set(e, ERR_ENVIRONMENT, "skills: --user needs HOME");
	w->base = path_absolute(a, o->dir ? o->dir : path_join(a, root, w->place->folder));
	/* Claude Code keeps the user's servers in a file of its own making: `claude mcp add` writes there. */
	bool has_settings = w->place->settings && !o->skills_only && !(o->user && o->claude);
	w->settings = has_settings ? path_absolute(a, path_join(a, root, w->place->settings)) : NULL;
	const char *list = path_join(a, w->base, LIST);
	w->list = file_exists(list) ? json_read_file(a, list, JSON_STRICT, e) : json_object(a);
	return w->list != NULL;
}

static void put(struct work *w)
{
	struct buf *out = w->call->out;
	json_set_cstr(w->done, "format", "assay/skills-result-v1");
	json_set_cstr(w->done, "folder", w->base);
	if (w->o->common.json) {
		verb_put_json(w->call, w->done);
		return;
	}
	static const char *const lists[] = {"missing", "changed", "kept"};
	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		const struct json *list = json_get(w->done, lists[i]);
		for (size_t k = 0; list && k < list->n; k++)
			buf_printf(out, "%-8s %s\n", lists[i], list->items[k]->text.p);
	}
	static const char *const counts[][2] = {
		{"n_written", "written"}, {"n_same", "as installed"}, {"n_removed", "removed"}};
	for (size_t i = 0; i < COUNT_OF(counts); i++) {
		if (json_get(w->done, counts[i][0]))
			buf_printf(out, "%lld file(s) %s: %s\n", (long long)json_i64(w->done, counts[i][0], 0),
				   counts[i][1], w->base);
	}
	if (json_get(w->done, "settings"))
		buf_printf(out, "MCP server assay: %s\n", json_str(w->done, "settings", STR("")).p);
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	struct work w = {.o = o, .call = call, .done = json_object(call->arena)};
	const char *action = o->args.items[0];
	bool ok;
	if (!find_place(&w, e))
		return false;
	if (strcmp(action, "check") == 0 || (strcmp(action, "install") == 0 && o->check))
		ok = check(&w, e);
	else if (strcmp(action, "install") == 0)
		ok = install(&w, e);
	else if (strcmp(action, "uninstall") == 0)
		ok = uninstall(&w, e);
	else
		return err_set(e, ERR_USAGE, "skills %s: there is install, check and uninstall", action);
	if (ok)
		put(&w);
	return ok;
}

static const struct opt_spec spec = {
	.verb = "skills",
	.summary = "Installs the skills and references for agents.",
	.positional = "install|check|uninstall",
	.min_args = 1,
	.max_args = 1,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = SIZE_MAX,
	.examples = examples,
	.notes = "A client's place also gets the MCP server `assay mcp` in its settings; other entries there stay. "
		 "Nothing is "
		 "fetched.",
};
const struct verb verb_skills = {&spec, &defaults, run, VERB_PERSON};
