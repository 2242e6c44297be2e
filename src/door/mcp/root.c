/* The workspace border as far as paths of a request show it.
 * In: a request and the rows of its verb. Out: whether every path in it lies in the workspace.
 * Any string may be a path, also inside a flag. Rows that name a tool, and the program of a command, are exempt.
 * Never: opens a file; takes longer than the bytes of a request allow (MCP_MAX_ARGUMENTS). */
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/border.h"
#include "base/file.h"
#include "base/opt_row.h"
#include "door/mcp/inside.h"

/* Real path of the first n bytes, which end before a '/' or at the end; NULL: they name nothing. */
static const char *real_head(struct arena *a, const char *whole, size_t n)
{
	return path_real(a, arena_strndup(a, whole, n ? n : 1));
}

/* The longest part that exists, links resolved; what follows may not climb. That a part exists means that the shorter ones
 * do, so it is found by halving. */
static const char *resolve(struct arena *a, char *whole, const char **tail)
{
	size_t *ends = ARENA_ARRAY(a, strlen(whole) + 2, size_t), n = 0, low = 0;
	for (size_t i = 0;; i++) {
		if (whole[i] == '/' || whole[i] == 0)
			ends[n++] = i;
		if (whole[i] == 0)
			break;
	}
	const char *found = real_head(a, whole, ends[n - 1]);
	low = found ? n - 1 : 0;
	for (size_t high = n - 1; !found && low + 1 < high;) {
		size_t middle = low + (high - low) / 2;
		if (real_head(a, whole, ends[middle]))
			low = middle;
		else
			high = middle;
	}
	*tail = whole + ends[low];
	return found ? found : real_head(a, whole, ends[low]);
}

static const char *whole_path(struct arena *a, const char *root, const char *path)
{
	const char *whole = path[0] == '/' ? arena_strdup(a, path) : arena_printf(a, "%s/%s", root, path);
	return strlen(whole) < PATH_MAX ? whole : NULL;
}

const char *mcp_path_inside(struct arena *a, const char *root, const char *path)
{
	const char *tail = "", *whole = strlen(path) < PATH_MAX ? whole_path(a, root, path) : NULL;
	const char *real = whole ? resolve(a, arena_strdup(a, whole), &tail) : NULL;
	size_t n = strlen(root);
	if (!real)
		return NULL;
	bool climbs = strstr(tail, "/../") || str_ends(str_from(tail), "/..");
	bool is_in = strncmp(real, root, n) == 0 && (real[n] == '/' || real[n] == 0 || n == 1);
	return is_in && !climbs ? arena_printf(a, "%s%s", real, tail) : NULL;
}

static bool is_tool(const struct opt_row *r)
{
	return str_ends(str_from(r->name), "-bin") || strcmp(r->name, "python") == 0 || strcmp(r->name, "cupti") == 0 ||
	       strcmp(r->name, "tool-path") == 0;
}

struct look { /* at one row of a request */
	struct arena *a;
	const char *root;
	bool takes_toolchain; /* flags of a compiler, which may name what belongs to compilers */
};

static bool path_is_allowed(const struct look *k, struct str word)
{
	struct stat st;
	if (word.n == 0)
		return true;
	if (word.p[0] == '~' || word.n >= PATH_MAX)
		return false;
	const char *path = arena_strndup(k->a, word.p, word.n);
	bool is_name = !strchr(path, '/') && strcmp(path, "..") != 0;
	if (is_name && (lstat(arena_printf(k->a, "%s/%s", k->root, path), &st) != 0 || !S_ISLNK(st.st_mode)))
		return true;
	if (mcp_path_inside(k->a, k->root, path))
		return true;
	const char *real = k->takes_toolchain && path[0] == '/' ? path_real(k->a, path) : NULL;
	return real && border_is_toolchain(k->a, real);
}

/* A word that begins with a dash: its path when it is joined to an option that takes one. An option that is not known may
 * not hold a path, since where it begins is not known either. */
static bool flag_is_allowed(const struct look *k, struct str word)
{
	static const char *const joined[] = {"-include",
					     "-imacros",
					     "-isystem",
					     "-iquote",
					     "-idirafter",
					     "-iprefix",
					     "-iwithprefixbefore",
					     "-iwithprefix",
					     "-isysroot",
					     "-iframework",
					     "-rpath-link",
					     "-rpath",
					     "-MF",
					     "-MT",
					     "-MQ",
					     "-I",
					     "-L",
					     "-B",
					     "-F",
					     "-T",
					     "-R",
					     "-o",
					     "-l",
					     "-x",
					     "-D",
					     "-U",
					     "-u",
					     "-e"};
	for (size_t i = 0; i < COUNT_OF(joined); i++) {
		if (str_starts(word, joined[i]))
			return path_is_allowed(k, str_sub(word, strlen(joined[i]), word.n));
	}
	return str_find_char(word, '/') == SIZE_MAX && str_find(word, STR("..")) == SIZE_MAX;
}

static bool word_is_inside(const struct look *k, struct str word)
{
	return word.n > 1 && word.p[0] == '-' ? flag_is_allowed(k, word) : path_is_allowed(k, word);
}

static bool text_is_inside(const struct look *k, struct str text)
{
	static const char separators[] = " \t\r\n=,:@;\"'";
	if (text.n > 0 && text.p[0] != '-' && str_find_char(text, '/') != SIZE_MAX && !path_is_allowed(k, text))
		return false;
	for (size_t from = 0; from < text.n;) {
		size_t n = 0;
		while (from + n < text.n && !strchr(separators, text.p[from + n]))
			n++;
		if (n > 0 && !word_is_inside(k, str_sub(text, from, n)))
			return false;
		from += n + 1;
	}
	return true;
}

/* `from`: the first element of an array that is looked at. */
static bool value_is_inside(const struct look *k, const struct json *v, size_t from)
{
	if (v->type == JSON_STRING)
		return text_is_inside(k, v->text);
	for (size_t i = from; v->type == JSON_ARRAY && i < v->n; i++) {
		if (v->items[i]->type == JSON_STRING && !text_is_inside(k, v->items[i]->text))
			return false;
	}
	return true;
}

bool mcp_inside_root(struct mcp *m, struct arena *a, const struct opt_spec *s, const struct json *request,
		     const char **why)
{
	for (size_t i = 0; i < request->n; i++) {
		struct str key = request->members[i].key;
		struct look k = {a, m->root, str_is(key, "flags")};
		bool is_exempt = false;
		size_t from = 0;
		for (size_t r = 0; r < s->n_rows; r++) {
			const struct opt_row *row = &s->rows[r];
			if (!str_is(key, opt_key(a, row)))
				continue;
			is_exempt = is_tool(row);
			from = row->type == OPT_COMMAND ? 1 : 0;
		}
		if (is_exempt || value_is_inside(&k, request->members[i].value, from))
			continue;
		*why = arena_printf(a,
				    "%.*s names a path outside the workspace %s, or joins one to an option that is not "
				    "known",
				    STR_ARG(key), m->root);
		return false;
	}
	return true;
}
