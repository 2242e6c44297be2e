/* Critical path by walking back from the last end.
 * In: a sorted trace with launch calls and, where it has them, blocking calls.
 * Out: pieces that fill the span exactly, added up by item.
 * Never: leaves a hole: what nothing explains is a piece of its own. */
#include "timeline/path.h"

#include <stdlib.h>

#include "base/sum.h"

#define NONE SIZE_MAX

const char *path_kind_name(enum path_kind k)
{
	static const char *const names[] = {"device", "start_latency", "call", "host", "sync_return", "unknown"};
	return names[k];
}

struct walk {
	const struct trace *t;
	struct path *out;
	struct buf pieces;
	int64_t slack, begin, now; /* now: the path is known behind it */
	size_t *on_lane;           /* of those that started before on the lane, the one that ends last */
	size_t *on_thread;         /* the same of calls on the thread */
	size_t *by_end;            /* activities by end, then index */
};

static void piece(struct walk *w, enum path_kind kind, int64_t from, size_t index, bool inferred)
{
	from = from > w->begin ? from : w->begin;
	if (from >= w->now)
		return;
	struct path_piece p = {from, w->now, index, (uint8_t)kind, inferred};
	buf_add(&w->pieces, &p, sizeof(p));
	w->out->kind_ns[kind] += w->now - from;
	w->out->n_inferred += inferred;
	w->now = from;
}

static int by_end(const void *x, const void *y, void *activities)
{
	const size_t *i = x, *j = y;
	int64_t a = ((const struct trace_activity *)activities)[*i].end_ns;
	int64_t b = ((const struct trace_activity *)activities)[*j].end_ns;
	return a != b ? (a < b ? -1 : 1) : *i < *j ? -1 : *i > *j;
}

/* The activity that ended last at or before `at`, on the device of `like` (NONE: any) and not on its lane; NONE: none ended
 * behind `after`. */
static size_t ended_last(const struct walk *w, int64_t at, int64_t after, size_t like)
{
	const struct trace *t = w->t;
	size_t low = 0, high = t->n_activities;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (t->activities[w->by_end[middle]].end_ns <= at)
			low = middle + 1;
		else
			high = middle;
	}
	while (low-- > 0) {
		size_t i = w->by_end[low];
		const struct trace_activity *x = &t->activities[i];
		if (x->end_ns <= after)
			return NONE;
		if (like == NONE)
			return i;
		uint16_t lane = t->activities[like].lane;
		if (x->lane != lane && t->lanes[x->lane].device == t->lanes[lane].device && x->start_ns < x->end_ns)
			return i;
	}
	return NONE;
}

enum at { AT_END, AT_ACTIVITY, AT_CALL };
struct place {
	enum at at;
	size_t index;
};

/* From an activity that started at w->now to what released it. */
static struct place before_activity(struct walk *w, size_t i)
{
	const struct trace *t = w->t;
	const struct trace_activity *x = &t->activities[i];
	const struct trace_call *c = x->call ? &t->calls[x->call - 1] : NULL;
	size_t p = w->on_lane[i];
	int64_t never = INT64_MIN, stream = never, launch = never;
	if (p != NONE)
		stream = t->activities[p].end_ns < w->now ? t->activities[p].end_ns : w->now;
	if (c && c->start_ns <= w->now)
		launch = c->end_ns < w->now ? c->end_ns : w->now;
	int64_t released = stream > launch ? stream : launch;
	if (released == never || w->now - released > w->slack) {
		size_t other = ended_last(w, w->now, released, i);
		if (other != NONE && t->activities[other].start_ns < w->now) {
			piece(w, PATH_WAIT, t->activities[other].end_ns, i, true);
			return (struct place){AT_ACTIVITY, other};
		}
	}
	if (released == never) {
		piece(w, PATH_UNKNOWN, w->begin, i, false);
		return (struct place){AT_END, 0};
	}
	piece(w, launch == never ? PATH_UNKNOWN : PATH_WAIT, released, i, false);
	if (stream >= launch)
		return (struct place){AT_ACTIVITY, p};
	return (struct place){AT_CALL, (size_t)x->call - 1};
}

/* From a call that began at w->now to what the host did before. */
static struct place before_call(struct walk *w, size_t i)
{
	const struct trace *t = w->t;
	size_t q = w->on_thread[i];
	if (q == NONE) {
		piece(w, PATH_HOST, w->begin, i, false);
		return (struct place){AT_END, 0};
	}
	const struct trace_call *c = &t->calls[q];
	int64_t end = c->end_ns < w->now ? c->end_ns : w->now;
	piece(w, PATH_HOST, end, i, false);
	if ((c->flags & TRACE_CALL_BLOCKS) && c->end_ns <= w->now) {
		size_t last = ended_last(w, w->now, c->start_ns, NONE);
		if (last != NONE && t->activities[last].start_ns < w->now) {
			piece(w, PATH_SYNC, t->activities[last].end_ns, q, false);
			return (struct place){AT_ACTIVITY, last};
		}
	}
	return (struct place){AT_CALL, q};
}

