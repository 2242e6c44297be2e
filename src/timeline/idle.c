/* Gaps and their causes.
 * In: a sorted trace with its launch calls.
 * Out: idle time by cause, the longest gaps.
 * Never: gives a cause that the recorded calls do not prove. */
#include "timeline/idle.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "timeline/busy.h"
#include "timeline/sweep.h"

const char *idle_cause_name(enum idle_cause c)
{
	static const char *const names[] = {"host", "launch", "graph", "other_stream", "queued", "empty", "unknown"};
	return names[c];
}

struct bound { /* of the activities at or behind one place in the order of starts */
	int64_t call_start, call_end;
};
struct blocked { /* calls of a thread that wait for the device, by start; time inside them before each */
	int64_t start, end, before;
};
struct job {
	const struct trace *t;
	struct idle *out;
	struct arena a; /* for the time of one call */
	size_t keep;
	struct blocked **blocked; /* by thread */
	size_t *n_blocked;
};

static int by_length(const void *x, const void *y)
{
	const struct idle_gap *a = x, *b = y;
	int64_t la = a->to_ns - a->from_ns, lb = b->to_ns - b->from_ns;
	if (la != lb)
		return la > lb ? -1 : 1;
	return a->from_ns < b->from_ns ? -1 : a->from_ns > b->from_ns;
}

/* Twice as many as wanted are collected, then sorted and cut. */
static void keep_gap(struct job *j, const struct idle_gap *gap)
{
	struct idle *o = j->out;
	if (!j->keep)
		return;
	if (o->n_longest == 2 * j->keep) {
		qsort(o->longest, o->n_longest, sizeof(*o->longest), by_length);
		o->n_longest = j->keep;
	}
	o->longest[o->n_longest++] = *gap;
}

static void collect_blocked(struct job *j)
{
	const struct trace *t = j->t;
	j->blocked = ARENA_ARRAY(&j->a, t->n_threads + 1, struct blocked *);
	j->n_blocked = ARENA_ARRAY(&j->a, t->n_threads + 1, size_t);
	size_t *count = ARENA_ARRAY(&j->a, t->n_threads + 1, size_t);
	for (size_t i = 0; i < t->n_calls; i++)
		count[t->calls[i].thread] += (t->calls[i].flags & TRACE_CALL_BLOCKS) != 0;
	for (size_t i = 0; i < t->n_threads; i++)
		j->blocked[i] = ARENA_ARRAY(&j->a, count[i] + 1, struct blocked);
	for (size_t i = 0; i < t->n_calls; i++) {
		const struct trace_call *c = &t->calls[i];
		if (!(c->flags & TRACE_CALL_BLOCKS))
			continue;
		struct blocked *v = j->blocked[c->thread];
		size_t n = j->n_blocked[c->thread];
		if (n && v[n - 1].end >= c->end_ns) /* inside the one before: a driver call in a runtime call */
			continue;
		int64_t start = n && v[n - 1].end > c->start_ns ? v[n - 1].end : c->start_ns;
		v[n] = (struct blocked){start, c->end_ns, n ? v[n - 1].before + v[n - 1].end - v[n - 1].start : 0};
		j->n_blocked[c->thread]++;
	}
}

