/* The tools: the verbs, and three that handle jobs.
 * In: tools/list and tools/call. Out: schemas made from option rows; jobs.
 * A call is checked as the command line is, by the same rows, and then by the workspace border.
 * Never: offers what only a person's shell has use for, nor a row that runs a command of the caller's in a loop. */
#include "base/proc.h"
#include "door/mcp/inside.h"
#include "door/quote.h"

#define TOOLS_PAGE 40
#define WAIT_MAX 3600

static bool is_tool(const struct verb *v)
{
	return !(v->flags & (VERB_HIDDEN | VERB_PERSON | VERB_DOOR));
}

/* Rows that the protocol has itself, or that an agent is in place of. */
static bool is_left_out(const char *key)
{
	static const char *const keys[] = {"json", "quiet", "verbose", "color", "proposer", "proposer_timeout"};
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		if (strcmp(keys[i], key) == 0)
			return true;
	}
	return false;
}

static void number_property(struct json *properties, const char *name, const char *text)
{
	struct json *p = json_set_object(properties, name);
	json_set_cstr(p, "type", "number");
	json_set_i64(p, "minimum", 0);
	json_set_i64(p, "maximum", WAIT_MAX);
	json_set_cstr(p, "description", text);
}

static struct json *input_schema(struct arena *a, const struct verb *v)
{
	struct json *s = opt_schema(v->spec, a), *from = json_get(s, "properties"), *to = json_object(a);
	for (size_t i = 0; i < from->n; i++) {
		if (!is_left_out(from->members[i].key.p))
			json_put(to, from->members[i].key, from->members[i].value);
	}
	if (v->flags & VERB_LONG)
		number_property(
			to, "wait_s",
			"Seconds to wait for the result in this call; 0 or absent: return the job handle at once.");
	json_set(s, "properties", to);
	return s;
}

static const char *description(struct arena *a, const struct verb *v)
{
	const struct opt_spec *s = v->spec;
	struct buf b;
	buf_init(&b);
	buf_puts(&b, s->summary);
	if (s->notes)
		buf_printf(&b, " %s", s->notes);
	if (v->flags & VERB_LONG)
		buf_puts(&b, " Takes seconds to minutes: returns a job handle, see `job`.");
	if (s->examples && s->examples[0])
		buf_printf(&b, " As a command line: %s", s->examples[0]);
	const char *text = arena_strndup(a, b.p, b.n);
	buf_release(&b);
	return text;
}

static struct json *tool(struct arena *a, const char *name, const char *text, unsigned flags)
{
	struct json *t = json_object(a), *hints = json_set_object(t, "annotations");
	json_set_cstr(t, "name", name);
	json_set_cstr(t, "title", arena_printf(a, "assay %s", name));
	json_set_cstr(t, "description", text);
	json_set_bool(hints, "readOnlyHint", flags & VERB_READ_ONLY);
	json_set_bool(hints, "destructiveHint", flags & VERB_DESTRUCTIVE);
	json_set_bool(hints, "idempotentHint", flags & VERB_READ_ONLY);
	json_set_bool(hints, "openWorldHint", false);
	return t;
}

struct job_tool {
	const char *name, *text;
	unsigned flags;
	bool takes_job, waits;
	mcp_method *run;
};
static mcp_method job_status, job_list, job_cancel;
static const struct job_tool job_tools[] = {
	{"job", "Says how a job stands; waits for its end up to wait_s (30) and returns its result.", VERB_READ_ONLY,
	 true, true, job_status},
	{"jobs", "Lists the jobs of this session, newest first.", VERB_READ_ONLY, false, false, job_list},
	{"job_cancel", "Ends a job; what it measured so far is dropped.", VERB_DESTRUCTIVE, true, false, job_cancel},
};

static struct json *job_tool_schema(struct arena *a, const struct job_tool *t)
{
	struct json *s = json_object(a), *p = json_set_object(s, "properties"),
		    *required = json_set_array(s, "required");
	json_set_cstr(s, "type", "object");
	json_set_bool(s, "additionalProperties", false);
	if (t->takes_job) {
		struct json *job = json_set_object(p, "job");
		json_set_cstr(job, "type", "string");
		json_set_cstr(job, "description", "Handle that the call returned, as in j3.");
		json_push_str(required, STR("job"));
	}
	if (t->waits)
		number_property(p, "wait_s", "Seconds to wait for its end; without it 30.");
	return s;
}

