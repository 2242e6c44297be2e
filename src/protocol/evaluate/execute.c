/* Running an execution.
 * In: a frozen request. Out: one record a call, in memory and as driver/NNNN-.../call.json.
 * A failed gate ends it: what comes after a wrong result is not measured.
 * Never: publishes a result; that is record.c. */
#include "protocol/evaluate/execute.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/proc.h"
#include "protocol/audit.h"
#include "protocol/driver/driver.h"
#include "protocol/driver/perform.h"
#include "protocol/evaluate/budget.h"
#include "protocol/evaluate/observe.h"
#include "protocol/evaluate/plan.h"
#include "protocol/shape.h"

struct running {
	struct execution *x;
	struct driver_stamps stamps;
	struct json *base, *places; /* places: digest -> path */
	int64_t beat_ns;
	struct observer *observer; /* NULL: a baseline, which decides nothing */
};

void execution_event(const struct execution *x, const char *event, const char *key, const char *value)
{
	struct buf b;
	struct json *j = json_object(x->p->arena);
	json_set_cstr(j, "event", event);
	json_set_f64(j, "at_epoch", (double)clock_unix_ns() / 1e9);
	if (key)
		json_set_cstr(j, key, value);
	buf_init(&b);
	json_write(&b, j, JSON_COMPACT);
	buf_char(&b, '\n');
	int fd = open(path_join(x->p->arena, x->folder, "events.jsonl"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
		      0644);
	if (fd >= 0) {
		ssize_t put = write(fd, b.p, b.n); /* one write a line; a torn one decides nothing */
		(void)put;
		close(fd);
	}
	buf_release(&b);
}

bool execution_open(struct execution *out, struct protocol *p, const char *id, struct err *e)
{
	char digest[SHA256_HEX], got[SHA256_HEX];
	struct sha256 s;
	*out = (struct execution){.p = p, .id = id, .is_clean = true, .calls = json_array(p->arena)};
	out->folder = arena_printf(p->arena, "%s/invocations/%s", p->root, id);
	sha256_init(&s);
	sha256_str(&s, str_from(p->root));
	sha256_str(&s, str_from(id));
	sha256_hex(&s, digest);
	out->token = arena_printf(p->arena, "%.40s", digest);
	out->frozen = evidence_record(p, arena_printf(p->arena, "invocations/%s/request.json", id), NULL, e);
	if (!out->frozen || !target_load(&out->target, p, json_get(out->frozen, "target_ref"), e))
		return false;
	plan_request_digest(out->frozen, got);
	return str_is(json_str(out->frozen, "request_digest", STR("")), got) ||
	       err_set(e, ERR_CORRUPT, "%s/request.json: is not what its request_digest names", out->folder);
}

/* ---- materials ---- */

static const char *place(struct running *r, struct str digest, struct err *e)
{
	struct json *there = json_find(r->places, digest);
	if (there)
		return there->text.p;
	struct arena *a = r->x->p->arena;
	char *folder = arena_printf(a, "%s/workspace", r->x->folder);
	char *to = arena_printf(a, "%s/%.16s", folder, digest.p);
	if (!file_mkdirs(folder, 0755, e))
		return NULL;
	const char *path = evidence_materialise(r->x->p, digest.p, to, e);
	if (path)
		json_put(r->places, digest, json_new_str(a, str_from(path)));
	return path;
}

static bool stage(struct running *r, struct err *e)
{
	const struct json *t = r->x->target.record, *variants = json_get(r->x->frozen, "variant_refs");
	struct perform_places where;
	where.suite = place(r, json_str(json_path(t, "test_suite.object_ref"), "digest", STR("")), e);
	where.reference =
		where.suite ? place(r, json_str(json_path(t, "correctness.reference"), "digest", STR("")), e) : NULL;
	for (size_t i = 0; where.reference && i < variants->n; i++) {
		if (!place(r, json_str(variants->items[i], "digest", STR("")), e))
			return false;
	}
	if (!where.reference)
		return false;
	r->base = perform_base(r->x->p, t, &where, json_get(r->x->frozen, "acquisition"));
	return true;
}

/* What was given to the driver is still what was frozen; compiled Python beside the sources is no change. */
static bool materials_hold(struct running *r, struct err *e)
{
	static const char *const ignore[] = {"__pycache__", NULL};
	struct tree_limits limits = {.max_files = UINT32_MAX, .ignore = ignore};
	for (size_t i = 0; i < r->places->n; i++) {
		struct tree t;
		size_t n;
		const struct tree_entry *entries = evidence_entries(r->x->p, r->places->members[i].key.p, &n, e);
		if (!entries || !tree_digest(r->places->members[i].value->text.p, &limits, &t, e))
			return false;
		if (!str_is(r->places->members[i].key, t.digest)) {
			r->x->stop_reason = "material_changed";
			r->x->text = arena_printf(r->x->p->arena, "%s was changed by the driver",
						  r->places->members[i].value->text.p);
		}
	}
	return true;
}

/* ---- one call ---- */

static const char *should_stop(void *ctx)
{
	struct running *r = ctx;
	if (access(path_join(r->x->p->arena, r->x->folder, "cancel"), F_OK) == 0 || sig_pending())
		return "cancelled";
	if (clock_ns() - r->beat_ns > INT64_C(10000000000)) {
		r->beat_ns = clock_ns();
		execution_event(r->x, "heartbeat", "phase", "child_running");
	}
	return NULL;
}

static const struct json *variant_of(const struct json *frozen, struct str role)
{
	const struct json *list = json_get(frozen, "variant_refs");
	for (size_t i = 0; i < list->n; i++) {
		if (str_eq(json_str(list->items[i], "role", STR("")), role))
			return list->items[i];
	}
	return NULL;
}

static struct json *subjects_of(struct running *r, const struct json *roles)
{
	struct arena *a = r->x->p->arena;
	struct json *list = json_array(a);
	for (size_t i = 0; i < roles->n; i++) {
		const struct json *v = variant_of(r->x->frozen, roles->items[i]->text);
		struct str digest = json_str(v, "digest", STR(""));
		struct json *x = json_object(a), *to = json_set_object(x, "variant");
		json_set_str(x, "role", roles->items[i]->text);
		json_set_str(to, "kind", json_str(v, "kind", STR("")));
		json_set_str(to, "digest", digest);
		json_set(to, "locator", json_find(r->places, digest));
		json_push(list, x);
	}
	return list;
}

static struct json *sampling_of(struct running *r, const struct json *step)
{
	struct json *j = shape_copy(r->x->p->arena, json_get(r->x->frozen, "sampling_design"));
	json_set(j, "pair_index", shape_copy(r->x->p->arena, json_get(step, "pair_index")));
	json_set(j, "order", shape_copy(r->x->p->arena, json_get(step, "order")));
	return j;
}

/* NNNN-roles-case; a case name that is no plain word is given by its digest. */
static const char *folder_of(struct running *r, const struct json *step, const char *kind)
{
	struct arena *a = r->x->p->arena;
	struct str id = json_str(step, "case_id", STR(""));
	const struct json *roles = json_get(step, "roles");
	char digest[SHA256_HEX];
	bool plain = id.n <= 60 && id.p[0] != '.';
	for (size_t i = 0; i < id.n; i++) {
		char c = id.p[i];
		plain = plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
				  c == '_' || c == '-' || c == '.');
	}
	sha256_of(id.p, id.n, digest);
	const char *second = roles->n > 1 ? arena_printf(a, "-%s", roles->items[1]->text.p) : "";
	return arena_printf(a, "%s/driver/%s%04lld-%s%s-%.60s", r->x->folder, kind,
			    (long long)json_i64(step, "call_index", 0), roles->items[0]->text.p, second,
			    plain ? id.p : digest);
}

