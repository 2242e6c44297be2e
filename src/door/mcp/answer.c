/* What a tool call returns: a few KB that say how the job stands and what it found, and a link to the rest.
 * In: a job. Out: the result of tools/call: structured content, the same as text, a resource link.
 * A long document is cut to a digest: scalars stay, deep and long parts become their counts; is_complete says which it is.
 * Never: changes a number. */
#include <unistd.h>

#include "base/clock.h"
#include "door/mcp/inside.h"

#define MOST_PARTS 256 /* of a document whose parts are weighed against each other */

static const char *meaning(int exit_status)
{
	static const struct {
		int status;
		const char *text;
	} rows[] = {{0, "done and passed"},
		    {1, "the measured thing failed; the word stands in the result"},
		    {2, "usage or invalid input"},
		    {3, "the environment is not ready"},
		    {4, "assay could not do its job"},
		    {130, "interrupted"}};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (rows[i].status == exit_status)
			return rows[i].text;
	}
	return "unknown exit status";
}

struct str mcp_job_document(struct arena *a, const struct mcp_job *job)
{
	if (job->out_fd < 0)
		return STR("");
	off_t end = lseek(job->out_fd, 0, SEEK_END);
	size_t n = end < 0 ? 0 : (size_t)end > MCP_MAX_RESULT ? MCP_MAX_RESULT : (size_t)end, got = 0;
	char *p = arena_alloc(a, n + 1);
	while (got < n) {
		ssize_t k = pread(job->out_fd, p + got, n - got, (off_t)got);
		if (k <= 0)
			break;
		got += (size_t)k;
	}
	return (struct str){p, got};
}

/* ---- digest ---- */

struct limits {
	size_t depth, n_items, n_text;
};

static struct json *cut(struct arena *a, const struct json *j, const struct limits *l, size_t depth)
{
	if (j->type == JSON_STRING && j->text.n > l->n_text)
		return json_new_str(
			a, str_from(arena_printf(a, "%.*s... [%zu bytes]", (int)l->n_text, j->text.p, j->text.n)));
	if (j->type == JSON_STRING)
		return json_new_str(a, j->text);
	if (j->type == JSON_ARRAY) {
		if (j->n > l->n_items || (depth >= l->depth && j->n > 0))
			return json_new_str(a, str_from(arena_printf(a, "[%zu items]", j->n)));
		struct json *out = json_array(a);
		for (size_t i = 0; i < j->n; i++)
			json_push(out, cut(a, j->items[i], l, depth + 1));
		return out;
	}
	if (j->type == JSON_OBJECT) {
		if (depth >= l->depth && j->n > 0)
			return json_new_str(a, str_from(arena_printf(a, "{%zu members}", j->n)));
		struct json *out = json_object(a);
		for (size_t i = 0; i < j->n; i++)
			json_put(out, j->members[i].key, cut(a, j->members[i].value, l, depth + 1));
		return out;
	}
	switch (j->type) {
	case JSON_BOOL:
		return json_new_bool(a, j->boolean);
	case JSON_INT:
		return json_new_i64(a, j->i);
	case JSON_UINT:
		return json_new_u64(a, j->u);
	case JSON_REAL:
		return json_new_f64(a, j->real);
	case JSON_NULL:
	case JSON_STRING:
	case JSON_ARRAY:
	case JSON_OBJECT:
		break;
	}
	return json_new_null(a);
}

static size_t size_of(const struct json *j)
{
	struct buf b;
	buf_init(&b);
	json_write(&b, j, JSON_COMPACT);
	size_t n = b.n;
	buf_release(&b);
	return n;
}

/* What a record is about: these parts come first. */
static bool is_first(struct str key)
{
	static const char *const names[] = {"verdict", "kernel", "correctness", "pairs", "comparisons", "cards"};
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (str_is(key, names[i]))
			return true;
	}
	return false;
}

/* Of an object that is cut to its own scalars: its parts in more detail, first those that it is about, then the smallest,
 * while they fit. */
static void widen(struct arena *a, struct json *out, const struct json *document, size_t max_bytes)
{
	static const struct limits detail = {3, 8, 240};
	size_t used = size_of(out);
	bool *done = ARENA_ARRAY(a, document->n + 1, bool);
	for (;;) {
		struct json *best = NULL;
		size_t least = SIZE_MAX, at = 0;
		for (size_t i = 0; i < document->n; i++) {
			const struct json *v = document->members[i].value;
			if (done[i] || (v->type != JSON_OBJECT && v->type != JSON_ARRAY))
				continue;
			struct json *part = cut(a, v, &detail, 0);
			size_t n = size_of(part), rank = is_first(document->members[i].key) ? n : n + max_bytes;
			if (rank < least) {
				least = rank;
				best = part;
				at = i;
			}
		}
		if (!best)
			return;
		done[at] = true;
		if (used + size_of(best) > max_bytes)
			continue;
		used += size_of(best);
		json_put(out, document->members[at].key, best);
	}
}

struct json *mcp_digest(struct arena *a, const struct json *document, size_t max_bytes)
{
	static const struct limits tries[] = {{6, 32, 800}, {5, 16, 400}, {4, 12, 240}, {1, 0, 160}, {1, 0, 40}};
	for (size_t i = 0; i < COUNT_OF(tries); i++) {
		struct json *out = cut(a, document, &tries[i], 0);
		if (size_of(out) > max_bytes)
			continue;
		if (tries[i].depth == 1 && document->type == JSON_OBJECT && document->n <= MOST_PARTS)
			widen(a, out, document, max_bytes);
		return out;
	}
	struct json *out = json_object(a);
	json_set_cstr(out, "text", arena_printf(a, "[%zu bytes]", size_of(document)));
	return out;
}