static void prepare(struct walk *w, struct arena *a)
{
	const struct trace *t = w->t;
	w->on_lane = ARENA_ARRAY(a, t->n_activities + 1, size_t);
	w->on_thread = ARENA_ARRAY(a, t->n_calls + 1, size_t);
	w->by_end = ARENA_ARRAY(a, t->n_activities + 1, size_t);
	size_t *last = ARENA_ARRAY(a, t->n_lanes + t->n_threads + 1, size_t);
	for (size_t i = 0; i < t->n_activities; i++) {
		size_t *at = &last[t->activities[i].lane];
		w->on_lane[i] = *at ? *at - 1 : NONE;
		if (!*at || t->activities[i].end_ns >= t->activities[*at - 1].end_ns)
			*at = i + 1;
		w->by_end[i] = i;
		w->begin = i ? w->begin : t->activities[i].start_ns;
	}
	for (size_t i = 0; i < t->n_calls; i++) {
		size_t *at = &last[t->n_lanes + t->calls[i].thread];
		w->on_thread[i] = *at ? *at - 1 : NONE;
		if (!*at || t->calls[i].end_ns >= t->calls[*at - 1].end_ns)
			*at = i + 1;
	}
	qsort_r(w->by_end, t->n_activities, sizeof(*w->by_end), by_end, t->activities);
}

static int by_item(const void *x, const void *y)
{
	const struct path_item *a = x, *b = y;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static int by_total(const void *x, const void *y)
{
	const struct path_item *a = x, *b = y;
	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return by_item(x, y);
}

static void add_up(struct walk *w, struct arena *a)
{
	struct path *out = w->out;
	const struct trace *t = w->t;
	struct path_item *v = ARENA_ARRAY(a, out->n_pieces + 1, struct path_item);
	for (size_t i = 0; i < out->n_pieces; i++) {
		const struct path_piece *p = &out->pieces[i];
		uint32_t name = p->kind == PATH_ACTIVITY                       ? t->activities[p->index].name
				: p->kind == PATH_CALL || p->kind == PATH_SYNC ? t->calls[p->index].name
									       : UINT32_MAX;
		v[i] = (struct path_item){p->kind, name, 1, p->to_ns - p->from_ns};
	}
	qsort(v, out->n_pieces, sizeof(*v), by_item);
	out->items = v;
	for (size_t i = 0; i < out->n_pieces; i++) {
		struct path_item *last = out->n_items ? &v[out->n_items - 1] : NULL;
		if (last && by_item(last, &v[i]) == 0) {
			last->n++;
			sum_add(&last->total_ns, v[i].total_ns);
		} else {
			v[out->n_items++] = v[i];
		}
	}
	qsort(v, out->n_items, sizeof(*v), by_total);
}

void path_make(struct path *out, const struct trace *t, const struct path_options *o, struct arena *a)
{
	struct walk w = {.t = t, .out = out, .slack = o && o->slack_ns ? o->slack_ns : PATH_SLACK_NS};
	*out = (struct path){0};
	if (!t->n_activities)
		return;
	struct arena scratch;
	arena_init(&scratch);
	buf_init(&w.pieces);
	prepare(&w, &scratch);
	struct place at = {AT_ACTIVITY, w.by_end[t->n_activities - 1]};
	w.now = t->activities[at.index].end_ns;
	out->span_ns = w.now - w.begin;
	while (w.now > w.begin && at.at != AT_END) {
		if (at.at == AT_ACTIVITY) {
			piece(&w, PATH_ACTIVITY, t->activities[at.index].start_ns, at.index, false);
			at = before_activity(&w, at.index);
		} else {
			piece(&w, PATH_CALL, t->calls[at.index].start_ns, at.index, false);
			at = before_call(&w, at.index);
		}
	}
	out->n_pieces = w.pieces.n / sizeof(struct path_piece);
	out->pieces = ARENA_ARRAY(a, out->n_pieces + 1, struct path_piece);
	for (size_t i = 0; i < out->n_pieces; i++)
		out->pieces[i] = ((const struct path_piece *)(const void *)w.pieces.p)[i];
	buf_release(&w.pieces);
	arena_release(&scratch);
	add_up(&w, a);
}
