/* Validation of evaluator requests.
 * In: the parsed request. Out: yes, or the first field that is wrong.
 * Closed: what is not listed for the operation is refused.
 * Never: opens a file. */
#include "protocol/evaluate/input.h"

#include "base/clock.h"
#include "protocol/shape.h"
#include "protocol/target.h"

#define HEAD "format_version:s operation:s artifact_root:s "
#define LONG                                                                                                           \
	HEAD "target_ref:o sampling_design:o resources:o launch_deadline:n ?absolute_deadline:n "                      \
	     "?retry_of:s " TARGET_LIMIT_FIELDS " "
#define EXPERIMENT                                                                                                     \
	HEAD "target_ref:o baseline_ref:o source_base:o candidate:o hypothesis:s mechanism_key:s claim_layer:s "       \
	     "cheapest_falsifier:o screen_design:o estimated_cost:o minimum_effect:x reject_if:a promote_if:a "        \
	     "change_scope:S max_risk:s comparison_contract:o material_premises:a"
#define EXPERIMENT_V3 " ?opportunity_claim:o ?secondaries:a ?equivalents:a ?failure_reach:s ?reconciliation_ref:o"

struct shape_of {
	const char *operation, *v2, *v3;
};
static const struct shape_of shapes[] = {
	{"baseline", LONG, " ?repeats:i ?replicate:i"},
	{"experiment", EXPERIMENT, EXPERIMENT_V3},
	{"screen", LONG "experiment_ref:o", " ?replicate:i"},
	{"target", LONG "experiment_ref:o", " ?replicate:i ?premises_confirmed:b"},
	{"final_audit", LONG "comparison_contract:o", " ?replicate:i"},
	{"falsify", HEAD "target_ref:o experiment_ref:o", ""},
	{"status", HEAD "invocation_id:s", ""},
	{"cancel", HEAD "invocation_id:s", ""},
};

bool evaluator_is_v3(const struct json *request)
{
	return str_is(json_str(request, "format_version", STR("")), EVALUATOR_V3);
}

/* ---- long operations ---- */

static bool check_sampling(const struct json *s, bool is_baseline, struct err *e)
{
	struct shape_range one = {1, 1e6, false}, seed = {0, 9.2e18, false};
	const char *n = is_baseline ? "samples_per_case" : "pairs";
	return shape_check(s, "sampling_design",
			   is_baseline ? "case_ids:S samples_per_case:i seed:i" : "case_ids:S pairs:i seed:i", e) &&
	       shape_names(json_get(s, "case_ids"), "sampling_design.case_ids", 1, e) &&
	       shape_number(s, "sampling_design", n, one, e) && shape_number(s, "sampling_design", "seed", seed, e);
}

static bool check_deadlines(const struct json *r, struct err *e)
{
	double now = (double)clock_unix_ns() / 1e9;
	static const char *const keys[] = {"launch_deadline", "absolute_deadline"};
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		if (json_get(r, keys[i]) && json_f64(r, keys[i], 0) <= now)
			return err_set(e, ERR_INPUT, "%s: is not in the future", keys[i]);
	}
	return true;
}

static bool check_long(const struct json *r, bool is_baseline, struct err *e)
{
	return shape_ref(json_get(r, "target_ref"), "target_ref", "id", e) &&
	       check_sampling(json_get(r, "sampling_design"), is_baseline, e) &&
	       target_resources(json_get(r, "resources"), "resources", e) && target_limits(r, "request", e) &&
	       check_deadlines(r, e) &&
	       (!json_get(r, "replicate") ||
		shape_number(r, "request", "replicate", (struct shape_range){1, 1e6, false}, e)) &&
	       (!json_get(r, "repeats") ||
		shape_number(r, "request", "repeats", (struct shape_range){1, 1000, false}, e));
}

/* ---- the comparison contract ---- */

static bool check_gates(const struct json *gates, struct err *e)
{
	for (size_t i = 0; i < gates->n; i++) {
		if (!target_acceptance(gates->items[i], "additional_gates", e))
			return false;
		for (size_t k = 0; k < i; k++) {
			if (str_eq(json_str(gates->items[i], "metric", STR("")),
				   json_str(gates->items[k], "metric", STR(""))))
				return err_set(e, ERR_INPUT, "additional_gates: a metric twice");
		}
	}
	return true;
}

