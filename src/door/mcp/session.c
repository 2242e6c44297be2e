/* One message of a client: what it asks, and the answer.
 * In: one line. Out: lines in the server's buffer.
 * A request whose _meta names a version is answered in it; else the session's version holds, from `initialize`.
 * Never: answers a notification. */
#include <stdarg.h>

#include "base/version.h"
#include "door/mcp/inside.h"

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define LAST_SESSION MCP_2025_11_25

static const char *const version_names[] = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"};

const char *mcp_version_name(enum mcp_version v)
{
	return version_names[v];
}

struct json *mcp_fail(struct mcp_request *q, enum mcp_error code, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	q->code = code;
	q->message = arena_strdup(q->a, text);
	return NULL;
}

struct json *mcp_result(struct arena *a, enum mcp_version v, bool is_cached)
{
	struct json *j = json_object(a);
	if (v < MCP_2026_07_28)
		return j;
	json_set_cstr(j, "resultType", "complete");
	if (is_cached) {
		json_set_i64(j, "ttlMs", 0);
		json_set_cstr(j, "cacheScope", "private");
	}
	return j;
}

bool mcp_cursor(struct mcp_request *q, size_t n_items, size_t *out)
{
	const struct json *c = json_get(q->params, "cursor");
	uint64_t at = 0;
	*out = 0;
	if (!c)
		return true;
	if (c->type != JSON_STRING || !str_u64(c->text, &at) || at == 0 || at >= n_items) {
		mcp_fail(q, MCP_BAD_PARAMS, "cursor: not one of ours");
		return false;
	}
	*out = (size_t)at;
	return true;
}

void mcp_next_cursor(struct json *result, size_t at, size_t n_items)
{
	if (at < n_items)
		json_set_cstr(result, "nextCursor", arena_printf(result->arena, "%zu", at));
}

static const char *instructions(struct mcp_request *q)
{
	return arena_printf(
		q->a,
		"assay checks, measures, profiles and compares GPU and CPU kernels and returns facts with their "
		"numbers. "
		"Workspace: %s; paths outside it are refused. Verbs that take minutes return a job handle at once; "
		"the tool `job` waits for it and returns its result. One measurement runs at a time. "
		"The prompts optimize_operator and optimize_workload say how the loops go; assay://doc/ holds the "
		"references.",
		q->m->root);
}

static void put_capabilities(struct json *result)
{
	static const char *const names[] = {"tools", "resources", "prompts"};
	struct json *c = json_set_object(result, "capabilities");
	for (size_t i = 0; i < COUNT_OF(names); i++)
		json_set_bool(json_set_object(c, names[i]), "listChanged", false);
}

static void put_server(struct json *server)
{
	json_set_cstr(server, "name", "assay");
	json_set_cstr(server, "title", "assay: is the kernel right, is it faster");
	json_set_cstr(server, "version", version_number());
}

static struct json *initialize(struct mcp_request *q)
{
	struct str wanted = json_str(q->params, "protocolVersion", STR(""));
	if (wanted.n == 0)
		return mcp_fail(q, MCP_BAD_PARAMS, "initialize: protocolVersion is missing");
	q->m->version = LAST_SESSION;
	for (int v = 0; v <= LAST_SESSION; v++) {
		if (str_is(wanted, version_names[v]))
			q->m->version = (enum mcp_version)v;
	}
	q->m->has_session = true;
	struct json *result = json_object(q->a);
	json_set_cstr(result, "protocolVersion", version_names[q->m->version]);
	put_capabilities(result);
	put_server(json_set_object(result, "serverInfo"));
	json_set_cstr(result, "instructions", instructions(q));
	return result;
}

static struct json *discover(struct mcp_request *q)
{
	struct json *result = mcp_result(q->a, q->version, true);
	json_push_str(json_set_array(result, "supportedVersions"), str_from(version_names[MCP_2026_07_28]));
	put_capabilities(result);
	put_server(json_set_object(json_set_object(result, "_meta"), "io.modelcontextprotocol/serverInfo"));
	json_set_cstr(result, "instructions", instructions(q));
	return result;
}

static struct json *ping(struct mcp_request *q)
{
	return json_object(q->a);
}

static const struct method {
	const char *name;
	mcp_method *run;
	enum mcp_version first, last;
} methods[] = {
	{"initialize", initialize, MCP_2024_11_05, MCP_2025_11_25},
	{"ping", ping, MCP_2024_11_05, MCP_2025_11_25},
	{"server/discover", discover, MCP_2026_07_28, MCP_2026_07_28},
	{"tools/list", mcp_tools_list, MCP_2024_11_05, MCP_2026_07_28},
	{"tools/call", mcp_tools_call, MCP_2024_11_05, MCP_2026_07_28},
	{"resources/list", mcp_resources_list, MCP_2024_11_05, MCP_2026_07_28},
	{"resources/read", mcp_resources_read, MCP_2024_11_05, MCP_2026_07_28},
	{"resources/templates/list", mcp_resources_templates, MCP_2024_11_05, MCP_2026_07_28},
	{"prompts/list", mcp_prompts_list, MCP_2024_11_05, MCP_2026_07_28},
	{"prompts/get", mcp_prompts_get, MCP_2024_11_05, MCP_2026_07_28},
};

