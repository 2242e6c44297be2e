/* One driver call under a profiler.
 * In: a collect request. Out: the driver's evidence and the tool's report, frozen; the report as observations.
 * Times under a profiler are no measurement: nothing of the call but its correctness and environment is looked at.
 * Never: collects of a candidate that has not passed its correctness rule. */
#include "inspect/collect.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/proc.h"
#include "protocol/driver/driver.h"
#include "protocol/driver/perform.h"
#include "protocol/evaluate/plan.h"
#include "protocol/shape.h"

#define TOOL_OUTPUT ((size_t)1 << 20)

/* ---- freezing ---- */

static bool reject(struct inspection *i, struct err *e, const char *text)
{
	protocol_step(i->p, "collection_rejected");
	return err_set(e, ERR_INPUT, "%s", text);
}

static const struct json *record_of(struct inspection *i, const char *what, const struct json *ref, struct err *e)
{
	char where[64];
	snprintf(where, sizeof(where), "%s_ref", what);
	if (!shape_ref(ref, where, "invocation_id", e))
		return NULL;
	const char *id = json_str(ref, "invocation_id", STR("")).p;
	return plan_record(i->p, what, arena_printf(i->p->arena, "invocations/%s/result.json", id), ref, e);
}

static bool check_baseline(struct inspection *i, struct err *e)
{
	const struct json *r = record_of(i, "baseline", json_get(i->request, "baseline_ref"), e);
	if (!r)
		return false;
	if (!str_is(json_str(r, "operation", STR("")), "baseline") ||
	    !str_is(json_str(r, "verdict", STR("")), "passed") || !shape_same(json_get(r, "target_ref"), i->target.ref))
		return reject(i, e, "baseline_ref: is no baseline of this Target that passed");
	return true;
}

/* The candidate passed its correctness rule in that case, in that invocation. */
static bool check_correct(struct inspection *i, const struct json *candidate, struct err *e)
{
	const struct json *ref = json_get(i->request, "correctness_ref");
	struct str case_id = json_str(i->request, "case_id", STR(""));
	if (!shape_check(ref, "correctness_ref", "invocation_id:s sha256:s case_id:s", e))
		return false;
	struct json *plain = json_object(i->p->arena);
	json_set_str(plain, "invocation_id", json_str(ref, "invocation_id", STR("")));
	json_set_str(plain, "sha256", json_str(ref, "sha256", STR("")));
	const struct json *r = record_of(i, "correctness", plain, e);
	if (!r)
		return false;
	const struct json *list = json_get(r, "correctness_receipts");
	for (size_t k = 0; list && k < list->n; k++) {
		const struct json *x = list->items[k];
		if (str_is(json_str(x, "role", STR("")), "candidate") && json_bool(x, "passed", false) &&
		    str_eq(json_str(x, "case_id", STR("")), case_id) &&
		    str_eq(json_str(ref, "case_id", STR("")), case_id) &&
		    shape_same(json_path(x, "variant.digest"), json_get(candidate, "digest")))
			return true;
	}
	return reject(i, e, "correctness_ref: the candidate has not passed that case there");
}

static bool take_variant(struct inspection *i, struct json **variant, struct err *e)
{
	struct arena *a = i->p->arena;
	const struct json *ref = json_get(i->request, "experiment_ref");
	bool is_candidate = str_is(json_str(i->request, "role", STR("")), "candidate");
	if (!shape_word(i->request, "request", "role", "original|candidate", e))
		return false;
	if (!is_candidate && (ref || json_get(i->request, "correctness_ref")))
		return err_set(e, ERR_INPUT, "experiment_ref, correctness_ref: belong to the role candidate");
	if (!is_candidate) {
		*variant = shape_copy(a, json_get(i->target.record, "original"));
		return true;
	}
	if (!shape_ref(ref, "experiment_ref", "id", e))
		return false;
	const char *path = arena_printf(a, "experiments/%s.json", json_str(ref, "id", STR("")).p);
	const struct json *x = plan_record(i->p, "experiment", path, ref, e);
	if (!x)
		return false;
	if (!shape_same(json_get(x, "target_ref"), i->target.ref))
		return reject(i, e, "experiment_ref: belongs to another Target");
	*variant = shape_copy(a, json_get(x, "candidate"));
	return check_correct(i, *variant, e);
}

