/* Readiness: freezing a Target.
 * In: a readiness request. Out: the evidence root with target.json, made whole by one rename.
 * Order: launcher, files, one smoke call through the driver, its gate and environment, the record.
 * Never: leaves a root behind that is not ready. */
#include "protocol/readiness.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/os.h"
#include "base/version.h"
#include "protocol/audit.h"
#include "protocol/driver/driver.h"
#include "protocol/driver/perform.h"
#include "protocol/launcher.h"
#include "protocol/readiness_input.h"
#include "protocol/shape.h"
#include "protocol/target.h"
#include "store/lease.h"

struct work {
	struct protocol at; /* at.root: the folder that is being made */
	const char *final;  /* its name when it is ready */
	const struct json *request;
	struct tree_limits limits;
	struct json *suite, *reference, *original; /* object refs */
	struct json *driver, *host, *record;
	struct json *findings; /* of the metric audit */
	struct performed smoke;
	const char *probe_id;
};

/* ---- facts of the host ---- */

static bool add_tool(struct json *tools, struct arena *a, struct str name, const char *where, struct err *e)
{
	char digest[SHA256_HEX];
	const char *path = path_which(a, where, NULL);
	const char *real = path ? path_real(a, path) : NULL;
	if (!real || !sha256_file(real, digest, e))
		return err_set(e, ERR_ENVIRONMENT, "required tool %.200s: is not there", where);
	struct json *j = json_object(a);
	json_set_cstr(j, "path", real);
	json_set_cstr(j, "sha256", digest);
	json_put(tools, name, j);
	return true;
}

static bool find_host(struct work *w, struct err *e)
{
	struct arena *a = w->at.arena;
	char name[256] = "unknown";
	struct os os;
	os_read(&os, a);
	gethostname(name, sizeof(name) - 1);
	const struct json *need = json_get(w->request, "environment_requirements"),
			  *list = json_get(need, "required_tools");
	struct json *tools = json_object(a), *platform = json_object(a);
	w->host = json_object(a);
	json_set_cstr(w->host, "host_id", name);
	json_set_cstr(w->host, "platform", arena_printf(a, "%s-%s", os.kernel, os.arch));
	json_set(w->host, "assay", version_json(a));
	json_set_cstr(platform, "os", os.os);
	json_set_cstr(platform, "cpu", os.cpu);
	json_set(w->host, "machine", platform);
	json_set(w->host, "gpu_uuids", shape_copy(a, json_get(need, "gpu_uuids")));
	json_set(w->host, "tools", tools);
	for (size_t i = 0; i < list->n; i++) {
		bool is_map = list->type == JSON_OBJECT;
		struct str tool = is_map ? list->members[i].key : list->items[i]->text;
		struct str where =
			is_map && list->members[i].value->type == JSON_STRING ? list->members[i].value->text : tool;
		if (!add_tool(tools, a, tool, where.p, e))
			return false;
	}
	return true;
}

/* ---- freezing ---- */

static const char *text_of(const struct json *j, const char *path)
{
	const struct json *x = json_path(j, path);
	return x && x->type == JSON_STRING ? x->text.p : "";
}

static bool freeze(struct work *w, const char *member, struct json **ref, struct err *e)
{
	return evidence_freeze(&w->at, text_of(w->request, member), &w->limits, ref, e) || err_prefix(e, "%s", member);
}

static struct json *original_of(struct work *w)
{
	struct json *j = json_object(w->at.arena);
	json_set_cstr(j, "role", "original");
	json_set_cstr(j, "kind", text_of(w->request, "original.kind"));
	json_set_str(j, "digest", json_str(w->original, "digest", STR("")));
	json_set_str(j, "locator", json_str(w->original, "locator", STR("")));
	return j;
}

/* Sources of the driver itself go into the store too; the interpreter does not. */
static bool archive_driver(struct work *w, struct json *list, struct err *e)
{
	const struct json *files = json_get(w->driver, "source_files"), *command = json_get(w->driver, "command");
	for (size_t i = 0; i < files->n; i++) {
		struct str path = json_str(files->items[i], "path", STR(""));
		struct json *ref;
		char *real = path_real(w->at.arena, path.p);
		if (str_eq(path, command->items[0]->text) && command->n > 1)
			continue;
		if (!real || !evidence_freeze(&w->at, real, &w->limits, &ref, e))
			return err_prefix(e, "driver");
		struct json *x = json_object(w->at.arena);
		json_set_str(x, "path", path);
		json_set(x, "object_ref", ref);
		json_push(list, x);
	}
	return true;
}

