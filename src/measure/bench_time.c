/* The times of a bench.
 * In: a candidate that is right. Out: series cold, warm and by events; which of them is the number.
 * The slots that a series ran on are looked at afterwards.
 * Never: mixes two sources in one number. */
#include "measure/bench_parts.h"

#include "measure/timing.h"
#include "measure/telemetry.h"

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

static bool do_events(struct bench_state *s, struct err *e)
{
	bool is_late = s->parts->subject.guest && s->out->device.gpu && !(s->o->options & BENCH_NO_EVENT);
	if (is_late && s->parts->has_records && s->parts->is_single)
		s->parts->no_events =
			"the device's own records are the number, and Python is not started again for a second one";
	else if (is_late && !s->is_over && !(s->parts->event = lab_start(s->lab, &s->parts->subject, "event", e)))
		return false;
	if (!s->parts->event || s->is_over)
		return true;
	if (!bench_settle(s, lab_join(s->lab, s->parts->event, &s->parts->fault, e)) || s->is_over)
		return s->is_over;
	struct timing_plan p = plan_of(s, TIMING_EVENT, WIRE_CALL_COLD);
	p.empty_pair_ns = json_f64(lab_facts(s->parts->event), "empty_pair_ns", 0);
	if (s->parts->has_records && s->parts->is_single && !p.n_repeat)
		p.rule.budget_ns /= 4; /* a second opinion here, not the number */
	if (do_series(s, s->parts->events, s->parts->event, &p, e))
		return true;
	if (!s->parts->cold->is_there || !s->parts->events->t.is_silent)
		return false;
	s->parts->no_events = arena_strdup(s->arena, e->text); /* the device's own records are the number */
	*e = (struct err){ERR_NONE, ""};
	return true;
}

static bool time_candidate(struct bench_state *s, struct err *e)
{
	bool is_gpu = s->out->device.gpu != NULL;
	enum timing_source source = is_gpu ? TIMING_RECORD : TIMING_HOST;
	struct timing_plan cold = plan_of(s, source, WIRE_CALL_COLD), warm = plan_of(s, source, 0);
	if (!bench_is_zeroed(s))
		warm.flags &= ~(unsigned)WIRE_CALL_POISON;
	warm.rule.budget_ns /= 4;
	if (is_gpu && !s->parts->has_records)
		return do_events(s, e);
	bench_phase(s, "cold");
	if (!do_series(s, s->parts->cold, s->parts->main, &cold, e))
		return false;
	bench_phase(s, "warm");
	if (!(s->o->options & BENCH_NO_WARM) && !do_series(s, s->parts->warm, s->parts->main, &warm, e))
		return false;
	bench_phase(s, "events");
	return do_events(s, e);
}

static void choose_primary(struct bench_state *s)
{
	const struct series *x = s->parts->cold->is_there && (s->parts->is_single || !s->parts->events->is_there)
					 ? s->parts->cold
					 : s->parts->events;
	if (!x->is_there || s->is_over)
		return;
	s->parts->primary = x;
	s->out->has_time = true;
	s->out->source = x->t.source;
	s->out->median_ns = x->t.summary.median;
	s->out->mean_ns = x->t.summary.mean;
	s->out->trimmed_ns = x->t.summary.trimmed_mean;
}

/* The least that a series says of a call. The first quartile too: load of others makes calls longer, and what is said of
 * an undisturbed one is what the CPU time of a call is held against. */
static double said(const struct series *x)
{
	const struct summary *s = &x->t.summary;
	double least = s->median < s->trimmed_mean ? s->median : s->trimmed_mean;
	if (!x->is_there)
		return 0;
	return (s->has & SUMMARY_HAS_P25) && s->p25 < least ? s->p25 : least;
}

static void note_claims(struct bench_parts *p)
{
	const struct series *all[] = {p->cold, p->warm, p->events};
	p->cold_ns = p->cold->is_there ? said(p->cold) : said(p->events);
	p->warm_ns = said(p->warm);
	p->wall_ns = 0;
	for (size_t i = 0; i < COUNT_OF(all); i++) {
		if (all[i]->is_there && (p->wall_ns == 0 || all[i]->t.wall_ns < p->wall_ns))
			p->wall_ns = all[i]->t.wall_ns;
	}
}

bool bench_time(struct bench_state *s, struct err *e)
{
	s->parts->cold = ARENA_NEW(s->arena, struct series);
	s->parts->warm = ARENA_NEW(s->arena, struct series);
	s->parts->events = ARENA_NEW(s->arena, struct series);
	if (!time_candidate(s, e))
		return false;
	choose_primary(s);
	if (s->parts->primary)
		bench_limits(s);
	note_claims(s->parts);
	return s->is_over || bench_speedup(s, e);
}