static int64_t seconds(const struct json *limits, const char *key)
{
	return (int64_t)(json_f64(limits, key, 0) * 1e9);
}

static void put_clocks(struct running *r, struct call_options *c)
{
	const struct json *limits = json_get(r->x->frozen, "limits");
	int64_t now = clock_ns();
	double absolute = json_f64(limits, "absolute_deadline", 0);
	c->driver = json_get(r->x->frozen, "driver");
	c->gpu_uuids = json_path(r->x->frozen, "resources.gpu_uuids");
	c->token = r->x->token;
	c->start_ns = r->x->start_ns;
	c->deadlines[0] = r->x->start_ns + seconds(limits, "operation_timeout_seconds");
	c->deadlines[1] = now + seconds(limits, "command_timeout_seconds");
	if (absolute > 0)
		c->deadlines[2] = now + (int64_t)(absolute * 1e9) - clock_unix_ns();
	c->deadlines[3] = r->x->budget_end_ns;
	c->cleanup_ns = seconds(limits, "cleanup_timeout_seconds");
	c->should_stop = should_stop;
	c->ctx = r;
}

/* ---- what a role's evidence says ---- */

static struct json *more_gates(struct running *r, const struct json *correctness, bool *pass)
{
	const struct json *gates = json_path(r->x->frozen, "comparison_contract.additional_gates");
	struct json *list = json_array(r->x->p->arena);
	for (size_t i = 0; gates && i < gates->n; i++) {
		struct json *g = perform_gate(r->x->p->arena, correctness, gates->items[i]);
		*pass = *pass && json_bool(g, "passed", false);
		json_push(list, g);
	}
	return list;
}

