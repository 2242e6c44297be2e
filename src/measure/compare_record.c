/* The record of a comparison.
 * In: a comparison that is over. Out: one JSON object, assay/compare-v1.
 * Every log ratio that a verdict rests on is in it, by placement and case; the calls behind them are in the trial.
 * Never: computes a number that the stored rows do not give. */
#include "measure/compare_state.h"

#include <math.h>

#include "base/clock.h"
#include "base/version.h"
#include "measure/placements.h"
#include "measure/workload.h"
#include "stats/plan.h"
#include "stats/plan_compare.h"

static const double BUDGETS_S[] = {2, 10, 60};

static struct json *doubles(struct arena *a, const double *x, size_t n, size_t stride)
{
	struct json *j = json_array(a);
	for (size_t i = 0; i < n; i++)
		json_push_f64(j, x[i * stride]);
	return j;
}

static struct json *verdict_json(struct arena *a, enum verdict v, const char *text)
{
	struct json *j = json_object(a);
	json_set_cstr(j, "word", verdict_word(v));
	json_set_cstr(j, "stage", verdict_stage_name(verdict_stage(v)));
	json_set_cstr(j, "meaning", verdict_text(v));
	json_set_cstr(j, "text", text);
	return j;
}

static const struct placements_side *measured(const struct compare_state *s, size_t i_side)
{
	for (size_t k = 0; s->run && k < s->run->n_sides; k++) {
		if (s->i_side[k] == i_side)
			return &s->run->sides[k];
	}
	return NULL;
}

/* What each case of this side gave, placement by placement. */
static struct json *cases_json(const struct compare_state *s, const struct placements_side *x, bool is_baseline)
{
	struct arena *a = s->arena;
	struct json *list = json_array(a);
	size_t n_cases = s->run->plan.n_cases;
	for (size_t c = 0; c < n_cases; c++) {
		struct json *j = json_object(a);
		json_set_str(j, "name", s->out->sides[0].op.cases[c].name);
		json_set(j, "time_ns", doubles(a, x->time_ns + c, x->n_placements, n_cases));
		if (!is_baseline) {
			json_set(j, "log_ratio", doubles(a, x->d + c, x->n_placements, n_cases));
			json_set(j, "log_ratio_se", doubles(a, x->se + c, x->n_placements, n_cases));
		}
		json_push(list, j);
	}
	return list;
}

static void put_effect(struct json *j, const struct compare_state *s, size_t i)
{
	struct arena *a = s->arena;
	const struct compare_outcome *x = &s->out->sides[i];
	struct json *effect = x->has_effect ? paired_json(a, &x->paired) : json_new_null(a);
	struct json *cases = json_get(effect, "cases");
	for (size_t c = 0; cases && c < cases->n; c++)
		json_set_str(cases->items[c], "name", s->out->sides[0].op.cases[c].name);
	json_set(j, "effect", effect);
}

static struct json *side_json(const struct compare_state *s, size_t i)
{
	struct arena *a = s->arena;
	const struct compare_outcome *x = &s->out->sides[i];
	const struct placements_side *m = measured(s, i);
	struct json *j = json_object(a);
	json_set_cstr(j, "label", compare_label(a, i));
	json_set_cstr(j, "path", x->op.kernel.path);
	json_set_cstr(j, "kernel_sha256", x->op.kernel.sha256);
	json_set_cstr(j, "binary_sha256", x->artifact.library ? x->artifact.sha256 : NULL);
	json_set_cstr(j, "flags", s->o->sides[i].flags ? s->o->sides[i].flags : s->o->flags);
	json_set(j, "build",
		 s->o->sides[i].library || (s->workloads[i] && s->workloads[i]->guest)
			 ? json_new_null(a)
			 : artifact_json(a, &x->artifact));
	json_set(j, "verdict", verdict_json(a, x->verdict, x->text));
	json_set(j, "correctness", s->correctness[i] ? s->correctness[i] : json_new_null(a));
	json_set_f64(j, "time_ns", x->has_time ? x->time_ns : NAN);
	json_set_u64(j, "n_looks_at_timed_calls", m ? m->n_looked_at : 0);
	json_set(j, "empty_pair_ns",
		 m && s->out->source == TIMING_EVENT ? doubles(a, m->empty_pair_ns, s->run->n_placements, 1)
						     : json_new_null(a));
	json_set(j, "cases", m ? cases_json(s, m, m == s->run->sides) : json_array(a));
	if (x->n_launches + x->n_copies) {
		json_set_u64(j, "n_launches", x->n_launches);
		json_set_u64(j, "n_copies", x->n_copies);
		json_set_f64(j, "host_ns", x->host_ns);
	}
	json_set(j, "limits", s->limits[i] ? s->limits[i] : json_new_null(a));
	if (i > 0)
		put_effect(j, s, i);
	return j;
}

