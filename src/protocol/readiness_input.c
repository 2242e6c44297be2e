/* Validation of readiness requests.
 * In: the parsed request. Out: yes, or the first field that is wrong.
 * Version 3 is version 2 with metric_audit, launcher, allowed_paths, max_risk, budget, observation and materials.
 * Never: opens a file. */
#include "protocol/readiness_input.h"

#include "base/expr.h"
#include "protocol/shape.h"
#include "protocol/target.h"

#define COMMON                                                                                                         \
	"format_version:s operation:s artifact_root:s target_mode:s claim_layer:s original:o "                         \
	"environment_requirements:o scan_limits:o "
#define OPTIMIZATION COMMON "test_suite:o correctness:o objective:o driver:o validity_requirements:o smoke:o"
#define V3 " ?metric_audit:a ?launcher:o ?allowed_paths:S ?max_risk:s ?budget:o ?observation:s ?materials:a"
#define DIAGNOSTIC COMMON "materials:a"

static bool check_source(const struct json *j, const char *where, struct err *e)
{
	if (!shape_check(j, where, "kind:s path:s", e))
		return false;
	if (str_is(json_str(j, "kind", STR("")), "deployment"))
		return err_set(e, ERR_INPUT, "%s.kind: a deployment cannot be frozen", where);
	return shape_word(j, where, "kind", "source_snapshot|artifact", e);
}

static bool check_common(const struct json *r, struct err *e)
{
	const struct json *env = json_get(r, "environment_requirements"), *scan = json_get(r, "scan_limits");
	const struct json *tools = json_get(env, "required_tools");
	struct shape_range one = {1, 1e15, false}, wall = {0, 1e9, true};
	if (!shape_word(r, "request", "operation", "check", e) ||
	    !check_source(json_get(r, "original"), "original", e) ||
	    !shape_word(r, "request", "claim_layer", "diagnostic|kernel|workload|serving", e) ||
	    !shape_check(env, "environment_requirements", "gpu_uuids:S required_tools:x", e) ||
	    !shape_names(json_get(env, "gpu_uuids"), "environment_requirements.gpu_uuids", 0, e))
		return false;
	if (tools->type != JSON_OBJECT && !shape_names(tools, "environment_requirements.required_tools", 0, e))
		return false;
	return shape_check(scan, "scan_limits", "max_files:i max_total_bytes:i max_wall_seconds:n", e) &&
	       shape_number(scan, "scan_limits", "max_files", one, e) &&
	       shape_number(scan, "scan_limits", "max_total_bytes", one, e) &&
	       shape_number(scan, "scan_limits", "max_wall_seconds", wall, e);
}

static bool check_objective(const struct json *o, struct err *e)
{
	const struct json *effect = json_get(o, "minimum_effect"), *list = json_get(o, "constraints");
	if (!shape_check(o, "objective", "primary_metric:o minimum_effect:o constraints:a", e) ||
	    !target_metric(json_get(o, "primary_metric"), "objective.primary_metric", false, e) ||
	    !shape_check(effect, "objective.minimum_effect", "value:n unit:s", e) ||
	    !shape_number(effect, "objective.minimum_effect", "value", (struct shape_range){0, 1e6, false}, e) ||
	    !shape_word(effect, "objective.minimum_effect", "unit", "percent", e))
		return false;
	for (size_t i = 0; i < list->n; i++) {
		if (!target_metric(list->items[i], "objective.constraints", true, e))
			return false;
		for (size_t k = 0; k < i; k++) {
			if (str_eq(json_str(list->items[i], "name", STR("")),
				   json_str(list->items[k], "name", STR(""))))
				return err_set(e, ERR_INPUT, "objective.constraints: a name twice");
		}
	}
	return true;
}

static bool check_validity(const struct json *v, struct err *e)
{
	struct shape_range one = {1, 1e7, false}, confidence = {0, 1 - 1e-12, true};
	return shape_check(v, "validity_requirements", "minimum_pairs:i confidence:n bootstrap_samples:i", e) &&
	       shape_number(v, "validity_requirements", "minimum_pairs", one, e) &&
	       shape_number(v, "validity_requirements", "confidence", confidence, e) &&
	       shape_number(v, "validity_requirements", "bootstrap_samples", one, e);
}

static bool check_smoke(const struct json *r, struct err *e)
{
	const struct json *smoke = json_get(r, "smoke"), *suite = json_get(r, "test_suite"),
			  *c = json_get(r, "correctness");
	if (!shape_check(suite, "test_suite", "path:s case_ids:S", e) ||
	    !shape_names(json_get(suite, "case_ids"), "test_suite.case_ids", 1, e) ||
	    !shape_check(c, "correctness", "reference_path:s method:s acceptance:o", e) ||
	    !shape_word(c, "correctness", "method", "driver", e) ||
	    !target_acceptance(json_get(c, "acceptance"), "correctness.acceptance", e) ||
	    !shape_check(smoke, "smoke", "case_id:s resources:o runtime_limits:o", e) ||
	    !target_resources(json_get(smoke, "resources"), "smoke.resources", e) ||
	    !shape_check(json_get(smoke, "runtime_limits"), "smoke.runtime_limits", TARGET_LIMIT_FIELDS, e) ||
	    !target_limits(json_get(smoke, "runtime_limits"), "smoke.runtime_limits", e))
		return false;
	return shape_holds(json_get(suite, "case_ids"), json_str(smoke, "case_id", STR(""))) ||
	       err_set(e, ERR_INPUT, "smoke.case_id: is no case of the test suite");
}

