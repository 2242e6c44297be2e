/* Layouts of clients and their settings files.
 * In: a document, a settings file. Out: its place and text there; the file with our server in it, or without.
 * JSON settings are read and written whole; TOML ones get a block of their own between two marks.
 * Never: touches another server's entry. */
#include "verb/skills_place.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output.h"

#define MAX_SETTINGS ((size_t)4 << 20)
#define TOML_BEGIN "# assay: begin\n"
#define TOML_END "# assay: end\n"

static const struct skills_place places[] = {
	{"claude", ".claude/skills", ".mcp.json", true},
	{"codex", ".agents/skills", ".codex/config.toml", true},
	{"cursor", ".cursor/skills", ".cursor/mcp.json", true},
	{"gemini", ".gemini/skills", ".gemini/settings.json", true},
	{"dir", "skills", NULL, false},
};

const struct skills_place *skills_place_find(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		if (strcmp(places[i].name, name) == 0)
			return &places[i];
	}
	return NULL;
}

void skills_place_document(const struct skills_place *p, const struct document *d, struct arena *a, const char **path,
			   struct str *text)
{
	static const char prefix[] = "optimized-skill/";
	*path = d->path;
	*text = d->text;
	if (!p->is_flat || strncmp(d->path, prefix, sizeof(prefix) - 1) != 0)
		return;
	*path = d->path + sizeof(prefix) - 1;
	/* What was two folders up is a neighbour here. */
	struct buf b;
	struct str rest = d->text;
	buf_init(&b);
	for (size_t at; (at = str_find(rest, STR("../../cuda-kernel-optimizer"))) != SIZE_MAX;) {
		buf_str(&b, str_sub(rest, 0, at));
		rest = str_sub(rest, at + 3, rest.n - at - 3);
		buf_str(&b, str_sub(rest, 0, 3));
		rest = str_sub(rest, 3, rest.n - 3);
	}
	buf_str(&b, rest);
	*text = arena_str(a, buf_view(&b));
	buf_release(&b);
}

static bool is_toml(const char *path)
{
	return str_ends(str_from(path), ".toml");
}

static bool read_text(const char *path, struct str *out, struct arena *a, struct err *e)
{
	*out = STR("");
	return !file_exists(path) || file_read(a, out, path, MAX_SETTINGS, e);
}

/* The file without our block. */
static void without_block(struct buf *out, struct str text)
{
	size_t from = str_find(text, STR(TOML_BEGIN)), to = str_find(text, STR(TOML_END));
	if (from == SIZE_MAX || to == SIZE_MAX || to < from) {
		buf_str(out, text);
		return;
	}
	buf_str(out, str_sub(text, 0, from));
	to += strlen(TOML_END);
	buf_str(out, str_sub(text, to, text.n - to));
}

static bool write_if_new(const char *path, const struct buf *new, struct str old, bool *changed, struct err *e)
{
	char *dir = NULL;
	struct arena a;
	arena_init(&a);
	dir = path_dir(&a, path);
	*changed = !str_eq(buf_view(new), old);
	struct str left = str_trim(buf_view(new));
	if (*changed && old.n && (left.n == 0 || str_is(left, "{}"))) {
		arena_release(&a);
		return unlink(path) == 0 || err_set(e, ERR_IO, "%s: cannot be removed", path);
	}
	bool ok = !*changed || (file_mkdirs(dir, 0755, e) && output_write(path, buf_view(new), e));
	arena_release(&a);
	return ok;
}

static void copy_members(struct json *to, const struct json *from, const char *except)
{
	for (size_t i = 0; from && i < from->n; i++) {
		if (!str_is(from->members[i].key, except))
			json_put(to, from->members[i].key, from->members[i].value);
	}
}

/* Settings with mcpServers.assay set to `server`, or without it when NULL. */
static bool change_json(const char *path, struct json *server, bool *changed, struct arena *a, struct err *e)
{
	struct str old;
	struct buf b;
	if (!read_text(path, &old, a, e))
		return false;
	struct json *all = str_trim(old).n ? json_parse(a, path, old, JSON_STRICT, e) : json_object(a);
	if (!all)
		return false;
	const struct json *had = json_get(all, "mcpServers");
	if (all->type != JSON_OBJECT || (had && had->type != JSON_OBJECT))
		return err_set(e, ERR_INPUT, "%s: mcpServers is no object", path);
	*changed = false;
	if (!server && !json_get(had, "assay"))
		return true;
	struct json *out = json_object(a), *servers = json_object(a);
	copy_members(out, all, "mcpServers");
	copy_members(servers, had, "assay");
	if (server)
		json_set(servers, "assay", server);
	if (servers->n)
		json_set(out, "mcpServers", servers);
	buf_init(&b);
	json_write(&b, out, JSON_PRETTY);
	bool ok = write_if_new(path, &b, old, changed, e);
	buf_release(&b);
	return ok;
}

static bool change_toml(const char *path, const char *program, bool *changed, struct arena *a, struct err *e)
{
	struct str old;
	struct buf b;
	if (!read_text(path, &old, a, e))
		return false;
	buf_init(&b);
	without_block(&b, old);
	if (program && str_find(buf_view(&b), STR("[mcp_servers.assay]")) == SIZE_MAX)
		buf_printf(&b, TOML_BEGIN "[mcp_servers.assay]\ncommand = \"%s\"\nargs = [\"mcp\"]\n" TOML_END,
			   program);
	bool ok = write_if_new(path, &b, old, changed, e);
	buf_release(&b);
	return ok;
}

bool skills_register(const char *path, const char *program, bool *changed, struct arena *a, struct err *e)
{
	if (is_toml(path))
		return change_toml(path, program, changed, a, e);
	struct json *server = json_object(a);
	json_set_cstr(server, "command", program);
	json_push_str(json_set_array(server, "args"), STR("mcp"));
	return change_json(path, server, changed, a, e);
}

bool skills_unregister(const char *path, bool *changed, struct arena *a, struct err *e)
{
	*changed = false;
	if (!file_exists(path))
		return true;
	return is_toml(path) ? change_toml(path, NULL, changed, a, e) : change_json(path, NULL, changed, a, e);
}
