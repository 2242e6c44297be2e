/* The speed-up over a native reference: both take turns, as in a comparison.
 * In: a bench whose candidate is right and timed. Out: placements of the reference (baseline) and the candidate.
 * Where the reference cannot be timed by the candidate's source, nothing is done and the reason is kept.
 * Never: changes the verdict of the bench. */
#include "measure/bench_parts.h"

#include <math.h>

#include "base/clock.h"
#include "measure/placements.h"
#include "stats/plan_compare.h"

enum { SPEEDUP_WARMUP = 3 };
static const double MIN_EFFECT = 0.005;

struct speedup { /* at work */
	struct bench_state *s;
	struct placements *run;
	struct lab_subject reference;
	struct lab_worker *worker;
	int64_t start_ns;
};

static bool give_up(struct speedup *x, const char *why)
{
	x->s->parts->no_speedup = why;
	return true;
}

/* Why it cannot be done, or NULL. */
static const char *obstacle(const struct bench_state *s)
{
	const struct bench_parts *k = s->parts;
	bool is_gpu = s->out->device.gpu != NULL;
	if (k->reference.kind == REFERENCE_NONE)
		return "there is no reference";
	if (!k->primary)
		return "the candidate has no time";
	if (k->reference.kind == REFERENCE_PY)
		return "a reference in Python is not run beside the candidate";
	if ((k->reference.kind == REFERENCE_CU) != is_gpu)
		return "the reference runs on the CPU and the candidate on the GPU";
	if (s->o->speedup_budget_s < 0 && s->o->n_repeat > 0)
		return "the number of samples was fixed, so reference and candidate did not take turns";
	return s->o->speedup_budget_s == 0 ? "not asked for" : NULL;
}

/* A GPU's worker takes half a second to start, the CPU's a tenth. */
static double budget_s(const struct bench_state *s)
{
	double wanted = s->o->speedup_budget_s;
	return wanted >= 0 ? wanted : s->out->device.gpu ? 5 : 2;
}

/* Starts the reference's worker; on a GPU one call more says whether it is a single kernel. */
static enum ask_result open_reference(struct speedup *x, struct lab_fault *fault, bool *is_single, struct err *e)
{
	struct bench_state *s = x->s;
	bool is_gpu = s->out->device.gpu != NULL;
	struct lab_batch calls = {.n = 2};
	struct lab_rows rows;
	int64_t begin = clock_ns();
	x->reference = (struct lab_subject){.name = "reference",
					    .library = s->parts->reference.built.library,
					    .symbol = s->parts->reference.built.symbol,
					    .is_trusted = true};
	x->worker = lab_start(s->lab, &x->reference, is_gpu ? "identity" : "time", e);
	if (!x->worker)
		return ASK_ERR;
	enum ask_result r = lab_join(s->lab, x->worker, fault, e);
	x->start_ns = clock_ns() - begin;
	if (r == ASK_OK)
		r = lab_run(s->lab, x->worker, &calls, &rows, fault, e);
	if (r != ASK_OK || !is_gpu)
		return r;
	const struct wire_row *row = &rows.rows[rows.n - 1];
	*is_single = row->n_launch == 1 && row->n_copy == 0 && !(row->marks & WIRE_MARK_NO_RECORD);
	return lab_reduce(s->lab, x->worker, fault, e);
}

static void prepare(struct speedup *x, bool is_single)
{
	struct bench_state *s = x->s;
	struct bench_parts *k = s->parts;
	bool is_gpu = s->out->device.gpu != NULL, by_record = k->has_records && k->is_single && is_single;
	unsigned hold = k->can_hold && is_gpu ? WIRE_CALL_HOLD : 0u;
	struct placements_side *sides = ARENA_ARRAY(s->arena, 2, struct placements_side);
	sides[0] = (struct placements_side){.subject = &x->reference, .number = 0};
	sides[1] = (struct placements_side){.subject = &k->subject, .number = 1, .correct = &k->correct};
	*x->run = (struct placements){.arena = s->arena,
				      .lab = s->lab,
				      .reference = &k->reference,
				      .trial = s->trial,
				      .telemetry = s->telemetry,
				      .sides = sides,
				      .n_sides = 2,
				      .plan = {.source = !is_gpu     ? TIMING_HOST
							 : by_record ? TIMING_RECORD
								     : TIMING_EVENT,
					       .flags = WIRE_CALL_COLD | WIRE_CALL_POISON | hold,
					       .n_cases = 1,
					       .n_warmup = SPEEDUP_WARMUP,
					       .n_ahead = is_gpu ? 2 : 1,
					       .min_effect = MIN_EFFECT,
					       .seed = s->out->op.seed}};
}

/* ASK_FAULT is no verdict here: the candidate was right and timed already. */
static bool failed(struct speedup *x, const struct lab_fault *fault)
{
	return give_up(x, arena_printf(x->s->arena, "%s: %s", verdict_word(fault->verdict), fault->text));
}

/* Reference and candidate took turns: the engine's number. */
static struct json *describe(const struct placements *p)
{
	struct json *v = json_object(p->arena);
	const struct paired_effect *e = &p->sides[1].paired.overall;
	json_set_f64(v, "value", e->n ? exp(e->estimate) : NAN);
	json_set_f64(v, "lower", e->n ? exp(e->lower) : NAN);
	json_set_f64(v, "upper", e->n ? exp(e->upper) : NAN);
	json_set_cstr(v, "verdict", paired_verdict_name(e->verdict));
	json_set_cstr(v, "source", timing_source_name(p->plan.source));
	json_set_cstr(v, "method", "placements");
	json_set(v, "effect", paired_json(p->arena, &p->sides[1].paired));
	json_set_u64(v, "n_placements", p->n_placements);
	json_set_u64(v, "n_blocks", p->plan.n_blocks);
	json_set_f64(v, "seconds", p->total_s);
	return v;
}

static bool run(struct speedup *x, struct err *e)
{
	struct bench_state *s = x->s;
	struct lab_fault fault;
	struct placements_cost cost;
	struct plan_compare plan;
	bool is_single = true;
	enum ask_result r = open_reference(x, &fault, &is_single, e);
	if (r != ASK_OK)
		return r == ASK_FAULT && failed(x, &fault);
	prepare(x, is_single);
	struct lab_worker *workers[2] = {x->worker, s->parts->main};
	r = placements_probe(&cost, x->run, workers, &fault, e);
	if (r != ASK_OK)
		return r == ASK_FAULT && failed(x, &fault);
	struct placements_wish w = {
		.budget_s = budget_s(s), .start_ns = x->start_ns, .is_gpu = s->out->device.gpu != NULL};
	const char *too_little = placements_plan(x->run, &plan, &cost, &w);
	if (too_little)
		return give_up(x, too_little);
	lab_end(s->lab, x->worker);
	x->worker = NULL;
	if (!placements_run(x->run, e))
		return false;
	for (size_t i = 0; i < 2; i++) {
		if (x->run->sides[i].is_out)
			return failed(x, &x->run->sides[i].fault);
	}
	s->parts->speedup = describe(x->run);
	return true;
}

bool bench_speedup(struct bench_state *s, struct err *e)
{
	struct speedup x = {.s = s, .run = ARENA_NEW(s->arena, struct placements)};
	const char *why = obstacle(s);
	if (why)
		return give_up(&x, why);
	bench_phase(s, "reference");
	bool ok = run(&x, e);
	if (x.worker)
		lab_end(s->lab, x.worker);
	return ok;
}