/* ---- version 3 ---- */

static bool is_metric(const struct json *r, struct str name)
{
	const struct json *o = json_get(r, "objective"), *list = json_get(o, "constraints");
	bool found = str_eq(json_str(json_get(o, "primary_metric"), "name", STR("")), name);
	for (size_t i = 0; list && i < list->n; i++)
		found = found || str_eq(json_str(list->items[i], "name", STR("")), name);
	return found;
}

static bool check_audit(const struct json *r, struct err *e)
{
	const struct json *list = json_get(r, "metric_audit");
	struct arena scratch;
	bool ok = true;
	arena_init(&scratch);
	for (size_t i = 0; list && ok && i < list->n; i++) {
		const struct json *x = list->items[i], *identities = json_get(x, "identities");
		ok = shape_check(x, "metric_audit",
				 "metric:s numerator:s denominator:s source:s reconstruction:s identities:S", e) &&
		     shape_word(x, "metric_audit", "reconstruction", "none|retokenized|log_sampled|derived", e);
		if (ok && !is_metric(r, json_str(x, "metric", STR(""))))
			ok = err_set(e, ERR_INPUT, "metric_audit: \"%.60s\" is no metric of the objective",
				     json_str(x, "metric", STR("")).p);
		for (size_t k = 0; ok && k < identities->n; k++)
			ok = expr_parse(&scratch, identities->items[k]->text, e) ||
			     err_prefix(e, "metric_audit.identities");
	}
	arena_release(&scratch);
	return ok;
}

static bool check_materials(const struct json *list, struct err *e)
{
	if (list->n == 0)
		return err_set(e, ERR_INPUT, "materials: is empty");
	for (size_t i = 0; i < list->n; i++) {
		const struct json *x = list->items[i];
		if (!shape_check(x, "materials", "kind:s path:s tool:s tool_version:s dialect:s", e) ||
		    !shape_word(x, "materials", "kind", "report|artifact", e) ||
		    !shape_text(x, "materials", "tool", 128, e) ||
		    !shape_text(x, "materials", "tool_version", 128, e) ||
		    !shape_text(x, "materials", "dialect", 128, e))
			return false;
	}
	return true;
}

static bool check_v3(const struct json *r, struct err *e)
{
	const struct json *launcher = json_get(r, "launcher"), *budget = json_get(r, "budget");
	struct shape_range seconds = {0, 1e9, true};
	if (launcher && (!shape_check(launcher, "launcher", "command:S timeout_seconds:n", e) ||
			 !shape_number(launcher, "launcher", "timeout_seconds", (struct shape_range){0, 600, true}, e)))
		return false;
	if (launcher && json_get(launcher, "command")->n == 0)
		return err_set(e, ERR_INPUT, "launcher.command: is empty");
	if (budget && (!shape_check(budget, "budget", "wall_seconds:n gpu_seconds:n", e) ||
		       !shape_number(budget, "budget", "wall_seconds", seconds, e) ||
		       !shape_number(budget, "budget", "gpu_seconds", (struct shape_range){0, 1e12, false}, e)))
		return false;
	if (json_get(r, "max_risk") && !shape_word(r, "request", "max_risk", "low|medium|high", e))
		return false;
	if (json_get(r, "observation") && !shape_word(r, "request", "observation", "required|recorded", e))
		return false;
	const struct json *materials = json_get(r, "materials");
	return (!materials || check_materials(materials, e)) && check_audit(r, e);
}

bool readiness_input_check(const struct json *r, struct err *e)
{
	bool is_v3 = str_is(json_str(r, "format_version", STR("")), READINESS_V3);
	if (!is_v3 && !shape_word(r, "request", "format_version", READINESS_V2 "|" READINESS_V3, e))
		return false;
	if (str_is(json_str(r, "target_mode", STR("")), "diagnostic"))
		return shape_check(r, "request", DIAGNOSTIC, e) && check_common(r, e) &&
		       (str_is(json_str(r, "claim_layer", STR("")), "diagnostic") ||
			err_set(e, ERR_INPUT, "claim_layer: a diagnostic Target supports diagnostic claims alone")) &&
		       check_materials(json_get(r, "materials"), e);
	if (!shape_word(r, "request", "target_mode", "optimization|diagnostic", e) ||
	    !shape_check(r, "request", is_v3 ? OPTIMIZATION V3 : OPTIMIZATION, e) || !check_common(r, e) ||
	    !check_objective(json_get(r, "objective"), e) || !check_validity(json_get(r, "validity_requirements"), e) ||
	    !check_smoke(r, e) || (is_v3 && !check_v3(r, e)))
		return false;
	return true;
}
