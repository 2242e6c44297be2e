/* Which of a bench's series is its time.
 * In: series by records and by events. Out: the one that counts, what one clock misses, what is said of a call.
 * The rule is clocks.c's; where it must choose against the usual one, the record has a flag.
 * Never: measures. */
#include "measure/bench_parts.h"

#include "measure/clocks.h"
#include "measure/timing.h"

static double median_of(const struct series *x)
{
	return x->is_there ? x->t.summary.median : 0;
}

static struct clocks clocks_of(const struct bench_parts *p)
{
	const struct timing *events = &p->events->t;
	bool has_hold = p->events->is_there && json_bool(lab_facts(p->event), "has_hold", false);
	return (struct clocks){.span_ns = median_of(p->cold),
			       .busy_ns = p->cold->is_there ? p->cold->t.busy_ns : 0,
			       .event_ns = median_of(p->events),
			       .is_single = p->is_single,
			       .is_held = has_hold && p->can_hold && events->n_released <= events->n / 2};
}

/* Without records what the events miss still shows: the device is busy long after they have ended. */
static void note_tail(struct bench_state *s)
{
	const struct timing *t = &s->parts->events->t;
	if (s->parts->events->is_there && !s->parts->cold->is_there && t->after_ns > 1.5 * t->summary.median + 200000)
		s->parts->unordered = arena_printf(s->arena,
						   "the device was busy for %.6g us after the entry had returned; by "
						   "events the call takes %.6g us",
						   t->after_ns / 1e3, t->summary.median / 1e3);
}

static void choose_primary(struct bench_state *s)
{
	struct bench_parts *p = s->parts;
	bool is_gpu = s->out->device.gpu != NULL;
	struct clocks c = clocks_of(p);
	enum clocks_word word = is_gpu ? clocks_choose(&c) : CLOCKS_RECORDS;
	const struct series *x = word == CLOCKS_RECORDS || word == CLOCKS_UNORDERED ? p->cold : p->events;
	if (!x->is_there || s->is_over)
		return;
	if (word == CLOCKS_UNORDERED)
		p->unordered = arena_printf(
			s->arena,
			"the device worked %.6g us for a call, %.6g us of it between what was recorded before "
			"and behind the call on the caller's stream",
			c.busy_ns / 1e3, c.event_ns / 1e3);
	if (word == CLOCKS_UNRECORDED)
		p->unrecorded = arena_printf(s->arena, "a call takes %.6g us by events, its record %.6g us",
					     c.event_ns / 1e3, c.span_ns / 1e3);
	note_tail(s);
	p->primary = x;
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
	p->cold_ns = said(p->primary ? p->primary : p->cold->is_there ? p->cold : p->events);
	p->warm_ns = said(p->warm);
	p->wall_ns = 0;
	for (size_t i = 0; i < COUNT_OF(all); i++) {
		if (all[i]->is_there && (p->wall_ns == 0 || all[i]->t.wall_ns < p->wall_ns))
			p->wall_ns = all[i]->t.wall_ns;
	}
}

void bench_choose(struct bench_state *s)
{
	choose_primary(s);
	note_claims(s->parts);
}
