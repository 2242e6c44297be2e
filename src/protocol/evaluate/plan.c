/* Freezing a request.
 * In: a checked evaluator request. Out: request.json with variants, orders and every driver call.
 * Calls: pairs outside, cases inside; isolated processes need two calls a pair and case, one process needs one.
 * Never: starts anything. */
#include "protocol/evaluate/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/version.h"
#include "protocol/champion.h"
#include "protocol/driver/driver.h"
#include "protocol/evaluate/falsify.h"
#include "protocol/evaluate/input.h"
#include "protocol/evaluate/screen.h"
#include "protocol/shape.h"
#include "stats/published.h"

struct freezing {
	struct protocol *p;
	const struct json *request;
	struct target target;
	struct champion champion;
	struct json *frozen, *experiment, *contract;
	const char *operation;
	struct json *variants; /* [reference, candidate], or [original] */
	const char *roles[2];
};

struct json *plan_record(struct protocol *p, const char *what, const char *path, const struct json *ref, struct err *e)
{
	char sha256[SHA256_HEX];
	protocol_step(p, arena_printf(p->arena, "%s_not_found", what));
	if (!file_exists(evidence_path(p, path))) {
		err_set(e, ERR_INPUT, "%s: %s is not there", what, path);
		return NULL;
	}
	protocol_step(p, arena_printf(p->arena, "%s_invalid", what));
	struct json *j = evidence_record(p, path, sha256, e);
	if (!j)
		return NULL;
	protocol_step(p, arena_printf(p->arena, "%s_changed", what));
	if (!str_is(json_str(ref, "sha256", STR("")), sha256)) {
		err_set(e, ERR_INPUT, "%s: the record's bytes hash to %.12s, the reference says %.12s", what, sha256,
			json_str(ref, "sha256", STR("")).p);
		return NULL;
	}
	protocol_step(p, arena_printf(p->arena, "%s_invalid", what));
	return j;
}

