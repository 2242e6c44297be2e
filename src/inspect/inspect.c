/* Requests about evidence that exists.
 * In: a closed request. Out: an invocation, its status, its result.
 * Every family has the operations analyze, status and cancel.
 * Never: reads what was not frozen. */
#include "inspect/inspect.h"

#include "base/clock.h"
#include "inspect/collect.h"
#include "inspect/family.h"
#include "inspect/knowledge.h"
#include "protocol/evaluate/invocation.h"
#include "protocol/evaluate/plan.h"
#include "protocol/shape.h"

#define HEAD "format_version:s operation:s artifact_root:s "
#define LONG HEAD "target_ref:o resources:o launch_deadline:n ?absolute_deadline:n ?retry_of:s " TARGET_LIMIT_FIELDS " "

static const struct family *const families[] = {&family_ncu, &family_nsys, &family_pytorch, &family_compiler,
						&family_sass};

static const struct family *family_of(struct str format)
{
	for (size_t i = 0; i < COUNT_OF(families); i++) {
		if (str_is(format, families[i]->format))
			return families[i];
	}
	return NULL;
}

bool inspect_knows(struct str format)
{
	return family_of(format) || str_is(format, KNOWLEDGE_INPUT);
}

/* ---- checking ---- */

static bool check_deadlines(const struct json *r, struct err *e)
{
	static const char *const keys[] = {"launch_deadline", "absolute_deadline"};
	double now = (double)clock_unix_ns() / 1e9;
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		if (json_get(r, keys[i]) && json_f64(r, keys[i], 0) <= now)
			return err_set(e, ERR_INPUT, "%s: is not in the future (seconds since 1970)", keys[i]);
	}
	return true;
}

static bool is_collect(const struct json *r)
{
	return str_is(json_str(r, "operation", STR("")), "collect");
}

static bool check_long(const struct family *f, const struct json *r, struct err *e)
{
	char members[1024];
	snprintf(members, sizeof(members), "%s%s%s", LONG, is_collect(r) ? COLLECT_MEMBERS : f->members,
		 is_collect(r) ? f->collect_members : "");
	if (!shape_check(r, "request", members, e) || !shape_ref(json_get(r, "target_ref"), "target_ref", "id", e) ||
	    !target_resources(json_get(r, "resources"), "resources", e) || !target_limits(r, "request", e) ||
	    !check_deadlines(r, e))
		return false;
	return is_collect(r) || json_path(r, "resources.gpu_uuids")->n == 0 ||
	       err_set(e, ERR_INPUT, "resources.gpu_uuids: analyze uses no GPU; it is []");
}

/* ---- freezing ---- */

static bool freeze(struct json **frozen, const struct family *f, struct protocol *p, const struct json *request,
		   struct err *e)
{
	static const char *const same[] = {"operation", "target_ref", "resources"};
	char digest[SHA256_HEX];
	struct inspection i = {.p = p, .request = request, .frozen = json_object(p->arena)};
	if (!target_load(&i.target, p, json_get(request, "target_ref"), e))
		return false;
	for (size_t k = 0; k < COUNT_OF(same); k++)
		json_set(i.frozen, same[k], shape_copy(p->arena, json_get(request, same[k])));
	json_set(i.frozen, "input_format", shape_copy(p->arena, json_get(request, "format_version")));
	json_set_cstr(i.frozen, "record_type", f->record_type);
	plan_put_tool(i.frozen, f->contract);
	protocol_step(p, f->code);
	if (is_collect(request) ? !collect_freeze(&i, f, e) || (f->freeze_more && !f->freeze_more(&i, e))
				: !f->freeze(&i, e))
		return false;
	plan_request_digest(i.frozen, digest);
	plan_put_limits(i.frozen, request);
	json_set_cstr(i.frozen, "request_digest", digest);
	json_set_f64(i.frozen, "created_at_epoch", (double)clock_unix_ns() / 1e9);
	*frozen = i.frozen;
	return true;
}

static struct json *explain(struct protocol *p, struct json *frozen)
{
	char id[INVOCATION_ID_MAX];
	struct json *j = json_object(p->arena);
	plan_invocation_id(frozen, id);
	json_set_cstr(j, "status", "explained");
	json_set_cstr(j, "invocation_id", id);
	json_set_i64(j, "driver_calls", json_get(frozen, "driver") ? 1 : 0);
	json_set_i64(j, "full_lifecycle_starts", json_get(frozen, "driver") ? 1 : 0);
	json_set(j, "gpu_uuids", json_path(frozen, "resources.gpu_uuids"));
	json_set_null(j, "expected_seconds");
	return j;
}

