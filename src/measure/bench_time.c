/* The times of a bench.
 * In: a candidate that is right. Out: series cold, warm and by events; bench_clocks.c says which of them is the number.
 * The slots that a series ran on are looked at afterwards.
 * Never: mixes two sources in one number. */
#include "measure/bench_parts.h"

#include "measure/telemetry.h"
#include "measure/timing.h"

static struct timing_plan plan_of(struct bench_state *s, enum timing_source source, unsigned cold)
{
	const struct bench_options *o = s->o;
	size_t n_kept = 0;
	struct fresh *fresh = cold ? bench_fresh(s, &n_kept) : NULL;
	return (struct timing_plan){.source = source,
				    .mode = source == TIMING_EVENT ? TRIAL_EVENT : TRIAL_TIME,
				    .flags = WIRE_CALL_POISON | cold | (s->parts->can_hold ? WIRE_CALL_HOLD : 0u),
				    .n_warmup = (size_t)o->n_warmup,
				    .n_repeat = (size_t)o->n_repeat,
				    .rule = {.noise = o->noise, .n_min = 20, .budget_ns = o->budget_s * 1e9},
				    .seed = s->out->op.seed + (uint64_t)source + cold,
				    .fresh = fresh,
				    .n_kept = n_kept,
				    .what = source == TIMING_EVENT ? "calls timed by events"
					    : cold                 ? "timed calls"
								   : "warm calls"};
}

/* One series. The slots it ran on are looked at afterwards, every one that was called, so that no address tells the
 * candidate whether anybody looks; what it left in calls on fresh data is checked at the end. */
static bool do_series(struct bench_state *s, struct series *x, struct lab_worker *w, const struct timing_plan *p,
		      struct err *e)
{
	if (s->is_over)
		return true;
	size_t first = s->trial->n;
	if (!bench_settle(s, timing_run(&x->t, s->trial, w, p, &s->parts->fault, e)) || s->is_over)
		return s->is_over;
	telemetry_mark(s->telemetry, s->trial, first, s->trial->n);
	x->is_there = true;
	for (size_t i = 0; i < x->t.n_slots; i++) {
		struct correct_bench b = {s->arena, s->lab, &s->parts->reference};
		struct correct_place at = {.i_case = 0, .slot = i, .what = p->what};
		if (!correct_look(&s->parts->correct, &b, &at, e))
			return false;
	}
	return bench_after_series(s, e);
}

/* No work on a device is over sooner: a kernel that does nothing takes a microsecond between two events that are next to each
 * other without it. */
static const double LEAST_WORK_NS = 300;

static bool do_events(struct bench_state *s, struct err *e)
{
	if (!s->parts->event || s->is_over)
		return true;
	if (!bench_settle(s, lab_join(s->lab, s->parts->event, &s->parts->fault, e)) || s->is_over)
		return s->is_over;
	struct timing_plan p = plan_of(s, TIMING_EVENT, WIRE_CALL_COLD);
	p.empty_pair_ns = json_f64(lab_facts(s->parts->event), "empty_pair_ns", 0);
	if (s->parts->has_records && s->parts->is_single && !p.n_repeat)
		p.rule.budget_ns /= 4; /* a second opinion here, not the number */
	const struct series *x = s->parts->events;
	bool ok = do_series(s, s->parts->events, s->parts->event, &p, e);
	bool is_empty = x->t.is_silent || (x->is_there && x->t.summary.median < LEAST_WORK_NS);
	if (s->is_over || !is_empty)
		return ok;
	if (!ok)
		s->parts->no_events = arena_strdup(s->arena, e->text);
	*e = (struct err){ERR_NONE, ""};
	if (!s->parts->cold->is_there)
		bench_conclude(s, VERDICT_TIME_DENIED, "neither CUPTI's records nor events show a time for its calls");
	else /* the device's own records are the number */
		s->parts->unordered = "by events on the caller's stream no time passes in a call";
	s->parts->events->is_there = false;
	return true;
}

/* A clock that has gone silent, or nearly so, is none: somebody took it away in the middle. */
static bool is_silent(const struct series *x)
{
	return x->t.is_silent || (x->is_there && x->t.n_missing > x->t.n / 10);
}

/* A series by records. False with err; where CUPTI went silent there is no series, and the events are the number. */
static bool do_records(struct bench_state *s, struct series *x, const struct timing_plan *p, struct err *e)
{
	bool ok = do_series(s, x, s->parts->main, p, e);
	if (s->is_over || !is_silent(x) || !s->parts->event)
		return ok;
	s->parts->unrecorded =
		arena_printf(s->arena, "CUPTI recorded %zu of %zu calls", x->t.n, x->t.n + x->t.n_missing);
	x->is_there = false;
	if (ok)
		return true;
	*e = (struct err){ERR_NONE, ""};
	return bench_after_series(s, e);
}

static bool time_candidate(struct bench_state *s, struct err *e)
{
	bool is_gpu = s->out->device.gpu != NULL;
	enum timing_source source = is_gpu ? TIMING_RECORD : TIMING_HOST;
	struct timing_plan cold = plan_of(s, source, WIRE_CALL_COLD), warm = plan_of(s, source, 0);
	if (!bench_is_zeroed(s))
		warm.flags &= ~(unsigned)WIRE_CALL_POISON;
	warm.rule.budget_ns /= 4;
	if (is_gpu && !s->parts->has_records) {
		if (lab_facts(s->parts->main) && !json_get(lab_facts(s->parts->main), "no_cupti"))
			s->parts->unrecorded = "CUPTI recorded no work of a call on the device";
		return do_events(s, e);
	}
	bench_phase(s, "cold");
	if (!do_records(s, s->parts->cold, &cold, e))
		return false;
	bench_phase(s, "warm");
	if (!(s->o->options & BENCH_NO_WARM) && !s->parts->unrecorded && !do_records(s, s->parts->warm, &warm, e))
		return false;
	bench_phase(s, "events");
	return do_events(s, e);
}

bool bench_time(struct bench_state *s, struct err *e)
{
	s->parts->cold = ARENA_NEW(s->arena, struct series);
	s->parts->warm = ARENA_NEW(s->arena, struct series);
	s->parts->events = ARENA_NEW(s->arena, struct series);
	if (!time_candidate(s, e))
		return false;
	bench_choose(s);
	if (s->parts->primary)
		bench_limits(s);
	return s->is_over || bench_speedup(s, e);
}