static struct json *diagnostics(struct running *r, const struct json *correctness)
{
	const struct json *names = json_path(r->x->frozen, "comparison_contract.diagnostics");
	struct json *j = json_object(r->x->p->arena);
	for (size_t i = 0; names && i < names->n; i++) {
		const struct json *v = json_find(json_get(correctness, "metrics"), names->items[i]->text);
		json_put(j, names->items[i]->text, v ? shape_copy(j->arena, v) : json_new_null(j->arena));
	}
	return j;
}

static struct str aggregation(const struct json *objective, struct str name)
{
	const struct json *list = json_get(objective, "constraints");
	for (size_t i = 0; i < list->n; i++) {
		if (str_eq(json_str(list->items[i], "name", STR("")), name))
			return json_str(list->items[i], "aggregation", STR("median"));
	}
	return json_str(json_get(objective, "primary_metric"), "aggregation", STR("median"));
}

static bool put_values(struct json *j, struct json *m, const struct json *objective, bool keep_samples)
{
	struct arena *a = j->arena;
	struct json *c = json_set_object(j, "constraints");
	const struct json *list = json_get(m, "constraints"), *primary = json_get(m, "primary");
	double v;
	struct str how = json_str(json_get(objective, "primary_metric"), "aggregation", STR("median"));
	bool ok = audit_aggregate(&v, json_get(primary, "samples"), how, a);
	json_set_f64(j, "primary", v);
	json_set_u64(j, "samples", json_get(primary, "samples")->n);
	for (size_t i = 0; i < list->n; i++) {
		struct str name = json_str(list->items[i], "name", STR(""));
		ok = audit_aggregate(&v, json_get(list->items[i], "samples"), aggregation(objective, name), a) && ok;
		json_put(c, name, json_new_f64(a, v));
	}
	if (keep_samples)
		json_set(j, "measurement", m); /* the driver's own tree: it may be large */
	return ok;
}