static bool check_contract(const struct json *c, struct err *e)
{
	const struct json *a = json_get(c, "acquisition"), *gates = json_get(c, "additional_gates");
	if (!shape_check(c, "comparison_contract", "relationship:s additional_gates:a diagnostics:S acquisition:o",
			 e) ||
	    !shape_word(c, "comparison_contract", "relationship",
			"implementation_equivalence|artifact_fidelity|deployment_effect", e) ||
	    !check_gates(gates, e) ||
	    !shape_names(json_get(c, "diagnostics"), "comparison_contract.diagnostics", 0, e) ||
	    !shape_check(a, "acquisition", "lifecycle:s shared_state:S rebuilt_state:S rationale:s", e) ||
	    !shape_word(a, "acquisition", "lifecycle", "isolated_process|same_process", e))
		return false;
	for (size_t i = 0; i < gates->n; i++) {
		if (shape_holds(json_get(c, "diagnostics"), json_str(gates->items[i], "metric", STR(""))))
			return err_set(e, ERR_INPUT, "comparison_contract: a metric is gate and diagnostic");
	}
	bool same = str_is(json_str(a, "lifecycle", STR("")), "same_process");
	if (same != (json_get(a, "shared_state")->n > 0))
		return err_set(e, ERR_INPUT, "acquisition.shared_state: %s",
			       same ? "is empty for same_process" : "isolated_process shares nothing");
	return true;
}

/* ---- experiments ---- */

static bool is_mechanism_key(struct str s)
{
	bool was_word = false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
		if (!word && !(was_word && (c == '.' || c == '_' || c == '-') && i + 1 < s.n))
			return false;
		was_word = word;
	}
	return s.n > 0 && s.n <= 256;
}

static bool check_cost(const struct json *c, struct err *e)
{
	static const char *const parts[] = {"screen", "target"};
	struct shape_range some = {0, 1e12, false};
	if (!shape_check(c, "estimated_cost", "screen:o target:o", e))
		return false;
	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		const struct json *x = json_get(c, parts[i]);
		if (!shape_check(x, "estimated_cost", "p50_seconds:n p90_seconds:n gpu_count:i basis:s", e) ||
		    !shape_number(x, "estimated_cost", "p50_seconds", some, e) ||
		    !shape_number(x, "estimated_cost", "gpu_count", some, e))
			return false;
		if (json_f64(x, "p90_seconds", 0) < json_f64(x, "p50_seconds", 0))
			return err_set(e, ERR_INPUT, "estimated_cost.%s: p90 is below p50", parts[i]);
	}
	return true;
}

static bool check_kinds(const struct json *list, const char *where, struct err *e)
{
	if (list->n == 0)
		return err_set(e, ERR_INPUT, "%s: is empty", where);
	for (size_t i = 0; i < list->n; i++) {
		if (!shape_check(list->items[i], where, "kind:s", e))
			return false;
	}
	return true;
}

static bool check_premises(const struct json *list, struct err *e)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct json *x = list->items[i];
		if (!shape_check(x, "material_premises",
				 "statement:s component:s version:s status:s source:s decision_effect:s", e) ||
		    !shape_text(x, "material_premises", "component", 128, e) ||
		    !shape_text(x, "material_premises", "version", 128, e) ||
		    !shape_word(x, "material_premises", "status",
				"primary_source_claim|source_inference|runtime_observation|unresolved_hypothesis", e))
			return false;
	}
	return true;
}

static bool check_falsifier(const struct json *f, bool is_v3, struct err *e)
{
	bool is_command = is_v3 && str_is(json_str(f, "kind", STR("")), "command");
	return shape_check(f, "cheapest_falsifier",
			   is_command ? "kind:s reason:s command:S timeout_seconds:n" : "kind:s reason:s", e) &&
	       shape_word(f, "cheapest_falsifier", "kind", is_v3 ? "none|command" : "none", e) &&
	       (!is_command ||
		shape_number(f, "cheapest_falsifier", "timeout_seconds", (struct shape_range){0, 86400, true}, e));
}

static bool check_screen(const struct json *s, struct err *e)
{
	return shape_check(s, "screen_design", "enabled:b ?kind:z ?reason:z ?claim:x", e) &&
	       (!json_bool(s, "enabled", false) ||
		shape_word(s, "screen_design", "kind", "diagnostic_proxy|conservative_bound", e));
}

