/* The workspace border as far as paths of a request show it.
 * In: a request and the rows of its verb. Out: whether every path in it lies in the workspace.
 * Any string may be a path, also inside a flag. Rows that name a tool, and the program of a command, are exempt.
 * Never: opens a file. */
#include "base/file.h"
#include "base/opt_row.h"
#include "door/mcp/inside.h"

const char *mcp_path_inside(struct arena *a, const char *root, const char *path)
{
	char *whole = path[0] == '/' ? arena_strdup(a, path) : arena_printf(a, "%s/%s", root, path);
	size_t n = strlen(root);
	/* The longest part that exists, links resolved; what follows may not climb. */
	for (char *end = whole + strlen(whole);; end--) {
		while (end > whole && *end != '/' && *end)
			end--;
		char *head = arena_strndup(a, whole, end == whole ? 1 : (size_t)(end - whole));
		const char *real = path_real(a, head);
		if (real) {
			bool climbs = strstr(end, "/../") || str_ends(str_from(end), "/..");
			bool is_in = strncmp(real, root, n) == 0 && (real[n] == '/' || real[n] == 0 || n == 1);
			return is_in && !climbs ? arena_printf(a, "%s%s", real, end) : NULL;
		}
		if (end == whole)
			return NULL;
	}
}

static bool is_tool(const struct opt_row *r)
{
	return str_ends(str_from(r->name), "-bin") || strcmp(r->name, "python") == 0 || strcmp(r->name, "cupti") == 0 ||
	       strcmp(r->name, "tool-path") == 0;
}

/* One word of a text, taken as a path: what is none lies in the workspace as a name there. */
static bool word_is_inside(struct mcp *m, struct arena *a, struct str word)
{
	if (word.n > 2 && word.p[0] == '-')
		word = str_sub(word, 2, word.n - 2); /* -I/dir, -L/dir */
	return word.n == 0 || (word.p[0] != '~' && mcp_path_inside(a, m->root, arena_strndup(a, word.p, word.n)));
}

static bool text_is_inside(struct mcp *m, struct arena *a, struct str text)
{
	static const char separators[] = " \t\n=,:@;\"'";
	if (text.n > 0 && !word_is_inside(m, a, text))
		return false;
	for (size_t from = 0; from < text.n;) {
		size_t n = 0;
		while (from + n < text.n && !strchr(separators, text.p[from + n]))
			n++;
		if (n > 0 && !word_is_inside(m, a, str_sub(text, from, n)))
			return false;
		from += n + 1;
	}
	return true;
}

/* `from`: the first element of an array that is looked at. */
static bool value_is_inside(struct mcp *m, struct arena *a, const struct json *v, size_t from)
{
	if (v->type == JSON_STRING)
		return text_is_inside(m, a, v->text);
	for (size_t i = from; v->type == JSON_ARRAY && i < v->n; i++) {
		if (v->items[i]->type == JSON_STRING && !text_is_inside(m, a, v->items[i]->text))
			return false;
	}
	return true;
}

bool mcp_inside_root(struct mcp *m, struct arena *a, const struct opt_spec *s, const struct json *request,
		     const char **why)
{
	for (size_t i = 0; i < request->n; i++) {
		struct str key = request->members[i].key;
		bool is_exempt = false;
		size_t from = 0;
		for (size_t r = 0; r < s->n_rows; r++) {
			const struct opt_row *row = &s->rows[r];
			if (!str_is(key, opt_key(a, row)))
				continue;
			is_exempt = is_tool(row);
			from = row->type == OPT_COMMAND ? 1 : 0;
		}
		if (is_exempt || value_is_inside(m, a, request->members[i].value, from))
			continue;
		*why = arena_printf(a, "%.*s names a path outside the workspace %s", STR_ARG(key), m->root);
		return false;
	}
	return true;
}
