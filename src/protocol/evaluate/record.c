/* Results.
 * In: an execution and its calls. Out: the published result record.
 * A pure function of what the execution left, apart from the time stamps.
 * Never: a result without the outputs that it names. */
#include "protocol/evaluate/record.h"

#include <unistd.h>

#include "base/clock.h"
#include "protocol/champion.h"
#include "protocol/evaluate/budget.h"
#include "protocol/evaluate/judge.h"
#include "protocol/evaluate/plan.h"
#include "protocol/evaluate/prediction.h"
#include "protocol/evaluate/secondary.h"
#include "protocol/shape.h"

static bool is_operation(const struct execution *x, const char *word)
{
	return str_is(json_str(x->frozen, "operation", STR("")), word);
}

/* Of one whose process is gone: what its calls took. */
static double lost_seconds(const struct execution *x)
{
	const struct json *first = json_at(x->calls, 0), *last = x->calls->n ? x->calls->items[x->calls->n - 1] : NULL;
	return (double)(json_i64(last, "end_ns", 0) - json_i64(first, "begin_ns", 0)) / 1e9;
}

static void put_head(struct json *j, struct execution *x)
{
	static const char *const same[] = {"operation",      "target_ref",          "variant_refs",
					   "evidence_plan",  "comparison_contract", "reference_selection_ref",
					   "experiment_ref", "screen_result_refs"};
	json_set_cstr(j, "record_type", "invocation_result");
	json_set_cstr(j, "format_version", PROTOCOL("evaluator-result-v2"));
	for (size_t i = 0; i < COUNT_OF(same); i++) {
		if (json_get(x->frozen, same[i]))
			json_set(j, same[i], json_get(x->frozen, same[i]));
	}
	double now = (double)clock_unix_ns() / 1e9,
	       elapsed = x->start_ns ? (double)(clock_ns() - x->start_ns) / 1e9 : lost_seconds(x);
	json_set_f64(j, "started_at_epoch", now - elapsed);
	json_set_f64(j, "finished_at_epoch", now);
	json_set_f64(j, "elapsed_seconds", elapsed);
	json_set_cstr(j, "cleanup_status", x->is_clean ? "confirmed" : "unconfirmed");
	json_set(j, "runtime_attribution_scope",
		 json_path(x->target.record, "environment.runtime.runtime_provenance.attribution_scope"));
	if (!is_operation(x, "baseline"))
		json_set_cstr(j, "reference_status", "current");
}

/* ---- correctness ---- */

static struct json *correctness_receipt(struct execution *x, const struct json *call, const struct json *role)
{
	static const char *const same[] = {"role",        "status", "metrics", "gate", "additional_gates",
					   "diagnostics", "passed"};
	struct arena *a = x->p->arena;
	struct json *j = json_object(a), *refs = json_set_array(j, "evidence_refs");
	const struct json *output = json_path(call, "receipt.driver_output_ref"),
			  *variants = json_get(x->frozen, "variant_refs");
	for (size_t i = 0; i < COUNT_OF(same); i++)
		json_set(j, same[i], json_get(role, same[i]));
	for (size_t i = 0; i < variants->n; i++) {
		if (shape_same(json_get(variants->items[i], "role"), json_get(role, "role")))
			json_set(j, "variant", variants->items[i]);
	}
	json_set(j, "case_id", json_path(call, "step.case_id"));
	json_set(j, "acceptance", json_path(x->target.record, "correctness.acceptance"));
	if (output && output->type == JSON_OBJECT)
		json_push(refs, json_get(output, "digest"));
	return j;
}

struct failures {
	size_t originals, candidates; /* roles that did not pass: original or reference, candidate */
};

static struct failures put_correctness(struct json *j, struct execution *x)
{
	struct failures f = {0, 0};
	struct json *list = json_set_array(j, "correctness_receipts"),
		    *receipts = json_set_array(j, "command_receipts");
	for (size_t i = 0; i < x->calls->n; i++) {
		const struct json *call = x->calls->items[i], *roles = json_get(call, "roles");
		json_push(receipts, json_get(call, "receipt"));
		for (size_t k = 0; k < roles->n; k++) {
			bool candidate = str_is(json_str(roles->items[k], "role", STR("")), "candidate");
			bool failed = !json_bool(roles->items[k], "passed", false);
			f.candidates += failed && candidate;
			f.originals += failed && !candidate;
			json_push(list, correctness_receipt(x, call, roles->items[k]));
		}
	}
	size_t n_steps = json_path(x->frozen, "evidence_plan.steps")->n;
	json_set_u64(j, "completed_driver_calls", x->calls->n);
	json_set_u64(j, "skipped_evidence_steps", n_steps > x->calls->n ? n_steps - x->calls->n : 0);
	return f;
}

/* ---- how it ended ---- */

struct ending {
	const char *reason, *status;
};
static const struct ending endings[] = {
	{"command_failed", "failed"},       {"worker_error", "failed"},
	{"owner_lost", "failed"},           {"command_timeout", "timed_out"},
	{"operation_timeout", "timed_out"}, {"absolute_deadline", "timed_out"},
	{"budget_exhausted", "timed_out"},  {"resource_wait_timeout", "timed_out"},
	{"cancelled", "cancelled"},         {"resource_cleanup_unknown", "failed"},
};

static void put_stopped(struct json *j, const struct execution *x)
{
	const char *status = "invalid";
	for (size_t i = 0; i < COUNT_OF(endings); i++) {
		if (strcmp(endings[i].reason, x->stop_reason) == 0)
			status = endings[i].status;
	}
	json_set_cstr(j, "execution_status", status);
	json_set_cstr(j, "measurement_validity", "invalid");
	json_set_cstr(j, "verdict", "not_evaluated");
	json_set_cstr(j, "stop_reason", x->stop_reason);
	json_set_cstr(json_set_object(j, "performance_receipt"), "status", "not_run");
	struct json *d = json_set_object(j, "diagnostic");
	json_set_cstr(d, "error_type", x->stop_reason);
	json_set_cstr(d, "message", x->text ? x->text : "");
}