/* ---- the record ---- */

static void put_fields(struct json *to, const struct json *from, const char *const *keys)
{
	for (; *keys; keys++) {
		const struct json *x = json_get(from, *keys);
		if (x)
			json_set(to, *keys, shape_copy(to->arena, x));
	}
}

static void describe_optimization(struct work *w, struct json *archive)
{
	static const char *const extras[] = {"metric_audit", "launcher", "allowed_paths", "max_risk", "budget",
					     "observation",  NULL};
	static const char *const objective[] = {"primary_metric", "minimum_effect", "constraints", NULL};
	struct json *t = w->record, *suite = json_set_object(t, "test_suite"), *c = json_set_object(t, "correctness");
	json_set(suite, "object_ref", w->suite);
	json_set(suite, "case_ids", shape_copy(w->at.arena, json_path(w->request, "test_suite.case_ids")));
	json_set(c, "reference", w->reference);
	json_set_cstr(c, "method", "driver");
	json_set(c, "acceptance", shape_copy(w->at.arena, json_path(w->request, "correctness.acceptance")));
	put_fields(t, json_get(w->request, "objective"), objective);
	json_set(t, "driver", w->driver);
	json_set(t, "validity_requirements", shape_copy(w->at.arena, json_get(w->request, "validity_requirements")));
	struct json *ours = json_set_object(t, "assay");
	json_set(ours, "driver_sources", archive);
	put_fields(ours, w->request, extras);
}

static void describe(struct work *w)
{
	struct arena *a = w->at.arena;
	struct json *t = w->record = json_object(a), *environment = json_set_object(t, "environment");
	json_set_cstr(t, "record_type", "target");
	json_set_cstr(t, "format_version", PROTOCOL("target-v2"));
	json_set_cstr(t, "target_mode", text_of(w->request, "target_mode"));
	json_set_cstr(t, "claim_layer", text_of(w->request, "claim_layer"));
	json_set(t, "original", original_of(w));
	json_set(environment, "host", w->host);
}

/* The id: canonical sha256 of all that is not the record's name or what was seen while it was made. */
static const char *identity_of(struct work *w)
{
	static const char *const left_out[] = {"record_type", "format_version", "id", "readiness_evidence"};
	char digest[SHA256_HEX];
	struct json *j = json_object(w->at.arena);
	for (size_t i = 0; i < w->record->n; i++) {
		bool skip = false;
		for (size_t k = 0; k < COUNT_OF(left_out); k++)
			skip = skip || str_is(w->record->members[i].key, left_out[k]);
		if (!skip)
			json_put(j, w->record->members[i].key, w->record->members[i].value);
	}
	evidence_canonical(j, digest);
	return arena_strdup(w->at.arena, digest);
}

/* ---- smoke ---- */

static struct json *smoke_sampling(struct arena *a)
{
	struct json *j = json_object(a);
	json_set_cstr(j, "kind", "smoke");
	json_set_i64(j, "repetitions", 2);
	return j;
}

static struct json *isolated(struct arena *a)
{
	struct json *j = json_object(a);
	json_set_cstr(j, "lifecycle", "isolated_process");
	json_set_array(j, "shared_state");
	json_push_str(json_set_array(j, "rebuilt_state"), STR("process"));
	return j;
}

static void make_probe_id(struct work *w)
{
	char digest[SHA256_HEX];
	struct json *j = json_object(w->at.arena);
	json_set_cstr(j, "provisional_target_id", identity_of(w));
	json_set(j, "smoke", shape_copy(w->at.arena, json_get(w->request, "smoke")));
	json_set_cstr(j, "driver_identity", text_of(w->driver, "identity"));
	evidence_canonical(j, digest);
	w->probe_id = arena_printf(w->at.arena, "probe-%.24s", digest);
	json_set_cstr(w->record, "id", w->probe_id); /* for the request; the id proper comes later */
}

