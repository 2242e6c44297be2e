/* One driver call from request to receipt.
 * In: what all calls share and what this one is. Out: a receipt and the checked answer.
 * The output folder is renamed to frozen-output when nothing of the driver runs any more, and hashed there.
 * Never: judges a number. */
#include "protocol/driver/perform.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "protocol/driver/driver.h"
#include "protocol/shape.h"

struct json *perform_base(struct protocol *p, const struct json *target, const struct perform_places *places,
			  const struct json *acquisition)
{
	struct json *j = json_object(p->arena), *suite = json_set_object(j, "test_suite"),
		    *correctness = json_set_object(j, "correctness"), *objective = json_set_object(j, "objective");
	const struct json *from = json_get(target, "test_suite"), *c = json_get(target, "correctness");
	json_set_cstr(j, "protocol_version", DRIVER_REQUEST);
	json_set_str(j, "target_id", json_str(target, "id", STR("")));
	json_set_str(suite, "digest", json_str(json_get(from, "object_ref"), "digest", STR("")));
	json_set_cstr(suite, "locator", places->suite);
	json_set(suite, "case_ids", json_get(from, "case_ids"));
	struct json *reference = json_set_object(correctness, "reference");
	json_set_str(reference, "digest", json_str(json_get(c, "reference"), "digest", STR("")));
	json_set_cstr(reference, "locator", places->reference);
	json_set(correctness, "method", json_get(c, "method"));
	json_set(correctness, "acceptance", json_get(c, "acceptance"));
	json_set(objective, "primary_metric", json_get(target, "primary_metric"));
	json_set(objective, "constraints", json_get(target, "constraints"));
	json_set(j, "acquisition", shape_copy(p->arena, acquisition));
	json_set_str(j, "driver_identity", json_str(json_get(target, "driver"), "identity", STR("")));
	return j;
}

static struct json *request_document(struct protocol *p, const struct perform_options *o)
{
	char digest[SHA256_HEX];
	struct json *j = json_object(p->arena);
	for (size_t i = 0; i < o->base->n; i++)
		json_put(j, o->base->members[i].key, o->base->members[i].value);
	json_set_cstr(j, "operation", o->operation);
	json_set_cstr(j, "execution_id", o->execution_id);
	json_set(j, "subjects", shape_copy(p->arena, o->subjects));
	json_set_cstr(json_set_object(j, "case"), "id", o->case_id);
	json_set(j, "sampling", shape_copy(p->arena, o->sampling));
	json_set_cstr(j, "output_path", arena_printf(p->arena, "%s/output/result.json", o->folder));
	evidence_canonical(j, digest);
	json_set_cstr(j, "request_digest", digest);
	return j;
}

/* Not flushed: it becomes evidence when the execution's result is published, after a flush of everything. */
static bool put_file(const char *path, const struct json *j, struct err *e)
{
	struct buf b;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_errno(e, ERR_IO, errno, "%s: cannot be made", path);
	buf_init(&b);
	json_write(&b, j, JSON_PRETTY);
	bool ok = file_write_all(fd, b.p, b.n, path, e);
	buf_release(&b);
	close(fd);
	return ok;
}

static struct json *artifacts_of(struct arena *a, const struct driver_answer *x)
{
	const struct json *list = json_get(x->result, "artifacts");
	return !x->problem && list ? shape_copy(a, list) : json_array(a);
}

static void environment_facts(struct arena *a, struct json *receipt)
{
	struct sha256 s;
	char digest[SHA256_HEX];
	size_t n = 0;
	sha256_init(&s);
	for (; environ[n]; n++)
		sha256_str(&s, str_from(environ[n]));
	sha256_hex(&s, digest);
	struct json *j = json_object(a);
	json_set_u64(j, "variables", n);
	json_set_cstr(j, "sha256", digest);
	json_set(receipt, "inherited_environment", j);
}

static bool settle(struct performed *out, struct protocol *p, const struct perform_options *o,
		   const struct call_result *r, struct err *e)
{
	char *output = path_join(p->arena, o->folder, "output"),
	     *frozen = path_join(p->arena, o->folder, "frozen-output");
	struct json *request = json_get(out->receipt, "request");
	out->is_clean = r->is_clean;
	json_set(out->receipt, "command_result", call_json(p->arena, r));
	json_set_null(out->receipt, "driver_output_ref");
	json_set(out->receipt, "driver_artifacts", json_array(p->arena));
	if (rename(output, frozen) != 0)
		return err_errno(e, ERR_IO, errno, "%s: cannot be renamed", output);
	if (!str_is(str_from(r->status), "completed") || !r->is_clean) {
		out->stop_reason = r->is_clean ? r->stop_reason : "resource_cleanup_unknown";
		out->text = arena_printf(p->arena, "the driver ended with %d", r->returncode);
		return true;
	}
	if (!driver_answer_read(&out->answer, p, request, frozen, e))
		return false;
	out->stop_reason = out->answer.problem;
	out->text = out->answer.text;
	if (out->answer.output_ref)
		json_set(out->receipt, "driver_output_ref", out->answer.output_ref);
	json_set(out->receipt, "driver_artifacts", artifacts_of(p->arena, &out->answer));
	return true;
}

bool perform(struct performed *out, struct protocol *p, const struct perform_options *o, struct err *e)
{
	struct err why = {ERR_NONE, ""};
	*out = (struct performed){.is_clean = true, .receipt = json_object(p->arena)};
	char *path = path_join(p->arena, o->folder, "request.json"), *output = path_join(p->arena, o->folder, "output");
	struct json *request = request_document(p, o);
	json_set(out->receipt, "request", request);
	environment_facts(p->arena, out->receipt);
	if (!file_mkdirs(output, 0755, e) || !put_file(path, request, e))
		return false;
	if (!driver_unchanged(p, o->call.driver, o->stamps, &why)) {
		out->stop_reason = "driver_identity_changed";
		out->text = arena_strdup(p->arena, why.text);
		return true;
	}
	struct call_options call = o->call;
	call.request = path;
	call.folder = o->folder;
	struct call_result r;
	bool ok = call_run(&r, p, &call, e) && settle(out, p, o, &r, e);
	call_release(&r);
	return ok;
}

struct json *perform_gate(struct arena *a, const struct json *correctness, const struct json *acceptance)
{
	struct str status = json_str(correctness, "status", STR("failed")),
		   metric = json_str(acceptance, "metric", STR(""));
	const struct json *observed = json_find(json_get(correctness, "metrics"), metric),
			  *value = json_get(acceptance, "value");
	bool holds =
		observed && driver_gate_holds(observed->real, json_str(acceptance, "operator", STR("")), value->real);
	bool said = str_is(status, "passed");
	struct json *j = json_object(a);
	json_set_bool(j, "passed", holds && said);
	json_set_str(j, "driver_status", status);
	json_set_str(j, "metric", metric);
	json_set_str(j, "operator", json_str(acceptance, "operator", STR("")));
	json_set(j, "threshold", shape_copy(a, value));
	json_set_null(j, "observed");
	if (observed)
		json_set(j, "observed", shape_copy(a, observed));
	json_set_bool(j, "status_consistent", holds == said);
	return j;
}