static void put_failed(struct json *j, const struct execution *x, const struct failures *f)
{
	bool is_baseline = is_operation(x, "baseline");
	json_set_cstr(j, "execution_status", "succeeded");
	json_set_cstr(j, "measurement_validity", "valid");
	json_set_cstr(j, "verdict", is_baseline || f->originals ? "failed" : "rejected");
	json_set_cstr(j, "stop_reason", "correctness_failed");
	json_set_cstr(json_set_object(j, "performance_receipt"), "status", "not_run");
}

static size_t attempt_of(struct execution *x)
{
	size_t n = 0, k = 1;
	struct err ignored;
	const struct json *candidate = json_at(json_get(x->frozen, "variant_refs"), 1);
	char **ids = candidate ? plan_index(x->p, json_str(candidate, "digest", STR("")).p, &n, &ignored) : NULL;
	for (size_t i = 0; ids && i < n; i++) {
		if (strcmp(ids[i], x->id) == 0)
			continue;
		char *path = arena_printf(x->p->arena, "invocations/%s/result.json", ids[i]);
		struct json *r =
			file_exists(evidence_path(x->p, path)) ? evidence_record(x->p, path, NULL, &ignored) : NULL;
		k += r && str_is(json_str(r, "measurement_validity", STR("")), "valid") &&
		     str_is(json_str(r, "operation", STR("")), json_str(x->frozen, "operation", STR("")).p);
	}
	return k;
}

static void put_verdict(struct json *j, struct execution *x, const struct failures *f)
{
	struct judge_input in = {x->frozen, x->calls, 1};
	if (x->stop_reason) {
		put_stopped(j, x);
	} else if (f->originals || f->candidates) {
		put_failed(j, x, f);
	} else {
		json_set_cstr(j, "execution_status", "succeeded");
		json_set_cstr(j, "measurement_validity", "valid");
		in.attempt = is_operation(x, "target") ? attempt_of(x) : 1;
		if (is_operation(x, "baseline"))
			judge_baseline(j, &in);
		else
			judge_comparison(j, &in);
	}
	if (is_operation(x, "final_audit")) {
		bool rejected = str_is(json_str(j, "verdict", STR("")), "rejected");
		json_set_bool(j, "restore_supported", rejected && !x->stop_reason && !f->originals);
	}
}

static struct json *compose(struct execution *x)
{
	struct json *j = json_object(x->p->arena);
	put_head(j, x);
	struct failures f = put_correctness(j, x);
	put_verdict(j, x, &f);
	return j;
}

/* ---- publishing ---- */

static bool adopt_outputs(struct execution *x, struct err *e)
{
	for (size_t i = 0; i < x->calls->n; i++) {
		const struct json *ref = json_path(x->calls->items[i], "receipt.driver_output_ref");
		char *path = arena_printf(x->p->arena, "%s/%s/frozen-output", x->folder,
					  json_str(x->calls->items[i], "folder", STR("")).p);
		if (ref && ref->type == JSON_OBJECT &&
		    !evidence_adopt(x->p, path, json_str(ref, "digest", STR("")).p, e))
			return false;
	}
	return true;
}

static bool check_reference(struct json *result, struct execution *x, struct err *e)
{
	struct champion now;
	if (!champion_load(&now, x->p, &x->target, e))
		return false;
	if (str_is(json_str(x->frozen, "reference_pointer_sha256", STR("")), now.pointer_sha256))
		return true;
	json_set_cstr(result, "reference_status", "stale_reference");
	json_set_cstr(json_get(result, "performance_receipt"), "reference_status", "stale_reference");
	if (str_is(json_str(result, "verdict", STR("")), "passed"))
		json_set_cstr(result, "verdict", "inconclusive");
	if (!x->stop_reason)
		json_set_cstr(result, "stop_reason", "stale_reference");
	return true;
}

/* Held against what the Experiment claimed; a contradiction is noted before the result is there. */
static bool compare_prediction(struct json *result, struct execution *x, struct err *e)
{
	const struct json *ref = json_get(x->frozen, "experiment_ref");
	if (!is_operation(x, "target") || x->stop_reason || !json_get(result, "assay"))
		return true;
	char *path = arena_printf(x->p->arena, "experiments/%s.json", json_str(ref, "id", STR("")).p);
	struct json *experiment = evidence_record(x->p, path, NULL, e);
	if (!experiment)
		return false;
	secondary_put(result, experiment);
	prediction_put(result, experiment);
	return !json_bool(json_path(result, "assay.prediction"), "contradicted", false) ||
	       plan_index_add(x->p, "contradicted", x->id, e);
}

bool record_publish(struct execution *x, struct err *e)
{
	bool compares = json_get(x->frozen, "reference_pointer_sha256") != NULL;
	struct json *result = compose(x);
	if (!budget_spend(x->p, x->id, json_f64(result, "elapsed_seconds", 0), e) ||
	    !compare_prediction(result, x, e) || !adopt_outputs(x, e) || !evidence_sync(x->p, e))
		return false;
	int lock = compares ? evidence_lock(x->p, "champion", e) : -1;
	bool ok = (!compares || lock >= 0) && (!compares || check_reference(result, x, e)) &&
		  evidence_write(x->p, arena_printf(x->p->arena, "invocations/%s/result.json", x->id), result, NULL, e);
	if (lock >= 0)
		close(lock);
	return ok;
}