/* ---- by operation ---- */

static bool submit(struct json **answer, const struct family *f, struct protocol *p, const struct json *request,
		   unsigned flags, struct err *e)
{
	struct json *frozen;
	unsigned how = (flags & REQUEST_WAIT ? INVOCATION_WAIT : 0u) |
		       (flags & REQUEST_FOREGROUND ? INVOCATION_FOREGROUND : 0u);
	if (!check_long(f, request, e) || !freeze(&frozen, f, p, request, e))
		return false;
	protocol_step(p, f->code);
	if (flags & REQUEST_EXPLAIN)
		*answer = explain(p, frozen);
	return flags & REQUEST_EXPLAIN || invocation_begin(answer, p, request, frozen, how, e);
}

/* status and cancel of an invocation of this family. */
static bool about(struct json **answer, const struct family *f, struct protocol *p, const struct json *request,
		  struct err *e)
{
	struct err ignored;
	if (!shape_check(request, "request", HEAD "invocation_id:s", e))
		return false;
	const char *id = json_str(request, "invocation_id", STR("")).p;
	struct json *frozen = strchr(id, '/')
				      ? NULL
				      : evidence_record(p, arena_printf(p->arena, "invocations/%.80s/request.json", id),
							NULL, &ignored);
	if (!frozen || !str_is(json_str(frozen, "input_format", STR("")), f->format))
		return err_set(e, ERR_INPUT, "invocation_id: %.80s is no invocation of %s in this root", id, f->format);
	return str_is(json_str(request, "operation", STR("")), "status") ? invocation_status(answer, p, id, e)
									 : invocation_cancel(answer, p, id, e);
}

static bool route(struct json **answer, const struct family *f, struct protocol *p, const struct json *request,
		  unsigned flags, struct err *e)
{
	char shown[STR_SHOWN];
	struct str operation = json_str(request, "operation", STR(""));
	if (str_is(operation, "analyze") || (f->collecting && is_collect(request)))
		return submit(answer, f, p, request, flags, e);
	if (str_is(operation, "status") || str_is(operation, "cancel"))
		return about(answer, f, p, request, e);
	return err_set(e, ERR_INPUT, "operation: \"%s\" is none of %s; there is analyze,%s status and cancel",
		       str_shown(shown, operation), f->format, f->collecting ? " collect," : "");
}

bool inspect_answer(struct request_result *out, const struct request_call *how, const struct json *request,
		    struct err *e)
{
	const struct family *f = family_of(json_str(request, "format_version", STR("")));
	struct protocol p = {.arena = how->arena,
			     .program = how->program,
			     .read = inspect_read,
			     .code = f ? f->code : KNOWLEDGE_CODE};
	struct str root = json_str(request, "artifact_root", STR(""));
	*out = (struct request_result){.code = p.code};
	if (f && root.n == 0)
		return err_set(e, ERR_INPUT, "artifact_root: is missing");
	p.root = root.n ? path_absolute(how->arena, root.p) : NULL;
	bool ok =
		f ? route(&out->answer, f, &p, request, how->flags, e) : knowledge_answer(&out->answer, &p, request, e);
	bool is_theirs = strcmp(p.code, "invalid_evaluator_input") == 0;
	out->code = is_theirs && f ? f->code : p.code;
	out->status = ok ? request_status(out->answer) : err_exit(e->code);
	return ok;
}

bool inspect_read(struct json *result, struct protocol *p, const struct json *frozen, const char *folder, struct err *e)
{
	const struct family *f = family_of(json_str(frozen, "input_format", STR("")));
	struct inspection i = {.p = p, .frozen = shape_copy(p->arena, frozen), .folder = folder};
	if (!f)
		return err_set(e, ERR_CORRUPT, "%s/request.json: is of no family that is read", folder);
	if (!target_load(&i.target, p, json_get(frozen, "target_ref"), e))
		return false;
	return is_collect(frozen) ? collect_read(result, &i, f, e) : f->read(result, &i, e);
}