/* ---- answers ---- */

static void add_text(struct json *content, const char *text)
{
	struct json *t = json_object(content->arena);
	json_set_cstr(t, "type", "text");
	json_set_cstr(t, "text", text);
	json_push(content, t);
}

static void add_link(struct json *content, struct str uri, const char *title)
{
	struct json *l = json_object(content->arena);
	json_set_cstr(l, "type", "resource_link");
	json_set_str(l, "uri", uri);
	json_set_cstr(l, "name", title);
	json_set_cstr(l, "mimeType", "application/json");
	json_push(content, l);
}

struct json *mcp_tool_answer(struct arena *a, enum mcp_version v, struct json *structured, bool is_error)
{
	struct json *r = mcp_result(a, v, false), *content = json_set_array(r, "content");
	struct buf text;
	buf_init(&text);
	json_write(&text, structured, JSON_COMPACT);
	add_text(content, arena_strndup(a, text.p, text.n));
	buf_release(&text);
	struct str uri = json_str(structured, "resource", STR(""));
	if (uri.n && v >= MCP_2025_06_18)
		add_link(content, uri, "the whole document");
	if (v >= MCP_2025_06_18)
		json_set(r, "structuredContent", structured);
	json_set_bool(r, "isError", is_error);
	return r;
}

struct json *mcp_tool_failure(struct arena *a, enum mcp_version v, const char *tool, const char *text)
{
	struct json *s = json_object(a), *error = json_set_object(s, "error");
	json_set_cstr(s, "tool", tool);
	json_set_cstr(s, "state", "refused");
	json_set_i64(s, "exit_status", 2);
	json_set_cstr(error, "code", "invalid_input");
	json_set_cstr(error, "text", text);
	return mcp_tool_answer(a, v, s, true);
}

static void put_document(struct mcp_job *job, struct json *s)
{
	struct arena *a = s->arena;
	struct err e = {ERR_NONE, ""};
	struct str text = str_trim(mcp_job_document(a, job));
	struct json *document = text.n ? json_parse(a, "result", text, JSON_ALLOW_NAN, &e) : NULL;
	if (document && json_get(document, "error") && document->n == 2) {
		json_set(s, "error", json_get(document, "error"));
		return;
	}
	if (text.n && (!document || document->type != JSON_OBJECT)) {
		struct json *whole = json_object(a);
		if (document)
			json_set(whole, "items", document);
		else
			json_set_str(whole, "text", text);
		document = whole;
	}
	if (!document) {
		if (job->n_said || *job->said)
			json_set_cstr(json_set_object(s, "error"), "text", job->said);
		return;
	}
	bool is_whole = size_of(document) <= MCP_DIGEST_BYTES;
	json_set(s, "result", is_whole ? document : mcp_digest(a, document, MCP_DIGEST_BYTES));
	json_set_bool(s, "is_complete", is_whole);
	json_set_u64(s, "bytes", text.n);
	if (!is_whole)
		job->is_kept = true;
	if (job->is_kept)
		json_set_cstr(s, "resource", arena_printf(a, "assay://result/%s", mcp_job_name(a, job)));
}

struct json *mcp_job_answer(struct arena *a, struct mcp_job *job, enum mcp_version v)
{
	struct json *s = json_object(a);
	bool is_over = mcp_job_is_over(job);
	int64_t end = is_over && job->end_ns ? job->end_ns : clock_ns();
	json_set_cstr(s, "tool", job->verb->spec->verb);
	json_set_cstr(s, "state", mcp_state_name(job));
	json_set_cstr(s, "command", job->command);
	json_set_f64(s, "seconds", (double)(end - job->start_ns) / 1e9);
	if (job->is_kept || !is_over)
		json_set_cstr(s, "job", mcp_job_name(a, job));
	if (!is_over && *job->said)
		json_set_cstr(s, "said", job->said);
	if (job->state == MCP_ENDED) {
		json_set_i64(s, "exit_status", job->exit_status);
		json_set_cstr(s, "meaning",
			      job->signal ? arena_printf(a, "ended by signal %d", job->signal)
					  : meaning(job->exit_status));
		put_document(job, s);
	}
	return mcp_tool_answer(a, v, s, job->state == MCP_ENDED && job->exit_status > 1);
}

static void property(struct json *p, const char *name, const char *type, const char *text)
{
	struct json *x = json_set_object(p, name);
	json_set_cstr(x, "type", type);
	json_set_cstr(x, "description", text);
}

struct json *mcp_answer_schema(struct arena *a)
{
	struct json *s = json_object(a), *p = json_set_object(s, "properties");
	json_set_cstr(s, "type", "object");
	property(p, "tool", "string", "The tool that was called.");
	property(p, "state", "string", "queued, running, ended, cancelled or refused.");
	property(p, "exit_status", "integer",
		 "0 passed, 1 the measured thing failed, 2 usage, 3 environment, 4 assay failed, 130 interrupted.");
	property(p, "meaning", "string", "The exit status in words.");
	property(p, "command", "string", "The same call as a command line.");
	property(p, "seconds", "number", "Wall time so far.");
	property(p, "job", "string", "Handle for the tools job and job_cancel.");
	property(p, "said", "string", "The last line of progress.");
	property(p, "resource", "string", "Where the whole document can be read.");
	property(p, "bytes", "integer", "Size of the whole document.");
	property(p, "is_complete", "boolean", "Whether `result` is the whole document or a digest of it.");
	property(p, "result", "object", "The verb's document; in a digest long parts are replaced by their counts.");
	property(p, "error", "object", "{code, text}: why assay could not do it.");
	struct json *required = json_set_array(s, "required");
	json_push_str(required, STR("tool"));
	json_push_str(required, STR("state"));
	return s;
}
