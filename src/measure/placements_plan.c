/* What a run of placements will cost, and its plan.
 * In: workers that are joined, a wish. Out: counts of calls, blocks, looks.
 * Costs are measured before any ratio is seen.
 * Never: looks at a time to change the plan. */
#include "measure/placements.h"

#include <math.h>

#include "base/clock.h"
#include "stats/plan_compare.h"

enum ask_result placements_probe(struct placements_cost *out, struct placements *p, struct lab_worker *const *workers,
				 struct lab_fault *fault, struct err *e)
{
	*out = (struct placements_cost){0};
	for (size_t i = p->plan.n_cases; i-- > 0;) {
		int64_t begin = clock_ns();
		double call_ns[PLACEMENTS_MAX_SIDES] = {0};
		if (!lab_case(p->lab, i, e))
			return ASK_ERR;
		out->layout_ns += (double)(clock_ns() - begin);
		for (size_t side = 0; side < p->n_sides; side++) {
			struct lab_batch b = {.n = 2, .flags = p->plan.flags & ~(unsigned)WIRE_CALL_HOLD};
			struct lab_rows rows;
			enum ask_result r =
				workers[side] ? lab_run(p->lab, workers[side], &b, &rows, fault, e) : ASK_OK;
			if (r == ASK_OK && workers[side])
				r = lab_run(p->lab, workers[side], &b, &rows, fault, e);
			if (r != ASK_OK)
				return r;
			call_ns[side] = workers[side] ? (double)rows.wall_ns / 2 : 0;
			out->call_ns = fmax(out->call_ns, call_ns[side]);
		}
		for (size_t k = 1; k < p->n_sides; k++)
			out->block_ns_per_call += workers[k] ? 2 * (call_ns[0] + call_ns[k]) : 0;
	}
	return ASK_OK;
}

/* Calls of a quarter of a block: enough to be worth the change of side, few enough that a block is short. */
static size_t n_calls_for(double call_ns)
{
	return call_ns < 1e6 ? 6 : call_ns < 1e7 ? 4 : 2;
}

const char *placements_plan(struct placements *p, struct plan_compare *out, const struct placements_cost *c,
			    const struct placements_wish *w)
{
	static const struct plan_spread unknown;
	struct placements_plan *plan = &p->plan;
	double calls_ns = c->call_ns * (double)(p->n_sides * plan->n_cases);
	plan->n_calls = w->n_calls ? w->n_calls : n_calls_for(c->call_ns);
	double n_ahead = plan->n_ahead ? (double)plan->n_ahead : 1;
	/* started together they take each other half of what they save */
	double start_ns = (double)w->start_ns * (1 + (n_ahead - 1) / 2) / n_ahead;
	struct plan_cost cost = {.start_ns = start_ns + c->layout_ns + calls_ns * (double)(plan->n_warmup + LAB_SEEDS),
				 .block_ns = fmax(1e3, c->block_ns_per_call * (double)plan->n_calls)};
	plan_comparison(out, &cost, w->is_gpu ? &plan_spread_gpu : &unknown, w->budget_s * 1e9, plan->min_effect,
			p->n_sides - 1);
	plan->n_blocks = w->n_blocks ? w->n_blocks : out->n_blocks;
	plan->n_looks = out->n_looks ? out->n_looks : 1;
	plan->time_limit_ns = (int64_t)(w->budget_s * (out->n_looks ? 1.5e9 : 1e9));
	if (w->n_placements) {
		size_t n_looks = spending_n_looks(w->n_placements);
		plan->n_fixed = w->n_placements;
		plan->n_looks = n_looks ? n_looks : 1;
		plan->time_limit_ns = 0;
		return NULL;
	}
	if (out->n_looks)
		return NULL;
	return arena_printf(p->arena, "%.3g s pay for fewer than %zu placements, which a verdict needs: about %.2g s",
			    w->budget_s, spending_look[0],
			    (double)spending_look[0] * (cost.start_ns + cost.block_ns) / 1e9);
}