bool plan_index_add(struct protocol *p, const char *key, const char *id, struct err *e)
{
	char *folder = arena_printf(p->arena, "%s/.index/%s", p->root, key);
	if (!file_mkdirs(folder, 0755, e))
		return false;
	int fd = open(path_join(p->arena, folder, id), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_errno(e, ERR_IO, errno, "%s/%s", folder, id);
	close(fd);
	return file_fsync_dir(folder, e);
}

char **plan_index(struct protocol *p, const char *key, size_t *n, struct err *e)
{
	char *folder = arena_printf(p->arena, "%s/.index/%s", p->root, key);
	*n = 0;
	return file_is_dir(folder) ? file_list(p->arena, folder, n, e) : ARENA_ARRAY(p->arena, 1, char *);
}

/* ---- digests ---- */

void plan_request_digest(const struct json *frozen, char digest[SHA256_HEX])
{
	static const char *const left_out[] = {"limits", "retry_of", "request_digest", "created_at_epoch",
					       "format_version"};
	struct json *j = json_object(frozen->arena);
	for (size_t i = 0; i < frozen->n; i++) {
		bool skip = false;
		for (size_t k = 0; k < COUNT_OF(left_out); k++)
			skip = skip || str_is(frozen->members[i].key, left_out[k]);
		if (!skip)
			json_put(j, frozen->members[i].key, frozen->members[i].value);
	}
	evidence_canonical(j, digest);
}

void plan_invocation_id(const struct json *frozen, char id[INVOCATION_ID_MAX])
{
	char digest[SHA256_HEX];
	struct json *j = json_object(frozen->arena);
	json_set_str(j, "request_digest", json_str(frozen, "request_digest", STR("")));
	json_set(j, "launch", version_json(frozen->arena));
	evidence_canonical(j, digest);
	snprintf(id, INVOCATION_ID_MAX, "inv-%.32s", digest);
}

/* ---- steps ---- */

static struct json *acquisition_of(struct freezing *f)
{
	struct json *j = json_object(f->p->arena);
	const struct json *a = json_get(f->contract, "acquisition");
	if (!a) {
		json_set_cstr(j, "lifecycle", "isolated_process");
		json_set_array(j, "shared_state");
		json_push_str(json_set_array(j, "rebuilt_state"), STR("process"));
		return j;
	}
	json_set(j, "lifecycle", shape_copy(f->p->arena, json_get(a, "lifecycle")));
	json_set(j, "shared_state", shape_copy(f->p->arena, json_get(a, "shared_state")));
	json_set(j, "rebuilt_state", shape_copy(f->p->arena, json_get(a, "rebuilt_state")));
	return j;
}

struct one_step {
	struct str case_id;
	int64_t pair; /* -1: none */
	char order;
	const char *roles[2];
	size_t n_roles;
};

static void add_step(struct json *steps, const struct one_step *s, const char *lifecycle)
{
	struct json *j = json_object(steps->arena), *roles = json_set_array(j, "roles");
	json_set_u64(j, "call_index", steps->n);
	json_set_str(j, "case_id", s->case_id);
	json_set_null(j, "pair_index");
	json_set_null(j, "order");
	if (s->pair >= 0) {
		json_set_i64(j, "pair_index", s->pair);
		json_set_cstr(j, "order", s->order == 'A' ? "AB" : "BA");
	}
	for (size_t i = 0; i < s->n_roles; i++)
		json_push_str(roles, str_from(s->roles[i]));
	json_set_cstr(j, "acquisition", lifecycle);
	json_push(steps, j);
}

static void add_pair(struct freezing *f, struct json *steps, struct str case_id, struct one_step s)
{
	bool same = str_is(json_str(json_get(f->contract, "acquisition"), "lifecycle", STR("")), "same_process");
	const char *first = f->roles[s.order == 'A' ? 0 : 1], *second = f->roles[s.order == 'A' ? 1 : 0];
	s.case_id = case_id;
	s.roles[0] = first;
	s.roles[1] = second;
	s.n_roles = same ? 2 : 1;
	add_step(steps, &s, same ? "same_process" : "isolated_process");
	if (same)
		return;
	s.roles[0] = second;
	add_step(steps, &s, "isolated_process");
}

static void restore_steps(struct freezing *f, struct json *plan, const struct json *cases)
{
	struct json *steps = json_set_array(plan, "conditional_restore_steps");
	for (size_t i = 0; str_is(str_from(f->operation), "final_audit") && i < cases->n; i++) {
		struct one_step s = {cases->items[i]->text, -1, 0, {"original", NULL}, 1};
		add_step(steps, &s, "isolated_process");
	}
	json_set_u64(plan, "conditional_restore_calls", steps->n);
}

static void make_plan(struct freezing *f)
{
	struct arena *a = f->p->arena;
	const struct json *design = json_get(f->request, "sampling_design"), *cases = json_get(design, "case_ids");
	struct json *plan = json_object(a), *steps = json_set_array(plan, "steps"), *sampling = shape_copy(a, design);
	size_t n_pairs = (size_t)json_i64(design, "pairs", json_i64(f->request, "repeats", 1));
	bool is_baseline = str_is(str_from(f->operation), "baseline");
	char *orders = ARENA_ARRAY(a, n_pairs + 1, char);
	published_orders(orders, n_pairs, (uint64_t)json_i64(design, "seed", 0));
	struct json *list = is_baseline ? json_array(a) : json_set_array(sampling, "orders");
	for (size_t i = 0; i < n_pairs; i++) {
		json_push_str(list, orders[i] == 'A' ? STR("AB") : STR("BA"));
		for (size_t k = 0; k < cases->n; k++) {
			struct one_step s = {cases->items[k]->text, -1, 0, {"original", NULL}, 1};
			struct one_step pair = {.pair = (int64_t)i, .order = orders[i]};
			if (is_baseline)
				add_step(steps, &s, "isolated_process");
			else
				add_pair(f, steps, cases->items[k]->text, pair);
		}
	}
	json_set_u64(plan, "driver_calls", steps->n);
	json_set_u64(plan, "full_lifecycle_starts", steps->n);
	restore_steps(f, plan, cases);
	json_set(f->frozen, "sampling_design", sampling);
	json_set(f->frozen, "evidence_plan", plan);
}

/* ---- the parts of the frozen request ---- */

void plan_put_limits(struct json *frozen, const struct json *request)
{
	static const char *const keys[] = {
		"operation_timeout_seconds", "command_timeout_seconds", "resource_wait_timeout_seconds",
		"cleanup_timeout_seconds",   "launch_deadline",         "absolute_deadline"};
	struct json *limits = json_set_object(frozen, "limits");
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		if (json_get(request, keys[i]))
			json_set_f64(limits, keys[i], json_f64(request, keys[i], 0));
	}
	if (json_get(request, "retry_of"))
		json_set(frozen, "retry_of", shape_copy(frozen->arena, json_get(request, "retry_of")));
}

void plan_put_tool(struct json *frozen, const char *result_contract)
{
	char digest[SHA256_HEX];
	struct json *tool = json_set_object(frozen, "tool_identity"), *one = json_object(frozen->arena);
	json_set_cstr(tool, "version", version_number());
	json_set_cstr(tool, "result_contract", result_contract);
	json_set_cstr(one, "name", "assay");
	json_set_cstr(one, "commit", version_commit());
	json_push(json_set_array(tool, "implementations"), one);
	evidence_canonical(tool, digest);
	json_set_cstr(tool, "digest", digest);
}

