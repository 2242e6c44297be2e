/* Busy stretches of a device.
 * In: a sorted trace.
 * Out: the union of its activities, and its part in a window.
 * Never: counts an instant twice. */
#include "timeline/busy.h"

#include "timeline/sweep.h"

void busy_make(struct busy *out, const struct trace *t, uint32_t device, struct arena *a)
{
	out->v = ARENA_ARRAY(a, t->n_activities + 1, struct busy_stretch);
	out->n = 0;
	for (size_t i = 0; i < t->n_activities; i++) {
		const struct trace_activity *x = &t->activities[i];
		struct busy_stretch *last = out->n ? &out->v[out->n - 1] : NULL;
		if (device != SWEEP_ALL && t->lanes[x->lane].device != device)
			continue;
		if (last && x->start_ns <= last->end) {
			last->end = x->end_ns > last->end ? x->end_ns : last->end;
			continue;
		}
		int64_t before = last ? last->before + last->end - last->start : 0;
		out->v[out->n++] = (struct busy_stretch){x->start_ns, x->end_ns, before};
	}
}

static int64_t busy_before(const struct busy *b, int64_t at)
{
	size_t low = 0, high = b->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (b->v[middle].start < at)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	const struct busy_stretch *v = &b->v[low - 1];
	return v->before + (v->end < at ? v->end : at) - v->start;
}

int64_t busy_within(const struct busy *b, int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? busy_before(b, to_ns) - busy_before(b, from_ns) : 0;
}
