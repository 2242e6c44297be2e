/* Screens before targets.
 * In: an Experiment. Out: the screen that a target run stands on.
 * Only the Experiment's own invocations are looked at, by .index.
 * Never: lets a rejected screen be forgotten. */
#include "protocol/evaluate/screen.h"

#include "protocol/evaluate/plan.h"

static bool is(const struct json *j, const char *key, const char *word)
{
	return str_is(json_str(j, key, STR("")), word);
}

bool screen_gate(struct json *frozen, struct protocol *p, const struct json *experiment, const struct json *ref,
		 struct err *e)
{
	if (!json_bool(json_get(experiment, "screen_design"), "enabled", false))
		return true;
	size_t n = 0, n_valid = 0;
	char **ids = plan_index(p, json_str(ref, "id", STR("")).p, &n, e);
	struct json *refs = json_set_array(frozen, "screen_result_refs");
	for (size_t i = 0; ids && i < n; i++) {
		char sha256[SHA256_HEX];
		char *path = arena_printf(p->arena, "invocations/%s/result.json", ids[i]);
		if (!file_exists(evidence_path(p, path)))
			continue;
		struct json *r = evidence_record(p, path, sha256, e);
		if (!r)
			return false;
		if (!is(r, "operation", "screen") || !is(r, "measurement_validity", "valid"))
			continue;
		protocol_step(p, "screen_rejected");
		if (is(r, "verdict", "rejected"))
			return err_set(e, ERR_INPUT, "screen %s rejected the candidate", ids[i]);
		struct json *x = json_object(p->arena);
		json_set_cstr(x, "invocation_id", ids[i]);
		json_set_cstr(x, "sha256", sha256);
		json_push(refs, x);
		n_valid++;
	}
	protocol_step(p, "screen_required");
	if (!ids || n_valid != 1)
		return err_set(e, ERR_INPUT, "the Experiment needs one valid screen, there are %zu", n_valid);
	return protocol_step(p, "invalid_evaluator_input");
}