static bool check_tool(struct inspection *i, const char *name, struct err *e)
{
	const struct json *t = json_get(json_path(i->target.record, "environment.host.tools"), name);
	char digest[SHA256_HEX];
	protocol_step(i->p, arena_printf(i->p->arena, "%s_not_frozen", name));
	if (!t)
		return err_set(e, ERR_INPUT, "the Target froze no tool %s; required_tools of its readiness names it",
			       name);
	const char *path = json_str(t, "path", STR("")).p;
	protocol_step(i->p, arena_printf(i->p->arena, "%s_changed", name));
	return (sha256_file(path, digest, e) && str_is(json_str(t, "sha256", STR("")), digest)) ||
	       err_set(e, ERR_INPUT, "%s: is not the %s that the Target froze", path, name);
}

static bool check_place(struct inspection *i, const struct collecting *c, struct err *e)
{
	const struct json *want = target_gpus(&i->target), *have = json_path(i->request, "resources.gpu_uuids");
	bool same = want && want->n == have->n &&
		    shape_same(json_path(i->request, "resources.host_id"),
			       json_path(i->target.record, "environment.host.host_id"));
	for (size_t k = 0; same && k < have->n; k++)
		same = shape_holds(want, have->items[k]->text);
	protocol_step(i->p, "resource_mismatch");
	if (!same)
		return err_set(e, ERR_INPUT, "resources: are not the Target's host and GPUs");
	if (!driver_has(json_get(i->target.record, "driver"), c->capability))
		return reject(i, e, arena_printf(i->p->arena, "the driver does not declare %s", c->capability));
	if (!shape_holds(json_path(i->target.record, "test_suite.case_ids"), json_str(i->request, "case_id", STR(""))))
		return reject(i, e, "case_id: is no case of the Target");
	return !c->tool || check_tool(i, c->tool, e);
}

bool collect_freeze(struct inspection *i, const struct family *f, struct err *e)
{
	static const char *const same[] = {"baseline_ref", "role", "case_id", "experiment_ref", "correctness_ref"};
	struct json *variant = NULL;
	if (!str_is(json_str(i->target.record, "target_mode", STR("")), "optimization"))
		return reject(i, e, "the Target is a diagnostic one: it has reports and no workload");
	if (!check_place(i, f->collecting, e) || !protocol_step(i->p, f->code) || !check_baseline(i, e) ||
	    !protocol_step(i->p, f->code) || !take_variant(i, &variant, e))
		return false;
	for (size_t k = 0; k < COUNT_OF(same); k++) {
		if (json_get(i->request, same[k]))
			json_set(i->frozen, same[k], shape_copy(i->p->arena, json_get(i->request, same[k])));
	}
	json_set(i->frozen, "variant", variant);
	json_set(i->frozen, "driver", json_get(i->target.record, "driver"));
	return true;
}

/* ---- the call ---- */

static int64_t seconds(const struct json *limits, const char *key)
{
	return (int64_t)(json_f64(limits, key, 0) * 1e9);
}

