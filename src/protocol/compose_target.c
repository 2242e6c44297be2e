/* A readiness request from options.
 * In: texts of a command line. Out: assay/readiness-input-v3, or v2 where nothing of v3 is named.
 * Metrics are NAME:UNIT:lower|higher, a gate is METRIC<=VALUE, materials are KIND:TOOL:VERSION:DIALECT:PATH.
 * Never: checks what readiness_input.c checks. */
#include "protocol/compose.h"
#include "protocol/readiness_input.h"
#include "protocol/target.h"

static const char * or (const char *text, const char *fallback)
{
	return text ? text : fallback;
}

/* NAME:UNIT:DIRECTION[:AGGREGATION], of a constraint NAME:UNIT:DIRECTION:MAX_PCT[:AGGREGATION] */
static struct json *metric(struct arena *a, const char *what, const char *text, bool is_constraint, struct err *e)
{
	size_t least = is_constraint ? 4 : 3;
	struct compose_parts parts = {.least = least, .most = least + 1};
	size_t n = compose_split(&parts, a, what, text, e);
	double most;
	if (n == 0)
		return NULL;
	struct json *j = json_object(a);
	json_set_cstr(j, "name", parts.v[0]);
	json_set_cstr(j, "unit", parts.v[1]);
	json_set_cstr(j, "direction", parts.v[2]);
	json_set_cstr(j, "aggregation", n > least ? parts.v[least] : "median");
	if (!is_constraint)
		return j;
	if (!str_f64(str_from(parts.v[3]), &most)) {
		err_set(e, ERR_USAGE, "%s: \"%s\": %s is no number of percent", what, text, parts.v[3]);
		return NULL;
	}
	json_set_f64(j, "max_regression_pct", most);
	return j;
}

static bool put_objective(struct json *r, const struct compose_target *t, struct err *e)
{
	struct arena *a = r->arena;
	struct json *o = json_set_object(r, "objective"), *effect = json_set_object(o, "minimum_effect"),
		    *list = json_set_array(o, "constraints"), *v = json_set_object(r, "validity_requirements");
	struct json *primary = metric(a, "--primary", or (t->primary, ""), false, e);
	if (!primary)
		return false;
	json_set(o, "primary_metric", primary);
	json_set_f64(effect, "value", t->minimum_effect_pct);
	json_set_cstr(effect, "unit", "percent");
	for (size_t i = 0; i < t->constraints.n; i++) {
		struct json *c = metric(a, "--constraint", t->constraints.items[i], true, e);
		if (!c)
			return false;
		json_push(list, c);
	}
	json_set_i64(v, "minimum_pairs", t->minimum_pairs);
	json_set_f64(v, "confidence", t->confidence);
	json_set_i64(v, "bootstrap_samples", t->bootstrap_samples);
	return true;
}

static void put_driver(struct json *r, const struct compose_target *t)
{
	struct json *d = json_set_object(r, "driver"), *can = json_set_array(d, "evidence_capabilities"),
		    *clean = json_set_object(d, "cleanup_contract");
	json_set(d, "command", compose_strings(r->arena, &t->command));
	json_set_cstr(d, "request_argument", or (t->request_argument, "--request"));
	json_push_str(can, STR("single_variant_combined"));
	if (t->same_process)
		json_push_str(can, STR("paired_same_process_combined"));
	json_set_cstr(d, "protocol_version", PROTOCOL("driver-v2"));
	json_set_array(d, "profiler_capabilities");
	json_set(d, "side_effects", compose_strings(r->arena, &t->side_effects));
	json_set_cstr(clean, "kind", "process_group_only");
	json_set_bool(clean, "external_tasks", false);
}

static bool put_workload(struct json *r, const struct compose_target *t, struct err *e)
{
	struct arena *a = r->arena;
	struct json *suite = json_set_object(r, "test_suite"), *c = json_set_object(r, "correctness"),
		    *smoke = json_set_object(r, "smoke");
	if (!t->suite || !t->reference || !t->accept || !t->primary || t->cases.n == 0 || t->command.n == 0)
		return err_set(e, ERR_USAGE,
			       "target new: --suite, --cases, --reference, --accept, --primary and the driver after -- "
			       "are wanted; reports alone are frozen with --material");
	json_set_cstr(suite, "path", t->suite);
	json_set(suite, "case_ids", compose_strings(a, &t->cases));
	json_set_cstr(c, "reference_path", t->reference);
	json_set_cstr(c, "method", "driver");
	struct json *gate = compose_gate(a, "--accept", t->accept, e);
	if (!gate)
		return false;
	json_set(c, "acceptance", gate);
	put_driver(r, t);
	json_set_cstr(smoke, "case_id", or (t->smoke_case, t->cases.items[0]));
	json_set(smoke, "resources", compose_resources(a, compose_strings(a, &t->gpus)));
	compose_limits(json_set_object(smoke, "runtime_limits"), &t->limits);
	return put_objective(r, t, e);
}

