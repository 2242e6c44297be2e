/* Launch delays and queue depth.
 * In: a sorted trace with its launch calls.
 * Out: exact nanoseconds.
 * Never: guesses a call that is not in the trace. */
#include "timeline/launch.h"

#include <stdlib.h>

#include "base/sum.h"
#include "timeline/sweep.h"

static void times_of(struct launch_times *out, int64_t *v, size_t n)
{
	*out = (struct launch_times){.n = n};
	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		out->sum_ns += v[i];
	out->p50_ns = sweep_select(v, n, sweep_rank(n, 500));
	out->p99_ns = sweep_select(v, n, sweep_rank(n, 990));
	out->min_ns = sweep_select(v, n, 0);
	out->max_ns = sweep_select(v, n, n - 1);
}

struct change { /* of the queue's depth */
	int64_t at;
	int32_t by;
};
struct job {
	const struct trace *t;
	struct launch *out;
	int64_t *delay, *latency, *lane_end; /* lane_end: INT64_MIN: nothing yet */
	size_t n_delay, n_latency;
	uint8_t *seen; /* by call: a graph whose first node was counted */
	struct change *changes;
	size_t n_changes;
	int64_t first, last;
};

static int by_time(const void *x, const void *y)
{
	const struct change *a = x, *b = y;
	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return a->by < b->by ? -1 : a->by > b->by;
}

static void one(struct job *j, size_t i)
{
	const struct trace_activity *x = &j->t->activities[i];
	const struct trace_call *c = x->call ? &j->t->calls[x->call - 1] : NULL;
	int64_t free_at = j->lane_end[x->lane];
	j->lane_end[x->lane] = x->end_ns > free_at ? x->end_ns : free_at;
	if (!c) {
		j->out->n_unlinked++;
		return;
	}
	if (c->start_ns > x->start_ns) {
		j->out->n_negative++;
		return;
	}
	int64_t from = c->start_ns > j->first ? c->start_ns : j->first;
	if (x->start_ns > from) {
		j->changes[j->n_changes++] = (struct change){from, 1};
		j->changes[j->n_changes++] = (struct change){x->start_ns, -1};
		sum_add(&j->out->waits_ns, x->start_ns - from);
	}
	if ((x->flags & TRACE_IN_GRAPH) && j->seen[x->call - 1])
		return;
	j->seen[x->call - 1] = 1;
	j->delay[j->n_delay++] = x->start_ns - c->start_ns;
	int64_t ready = c->end_ns > free_at ? c->end_ns : free_at;
	if (x->start_ns >= ready)
		j->latency[j->n_latency++] = x->start_ns - ready;
}

static void depths(struct job *j)
{
	size_t depth = 0;
	int64_t now = j->first;
	qsort(j->changes, j->n_changes, sizeof(*j->changes), by_time);
	for (size_t i = 0; i < j->n_changes; i++) {
		const struct change *c = &j->changes[i];
		if (!depth)
			j->out->nothing_ns += c->at - now;
		now = c->at;
		depth = c->by > 0 ? depth + 1 : depth - 1;
		j->out->max_depth = depth > j->out->max_depth ? depth : j->out->max_depth;
	}
	if (j->last > now)
		j->out->nothing_ns += j->last - now;
}

void launch_device(struct launch *out, const struct trace *t, uint32_t device, struct arena *scratch)
{
	struct arena_mark mark = arena_mark(scratch);
	struct job j = {.t = t, .out = out, .first = INT64_MAX, .last = INT64_MIN};
	*out = (struct launch){.device = device};
	j.delay = ARENA_ARRAY(scratch, t->n_activities + 1, int64_t);
	j.latency = ARENA_ARRAY(scratch, t->n_activities + 1, int64_t);
	j.changes = ARENA_ARRAY(scratch, 2 * t->n_activities + 1, struct change);
	j.seen = ARENA_ARRAY(scratch, t->n_calls + 1, uint8_t);
	j.lane_end = ARENA_ARRAY(scratch, t->n_lanes + 1, int64_t);
	for (size_t i = 0; i < t->n_lanes; i++)
		j.lane_end[i] = INT64_MIN;
	for (unsigned pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < t->n_activities; i++) {
			const struct trace_activity *x = &t->activities[i];
			if (device != SWEEP_ALL && t->lanes[x->lane].device != device)
				continue;
			if (pass) {
				one(&j, i);
				continue;
			}
			j.first = x->start_ns < j.first ? x->start_ns : j.first;
			j.last = x->end_ns > j.last ? x->end_ns : j.last;
		}
	}
	if (j.last > j.first)
		out->span_ns = j.last - j.first;
	depths(&j);
	times_of(&out->delay, j.delay, j.n_delay);
	times_of(&out->latency, j.latency, j.n_latency);
	arena_reset(scratch, mark);
}