static struct json *smoke_subjects(struct work *w, const char *locator)
{
	struct arena *a = w->at.arena;
	struct json *list = json_array(a), *x = json_object(a), *v = json_set_object(x, "variant");
	json_set_cstr(x, "role", "original");
	json_set_cstr(v, "kind", text_of(w->request, "original.kind"));
	json_set_str(v, "digest", json_str(w->original, "digest", STR("")));
	json_set_cstr(v, "locator", locator);
	json_push(list, x);
	return list;
}

static int64_t seconds(const struct json *limits, const char *key)
{
	return (int64_t)(json_f64(limits, key, 1) * 1e9);
}

static bool smoke_call(struct work *w, const char *const places[3], struct err *e)
{
	struct arena *a = w->at.arena;
	struct perform_places where = {places[1], places[2]};
	const struct json *smoke = json_get(w->request, "smoke"), *limits = json_get(smoke, "runtime_limits");
	int64_t now = clock_ns();
	struct perform_options o = {
		.base = perform_base(&w->at, w->record, &where, isolated(a)),
		.operation = "readiness_smoke",
		.execution_id = w->probe_id,
		.subjects = smoke_subjects(w, places[0]),
		.case_id = text_of(smoke, "case_id"),
		.sampling = smoke_sampling(a),
		.folder = arena_printf(a, "%s/smoke", w->at.root),
		.call = {.driver = w->driver,
			 .gpu_uuids = json_path(w->request, "environment_requirements.gpu_uuids"),
			 .token = w->probe_id,
			 .start_ns = now,
			 .deadlines = {now + seconds(limits, "operation_timeout_seconds"),
				       now + seconds(limits, "command_timeout_seconds"), 0},
			 .cleanup_ns = seconds(limits, "cleanup_timeout_seconds")},
	};
	call_adopt_orphans();
	return perform(&w->smoke, &w->at, &o, e);
}

static bool smoke_verdict(struct work *w, struct err *e)
{
	const struct performed *s = &w->smoke;
	const struct json *command = json_get(s->receipt, "command_result");
	struct str out = json_str(command, "stdout", STR("")), err = json_str(command, "stderr", STR(""));
	if (s->stop_reason) {
		if (launcher_failed_by_name(out) || launcher_failed_by_name(err))
			launcher_note(&w->at, w->final, json_get(w->driver, "command"),
				      "name resolution or rendezvous failed");
		return err_set(e, ERR_ENVIRONMENT, "smoke: %s: %s: %.300s %.300s", s->stop_reason, s->text,
			       err.p ? err.p : "", out.p ? out.p : "");
	}
	const struct json *gate =
		perform_gate(w->at.arena, driver_answer_of(s->answer.result, "correctness", STR("original")),
			     json_path(w->record, "correctness.acceptance"));
	if (!json_bool(gate, "passed", false))
		return err_set(e, ERR_ENVIRONMENT,
			       "smoke: the original does not pass its own correctness rule (status %s)",
			       text_of(gate, "driver_status"));
	const struct json *want = json_path(w->request, "environment_requirements.gpu_uuids");
	const struct json *have = json_get(s->answer.environment, "gpu_uuids");
	bool same = want->n == have->n;
	for (size_t i = 0; same && i < want->n; i++)
		same = shape_holds(have, want->items[i]->text);
	return same || err_set(e, ERR_ENVIRONMENT, "smoke: the driver reports other GPUs than the request names");
}

static bool lease_and_smoke(struct work *w, const char *const places[3], struct err *e)
{
	const struct json *gpus = json_path(w->request, "environment_requirements.gpu_uuids");
	const struct json *limits = json_path(w->request, "smoke.runtime_limits");
	struct lease **held = ARENA_ARRAY(w->at.arena, gpus->n + 1, struct lease *);
	size_t n = 0;
	bool ok = true;
	for (size_t i = 0; ok && i < (gpus->n ? gpus->n : 1); i++) {
		const char *key = gpus->n ? arena_printf(w->at.arena, "gpu:%s", gpus->items[i]->text.p) : "cpu";
		ok = lease_take(&held[n], key, seconds(limits, "resource_wait_timeout_seconds"), "readiness", e);
		n += ok;
	}
	ok = ok && smoke_call(w, places, e) && smoke_verdict(w, e);
	while (n > 0)
		lease_free(held[--n]);
	return ok;
}

