/* Targets.
 * In: a reference or a member of a request. Out: the record, or an error with the published code.
 * Aggregations beyond the published median are ours: mean, throughput, p95, p99.
 * Never: changes a Target. */
#include "protocol/target.h"

#include "protocol/shape.h"

#define A_YEAR (366.0 * 86400)

bool target_load(struct target *out, struct protocol *p, const struct json *ref, struct err *e)
{
	char sha256[SHA256_HEX];
	*out = (struct target){0};
	protocol_step(p, "target_not_found");
	if (!file_exists(evidence_path(p, "target.json")))
		return err_set(e, ERR_INPUT, "%s: there is no target.json", p->root);
	protocol_step(p, "target_invalid");
	out->record = evidence_record(p, "target.json", sha256, e);
	if (!out->record)
		return false;
	struct str id = json_str(out->record, "id", STR(""));
	if (!str_is(json_str(out->record, "format_version", STR("")), PROTOCOL("target-v2")) || id.n == 0)
		return err_set(e, ERR_INPUT, "%s/target.json: is no Target of a known format", p->root);
	protocol_step(p, "target_changed");
	if (ref && !(str_eq(json_str(ref, "id", STR("")), id) && str_is(json_str(ref, "sha256", STR("")), sha256)))
		return err_set(e, ERR_INPUT, "target_ref: names another Target than %s/target.json", p->root);
	out->ref = json_object(p->arena);
	json_set_str(out->ref, "id", id);
	json_set_cstr(out->ref, "sha256", sha256);
	return true;
}

bool target_load_optimizable(struct target *out, struct protocol *p, const struct json *ref, struct err *e)
{
	if (!target_load(out, p, ref, e))
		return false;
	protocol_step(p, "target_not_optimizable");
	return str_is(json_str(out->record, "target_mode", STR("")), "optimization") ||
	       err_set(e, ERR_INPUT, "the Target is a diagnostic one: it has reports and no workload");
}

int target_layer(struct str word)
{
	static const char *const words[] = {"diagnostic", "kernel", "workload", "serving"};
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (str_is(word, words[i]))
			return (int)i;
	}
	return -1;
}

const struct json *target_gpus(const struct target *t)
{
	return json_path(t->record, "environment.runtime.gpu_uuids");
}

bool target_limits(const struct json *j, const char *where, struct err *e)
{
	static const char *const keys[] = {"operation_timeout_seconds", "command_timeout_seconds",
					   "resource_wait_timeout_seconds", "cleanup_timeout_seconds"};
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		if (!shape_number(j, where, keys[i], (struct shape_range){0, A_YEAR, true}, e))
			return false;
	}
	return true;
}

bool target_resources(const struct json *j, const char *where, struct err *e)
{
	return shape_check(j, where, "host_id:s gpu_uuids:S", e) && shape_names(json_get(j, "gpu_uuids"), where, 0, e);
}

bool target_metric(const struct json *j, const char *where, bool is_constraint, struct err *e)
{
	return shape_check(j, where,
			   is_constraint ? "name:s unit:s direction:s aggregation:s max_regression_pct:n"
					 : "name:s unit:s direction:s aggregation:s",
			   e) &&
	       shape_text(j, where, "name", 128, e) && shape_text(j, where, "unit", 64, e) &&
	       shape_word(j, where, "direction", "lower|higher", e) &&
	       shape_word(j, where, "aggregation", "median|mean|throughput|p95|p99", e) &&
	       (!is_constraint || shape_number(j, where, "max_regression_pct", (struct shape_range){0, 1e9, false}, e));
}

bool target_acceptance(const struct json *j, const char *where, struct err *e)
{
	return shape_check(j, where, "metric:s operator:s value:n", e) && shape_text(j, where, "metric", 128, e) &&
	       shape_word(j, where, "operator", "greater_or_equal|less_or_equal|equal", e);
}