bool collect_command(struct inspection *i, const char *const *argv, struct json *receipts, struct buf *out,
		     struct err *e)
{
	struct proc_options o = {.argv = argv,
				 .timeout_ns = seconds(json_get(i->frozen, "limits"), "command_timeout_seconds"),
				 .max_output = TOOL_OUTPUT};
	struct proc_result r;
	bool ok = proc_run(&r, &o, e);
	if (ok) {
		struct json *j = json_object(i->p->arena), *list = json_set_array(j, "argv"),
			    *x = json_set_object(j, "result");
		bool done = !r.timed_out && r.exit_status == 0;
		for (size_t k = 0; argv[k]; k++)
			json_push_str(list, str_from(argv[k]));
		json_set_cstr(x, "status", r.timed_out ? "timed_out" : done ? "completed" : "failed");
		json_set_cstr(x, "stop_reason",
			      r.timed_out ? "command_timeout"
			      : done      ? "completed"
					  : "command_failed");
		json_set_i64(x, "returncode", r.signal ? -r.signal : r.exit_status);
		json_set_f64(x, "elapsed_seconds", (double)r.wall_ns / 1e9);
		json_set_cstr(x, "cleanup_status", "confirmed");
		json_set_str(x, "stdout", buf_view(&r.out));
		json_set_str(x, "stderr", buf_view(&r.err));
		json_push(receipts, j);
		if (r.timed_out)
			protocol_step(i->p, "command_timeout");
		struct str errors = str_sub(str_trim(buf_view(&r.err)), 0, 300);
		ok = done || err_set(e, ERR_ENVIRONMENT, "%s %s: %s %.*s", argv[0], argv[1] ? argv[1] : "",
				     proc_describe(i->p->arena, &r), STR_ARG(errors));
		buf_str(out, buf_view(&r.out));
	}
	proc_result_release(&r);
	return ok;
}

struct calling {
	struct inspection *i;
	const struct family *f;
	const char *tool, *workspace, *out; /* out: the report without its extension */
	struct json *receipts;
	struct performed done;
};

static const char *materialise(struct calling *c, const struct json *digest, const char *name, struct err *e)
{
	return evidence_materialise(c->i->p, digest ? digest->text.p : "",
				    path_join(c->i->p->arena, c->workspace, name), e);
}

static struct json *subject(struct calling *c, const char *locator)
{
	struct arena *a = c->i->p->arena;
	const struct json *v = json_get(c->i->frozen, "variant");
	struct json *list = json_array(a), *x = json_object(a), *to = json_set_object(x, "variant");
	json_set(x, "role", json_get(c->i->frozen, "role"));
	json_set(to, "kind", json_get(v, "kind"));
	json_set(to, "digest", json_get(v, "digest"));
	json_set_cstr(to, "locator", locator);
	json_push(list, x);
	return list;
}

static struct json *isolated(struct arena *a)
{
	struct json *j = json_object(a);
	json_set_cstr(j, "lifecycle", "isolated_process");
	json_set_array(j, "shared_state");
	json_push_str(json_set_array(j, "rebuilt_state"), STR("process"));
	return j;
}

static bool make_call(struct calling *c, struct err *e)
{
	struct inspection *i = c->i;
	struct arena *a = i->p->arena;
	const struct json *t = i->target.record, *limits = json_get(i->frozen, "limits");
	struct perform_places where;
	const char *variant = materialise(c, json_path(i->frozen, "variant.digest"), "subject", e);
	where.suite = variant ? materialise(c, json_path(t, "test_suite.object_ref.digest"), "suite", e) : NULL;
	where.reference =
		where.suite ? materialise(c, json_path(t, "correctness.reference.digest"), "reference", e) : NULL;
	if (!where.reference)
		return false;
	int64_t now = clock_ns();
	double absolute = json_f64(limits, "absolute_deadline", 0);
	struct json *sampling = json_object(a);
	json_set_cstr(sampling, "kind", c->f->collecting->kind);
	struct perform_options o = {
		.base = perform_base(i->p, t, &where, isolated(a)),
		.operation = c->f->collecting->operation,
		.execution_id = path_base(i->folder),
		.subjects = subject(c, variant),
		.case_id = json_str(i->frozen, "case_id", STR("")).p,
		.sampling = sampling,
		.folder = arena_printf(a, "%s/driver/0000-%s", i->folder, json_str(i->frozen, "role", STR("")).p),
		.call = {.driver = json_get(i->frozen, "driver"),
			 .wrapper = c->tool ? c->f->collecting->wrap(i, c->tool, c->out) : NULL,
			 .gpu_uuids = json_path(i->frozen, "resources.gpu_uuids"),
			 .token = getenv("ASSAY_CALL"),
			 .start_ns = now,
			 .deadlines = {now + seconds(limits, "operation_timeout_seconds"),
				       now + seconds(limits, "command_timeout_seconds"),
				       absolute > 0 ? now + (int64_t)(absolute * 1e9) - clock_unix_ns() : 0},
			 .cleanup_ns = seconds(limits, "cleanup_timeout_seconds")},
	};
	call_adopt_orphans();
	return perform(&c->done, i->p, &o, e) &&
	       (!c->done.answer.output_ref ||
		evidence_adopt(i->p, arena_printf(a, "%s/frozen-output", o.folder),
			       json_str(c->done.answer.output_ref, "digest", STR("")).p, e));
}