/* The version of a request; false and the failure set when it has none. */
static bool find_version(struct mcp_request *q, struct str method)
{
	const struct json *meta = json_get(q->params, "_meta");
	const struct json *named = json_get(meta, META_VERSION);
	q->version = q->m->version;
	if (!named) {
		if (q->m->has_session || str_is(method, "initialize") || str_is(method, "ping"))
			return true;
		mcp_fail(q, MCP_BAD_PARAMS, "neither a session (initialize) nor _meta." META_VERSION " (%s)",
			 version_names[MCP_2026_07_28]);
		return false;
	}
	if (named->type != JSON_STRING || !str_is(named->text, version_names[MCP_2026_07_28])) {
		q->data = json_object(q->a);
		json_push_str(json_set_array(q->data, "supported"), str_from(version_names[MCP_2026_07_28]));
		json_set_str(q->data, "requested", named->type == JSON_STRING ? named->text : STR("?"));
		mcp_fail(q, MCP_BAD_VERSION, "unsupported protocol version");
		return false;
	}
	q->version = MCP_2026_07_28;
	if (!json_get(meta, META_CAPABILITIES)) {
		mcp_fail(q, MCP_BAD_PARAMS, "_meta." META_CAPABILITIES " is missing");
		return false;
	}
	return true;
}

static struct json *dispatch(struct mcp_request *q, struct str method)
{
	if (q->params && q->params->type != JSON_OBJECT)
		return mcp_fail(q, MCP_BAD_PARAMS, "params must be an object");
	if (mcp_is_waiting(q->m, q->id))
		return mcp_fail(q, MCP_INVALID, "a request with this id is in flight");
	if (!find_version(q, method))
		return NULL;
	const struct json *token = json_get(json_get(q->params, "_meta"), "progressToken");
	q->token = token && (token->type == JSON_STRING || token->type == JSON_INT) ? token : NULL;
	for (size_t i = 0; i < COUNT_OF(methods); i++) {
		const struct method *m = &methods[i];
		if (str_is(method, m->name) && q->version >= m->first && q->version <= m->last)
			return m->run(q);
	}
	char shown[STR_SHOWN];
	return mcp_fail(q, MCP_NO_METHOD, "no method %s in %s", str_shown(shown, method), version_names[q->version]);
}

static void notification(struct mcp *m, struct str method, const struct json *params)
{
	if (str_is(method, "notifications/cancelled") && json_get(params, "requestId"))
		mcp_cancel_request(m, json_get(params, "requestId"));
}

static bool is_id(const struct json *id)
{
	return id && (id->type == JSON_STRING || id->type == JSON_INT || id->type == JSON_UINT);
}

static void take_message(struct mcp *m, struct arena *a, const struct json *j)
{
	const struct json *id = json_get(j, "id"), *method = json_get(j, "method");
	struct mcp_request q = {.m = m, .a = a, .id = is_id(id) ? id : NULL, .params = json_get(j, "params")};
	bool is_response = j->type == JSON_OBJECT && !method && (json_get(j, "result") || json_get(j, "error"));
	if (is_response)
		return; /* the server asks nothing */
	if (!method || method->type != JSON_STRING || !str_is(json_str(j, "jsonrpc", STR("")), "2.0") ||
	    (id && !q.id)) {
		mcp_fail(&q, MCP_INVALID,
			 "not a JSON-RPC 2.0 request: jsonrpc, method and an id that is a string or an integer");
		mcp_send_error(m, a, &q);
		return;
	}
	if (!id) {
		notification(m, method->text, q.params);
		return;
	}
	struct json *result = dispatch(&q, method->text);
	if (result)
		mcp_send_result(m, a, id, result);
	else if (!q.is_deferred)
		mcp_send_error(m, a, &q);
}

void mcp_take_line(struct mcp *m, struct str line)
{
	struct arena a;
	struct err e = {ERR_NONE, ""};
	arena_init(&a);
	const struct json *j = json_parse(&a, "message", line, JSON_STRICT, &e);
	struct mcp_request q = {.m = m, .a = &a};
	bool is_batch = j && j->type == JSON_ARRAY && m->has_session && m->version == MCP_2025_03_26 && j->n > 0;
	if (!j) {
		mcp_fail(&q, MCP_PARSE, "parse error: %s", e.text);
		mcp_send_error(m, &a, &q);
	} else if (is_batch) {
		for (size_t i = 0; i < j->n; i++)
			take_message(m, &a, j->items[i]);
	} else {
		take_message(m, &a, j);
	}
	arena_release(&a);
}
