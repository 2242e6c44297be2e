/* A request made from options, answered.
 * In: a request, how to answer it. Out: the answer as text or JSON.
 * The work is protocol/request.c.
 * Never: changes the request. */
#include "verb/submit.h"

#include <stdlib.h>

#include "base/file.h"
#include "protocol/request.h"

struct protocol submit_protocol(struct verb_call *call, const char *root)
{
	return (struct protocol){
		.arena = call->arena, .program = call->program, .root = path_absolute(call->arena, root), .code = ""};
}

bool submit_is_bound(void)
{
	return getenv("SLURM_STEP_ID") || getenv("CI");
}

bool submit_word(const char *verb, const char *word, const char *words, struct err *e)
{
	struct str rest = str_from(words), one;
	while (rest.n && str_split(&rest, '|', &one)) {
		if (str_is(one, word))
			return true;
	}
	return err_set(e, ERR_USAGE, "%s %.40s: there is %s", verb, word, words);
}

/* ---- text ---- */

static const char *text_of(const struct json *j, const char *key)
{
	return json_str(j, key, STR("")).p;
}

static void put_interval(struct buf *out, const struct json *ours)
{
	const struct json *low = json_get(ours, "lower_pct"), *high = json_get(ours, "upper_pct");
	if (!json_get(ours, "estimate_pct"))
		return;
	buf_printf(out, "gain       %.3g %%", json_f64(ours, "estimate_pct", 0));
	if (json_is_number(low) && json_is_number(high))
		buf_printf(out, ", %.3g to %.3g %%", low->real, high->real);
	buf_printf(out, ", %lld pairs\n", (long long)json_i64(ours, "n_pairs", 0));
	const struct json *cases = json_get(ours, "cases");
	for (size_t i = 0; cases && i < cases->n; i++)
		buf_printf(out, "case       %s: %s, %.3g %%\n", text_of(cases->items[i], "case_id"),
			   text_of(cases->items[i], "status"), json_f64(cases->items[i], "estimate_pct", 0));
}

static void put_result(struct buf *out, const char *id, const struct json *r)
{
	buf_printf(out, "%s %s\n", text_of(r, "operation"), id);
	buf_printf(out, "verdict    %s (%s)\n", text_of(r, "verdict"), text_of(r, "stop_reason"));
	if (*text_of(r, "compat_status"))
		buf_printf(out, "published  %s\n", text_of(r, "compat_status"));
	put_interval(out, json_get(r, "assay"));
	const char *message = json_str(json_get(r, "diagnostic"), "message", STR("")).p;
	if (*message)
		buf_printf(out, "because    %s\n", message);
	buf_printf(out, "calls      %lld in %.3g s\n", (long long)json_i64(r, "completed_driver_calls", 0),
		   json_f64(r, "elapsed_seconds", 0));
}

static void put_scalars(struct buf *out, const struct json *j, const char *prefix)
{
	for (size_t i = 0; i < j->n; i++) {
		const struct json *v = j->members[i].value;
		struct str key = j->members[i].key;
		if (v->type == JSON_OBJECT) {
			put_scalars(out, v, arena_printf(j->arena, "%s%.*s.", prefix, STR_ARG(key)));
		} else if (v->type == JSON_STRING) {
			buf_printf(out, "%s%.*s %.*s\n", prefix, STR_ARG(key), STR_ARG(v->text));
		} else if (v->type != JSON_ARRAY || v->n > 0) {
			buf_printf(out, "%s%.*s ", prefix, STR_ARG(key));
			json_write(out, v, JSON_COMPACT);
			buf_char(out, '\n');
		}
	}
}

static void put_text(struct buf *out, const struct json *answer)
{
	const struct json *result = json_get(answer, "result");
	const char *id = text_of(answer, "invocation_id");
	if (json_get(answer, "verdict"))
		put_result(out, id, answer);
	else if (result)
		put_result(out, id, result);
	else
		put_scalars(out, answer, "");
}

/* ---- answering ---- */

bool submit(struct verb_call *call, const struct verb_common *c, const struct submit_options *o, struct json *request,
	    struct err *e)
{
	struct request_result r = {.code = ""};
	struct err why = {ERR_NONE, ""};
	if (!request)
		return false;
	if (o->print_request) {
		json_write(call->out, request, JSON_PRETTY);
		return true;
	}
	unsigned flags = (o->wait ? REQUEST_WAIT : 0u) | (o->explain ? REQUEST_EXPLAIN : 0u) |
			 (o->foreground || (o->wait && submit_is_bound()) ? REQUEST_FOREGROUND : 0u);
	if (!request_answer(&r, call->arena, call->program, request, flags, &why))
		return err_set(e, why.code, "%s: %s", r.code, why.text);
	if (c->json)
		verb_put_json(call, r.answer);
	else
		put_text(call->out, r.answer);
	call->status = r.status;
	return true;
}