static bool run_smoke(struct work *w, struct err *e)
{
	static const char *const names[] = {"original", "suite", "reference"};
	const struct json *refs[] = {w->original, w->suite, w->reference};
	const char *places[3];
	char *workspace = arena_printf(w->at.arena, "%s/workspace", w->at.root);
	if (!file_mkdirs(workspace, 0755, e))
		return false;
	make_probe_id(w);
	for (size_t i = 0; i < 3; i++) {
		places[i] = evidence_materialise(&w->at, json_str(refs[i], "digest", STR("")).p,
						 path_join(w->at.arena, workspace, names[i]), e);
		if (!places[i])
			return false;
	}
	if (!lease_and_smoke(w, places, e))
		return false;
	const struct performed *s = &w->smoke;
	audit_answer(w->findings, json_get(w->request, "metric_audit"), json_get(w->request, "objective"),
		     s->answer.result, STR("original"));
	return evidence_adopt(&w->at, arena_printf(w->at.arena, "%s/smoke/frozen-output", w->at.root),
			      json_str(s->answer.output_ref, "digest", STR("")).p, e) &&
	       file_remove_tree(arena_printf(w->at.arena, "%s/smoke", w->at.root), e) && file_remove_tree(workspace, e);
}

static void record_smoke(struct work *w)
{
	struct json *r = json_object(w->at.arena), *receipt = w->smoke.receipt;
	json_set_f64(r, "checked_at_epoch", (double)clock_unix_ns() / 1e9);
	json_set_cstr(r, "probe_id", w->probe_id);
	json_set(r, "command", json_get(receipt, "request"));
	json_set(r, "command_result", json_get(receipt, "command_result"));
	json_set(r, "driver_output_ref", json_get(receipt, "driver_output_ref"));
	json_set(r, "driver_artifacts", json_get(receipt, "driver_artifacts"));
	json_set(r, "correctness_gate",
		 perform_gate(w->at.arena, driver_answer_of(w->smoke.answer.result, "correctness", STR("original")),
			      json_path(w->record, "correctness.acceptance")));
	json_set(json_get(w->record, "environment"), "runtime", w->smoke.answer.environment);
	json_set(json_get(w->record, "assay"), "metric_findings", w->findings);
	json_set_cstr(w->record, "id", identity_of(w));
	json_set(w->record, "readiness_evidence", r);
}

/* ---- diagnostic Targets ---- */

static struct json *unavailable(struct arena *a)
{
	struct json *j = json_object(a);
	json_set_cstr(j, "status", "unavailable");
	json_set_cstr(j, "reason", "diagnostic_mode");
	return j;
}

static bool add_material(struct work *w, struct json *list, const struct json *x, struct err *e)
{
	static const char *const keys[] = {"kind", "tool", "tool_version", "dialect", NULL};
	struct json *m = json_object(w->at.arena), *ref;
	char digest[SHA256_HEX];
	if (!evidence_freeze(&w->at, text_of(x, "path"), &w->limits, &ref, e))
		return err_prefix(e, "materials");
	put_fields(m, x, keys);
	json_set(m, "object_ref", ref);
	evidence_canonical(m, digest);
	json_set_cstr(m, "id", digest);
	json_set_str(m, "sha256", json_str(ref, "digest", STR("")));
	json_push(list, m);
	return true;
}

static bool add_materials(struct work *w, struct err *e)
{
	const struct json *materials = json_get(w->request, "materials");
	struct json *list = materials ? json_set_array(w->record, "diagnostic_materials") : NULL;
	for (size_t i = 0; materials && i < materials->n; i++) {
		if (!add_material(w, list, materials->items[i], e))
			return false;
	}
	return true;
}

static bool diagnose(struct work *w, struct err *e)
{
	static const char *const absent[] = {"test_suite", "correctness", "driver", "objective",
					     "validity_requirements"};
	describe(w);
	if (!add_materials(w, e))
		return false;
	for (size_t i = 0; i < COUNT_OF(absent); i++)
		json_set(w->record, absent[i], unavailable(w->at.arena));
	json_set(json_get(w->record, "environment"), "runtime", unavailable(w->at.arena));
	json_set_cstr(w->record, "id", identity_of(w));
	struct json *r = json_set_object(w->record, "readiness_evidence");
	json_set_f64(r, "checked_at_epoch", (double)clock_unix_ns() / 1e9);
	json_set(r, "smoke", unavailable(w->at.arena));
	return true;
}