static bool put_materials(struct json *r, const struct compose_target *t, struct err *e)
{
	static const char *const keys[] = {"kind", "tool", "tool_version", "dialect", "path"};
	struct json *list = json_set_array(r, "materials");
	for (size_t i = 0; i < t->materials.n; i++) {
		struct compose_parts parts = {.least = COUNT_OF(keys), .most = COUNT_OF(keys)};
		if (!compose_split(&parts, r->arena, "--material", t->materials.items[i], e))
			return false;
		struct json *x = json_object(r->arena);
		for (size_t k = 0; k < COUNT_OF(keys); k++)
			json_set_cstr(x, keys[k], parts.v[k]);
		json_push(list, x);
	}
	return true;
}

/* NAME, or NAME=PATH: the format has a list and a map for them. */
static struct json *tools(struct arena *a, const struct opt_list *list)
{
	struct json *map = json_object(a);
	for (size_t i = 0; i < list->n; i++) {
		struct str text = str_from(list->items[i]);
		size_t at = str_find_char(text, '=');
		struct str name = str_sub(text, 0, at == SIZE_MAX ? text.n : at);
		struct str path = at == SIZE_MAX ? text : str_sub(text, at + 1, text.n);
		json_put(map, name, json_new_str(a, path));
	}
	return list->n ? map : json_array(a);
}

/* What makes it version 3. */
static bool put_ours(struct json *r, const struct compose_target *t, struct err *e)
{
	size_t before = r->n;
	if (t->max_risk)
		json_set_cstr(r, "max_risk", t->max_risk);
	if (t->allowed_paths.n)
		json_set(r, "allowed_paths", compose_strings(r->arena, &t->allowed_paths));
	if (t->budget_wall_s > 0 || t->budget_gpu_s > 0) {
		struct json *b = json_set_object(r, "budget");
		json_set_f64(b, "wall_seconds", t->budget_wall_s > 0 ? t->budget_wall_s : 1e9);
		json_set_f64(b, "gpu_seconds", t->budget_gpu_s > 0 ? t->budget_gpu_s : 1e12);
	}
	if (!compose_more(r, t->more, e))
		return false;
	json_set_cstr(r, "format_version", r->n > before ? READINESS_V3 : READINESS_V2);
	return true;
}

struct json *compose_target(struct protocol *p, const struct compose_target *t, struct err *e)
{
	struct arena *a = p->arena;
	bool is_diagnostic = t->materials.n > 0;
	struct json *r = json_object(a), *original = json_set_object(r, "original"),
		    *need = json_set_object(r, "environment_requirements"), *scan = json_set_object(r, "scan_limits");
	if (!t->original) {
		err_set(e, ERR_USAGE, "target new: --original is wanted: the folder or file that is to be optimised");
		return NULL;
	}
	json_set_cstr(r, "format_version", READINESS_V2);
	json_set_cstr(r, "operation", "check");
	json_set_cstr(r, "artifact_root", p->root);
	json_set_cstr(r, "target_mode", is_diagnostic ? "diagnostic" : "optimization");
	json_set_cstr(r, "claim_layer", is_diagnostic ? "diagnostic" : or (t->claim_layer, "workload"));
	json_set_cstr(original, "kind", or (t->original_kind, "source_snapshot"));
	json_set_cstr(original, "path", t->original);
	json_set(need, "gpu_uuids", compose_strings(a, &t->gpus));
	json_set(need, "required_tools", tools(a, &t->tools));
	json_set_i64(scan, "max_files", t->max_files);
	json_set_i64(scan, "max_total_bytes", t->max_bytes);
	json_set_f64(scan, "max_wall_seconds", t->scan_s);
	bool ok = is_diagnostic ? put_materials(r, t, e) : put_workload(r, t, e) && put_ours(r, t, e);
	return ok ? r : NULL;
}
