/* Resources: the references and skills that the program carries, the runs of the workspace, the documents of jobs.
 * In: resources/list, resources/read. Out: texts.
 * URIs: assay://doc/PATH, assay://run/RUN/FILE, assay://result/JOB.
 * Never: reads outside the workspace. */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/file.h"
#include "base/plain.h"
#include "base/utf8.h"
#include "door/mcp/inside.h"
#include "verb/documents.h"

#define PAGE 50
#define MAX_TEXT ((size_t)4 << 20)
#define DOC "assay://doc/"
#define RUN "assay://run/"
#define RESULT "assay://result/"

static const char *const run_files[] = {"run_manifest.json", "final_summary.md", "preflight_check.json"};

static const char *mime(const char *path)
{
	static const char *const rows[][2] = {
		{".md", "text/markdown"}, {".json", "application/json"}, {".html", "text/html"}};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (strcmp(path_ext(path), rows[i][0]) == 0)
			return rows[i][1];
	}
	return "text/plain";
}

static void add(struct json *list, const char *prefix, const char *path)
{
	struct json *r = json_object(list->arena);
	json_set_cstr(r, "uri", arena_printf(list->arena, "%s%s", prefix, path));
	json_set_cstr(r, "name", path);
	json_set_cstr(r, "mimeType", mime(path));
	json_push(list, r);
}

static void add_runs(struct mcp_request *q, struct json *list)
{
	struct err e;
	size_t n = 0;
	const char *folder = path_join(q->a, q->m->root, MCP_RUNS), *real = path_real(q->a, folder);
	if (!real || strcmp(real, folder) != 0)
		return; /* a link leads elsewhere */
	char **names = file_list(q->a, folder, &n, &e);
	for (size_t i = n; names && i-- > 0;) {
		for (size_t k = 0; k < COUNT_OF(run_files); k++) {
			const char *path = arena_printf(q->a, "%s/%s", names[i], run_files[k]);
			if (file_exists(path_join(q->a, folder, path)))
				add(list, RUN, path);
		}
	}
}

struct json *mcp_resources_list(struct mcp_request *q)
{
	struct json *all = json_array(q->a);
	const char *path;
	struct str text;
	size_t at;
	for (size_t i = 0; verb_document(i, &path, &text); i++)
		add(all, DOC, path);
	for (const struct mcp_job *j = q->m->jobs; j; j = j->next) {
		if (j->is_kept && j->state == MCP_ENDED)
			add(all, RESULT, mcp_job_name(q->a, j));
	}
	add_runs(q, all);
	if (!mcp_cursor(q, all->n, &at))
		return NULL;
	struct json *result = mcp_result(q->a, q->version, true), *list = json_set_array(result, "resources");
	for (size_t end = at + PAGE; at < all->n && at < end; at++)
		json_push(list, all->items[at]);
	mcp_next_cursor(result, at, all->n);
	return result;
}

struct json *mcp_resources_templates(struct mcp_request *q)
{
	static const char *const rows[][2] = {
		{RUN "{run}/{+file}", "A text file of a run folder: iter_v2/full_summary.txt"},
		{RESULT "{job}", "The whole document of a job"},
		{DOC "{+path}", "A skill or reference document"}};
	struct json *result = mcp_result(q->a, q->version, true);
	struct json *list = json_set_array(result, "resourceTemplates");
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct json *t = json_object(q->a);
		json_set_cstr(t, "uriTemplate", rows[i][0]);
		json_set_cstr(t, "name", rows[i][1]);
		json_push(list, t);
	}
	return result;
}

static bool read_document(struct str path, struct str *out)
{
	const char *name;
	for (size_t i = 0; verb_document(i, &name, out); i++) {
		if (str_is(path, name))
			return true;
	}
	return false;
}

/* Opened part by part from the workspace on, so that a link put there meanwhile leads nowhere. */
static bool read_run(struct mcp_request *q, struct str path, struct str *out)
{
	const char *runs = path_join(q->a, q->m->root, MCP_RUNS);
	const char *real = path.n < PATH_MAX ? mcp_path_inside(q->a, runs, arena_strndup(q->a, path.p, path.n)) : NULL;
	struct err e;
	int fd = real && strlen(real) > strlen(runs) ? beneath_open(runs, real + strlen(runs) + 1, &e) : -1;
	bool ok = fd >= 0 && plain_read(q->a, out, fd, real, MAX_TEXT, &e) && utf8_is_valid(*out);
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool read_result(struct mcp_request *q, struct str name, struct str *out)
{
	const struct mcp_job *job = mcp_job_find(q->m, name);
	if (!job || job->state != MCP_ENDED)
		return false;
	*out = mcp_job_document(q->a, job);
	return utf8_is_valid(*out);
}

static struct str behind(struct str uri, const char *prefix)
{
	size_t n = strlen(prefix);
	return str_sub(uri, n, uri.n - n);
}

struct json *mcp_resources_read(struct mcp_request *q)
{
	struct str uri = json_str(q->params, "uri", STR("")), text = STR("");
	bool ok = false;
	if (str_starts(uri, DOC))
		ok = read_document(behind(uri, DOC), &text);
	else if (str_starts(uri, RUN))
		ok = read_run(q, behind(uri, RUN), &text);
	else if (str_starts(uri, RESULT))
		ok = read_result(q, behind(uri, RESULT), &text);
	if (!ok) {
		char shown[STR_SHOWN];
		q->data = json_object(q->a);
		json_set_str(q->data, "uri", uri);
		return mcp_fail(q, q->version < MCP_2026_07_28 ? MCP_NO_RESOURCE : MCP_BAD_PARAMS,
				"there is no text resource %s", str_shown(shown, uri));
	}
	struct json *result = mcp_result(q->a, q->version, true), *c = json_object(q->a);
	bool is_result = str_starts(uri, RESULT);
	json_push(json_set_array(result, "contents"), c);
	json_set_str(c, "uri", uri);
	json_set_cstr(c, "mimeType", is_result ? "application/json" : mime(arena_strndup(q->a, uri.p, uri.n)));
	json_set_str(c, "text", text);
	return result;
}