static void add_output(struct json *t, const struct mcp_request *q, bool is_list)
{
	if (q->version < MCP_2025_06_18)
		return;
	struct json *s = is_list ? json_object(q->a) : mcp_answer_schema(q->a);
	if (is_list) {
		json_set_cstr(s, "type", "object");
		json_set_cstr(json_set_object(json_set_object(s, "properties"), "jobs"), "type", "array");
	}
	json_set(t, "outputSchema", s);
}

static struct json *tool_at(struct mcp_request *q, size_t at)
{
	for (size_t i = 0; verb_table[i]; i++) {
		const struct verb *v = verb_table[i];
		if (!is_tool(v) || at-- > 0)
			continue;
		struct json *t = tool(q->a, v->spec->verb, description(q->a, v), v->flags);
		json_set(t, "inputSchema", input_schema(q->a, v));
		add_output(t, q, false);
		return t;
	}
	const struct job_tool *j = &job_tools[at];
	struct json *t = tool(q->a, j->name, j->text, j->flags);
	json_set(t, "inputSchema", job_tool_schema(q->a, j));
	add_output(t, q, j->run == job_list);
	return t;
}

struct json *mcp_tools_list(struct mcp_request *q)
{
	size_t n = COUNT_OF(job_tools), at;
	for (size_t i = 0; verb_table[i]; i++)
		n += is_tool(verb_table[i]);
	if (!mcp_cursor(q, n, &at))
		return NULL;
	struct json *result = mcp_result(q->a, q->version, true), *list = json_set_array(result, "tools");
	for (size_t end = at + TOOLS_PAGE; at < n && at < end; at++)
		json_push(list, tool_at(q, at));
	mcp_next_cursor(result, at, n);
	return result;
}

/* ---- calls ---- */

static struct json *refuse(struct mcp_request *q, const char *tool_name, const char *text)
{
	return mcp_tool_failure(q->a, q->version, tool_name, text);
}

static const struct json *arguments(const struct mcp_request *q)
{
	const struct json *x = json_get(q->params, "arguments");
	return x ? x : json_object(q->a);
}

static struct mcp_job *wanted_job(struct mcp_request *q, const char **why)
{
	const struct json *args = arguments(q), *name = json_get(args, "job"), *wait = json_get(args, "wait_s");
	*why = NULL;
	for (size_t i = 0; i < args->n; i++) {
		if (!str_is(args->members[i].key, "job") && !str_is(args->members[i].key, "wait_s"))
			*why = "arguments: job, and for the tool job also wait_s";
	}
	if (!name || name->type != JSON_STRING)
		*why = "\"job\" is missing: the handle that a call returned, as in \"j3\"";
	if (wait && (!json_is_number(wait) || wait->real < 0 || wait->real > WAIT_MAX))
		*why = "\"wait_s\" must be a number, 0..3600";
	struct mcp_job *job = *why ? NULL : mcp_job_find(q->m, name->text);
	if (!job && !*why)
		*why = arena_printf(q->a, "there is no job \"%.*s\"; the tool jobs lists them", STR_ARG(name->text));
	return job;
}

static struct json *job_status(struct mcp_request *q)
{
	const char *why;
	struct mcp_job *job = wanted_job(q, &why);
	if (!job)
		return refuse(q, "job", why);
	mcp_job_wait(q, job, json_f64(arguments(q), "wait_s", 30), false);
	return NULL;
}

static struct json *job_cancel(struct mcp_request *q)
{
	const char *why;
	struct mcp_job *job = wanted_job(q, &why);
	if (!job)
		return refuse(q, "job_cancel", why);
	mcp_job_cancel(job);
	mcp_job_wait(q, job, 10, false);
	return NULL;
}

static struct json *job_list(struct mcp_request *q)
{
	struct json *s = json_object(q->a), *list = json_set_array(s, "jobs");
	for (const struct mcp_job *j = q->m->jobs; j && list->n < 50; j = j->next) {
		if (!j->is_kept)
			continue;
		struct json *x = json_object(q->a);
		json_set_cstr(x, "job", mcp_job_name(q->a, j));
		json_set_cstr(x, "tool", j->verb->spec->verb);
		json_set_cstr(x, "state", mcp_state_name(j));
		json_set_cstr(x, "command", j->command);
		if (j->state == MCP_ENDED)
			json_set_i64(x, "exit_status", j->exit_status);
		json_push(list, x);
	}
	return mcp_tool_answer(q->a, q->version, s, false);
}