static bool check_scope(const struct json *list, struct err *e)
{
	if (!shape_names(list, "change_scope", 1, e))
		return false;
	for (size_t i = 0; i < list->n; i++) {
		struct str rest = list->items[i]->text, part;
		if (rest.p[0] == '/')
			return err_set(e, ERR_INPUT, "change_scope: \"%.100s\" is no relative path", rest.p);
		while (str_split(&rest, '/', &part)) {
			if (str_is(part, ".."))
				return err_set(e, ERR_INPUT, "change_scope: \"..\" in a path");
		}
	}
	return true;
}

static bool check_secondaries(const struct json *list, struct err *e)
{
	for (size_t i = 0; list && i < list->n; i++) {
		const struct json *x = list->items[i];
		if (!shape_check(x, "secondaries", "name:s direction:s threshold_pct:n value:s", e) ||
		    !shape_word(x, "secondaries", "direction", "lower|higher", e))
			return false;
	}
	return true;
}

static bool check_experiment(const struct json *r, struct err *e)
{
	static const char *const sources[] = {"source_base", "candidate"};
	bool is_v3 = evaluator_is_v3(r);
	for (size_t i = 0; i < COUNT_OF(sources); i++) {
		if (!shape_check(json_get(r, sources[i]), sources[i], "kind:s path:s", e) ||
		    !shape_word(json_get(r, sources[i]), sources[i], "kind", "source_snapshot|artifact", e))
			return false;
	}
	if (!is_mechanism_key(json_str(r, "mechanism_key", STR(""))))
		return err_set(e, ERR_INPUT, "mechanism_key: words of a-z 0-9 joined by . _ or -");
	if (json_get(r, "failure_reach") &&
	    !shape_word(r, "request", "failure_reach", "implementation|integration|proxy|mechanism", e))
		return false;
	return shape_ref(json_get(r, "target_ref"), "target_ref", "id", e) &&
	       shape_ref(json_get(r, "baseline_ref"), "baseline_ref", "invocation_id", e) &&
	       shape_text(r, "request", "hypothesis", 4096, e) &&
	       shape_word(r, "request", "claim_layer", "diagnostic|kernel|workload|serving", e) &&
	       shape_word(r, "request", "max_risk", "low|medium|high", e) &&
	       check_falsifier(json_get(r, "cheapest_falsifier"), is_v3, e) &&
	       check_screen(json_get(r, "screen_design"), e) && check_cost(json_get(r, "estimated_cost"), e) &&
	       check_kinds(json_get(r, "reject_if"), "reject_if", e) &&
	       check_kinds(json_get(r, "promote_if"), "promote_if", e) && check_scope(json_get(r, "change_scope"), e) &&
	       check_contract(json_get(r, "comparison_contract"), e) &&
	       check_premises(json_get(r, "material_premises"), e) && check_secondaries(json_get(r, "secondaries"), e);
}

bool evaluator_input_check(const struct json *r, struct err *e)
{
	struct str operation = json_str(r, "operation", STR(""));
	char members[2048], shown[STR_SHOWN];
	size_t i = 0;
	if (!shape_word(r, "request", "format_version", EVALUATOR_V2 "|" EVALUATOR_V3, e))
		return false;
	while (i < COUNT_OF(shapes) && !str_is(operation, shapes[i].operation))
		i++;
	if (i == COUNT_OF(shapes))
		return err_set(e, ERR_INPUT, "operation: \"%s\" is none of this format", str_shown(shown, operation));
	snprintf(members, sizeof(members), "%s%s", shapes[i].v2, evaluator_is_v3(r) ? shapes[i].v3 : "");
	size_t n = strlen(members);
	if (members[n - 1] == ' ')
		members[n - 1] = 0;
	for (char *c = strstr(members, "  "); c; c = strstr(members, "  "))
		memmove(c, c + 1, strlen(c));
	if (!shape_check(r, "request", members, e))
		return false;
	if (i == 1)
		return check_experiment(r, e);
	if (str_is(operation, "falsify"))
		return (evaluator_is_v3(r) || err_set(e, ERR_INPUT, "operation: falsify needs " EVALUATOR_V3)) &&
		       shape_ref(json_get(r, "target_ref"), "target_ref", "id", e) &&
		       shape_ref(json_get(r, "experiment_ref"), "experiment_ref", "id", e);
	if (i >= 5)
		return true;
	return check_long(r, i == 0, e) && (i != 4 || check_contract(json_get(r, "comparison_contract"), e)) &&
	       (i != 2 || shape_ref(json_get(r, "experiment_ref"), "experiment_ref", "id", e)) &&
	       (i != 3 || shape_ref(json_get(r, "experiment_ref"), "experiment_ref", "id", e));
}