static bool check_call(struct calling *c, struct err *e)
{
	struct protocol *p = c->i->p;
	const struct performed *d = &c->done;
	const struct json *command = json_get(d->receipt, "command_result");
	struct str err = json_str(command, "stderr", STR("")), out = json_str(command, "stdout", STR(""));
	struct str denied = STR("ERR_NVGPUCTRPERM"), role = json_str(c->i->frozen, "role", STR(""));
	json_push(c->receipts, d->receipt);
	if (d->stop_reason) {
		bool is_denied = str_find(err, denied) != SIZE_MAX || str_find(out, denied) != SIZE_MAX;
		bool is_failed = strcmp(d->stop_reason, "command_failed") == 0 && c->tool;
		protocol_step(p, is_denied   ? "ncu_counter_access_denied"
				 : is_failed ? arena_printf(p->arena, "%s_command_failed", c->f->name)
					     : d->stop_reason);
		return err_set(e, ERR_ENVIRONMENT, "%s: %.300s %.300s", d->text ? d->text : d->stop_reason,
			       err.p ? err.p : "", out.p ? out.p : "");
	}
	protocol_step(p, "environment_changed");
	if (!shape_same(d->answer.environment, json_path(c->i->target.record, "environment.runtime")))
		return err_set(e, ERR_INPUT,
			       "the driver reports another environment than the one that the Target froze");
	const struct json *gate = perform_gate(p->arena, driver_answer_of(d->answer.result, "correctness", role),
					       json_path(c->i->target.record, "correctness.acceptance"));
	protocol_step(p, "correctness_failed");
	return json_bool(gate, "passed", false) ||
	       err_set(e, ERR_INPUT, "the %s does not pass its correctness rule under the profiler", role.p);
}

/* ---- the report ---- */

/* Where the driver that profiles itself left its one trace. */
static const char *own_report(struct calling *c, struct err *e)
{
	const struct json *list = json_get(c->done.receipt, "driver_artifacts"), *found = NULL;
	size_t n = 0;
	for (size_t k = 0; list && k < list->n; k++) {
		if (str_is(json_str(list->items[k], "kind", STR("")), "pytorch_chrome_trace")) {
			found = list->items[k];
			n++;
		}
	}
	protocol_step(c->i->p, "driver_result_invalid");
	if (n != 1) {
		err_set(e, ERR_INPUT, "the driver declared %zu artifacts of kind pytorch_chrome_trace; one is wanted",
			n);
		return NULL;
	}
	return arena_printf(c->i->p->arena, "%s/%s/payload/%s", c->i->p->root,
			    json_str(c->done.answer.output_ref, "locator", STR("")).p,
			    json_str(found, "relative_path", STR("")).p);
}

