/* The state after a step.
 * In: manifest and constraints. Out: what is printed and what the proposer gets on stdin.
 * docs/FORMATS.md, "State and proposal".
 * Never: says what the next version is to do. */
#include "base/file.h"
#include "loop/inside.h"
#include "loop/stop.h"

static struct json *value_or_null(struct arena *a, const struct json *j, const char *key)
{
	struct json *v = json_get(j, key);
	return v ? v : json_new_null(a);
}

static struct json *report_paths(const struct loop *l, const struct json *it)
{
	static const char *const keys[] = {"targeted_report", "full_report"};
	struct json *j = json_object(l->arena);
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		json_set(j, keys[i], value_or_null(l->arena, it, keys[i]));
	const char *folder = run_iteration_folder(&l->run, l->i);
	json_set_cstr(j, "full_details", arena_printf(l->arena, "%s/full_details.txt", folder));
	json_set_cstr(j, "full_summary", arena_printf(l->arena, "%s/full_summary.txt", folder));
	return j;
}

void state_put(struct loop *l, bool is_over)
{
	static const char *const of_version[][2] = {
		{"current_path", "path"},          {"status", "status"},     {"verdict", "verdict"},
		{"eligible", "eligible"},          {"strategy", "strategy"}, {"comparison", "comparison"},
		{"configuration", "configuration"}};
	static const char *const of_run[] = {"best_iteration", "best_configuration", "best_reason", "best_confirmed",
					     "ended",          "stop_conditions_met"};
	static const char *const of_memory[] = {"blocked",   "preferred",   "reopened",
						"elsewhere", "n_elsewhere", "scope"};
	struct json *s = l->out->state;
	struct run *r = &l->run;
	const struct json *it = run_iteration(r, l->i);
	const char *folder = run_iteration_folder(r, l->i);
	json_set_cstr(s, "format", "assay/state-v1");
	json_set_cstr(s, "run_dir", r->folder);
	json_set_i64(s, "iteration", (int64_t)l->i);
	json_set_i64(s, "max_iterations", l->o->max_iterations);
	json_set_cstr(s, "backend", backend_name(l->op.backend));
	json_set_cstr(s, "next_path", is_over ? NULL : run_next_path(r, l->i + 1));
	json_set_cstr(s, "next_set_path", is_over ? NULL : run_next_set_path(r, l->i + 1));
	json_set_cstr(s, "proposal_path", is_over ? NULL : run_proposal_path(r, l->i));
	json_set(s, "report", report_paths(l, it));
	json_set_cstr(s, "benchmark_result", arena_printf(l->arena, "%s/benchmark_result.json", folder));
	json_set_cstr(s, "iteration_summary", arena_printf(l->arena, "%s/iteration_summary.md", folder));
	for (size_t i = 0; i < COUNT_OF(of_version); i++)
		json_set(s, of_version[i][0], value_or_null(l->arena, it, of_version[i][1]));
	for (size_t i = 0; i < COUNT_OF(of_run); i++)
		json_set(s, of_run[i], value_or_null(l->arena, r->manifest, of_run[i]));
	for (size_t i = 0; i < COUNT_OF(of_memory); i++)
		json_set(s, of_memory[i], value_or_null(l->arena, l->constraints, of_memory[i]));
	json_set_cstr(s, "final_summary", path_join(l->arena, r->folder, "final_summary.md"));
	json_set_cstr(s, "claim_layer", "kernel");
	json_set_bool(s, "formal", false);
}
