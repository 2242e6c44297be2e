/* Plan, placements and verdicts of a comparison.
 * In: sides that are right. Out: a verdict for each candidate.
 * The plan is fixed by budget and costs before a ratio is seen.
 * Never: looks at a time to change the plan. */
#include "measure/compare_look.h"

#include <math.h>

#include "base/pool.h"
#include "measure/placements.h"
#include "stats/plan_compare.h"

enum { COMPARE_WARMUP = 3 };

static size_t n_timed(const struct compare_state *s)
{
	return s->o->options & COMPARE_ALL_CASES ? s->out->sides[0].op.n_cases : 1;
}

/* A restart costs a GPU's context half a second and an interpreter seconds: those of a few placements overlap, on as many
 * CPUs as there are, and up to the first look where there are many. */
static size_t n_ahead(const struct compare_state *s)
{
	size_t per_placement = 2 * s->o->n_sides, n = pool_n_cpus() / per_placement;
	for (size_t i = 0; i < s->o->n_sides; i++) {
		if (s->workloads[i])
			return n < 3 ? 3 : n < 5 ? n : 5;
	}
	return s->out->device.gpu ? 2 : 1;
}

/* Sides that may be measured, A first. */
static void gather_sides(struct compare_state *s)
{
	struct placements *p = ARENA_NEW(s->arena, struct placements);
	unsigned cold = s->o->options & COMPARE_WARM ? 0u : WIRE_CALL_COLD | WIRE_CALL_POISON;
	*p = (struct placements){.arena = s->arena,
				 .lab = s->lab,
				 .reference = s->reference,
				 .trial = s->trial,
				 .telemetry = s->telemetry,
				 .sides = ARENA_ARRAY(s->arena, s->o->n_sides, struct placements_side),
				 .plan = {.source = s->out->source,
					  .flags = cold | (s->can_hold ? WIRE_CALL_HOLD : 0u),
					  .n_cases = n_timed(s),
					  .n_warmup = COMPARE_WARMUP,
					  .n_ahead = n_ahead(s),
					  .min_effect = s->o->min_effect,
					  .seed = s->out->sides[0].op.seed}};
	for (size_t i = 0; i < s->o->n_sides; i++) {
		if (s->is_out[i])
			continue;
		s->i_side[p->n_sides] = i;
		p->sides[p->n_sides++] = (struct placements_side){
			.subject = &s->looks[i].subject, .number = i, .correct = s->out->sides[i].correct};
	}
	s->run = p;
}

/* A side that fails here fails in the placements too: it is dropped there. */
static bool measure_cost(struct compare_state *s, struct placements_cost *out, struct err *e)
{
	struct lab_worker *workers[COMPARE_MAX_SIDES];
	struct lab_fault fault;
	for (size_t k = 0; k < s->run->n_sides; k++)
		workers[k] = s->looks[s->i_side[k]].worker;
	enum ask_result r = placements_probe(out, s->run, workers, &fault, e);
	return r != ASK_ERR;
}

static void make_plan(struct compare_state *s, const struct placements_cost *c)
{
	struct placements_wish w = {.budget_s = s->o->budget_s,
				    .start_ns = s->start_ns,
				    .is_gpu = s->out->device.gpu != NULL,
				    .n_placements = s->o->n_placements,
				    .n_blocks = s->o->n_blocks,
				    .n_calls = s->o->n_calls};
	s->plan = ARENA_NEW(s->arena, struct plan_compare);
	s->reason = placements_plan(s->run, s->plan, c, &w);
}

static enum verdict verdict_of(enum paired_verdict v)
{
	switch (v) {
	case PAIRED_FASTER:
		return VERDICT_FASTER;
	case PAIRED_SLOWER:
		return VERDICT_SLOWER;
	case PAIRED_EQUIVALENT:
		return VERDICT_EQUIVALENT;
	case PAIRED_INCONCLUSIVE:
		break;
	}
	return VERDICT_INCONCLUSIVE;
}

static const char *why_inconclusive(const struct compare_state *s, const struct placements_side *x)
{
	if (s->problem)
		return s->problem;
	if (s->reason && x->paired.overall.n == 0)
		return s->reason;
	if (x->paired.state == PAIRED_EXHAUSTED)
		return arena_printf(s->arena, "undecided after the plan's last look, at %zu placements",
				    x->paired.n_last);
	return arena_printf(s->arena, "the time was used up after %zu of %zu placements", x->n_placements,
			    x->paired.n_last);
}

static double mean_time(const struct placements_side *x, size_t n_cases)
{
	double sum = 0;
	for (size_t i = 0; i < x->n_placements; i++)
		sum += x->time_ns[i * n_cases];
	return x->n_placements ? sum / (double)x->n_placements : NAN;
}

static void take_side(struct compare_state *s, size_t k)
{
	const struct placements_side *x = &s->run->sides[k];
	struct compare_outcome *out = &s->out->sides[s->i_side[k]];
	out->time_ns = mean_time(x, s->run->plan.n_cases);
	out->has_time = x->n_placements > 0;
	if (x->is_out) {
		compare_put_out(s, s->i_side[k], x->fault.verdict, x->fault.text);
		return;
	}
	if (k == 0)
		return;
	out->paired = x->paired;
	out->has_effect = x->paired.overall.n > 0;
	out->effect_pct = paired_pct(x->paired.overall.estimate);
	out->lower_pct = paired_pct(x->paired.overall.lower);
	out->upper_pct = paired_pct(x->paired.overall.upper);
	out->verdict =
		s->run->sides[0].is_out || s->problem ? VERDICT_INCONCLUSIVE : verdict_of(x->paired.overall.verdict);
	if (s->run->sides[0].is_out)
		out->text = "A failed while it was timed";
	else
		out->text = out->verdict == VERDICT_INCONCLUSIVE ? why_inconclusive(s, x) : "";
}

bool compare_place(struct compare_state *s, struct err *e)
{
	struct placements_cost cost;
	size_t n = 0;
	for (size_t i = 1; i < s->o->n_sides; i++)
		n += !s->is_out[i];
	if (s->is_out[0] || n == 0)
		return true;
	compare_phase(s, "plan");
	gather_sides(s);
	if (!measure_cost(s, &cost, e))
		return false;
	make_plan(s, &cost);
	compare_end_looks(s);
	compare_phase(s, "placements");
	return placements_run(s->run, e);
}

void compare_conclude(struct compare_state *s)
{
	struct compare *out = s->out;
	out->resolution_pct = NAN;
	for (size_t k = 0; s->run && k < s->run->n_sides; k++)
		take_side(s, k);
	for (size_t i = 1; !s->run && i < out->n_sides; i++) {
		if (s->is_out[i])
			continue;
		out->sides[i].verdict = VERDICT_INCONCLUSIVE;
		out->sides[i].text = "A is not right, so nothing is compared with it";
	}
	if (s->run) {
		out->n_placements = s->run->n_placements;
		compare_limits(s);
	}
	if (out->sides[1].has_effect)
		out->resolution_pct = paired_pct(out->sides[1].paired.resolution);
	size_t i_told = s->is_out[0] ? 0 : 1;
	out->verdict = out->sides[i_told].verdict;
	out->text = out->sides[i_told].text;
}
