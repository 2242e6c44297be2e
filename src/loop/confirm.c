/* One paired comparison of two versions of a run.
 * In: their numbers. Out: verdict and interval.
 * The artifacts in their folders are compared, as they were measured; data are drawn with a seed that no round has used.
 * Never: decides by two medians of separate processes. */
#include "loop/hands.h"

#include <math.h>

#include "base/file.h"
#include "loop/iterate.h"
#include "measure/compare.h"

const struct loop_hands loop_real_hands = {iterate, confirm};

static struct compare_side side_of(struct run *r, size_t i)
{
	struct str path = json_str(run_iteration(r, i), "path", STR(""));
	struct str symbol = json_str(run_iteration(r, i), "symbol", STR(""));
	const char *library = path_join(r->arena, run_iteration_folder(r, i), "kernel.so");
	return (struct compare_side){.path = arena_strndup(r->arena, path.p, path.n),
				     .library = symbol.n && file_exists(library) ? library : NULL, /* Python has none */
				     .symbol = symbol.n ? arena_strndup(r->arena, symbol.p, symbol.n) : NULL};
}

bool confirm(struct confirmed *out, struct run *r, const struct loop_options *o, const struct pair *p, struct err *e)
{
	const struct bench_options *b = &o->bench;
	const struct compare_side sides[2] = {side_of(r, p->a), side_of(r, p->b)};
	struct compare_options c = {.sides = sides,
				    .n_sides = 2,
				    .input = b->input,
				    .program = b->program,
				    .command = b->command,
				    .store = b->store,
				    .setup = b->setup,
				    .python = b->python,
				    .nvcc = b->nvcc,
				    .cupti = b->cupti,
				    .flags = b->flags,
				    .arch = b->arch,
				    .i_gpu = b->i_gpu,
				    .min_effect = o->min_effect,
				    .budget_s = o->compare_budget_s,
				    .timeout_s = b->timeout_s,
				    .wait_s = b->wait_s,
				    .evict_bytes = b->evict_bytes,
				    .options = o->flags & LOOP_ANY_LOAD ? COMPARE_ANY_LOAD : 0u};
	struct compare got;
	run_frozen_input(r, &c.input);
	c.input.seed = p->seed;
	if (!compare_run(&got, r->arena, &c, e))
		return false;
	/* A verdict needs six placements; on a busy machine they cost more than the budget foresees. */
	for (int k = 0; k < 2 && got.verdict == VERDICT_INCONCLUSIVE && got.n_placements < spending_look[0]; k++) {
		c.budget_s *= 4;
		if (!compare_run(&got, r->arena, &c, e))
			return false;
	}
	const struct compare_outcome *x = &got.sides[0], *y = &got.sides[1];
	bool a_failed = verdict_exit(x->verdict) != 0, is_lax = (o->flags & LOOP_ANY_LOAD) != 0;
	const struct json *problem = json_path(got.record, "telemetry.problem");
	*out = (struct confirmed){.verdict = a_failed ? x->verdict : y->verdict,
				  .is_of_a = a_failed,
				  .has_effect = y->has_effect,
				  .is_disturbed = !is_lax && problem && problem->type == JSON_STRING,
				  .effect_pct = y->effect_pct,
				  .lower_pct = y->lower_pct,
				  .upper_pct = y->upper_pct,
				  .time_a_ms = x->has_time ? x->time_ns / 1e6 : NAN,
				  .time_b_ms = y->has_time ? y->time_ns / 1e6 : NAN,
				  .n_placements = got.n_placements,
				  .text = a_failed ? x->text : y->text,
				  .source = timing_source_name(got.source),
				  .record = arena_strdup(r->arena, got.id)};
	return true;
}

struct json *confirmed_json(struct arena *a, const struct confirmed *c, const struct pair *p)
{
	struct json *j = json_object(a);
	json_set_i64(j, "baseline", (int64_t)p->a);
	json_set_i64(j, "candidate", (int64_t)p->b);
	json_set_u64(j, "seed", p->seed);
	json_set_cstr(j, "verdict", verdict_word(c->verdict));
	json_set_bool(j, "baseline_failed", c->is_of_a);
	json_set_bool(j, "disturbed", c->is_disturbed);
	json_set_cstr(j, "text", c->text ? c->text : "");
	json_set_f64(j, "effect_pct", c->has_effect ? c->effect_pct : NAN); /* NaN is written as null */
	json_set_f64(j, "lower_pct", c->has_effect ? c->lower_pct : NAN);
	json_set_f64(j, "upper_pct", c->has_effect ? c->upper_pct : NAN);
	json_set_f64(j, "speedup", c->has_effect ? 1 + c->effect_pct / 100 : NAN);
	json_set_f64(j, "baseline_ms", c->time_a_ms);
	json_set_f64(j, "candidate_ms", c->time_b_ms);
	json_set_u64(j, "n_placements", c->n_placements);
	json_set_cstr(j, "source", c->source);
	json_set_cstr(j, "record", c->record);
	return j;
}