/* Time inside blocking calls of the thread before `at`. */
static int64_t blocked_before(const struct job *j, uint16_t thread, int64_t at)
{
	const struct blocked *v = j->blocked[thread];
	size_t low = 0, high = j->n_blocked[thread]; /* how many start before at */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (v[middle].start < at)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	int64_t end = v[low - 1].end < at ? v[low - 1].end : at;
	return v[low - 1].before + end - v[low - 1].start;
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

static const struct trace_call *call_of(const struct trace *t, size_t i)
{
	return t->activities[i].call ? &t->calls[t->activities[i].call - 1] : NULL;
}

static bool one_replay(const struct trace *t, size_t before, size_t after)
{
	const struct trace_activity *a = before == SIZE_MAX ? NULL : &t->activities[before], *b = &t->activities[after];
	return a && a->call && a->call == b->call && (a->flags & b->flags & TRACE_IN_GRAPH);
}

/* Splits [from, to) before the activity `after` by bound: what was asked for, and what was queued. Returns from where on
 * something was queued (to: never). */
static int64_t split(struct job *j, struct idle_gap *g, const struct bound *b)
{
	const struct trace_call *call = call_of(j->t, g->after);
	if (one_replay(j->t, g->before, g->after)) {
		g->cause_ns[IDLE_GRAPH] += g->to_ns - g->from_ns;
		return g->to_ns;
	}
	int64_t asked = clamp(b->call_start, g->from_ns, g->to_ns), queued = clamp(b->call_end, asked, g->to_ns);
	if (!call) {
		g->cause_ns[IDLE_UNKNOWN] += asked - g->from_ns;
	} else {
		g->cause_ns[IDLE_HOST] += asked - g->from_ns;
		j->out->blocked_ns +=
			blocked_before(j, call->thread, asked) - blocked_before(j, call->thread, g->from_ns);
	}
	g->cause_ns[IDLE_LAUNCH] += queued - asked;
	return queued;
}

static void finish_gap(struct job *j, const struct idle_gap *g)
{
	j->out->n_gaps++;
	sum_add(&j->out->total_ns, g->to_ns - g->from_ns);
	for (unsigned c = 0; c < IDLE_CAUSES; c++)
		sum_add(&j->out->cause_ns[c], g->cause_ns[c]);
	keep_gap(j, g);
}

static void start(struct job *j, struct idle *out, const struct trace *t, uint32_t device, const struct idle_options *o,
		  struct arena *a)
{
	*j = (struct job){.t = t, .out = out, .keep = o ? o->n_longest : 0};
	arena_init(&j->a);
	*out = (struct idle){.device = device};
	out->longest = ARENA_ARRAY(a, 2 * j->keep + 1, struct idle_gap);
	collect_blocked(j);
}

static void end(struct job *j)
{
	struct idle *o = j->out;
	if (o->n_longest)
		qsort(o->longest, o->n_longest, sizeof(*o->longest), by_length);
	o->n_longest = o->n_longest < j->keep ? o->n_longest : j->keep;
	arena_release(&j->a);
}

static bool is_of(const struct trace *t, size_t i, uint32_t device)
{
	return device == SWEEP_ALL || t->lanes[t->activities[i].lane].device == device;
}

/* For each place in the order of starts: the earliest call start and call end of what is there or behind. */
static struct bound *suffix_bounds(const struct trace *t, uint32_t device, struct arena *a)
{
	struct bound *b = ARENA_ARRAY(a, t->n_activities + 1, struct bound);
	b[t->n_activities] = (struct bound){INT64_MAX, INT64_MAX};
	for (size_t i = t->n_activities; i-- > 0;) {
		const struct trace_call *c = is_of(t, i, device) ? call_of(t, i) : NULL;
		b[i] = b[i + 1];
		if (c && c->start_ns < b[i].call_start)
			b[i].call_start = c->start_ns;
		if (c && c->end_ns < b[i].call_end)
			b[i].call_end = c->end_ns;
	}
	return b;
}

void idle_device(struct idle *out, const struct trace *t, uint32_t device, const struct idle_options *o,
		 struct arena *a)
{
	struct job j;
	int64_t covered = INT64_MIN;
	size_t before = SIZE_MAX;
	start(&j, out, t, device, o, a);
	struct bound *b = suffix_bounds(t, device, &j.a);
	for (size_t i = 0; i < t->n_activities; i++) {
		const struct trace_activity *x = &t->activities[i];
		if (!is_of(t, i, device))
			continue;
		if (before != SIZE_MAX && x->start_ns > covered) {
			struct idle_gap g = {covered, x->start_ns, before, i, {0}};
			int64_t queued = split(&j, &g, &b[i]);
			g.cause_ns[IDLE_QUEUED] += g.to_ns - queued;
			finish_gap(&j, &g);
		}
		if (before == SIZE_MAX || x->end_ns > covered) {
			covered = x->end_ns;
			before = i;
		}
	}
	end(&j);
}

/* Each lane: the calls of what is still to start on it, latest first, are the suffix bound of the lane. */
static struct bound *lane_bounds(const struct trace *t, struct arena *a)
{
	struct bound *b = ARENA_ARRAY(a, t->n_activities + 1, struct bound),
		     *last = ARENA_ARRAY(a, t->n_lanes + 1, struct bound);
	for (size_t k = 0; k < t->n_lanes; k++)
		last[k] = (struct bound){INT64_MAX, INT64_MAX};
	for (size_t i = t->n_activities; i-- > 0;) {
		const struct trace_call *c = call_of(t, i);
		struct bound *at = &last[t->activities[i].lane];
		if (c && c->start_ns < at->call_start)
			at->call_start = c->start_ns;
		if (c && c->end_ns < at->call_end)
			at->call_end = c->end_ns;
		b[i] = *at;
	}
	return b;
}

void idle_streams(struct idle *out, const struct trace *t, uint32_t device, const struct idle_options *o,
		  struct arena *a)
{
	struct job j;
	struct busy busy;
	start(&j, out, t, device, o, a);
	busy_make(&busy, t, device, &j.a);
	if (!busy.n) {
		end(&j);
		return;
	}
	struct bound *b = lane_bounds(t, &j.a);
	size_t *before = ARENA_ARRAY(&j.a, t->n_lanes + 1, size_t); /* index + 1 of what ended last on the lane */
	for (size_t i = 0; i < t->n_activities; i++) {
		const struct trace_activity *x = &t->activities[i];
		if (!is_of(t, i, device))
			continue;
		size_t *p = &before[x->lane];
		int64_t covered = *p ? t->activities[*p - 1].end_ns : busy.v[0].start;
		if (x->start_ns > covered) {
			struct idle_gap g = {covered, x->start_ns, *p ? *p - 1 : SIZE_MAX, i, {0}};
			int64_t queued = split(&j, &g, &b[i]);
			g.cause_ns[IDLE_STREAM] += busy_within(&busy, queued, g.to_ns);
			g.cause_ns[IDLE_QUEUED] += g.to_ns - queued - g.cause_ns[IDLE_STREAM];
			finish_gap(&j, &g);
		}
		if (!*p || x->end_ns > t->activities[*p - 1].end_ns)
			*p = i + 1;
	}
	int64_t last = busy.v[busy.n - 1].end;
	for (size_t k = 0; k < t->n_lanes; k++) {
		if (!before[k] || t->activities[before[k] - 1].end_ns >= last)
			continue;
		struct idle_gap g = {t->activities[before[k] - 1].end_ns, last, before[k] - 1, SIZE_MAX, {0}};
		g.cause_ns[IDLE_EMPTY] = g.to_ns - g.from_ns;
		finish_gap(&j, &g);
	}
	end(&j);
}
