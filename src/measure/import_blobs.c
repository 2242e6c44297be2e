/* Tensors that lie in files of their own.
 * In: a problem with its workloads. Out: descriptors of the files that they name.
 * The problem's process is in a sandbox and sees these bytes alone.
 * Never: reads what is in them. */
#include "measure/import_blobs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

struct search {
	struct import_blobs *out;
	struct arena *arena;
	const struct import_problem *problem;
	struct str definition;
	int64_t bytes;
};

static bool leaves(struct str path)
{
	struct str part;
	if (path.n == 0 || path.p[0] == '/')
		return true;
	while (str_split(&path, '/', &part)) {
		if (str_is(part, ".."))
			return true;
	}
	return false;
}

/* Beside the definition; else in the root of the data set, two folders above definitions/<op_type>. */
static const char *find(struct search *s, const char *path)
{
	static const char *const roots[] = {".", "../..", "..", "../../.."};
	const char *folder = path_dir(s->arena, s->problem->path);
	for (size_t i = 0; i < COUNT_OF(roots); i++) {
		const char *full = path_join(s->arena, path_join(s->arena, folder, roots[i]), path);
		if (file_exists(full) && !file_is_dir(full))
			return full;
	}
	return NULL;
}

static const char *open_one(struct search *s, struct str name, int *fd)
{
	struct arena *a = s->arena;
	const char *path = leaves(name) ? NULL : find(s, arena_strndup(a, name.p, name.n));
	struct stat st;
	if (leaves(name))
		return "the path leaves the data set";
	if (!path)
		return "no such file beside the definition or in the root of its data set";
	if (s->out->n == IMPORT_MOST_BLOBS)
		return arena_printf(a, "it is beyond the first %d files of tensors", IMPORT_MOST_BLOBS);
	int got = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for its writer */
	if (got < 0)
		return arena_printf(a, "%s: %s", path, strerror(errno));
	const char *why = NULL;
	if (fstat(got, &st) != 0 || !S_ISREG(st.st_mode))
		why = arena_printf(a, "%s: is no plain file", path);
	else if (st.st_size > ((int64_t)IMPORT_BLOB_MIB << 20) - s->bytes)
		why = arena_printf(a, "%lld MiB; %d MiB of all workloads together are read",
				   (long long)((s->bytes + st.st_size + (1 << 20) - 1) >> 20), IMPORT_BLOB_MIB);
	if (why) {
		close(got);
		return why;
	}
	s->bytes += st.st_size;
	*fd = got;
	return NULL;
}

static void add(struct search *s, struct str name)
{
	int fd = -1;
	const char *key = arena_strndup(s->arena, name.p, name.n);
	if (json_get(s->out->list, key))
		return;
	const char *why = open_one(s, name, &fd);
	struct json *x = json_set_object(s->out->list, key);
	if (why) {
		json_set_cstr(x, "why", why);
		return;
	}
	json_set_i64(x, "fd", fd);
	s->out->fds[s->out->n++] = fd;
}

/* What is no workload is left to the adapter, which says so. */
static void add_line(struct search *s, struct str line)
{
	struct err ignored;
	struct json *j = json_parse(s->arena, "workload", line, JSON_STRICT, &ignored);
	struct json *w = j ? json_get(j, "workload") : NULL, *inputs = j ? json_get(w ? w : j, "inputs") : NULL;
	struct str solves = j ? json_str(j, "definition", s->definition) : STR("");
	if (!inputs || inputs->type != JSON_OBJECT || !str_eq(solves, s->definition))
		return;
	for (size_t i = 0; i < inputs->n; i++) {
		const struct json *x = inputs->members[i].value;
		struct str path = x->type == JSON_OBJECT ? json_str(x, "path", STR("")) : STR("");
		if (path.n && str_is(json_str(x, "type", STR("")), "safetensors"))
			add(s, path);
	}
}

void import_blobs_open(struct import_blobs *out, struct arena *a, const struct import_problem *p)
{
	struct err ignored;
	*out = (struct import_blobs){.list = json_object(a)};
	struct str text = json_str(p->sources, path_base(p->path), STR("")), line;
	const struct json *definition = json_parse(a, "definition", text, JSON_STRICT, &ignored);
	struct search s = {.out = out,
			   .arena = a,
			   .problem = p,
			   .definition = definition ? json_str(definition, "name", STR("")) : STR("")};
	for (size_t i = 0; definition && i < p->sources->n; i++) {
		if (!str_ends(p->sources->members[i].key, ".jsonl"))
			continue;
		text = p->sources->members[i].value->text;
		while (str_split(&text, '\n', &line))
			add_line(&s, line);
	}
}

void import_blobs_close(struct import_blobs *b)
{
	for (size_t i = 0; i < b->n; i++)
		close(b->fds[i]);
	b->n = 0;
}