static void put_identity(struct freezing *f)
{
	struct arena *a = f->p->arena;
	plan_put_tool(f->frozen, PROTOCOL("evaluator-result-v2"));
	struct json *objective = json_set_object(f->frozen, "objective");
	json_set(objective, "primary_metric", json_get(f->target.record, "primary_metric"));
	json_set(objective, "minimum_effect", json_get(f->target.record, "minimum_effect"));
	json_set(objective, "constraints", json_get(f->target.record, "constraints"));
	json_set(f->frozen, "driver", json_get(f->target.record, "driver"));
	json_set(f->frozen, "cleanup", json_path(f->target.record, "driver.cleanup_contract"));
	json_set(f->frozen, "resources", shape_copy(a, json_get(f->request, "resources")));
	json_set(f->frozen, "target_ref", f->target.ref);
	json_set_cstr(f->frozen, "operation", f->operation);
	json_set(f->frozen, "input_format", shape_copy(a, json_get(f->request, "format_version")));
}

static struct json *variant_as(struct arena *a, const struct json *v, const char *role)
{
	struct json *j = shape_copy(a, v);
	json_set_cstr(j, "role", role);
	return j;
}

static bool check_cases(struct freezing *f, struct err *e)
{
	const struct json *all = json_path(f->target.record, "test_suite.case_ids");
	const struct json *cases = json_path(f->request, "sampling_design.case_ids");
	for (size_t i = 0; i < cases->n; i++) {
		if (!shape_holds(all, cases->items[i]->text))
			return err_set(e, ERR_INPUT, "sampling_design.case_ids: \"%.80s\" is no case of the Target",
				       cases->items[i]->text.p);
	}
	const struct json *want = target_gpus(&f->target), *have = json_path(f->request, "resources.gpu_uuids");
	bool same = want && want->n == have->n;
	for (size_t i = 0; same && i < have->n; i++)
		same = shape_holds(want, have->items[i]->text);
	return same || err_set(e, ERR_INPUT, "resources.gpu_uuids: are not those of the Target");
}

static bool check_pairs(struct freezing *f, struct err *e)
{
	int64_t pairs = json_i64(json_get(f->request, "sampling_design"), "pairs", 0);
	int64_t least = json_i64(json_get(f->target.record, "validity_requirements"), "minimum_pairs", 1);
	return pairs >= least || err_set(e, ERR_INPUT, "sampling_design.pairs: %lld, the Target wants at least %lld",
					 (long long)pairs, (long long)least);
}

static bool check_lifecycle(struct freezing *f, struct err *e)
{
	bool same = str_is(json_str(json_get(f->contract, "acquisition"), "lifecycle", STR("")), "same_process");
	const struct json *gates = json_get(f->contract, "additional_gates");
	struct str gate = json_str(json_path(f->target.record, "correctness.acceptance"), "metric", STR(""));
	for (size_t i = 0; gates && i < gates->n; i++) {
		if (str_eq(json_str(gates->items[i], "metric", STR("")), gate))
			return err_set(e, ERR_INPUT, "additional_gates: repeats the Target's gate");
	}
	return !same || driver_has(json_get(f->target.record, "driver"), "paired_same_process_combined") ||
	       err_set(e, ERR_INPUT, "acquisition: the driver does not say paired_same_process_combined");
}

/* ---- by operation ---- */

static bool freeze_baseline(struct freezing *f)
{
	f->roles[0] = "original";
	json_push(f->variants, shape_copy(f->p->arena, json_get(f->target.record, "original")));
	if (json_get(f->request, "repeats"))
		json_set(f->frozen, "repeats", shape_copy(f->p->arena, json_get(f->request, "repeats")));
	return true;
}