/* The arguments without wait_s, in the job's arena; NULL and why when one is not the caller's to give. */
static struct json *request_of(struct mcp_job *job, const struct json *args, double *wait_s, const char **why)
{
	bool is_long = job->verb->flags & VERB_LONG;
	struct err e = {ERR_NONE, ""};
	struct buf text;
	*wait_s = 0;
	*why = NULL;
	buf_init(&text);
	json_write(&text, args, JSON_COMPACT);
	if (text.n > MCP_MAX_ARGUMENTS) {
		*why = arena_printf(&job->arena, "arguments take %zu bytes; at most %zu are taken", text.n,
				    MCP_MAX_ARGUMENTS);
		buf_release(&text);
		return NULL;
	}
	const char *copy = arena_strndup(&job->arena, text.p, text.n);
	struct json *all = json_parse(&job->arena, "arguments", (struct str){copy, text.n}, JSON_STRICT, &e);
	buf_release(&text);
	struct json *out = all && all->type == JSON_OBJECT ? json_object(&job->arena) : NULL;
	if (!out)
		*why = "arguments must be an object";
	for (size_t i = 0; out && i < all->n; i++) {
		const struct json_member *x = &all->members[i];
		if (is_long && str_is(x->key, "wait_s")) {
			*wait_s = json_is_number(x->value) ? x->value->real : -1;
			if (*wait_s < 0 || *wait_s > WAIT_MAX)
				*why = "\"wait_s\" must be a number, 0..3600";
		} else if (is_left_out(x->key.p)) {
			*why = arena_printf(&job->arena, "\"%s\" is no argument of this tool", x->key.p);
		} else {
			json_put(out, x->key, x->value);
		}
	}
	return *why ? NULL : out;
}

/* A file whose name begins with a dash would be an option where the same line is typed. */
static bool has_no_dash(struct arena *a, const struct json *request, const char **why)
{
	const struct json *files = json_get(request, "args");
	for (size_t i = 0; files && files->type == JSON_ARRAY && i < files->n; i++) {
		const struct json *v = files->items[i];
		if (v->type != JSON_STRING || !str_starts(v->text, "-"))
			continue;
		char shown[STR_SHOWN];
		*why = arena_printf(a, "args: \"%s\" begins with a dash; a file of that name is written ./NAME",
				    str_shown(shown, v->text));
		return false;
	}
	return true;
}

static struct json *call_verb(struct mcp_request *q, const struct verb *v)
{
	struct mcp_job *job = mcp_job_new(q->m, v);
	struct err e = {ERR_NONE, ""};
	const char *why;
	double wait_s;
	struct json *request = request_of(job, arguments(q), &wait_s, &why);
	job->options = arena_alloc(&job->arena, v->spec->options_size);
	memcpy(job->options, v->defaults, v->spec->options_size);
	bool ok = request && has_no_dash(&job->arena, request, &why) &&
		  mcp_inside_root(q->m, &job->arena, v->spec, request, &why);
	if (ok && !opt_from_json(v->spec, job->options, &job->arena, request, &e)) {
		ok = false;
		why = e.text;
	}
	if (!ok) {
		struct json *answer = refuse(q, v->spec->verb, why);
		job->is_kept = false;
		job->state = MCP_CANCELLED; /* never started */
		return answer;
	}
	job->command = quote_request(&job->arena, v->spec, request);
	bool is_long = v->flags & VERB_LONG;
	mcp_job_wait(q, job, is_long ? wait_s : 1e9, !is_long || wait_s > 0);
	return NULL;
}

struct json *mcp_tools_call(struct mcp_request *q)
{
	struct str name = json_str(q->params, "name", STR(""));
	if (arguments(q)->type != JSON_OBJECT)
		return mcp_fail(q, MCP_BAD_PARAMS, "arguments must be an object");
	for (size_t i = 0; i < COUNT_OF(job_tools); i++) {
		if (str_is(name, job_tools[i].name))
			return job_tools[i].run(q);
	}
	for (size_t i = 0; verb_table[i]; i++) {
		if (is_tool(verb_table[i]) && str_is(name, verb_table[i]->spec->verb))
			return call_verb(q, verb_table[i]);
	}
	char shown[STR_SHOWN];
	return mcp_fail(q, MCP_BAD_PARAMS, "there is no tool \"%s\"; tools/list names them", str_shown(shown, name));
}