/* "2025.3.1.0" of what the tool prints: its last word that begins with a digit and has a dot. */
static struct str version_in(struct str text)
{
	struct str best = STR("unknown"), line, word;
	while (text.n && str_split(&text, '\n', &line)) {
		while (line.n && str_split(&line, ' ', &word)) {
			if (word.n > 2 && word.p[0] >= '0' && word.p[0] <= '9' && str_find_char(word, '.') != SIZE_MAX)
				best = word;
		}
	}
	return best;
}

static bool freeze_report(struct calling *c, struct str version, struct json **first, struct err *e)
{
	struct arena *a = c->i->p->arena;
	const struct collecting *how = c->f->collecting;
	struct tree_limits wide = {.max_files = 16, .max_bytes = UINT64_C(8) << 30};
	struct json *ref, *m = json_object(a);
	const char *report = c->tool ? arena_printf(a, "%s%s", c->out, how->extension) : own_report(c, e);
	protocol_step(c->i->p, report ? "collection_changed" : c->i->p->code);
	if (!report || !evidence_freeze(c->i->p, report, &wide, first, e))
		return false;
	ref = *first;
	if (how->export_report) {
		report = how->export_report(c->i, c->tool, report, c->receipts, e);
		if (!report || !evidence_freeze(c->i->p, report, &wide, &ref, e))
			return false;
	}
	json_set_cstr(m, "kind", "report");
	json_set_cstr(m, "tool", c->tool ? c->f->name : "pytorch_profiler");
	json_set_str(m, "tool_version", version);
	json_set_cstr(m, "dialect", how->dialect);
	json_set(m, "object_ref", ref);
	json_set(c->i->frozen, "material", m);
	return true;
}

static struct str framework_version(struct calling *c)
{
	const struct json *frameworks = json_get(c->done.answer.environment, "frameworks");
	return json_str(frameworks, "torch", json_str(frameworks, "pytorch", STR("unknown")));
}

static bool collect_into(struct json *result, struct calling *c, struct err *e)
{
	struct inspection *i = c->i;
	struct buf said;
	struct json *report;
	buf_init(&said);
	const char *version[] = {c->tool, "--version", NULL};
	protocol_step(i->p, arena_printf(i->p->arena, "%s_command_failed", c->f->name));
	bool ok = !c->tool || (check_tool(i, c->f->collecting->tool, e) &&
			       protocol_step(i->p, arena_printf(i->p->arena, "%s_command_failed", c->f->name)) &&
			       collect_command(i, version, c->receipts, &said, e));
	protocol_step(i->p, ok ? "worker_error" : i->p->code);
	ok = ok && make_call(c, e) && check_call(c, e);
	struct str v = ok && !c->tool ? framework_version(c) : version_in(buf_view(&said));
	ok = ok && freeze_report(c, v, &report, e) && c->f->read(result, i, e);
	buf_release(&said);
	if (!ok)
		return false;
	struct json *p = json_get(result, "provenance");
	json_set(p, "command_receipts", c->receipts);
	json_set(p, "driver_output", c->done.answer.output_ref);
	json_set(p, "report", report);
	if (c->f->collecting->export_report)
		json_set(p, "export", json_path(i->frozen, "material.object_ref"));
	return evidence_sync(i->p, e);
}

bool collect_read(struct json *result, struct inspection *i, const struct family *f, struct err *e)
{
	struct arena *a = i->p->arena;
	struct calling c = {.i = i, .f = f, .receipts = json_array(a)};
	struct err ignored;
	c.workspace = path_join(a, i->folder, "workspace");
	c.out = path_join(a, c.workspace, "collection");
	if (f->collecting->tool)
		c.tool = json_str(json_get(json_path(i->target.record, "environment.host.tools"), f->collecting->tool),
				  "path", STR(""))
				 .p;
	bool ok = file_mkdirs(c.workspace, 0755, e) && collect_into(result, &c, e);
	return file_remove_tree(c.workspace, ok ? e : &ignored) && ok;
}