static bool freeze_comparison(struct freezing *f, struct err *e)
{
	static const char *const screen_keys[] = {"screen_design", "cheapest_falsifier", "reject_if"};
	struct arena *a = f->p->arena;
	const struct json *ref = json_get(f->request, "experiment_ref");
	char *path = arena_printf(a, "experiments/%s.json", json_str(ref, "id", STR("")).p);
	bool is_screen = str_is(str_from(f->operation), "screen");
	f->experiment = plan_record(f->p, "experiment", path, ref, e);
	if (!f->experiment)
		return false;
	if (!shape_same(json_get(f->experiment, "target_ref"), f->target.ref))
		return err_set(e, ERR_INPUT, "experiment: belongs to another Target");
	if (!falsify_gate(f->p, f->experiment, e))
		return false;
	protocol_step(f->p, "invalid_evaluator_input");
	f->contract = json_get(f->experiment, "comparison_contract");
	f->roles[0] = "reference";
	f->roles[1] = "candidate";
	json_push(f->variants, variant_as(a, json_get(f->experiment, "reference_variant"), "reference"));
	json_push(f->variants, variant_as(a, json_get(f->experiment, "candidate"), "candidate"));
	json_set(f->frozen, "experiment_ref", shape_copy(a, ref));
	json_set(f->frozen, "baseline_ref", json_get(f->experiment, "baseline_ref"));
	json_set(f->frozen, "reference_selection_ref", json_get(f->experiment, "reference_selection_ref"));
	for (size_t i = 0; is_screen && i < COUNT_OF(screen_keys); i++)
		json_set(f->frozen, screen_keys[i], json_get(f->experiment, screen_keys[i]));
	if (is_screen) {
		protocol_step(f->p, "screen_not_enabled");
		return json_bool(json_get(f->experiment, "screen_design"), "enabled", false) ||
		       err_set(e, ERR_INPUT, "the Experiment has no screen");
	}
	return check_pairs(f, e) && screen_gate(f->frozen, f->p, f->experiment, ref, e);
}

static bool freeze_audit(struct freezing *f, struct err *e)
{
	struct arena *a = f->p->arena;
	protocol_step(f->p, "champion_required");
	if (!f->champion.selection_ref || str_eq(json_str(f->champion.variant, "digest", STR("")),
						 json_str(json_get(f->target.record, "original"), "digest", STR(""))))
		return err_set(e, ERR_INPUT, "final_audit: no candidate is selected as Champion");
	protocol_step(f->p, "invalid_evaluator_input");
	f->contract = json_get(f->request, "comparison_contract");
	f->roles[0] = "original";
	f->roles[1] = "candidate";
	json_push(f->variants, variant_as(a, json_get(f->target.record, "original"), "original"));
	json_push(f->variants, variant_as(a, f->champion.variant, "candidate"));
	json_set(f->frozen, "reference_selection_ref", f->champion.selection_ref);
	return check_pairs(f, e);
}

/* A reference that is no longer the Champion: nothing is started. */
static bool check_current(struct freezing *f, struct err *e)
{
	const struct json *mine = json_get(f->frozen, "reference_selection_ref");
	struct json *none = json_new_null(f->p->arena);
	protocol_step(f->p, "stale_reference");
	return shape_same(mine ? mine : none, f->champion.selection_ref ? f->champion.selection_ref : none) ||
	       err_set(e, ERR_INPUT, "the Champion is another one than the Experiment's reference");
}

static void put_comparison(struct freezing *f)
{
	json_set(f->frozen, "comparison_contract", shape_copy(f->p->arena, f->contract));
	json_set(f->frozen, "validity_requirements", json_get(f->target.record, "validity_requirements"));
	if (!str_is(str_from(f->operation), "screen"))
		json_set_cstr(f->frozen, "reference_pointer_sha256", f->champion.pointer_sha256);
}

static bool freeze_operation(struct freezing *f, struct err *e)
{
	if (str_is(str_from(f->operation), "baseline"))
		return freeze_baseline(f);
	bool ok = champion_load(&f->champion, f->p, &f->target, e) &&
		  (str_is(str_from(f->operation), "final_audit") ? freeze_audit(f, e) : freeze_comparison(f, e)) &&
		  check_current(f, e);
	protocol_step(f->p, ok ? "invalid_evaluator_input" : f->p->code);
	if (!ok || !check_lifecycle(f, e))
		return false;
	put_comparison(f);
	return true;
}

bool plan_freeze(struct json **frozen, struct protocol *p, const struct json *request, struct err *e)
{
	char digest[SHA256_HEX];
	struct freezing f = {
		.p = p, .request = request, .frozen = json_object(p->arena), .variants = json_array(p->arena)};
	f.operation = json_str(request, "operation", STR("")).p;
	if (!target_load_optimizable(&f.target, p, json_get(request, "target_ref"), e))
		return false;
	protocol_step(p, "invalid_evaluator_input");
	if (!check_cases(&f, e))
		return false;
	put_identity(&f);
	if (!freeze_operation(&f, e))
		return false;
	if (json_get(request, "replicate"))
		json_set(f.frozen, "replicate", shape_copy(p->arena, json_get(request, "replicate")));
	json_set(f.frozen, "variant_refs", f.variants);
	json_set(f.frozen, "acquisition", acquisition_of(&f));
	make_plan(&f);
	plan_request_digest(f.frozen, digest);
	plan_put_limits(f.frozen, request);
	json_set_cstr(f.frozen, "request_digest", digest);
	json_set_f64(f.frozen, "created_at_epoch", (double)clock_unix_ns() / 1e9);
	*frozen = f.frozen;
	return true;
}