/* What other budgets would resolve, by the spread that was seen. */
static struct json *resolution_json(const struct compare_state *s)
{
	struct arena *a = s->arena;
	struct json *j = json_object(a), *budgets = json_set_array(j, "budgets");
	const struct placements_side *x = &s->run->sides[1];
	size_t n_cases = s->run->plan.n_cases, n = x->n_placements, n_blocks = s->run->plan.n_blocks;
	json_set_f64(j, "this_run_pct", s->out->resolution_pct);
	if (n < 2 || n_cases > 1 || s->run->n_placements == 0)
		return j;
	struct plan_spread spread;
	struct plan_cost cost = {.start_ns = 1e9 * fmax(1e-3, s->run->total_s - s->run->sampling_s) /
					     (double)s->run->n_placements,
				 .block_ns = 1e9 * s->run->sampling_s / (double)(s->run->n_placements * n_blocks)};
	plan_spread_of(&spread, x->d, x->se, n, n_blocks);
	for (size_t i = 0; i < COUNT_OF(BUDGETS_S); i++) {
		struct plan_compare plan;
		plan_comparison(&plan, &cost, &spread, BUDGETS_S[i] * 1e9, s->o->min_effect, s->run->n_sides - 1);
		struct json *one = plan_compare_json(a, &plan);
		json_set_f64(one, "budget_s", BUDGETS_S[i]);
		json_push(budgets, one);
	}
	json_set_f64(j, "sd_of_placements_pct", 100 * spread.sd_place);
	json_set_f64(j, "sd_of_blocks_pct", 100 * spread.sd_block);
	return j;
}

static struct json *run_json(const struct compare_state *s)
{
	struct arena *a = s->arena;
	const struct placements *p = s->run;
	if (!p)
		return json_new_null(a);
	struct json *j = json_object(a);
	json_set_cstr(j, "stop", placements_stop_name(p->stop));
	json_set_u64(j, "n_placements", p->n_placements);
	json_set_u64(j, "n_placements_without_pair", p->n_lost);
	json_set_u64(j, "n_blocks", p->plan.n_blocks);
	json_set_u64(j, "n_calls_per_quarter", p->plan.n_calls);
	json_set_u64(j, "n_timed_calls", p->n_calls);
	json_set_u64(j, "n_without_time", p->n_no_time);
	json_set_u64(j, "n_released_by_helper", p->n_released);
	json_set_f64(j, "sampling_s", p->sampling_s);
	json_set_f64(j, "total_s", p->total_s);
	json_set_f64(j, "overhead_s_per_placement",
		     p->n_placements ? (p->total_s - p->sampling_s) / (double)p->n_placements : NAN);
	json_set(j, "plan", plan_compare_json(a, s->plan));
	return j;
}

struct json *compare_record(const struct compare_state *s)
{
	struct arena *a = s->arena;
	struct json *j = json_object(a), *sides = json_set_array(j, "sides");
	const struct operator* op = & s->out->sides[0].op;
	char now[25];
	clock_utc_iso(now);
	json_set_cstr(j, "format", "assay/compare-v1");
	json_set(j, "tool", version_json(a));
	json_set_cstr(j, "created", now);
	json_set_cstr(j, "command", s->o->command);
	json_set_cstr(j, "claim_layer", "kernel");
	json_set_bool(j, "formal", false);
	json_set(j, "verdict", verdict_json(a, s->out->verdict, s->out->text));
	json_set_cstr(j, "backend", backend_name(op->backend));
	json_set(j, "operator", operator_json(a, op));
	json_set(j, "device", s->device_facts);
	json_set_bool(j, "has_reference", op->reference_kind != REFERENCE_NONE);
	json_set(j, "reference", s->reference_facts ? s->reference_facts : json_new_null(a));
	json_set_cstr(j, "source", timing_source_name(s->out->source));
	json_set_cstr(j, "cache", s->o->options & COMPARE_WARM ? "warm" : "cold");
	json_set_bool(j, "queue_held", s->can_hold);
	json_set_f64(j, "min_effect_pct", 100 * s->o->min_effect);
	json_set_f64(j, "budget_s", s->o->budget_s);
	json_set_bool(j, "same_binary",
		      s->out->sides[0].artifact.library && s->out->sides[1].artifact.library &&
			      strcmp(s->out->sides[0].artifact.sha256, s->out->sides[1].artifact.sha256) == 0);
	for (size_t i = 0; i < s->out->n_sides; i++)
		json_push(sides, side_json(s, i));
	json_set(j, "run", run_json(s));
	json_set(j, "resolution", s->run ? resolution_json(s) : json_new_null(a));
	json_set(j, "telemetry", s->telemetry_facts ? s->telemetry_facts : json_new_null(a));
	json_set(j, "sandbox", s->sandbox ? s->sandbox : json_new_null(a));
	json_set_cstr(j, "trial", *s->trial_digest ? s->trial_digest : NULL);
	json_set(j, "seconds", s->seconds);
	return j;
}