static void put_role(struct running *r, struct json *call, const struct driver_answer *answer, struct str role)
{
	struct arena *a = r->x->p->arena;
	struct json *j = json_object(a);
	const struct json *correctness = driver_answer_of(answer->result, "correctness", role);
	struct json *m = driver_answer_of(answer->result, "measurements", role);
	const struct json *objective = json_get(r->x->frozen, "objective"),
			  *audit = json_path(r->x->target.record, "assay.metric_audit");
	struct json *gate = perform_gate(a, correctness, json_path(r->x->target.record, "correctness.acceptance"));
	bool pass = json_bool(gate, "passed", false);
	json_set_str(j, "role", role);
	json_set(j, "status", shape_copy(a, json_get(correctness, "status")));
	json_set(j, "metrics", shape_copy(a, json_get(correctness, "metrics")));
	json_set(j, "gate", gate);
	json_set(j, "additional_gates", more_gates(r, correctness, &pass));
	json_set(j, "diagnostics", diagnostics(r, correctness));
	json_set_bool(j, "passed", pass);
	bool baseline = str_is(json_str(r->x->frozen, "operation", STR("")), "baseline");
	if (!put_values(j, m, objective, baseline)) {
		r->x->stop_reason = "sample_count_mismatch";
		r->x->text = "fewer samples than the metric's quantile can be taken from";
	}
	audit_answer(json_get(call, "metric_findings"), audit, objective, answer->result, role);
	json_push(json_get(call, "roles"), j);
	r->x->correctness_failed = r->x->correctness_failed || !pass;
}

static bool keep_call(struct running *r, const char *folder, const struct json *call, struct err *e)
{
	struct buf b;
	char *path = path_join(r->x->p->arena, folder, "call.json"),
	     *temp = path_join(r->x->p->arena, folder, ".call.json");
	int fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_set(e, ERR_IO, "%s: cannot be made", temp);
	buf_init(&b);
	json_write(&b, call, JSON_COMPACT);
	bool ok = file_write_all(fd, b.p, b.n, path, e);
	buf_release(&b);
	close(fd);
	return ok && (rename(temp, path) == 0 || err_set(e, ERR_IO, "%s: cannot be renamed", temp));
}

static void take_answer(struct running *r, struct json *call, const struct performed *done, const struct json *roles)
{
	struct execution *x = r->x;
	x->is_clean = x->is_clean && done->is_clean;
	if (done->stop_reason) {
		x->stop_reason = done->stop_reason;
		x->text = done->text;
		return;
	}
	for (size_t i = 0; i < roles->n; i++)
		put_role(r, call, &done->answer, roles->items[i]->text);
	bool same = shape_same(done->answer.environment, json_path(x->target.record, "environment.runtime"));
	json_set_bool(call, "environment_same", same);
	if (!same && !x->stop_reason) {
		x->stop_reason = "environment_identity_changed";
		x->text = "the driver reports another environment than the one that the Target froze";
	}
}

static bool one_call(struct running *r, const struct json *step, const char *kind, struct err *e)
{
	struct execution *x = r->x;
	struct arena *a = x->p->arena;
	const char *folder = folder_of(r, step, kind);
	struct perform_options o = {
		.base = r->base,
		.operation = json_str(x->frozen, "operation", STR("")).p,
		.execution_id = x->id,
		.subjects = subjects_of(r, json_get(step, "roles")),
		.case_id = json_str(step, "case_id", STR("")).p,
		.sampling = sampling_of(r, step),
		.folder = folder,
		.stamps = &r->stamps,
	};
	struct performed done;
	struct json *call = json_object(a);
	put_clocks(r, &o.call);
	if (r->observer)
		o.call.keep.pids = observe_pids(r->observer, &o.call.keep.n);
	int64_t begin_ns = clock_ns();
	json_set(call, "step", shape_copy(a, step));
	json_set_array(call, "roles");
	json_set_array(call, "metric_findings");
	json_set_i64(call, "begin_ns", clock_unix_ns());
	if (!perform(&done, x->p, &o, e))
		return false;
	json_set_i64(call, "end_ns", clock_unix_ns());
	if (r->observer)
		json_set(call, "observation", observe_call(r->observer, begin_ns, clock_ns()));
	json_set_cstr(call, "folder", folder + strlen(x->folder) + 1);
	json_set(call, "receipt", done.receipt);
	take_answer(r, call, &done, json_get(step, "roles"));
	json_set_cstr(call, "stop_reason", x->stop_reason);
	json_set_cstr(call, "text", x->text);
	json_push(x->calls, call);
	return keep_call(r, folder, call, e);
}