static bool optimise(struct work *w, struct err *e)
{
	struct json *archive = json_array(w->at.arena);
	const struct json *launcher = json_get(w->request, "launcher");
	if ((launcher && !launcher_probe(&w->at, w->final, launcher, e)) ||
	    !driver_freeze(&w->at, json_get(w->request, "driver"), &w->driver, e) ||
	    !launcher_is_refused(&w->at, w->final, json_get(w->driver, "command"), e))
		return false;
	if (!freeze(w, "test_suite.path", &w->suite, e) || !freeze(w, "correctness.reference_path", &w->reference, e) ||
	    !archive_driver(w, archive, e))
		return false;
	describe(w);
	describe_optimization(w, archive);
	if (!add_materials(w, e) || !run_smoke(w, e))
		return false;
	record_smoke(w);
	return true;
}

/* ---- the folder ---- */

static bool open_root(struct work *w, struct err *e)
{
	struct arena *a = w->at.arena;
	char *parent = path_dir(a, w->final);
	if (access(w->final, F_OK) == 0)
		return err_set(e, ERR_INPUT, "artifact_root: %s is there already", w->final);
	char *temp = arena_printf(a, "%s/.%s.readiness-XXXXXX", parent, path_base(w->final));
	if (!file_mkdirs(parent, 0755, e))
		return false;
	if (!mkdtemp(temp))
		return err_errno(e, ERR_IO, errno, "%s", temp);
	w->at.root = temp;
	static const char *const folders[] = {"experiments", "invocations", "champion/selections", ".locks",
					      "objects/sha256"};
	for (size_t i = 0; i < COUNT_OF(folders); i++) {
		if (!file_mkdirs(evidence_path(&w->at, folders[i]), 0755, e))
			return false;
	}
	return true;
}

static bool publish(struct work *w, char sha256[SHA256_HEX], struct err *e)
{
	if (!evidence_write(&w->at, "target.json", w->record, sha256, e) || !evidence_sync(&w->at, e))
		return false;
	if (renameat2(AT_FDCWD, w->at.root, AT_FDCWD, w->final, RENAME_NOREPLACE) != 0)
		return err_errno(e, ERR_IO, errno, "%s: cannot be made", w->final);
	return file_fsync_dir(path_dir(w->at.arena, w->final), e);
}

static struct json *answer_of(struct work *w, const char *sha256)
{
	struct json *j = json_object(w->at.arena), *ref = json_set_object(j, "target_ref");
	bool is_optimization = w->probe_id != NULL;
	const char *scope = text_of(w->smoke.answer.environment, "runtime_provenance.attribution_scope");
	json_set_cstr(j, "status", "ready");
	json_set_str(ref, "id", json_str(w->record, "id", STR("")));
	json_set_cstr(ref, "sha256", sha256);
	json_set_cstr(j, "highest_claim_layer", w->findings->n ? "diagnostic" : text_of(w->request, "claim_layer"));
	json_set_array(j, "missing");
	if (!is_optimization)
		return j;
	json_set_cstr(j, "probe_id", w->probe_id);
	json_set_cstr(j, "attribution_scope", scope);
	json_set(j, "metric_findings", w->findings);
	return j;
}

bool readiness_check(struct json **answer, struct protocol *p, const struct json *request, struct err *e)
{
	char sha256[SHA256_HEX];
	struct work w = {.at = *p, .final = p->root, .request = request};
	protocol_step(p, "invalid_readiness_input");
	if (!readiness_input_check(request, e))
		return false;
	const struct json *scan = json_get(request, "scan_limits");
	w.limits.max_files = (uint64_t)json_i64(scan, "max_files", 1);
	w.limits.max_bytes = (uint64_t)json_i64(scan, "max_total_bytes", 1);
	w.findings = json_array(p->arena);
	bool is_optimization = str_is(json_str(request, "target_mode", STR("")), "optimization");
	bool ok = open_root(&w, e) && find_host(&w, e) && freeze(&w, "original.path", &w.original, e) &&
		  (is_optimization ? optimise(&w, e) : diagnose(&w, e)) && publish(&w, sha256, e);
	if (ok) {
		*answer = answer_of(&w, sha256);
		return true;
	}
	struct err ignored;
	if (w.at.root != w.final && !file_remove_tree(w.at.root, &ignored))
		return err_prefix(e, "%s stays behind", w.at.root);
	return false;
}