/* After a failed gate of a final audit: does the original still pass in every case? */
static bool restore(struct running *r, struct err *e)
{
	const struct json *steps = json_path(r->x->frozen, "evidence_plan.conditional_restore_steps");
	for (size_t i = 0; steps && i < steps->n && !r->x->stop_reason; i++) {
		bool done = false;
		for (size_t k = 0; k < r->x->calls->n; k++) {
			const struct json *step = json_get(r->x->calls->items[k], "step");
			done = done || (shape_same(json_get(step, "case_id"), json_get(steps->items[i], "case_id")) &&
					shape_holds(json_get(step, "roles"), STR("original")));
		}
		if (!done && !one_call(r, steps->items[i], "restore-", e))
			return false;
	}
	return true;
}

static bool make_calls(struct running *r, struct err *e)
{
	struct execution *x = r->x;
	const struct json *steps = json_path(x->frozen, "evidence_plan.steps");
	for (size_t i = 0; i < steps->n && !x->stop_reason && !x->correctness_failed; i++) {
		const char *stop = should_stop(r);
		if (stop)
			x->stop_reason = stop;
		else if (!one_call(r, steps->items[i], "", e))
			return false;
	}
	if (x->correctness_failed && !x->stop_reason && !restore(r, e))
		return false;
	return x->stop_reason || x->correctness_failed || materials_hold(r, e);
}

bool execution_run(struct execution *x, struct err *e)
{
	struct running r = {.x = x, .places = json_object(x->p->arena)};
	char *folder = arena_printf(x->p->arena, "%s/observer", x->folder);
	double left;
	if (!budget_left(&left, x->p, &x->target, e))
		return false;
	x->start_ns = clock_ns();
	x->budget_end_ns = left < 1e9 ? x->start_ns + (int64_t)(left * 1e9) : 0;
	if (!stage(&r, e) || !file_mkdirs(folder, 0700, e))
		return false;
	if (!str_is(json_str(x->frozen, "operation", STR("")), "baseline"))
		r.observer = observe_start(x->p, folder, &x->target);
	bool ok = make_calls(&r, e);
	observe_stop(r.observer);
	return ok && file_remove_tree(folder, e) &&
	       file_remove_tree(arena_printf(x->p->arena, "%s/workspace", x->folder), e);
}

static bool add_call(struct execution *x, const char *folder, struct err *e)
{
	char *path = path_join(x->p->arena, folder, "call.json");
	if (!file_exists(path))
		return true;
	struct json *call = json_read_file(x->p->arena, path, JSON_LARGE, e);
	if (!call)
		return false;
	const struct json *roles = json_get(call, "roles");
	for (size_t i = 0; roles && i < roles->n; i++)
		x->correctness_failed = x->correctness_failed || !json_bool(roles->items[i], "passed", true);
	json_push(x->calls, call);
	return true;
}

bool execution_recall(struct execution *x, struct err *e)
{
	size_t n = 0;
	char *driver = path_join(x->p->arena, x->folder, "driver");
	x->calls = json_array(x->p->arena);
	char **names = file_is_dir(driver) ? file_list(x->p->arena, driver, &n, e) : NULL;
	if (!names && file_is_dir(driver))
		return false;
	for (size_t i = 0; names && i < n; i++) {
		if (!add_call(x, path_join(x->p->arena, driver, names[i]), e))
			return false;
	}
	return true;
}
