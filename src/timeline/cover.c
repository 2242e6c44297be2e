/* Covered time, overlap, concurrency, and what each item alone holds.
 * In: a sorted trace.
 * Out: exact sums of nanoseconds.
 * Never: rounds, and never adds durations that overlap and calls it time. */
#include "timeline/cover.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "timeline/sweep.h"

unsigned cover_class_of(enum trace_kind k)
{
	return k == TRACE_COMM ? COVER_COMM : k == TRACE_COPY || k == TRACE_SET ? COVER_COPY : COVER_COMPUTE;
}

struct state {
	const struct trace *t;
	struct cover *out;
	size_t n_active, n_lanes, n_class[COVER_CLASSES];
	uint32_t *on_lane; /* activities that run, by lane */
};

static void cover_segment(void *ctx, int64_t from, int64_t to)
{
	struct state *s = ctx;
	unsigned mask = (s->n_class[COVER_COMPUTE] ? COVER_COMPUTE : 0u) | (s->n_class[COVER_COPY] ? COVER_COPY : 0u) |
			(s->n_class[COVER_COMM] ? COVER_COMM : 0u);
	size_t level = s->n_active < COVER_LEVELS ? s->n_active : COVER_LEVELS - 1;
	size_t lanes = s->n_lanes < COVER_LEVELS ? s->n_lanes : COVER_LEVELS - 1;
	s->out->class_ns[mask] += to - from;
	s->out->level_ns[level] += to - from;
	s->out->lane_ns[lanes] += to - from;
	if (s->n_active)
		s->out->covered_ns += to - from;
	s->out->max_level = s->n_active > s->out->max_level ? s->n_active : s->out->max_level;
	s->out->max_lanes = s->n_lanes > s->out->max_lanes ? s->n_lanes : s->out->max_lanes;
}

static void cover_enter(void *ctx, size_t i)
{
	struct state *s = ctx;
	const struct trace_activity *a = &s->t->activities[i];
	struct cover *c = s->out;
	c->first_ns = c->n ? c->first_ns : a->start_ns;
	c->last_ns = c->n && c->last_ns > a->end_ns ? c->last_ns : a->end_ns;
	sum_add(&c->sum_ns, a->end_ns - a->start_ns);
	c->n++;
	s->n_active++;
	s->n_class[cover_class_of(a->kind)]++;
	s->n_lanes += s->on_lane[a->lane]++ == 0;
}

static void cover_leave(void *ctx, size_t i)
{
	struct state *s = ctx;
	const struct trace_activity *a = &s->t->activities[i];
	s->n_active--;
	s->n_class[cover_class_of(a->kind)]--;
	s->n_lanes -= --s->on_lane[a->lane] == 0;
}

void cover_device(struct cover *out, const struct trace *t, uint32_t device, struct arena *scratch)
{
	struct arena_mark mark = arena_mark(scratch);
	struct state s = {.t = t, .out = out, .on_lane = ARENA_ARRAY(scratch, t->n_lanes + 1, uint32_t)};
	struct sweep_visitor v = {&s, cover_segment, cover_enter, cover_leave};
	*out = (struct cover){.device = device};
	sweep_device(t, device, &v);
	out->excess_ns = out->sum_ns - out->covered_ns;
	arena_reset(scratch, mark);
}

int64_t cover_any(const struct cover *c, unsigned mask)
{
	int64_t sum = 0;
	for (unsigned i = 1; i < COVER_CLASSES; i++)
		sum += i & mask ? c->class_ns[i] : 0;
	return sum;
}

int64_t cover_only(const struct cover *c, unsigned mask)
{
	int64_t sum = 0;
	for (unsigned i = 1; i < COVER_CLASSES; i++)
		sum += i & mask && !(i & ~mask) ? c->class_ns[i] : 0;
	return sum;
}

/* Items that run now: a short list, each with its count. */
struct running {
	uint32_t item, n;
};
struct item_state {
	const struct trace *t;
	struct cover_item *items; /* by name */
	struct running *v;
	size_t n, cap;
	struct arena *a;
};

static void item_segment(void *ctx, int64_t from, int64_t to)
{
	struct item_state *s = ctx;
	for (size_t k = 0; k < s->n; k++)
		s->items[s->v[k].item].covered_ns += to - from;
	if (s->n == 1)
		s->items[s->v[0].item].alone_ns += to - from;
}

static void item_enter(void *ctx, size_t i)
{
	struct item_state *s = ctx;
	const struct trace_activity *a = &s->t->activities[i];
	struct cover_item *item = &s->items[a->name];
	item->name = a->name;
	item->kind = a->kind;
	item->n++;
	sum_add(&item->sum_ns, a->end_ns - a->start_ns);
	for (size_t k = 0; k < s->n; k++) {
		if (s->v[k].item == a->name) {
			s->v[k].n++;
			return;
		}
	}
	if (s->n == s->cap) {
		struct running *more = ARENA_ARRAY(s->a, s->cap * 2 + 16, struct running);
		if (s->n)
			memcpy(more, s->v, s->n * sizeof(*more));
		s->cap = s->cap * 2 + 16;
		s->v = more;
	}
	s->v[s->n++] = (struct running){a->name, 1};
}

static void item_leave(void *ctx, size_t i)
{
	struct item_state *s = ctx;
	size_t k = 0;
	while (s->v[k].item != s->t->activities[i].name)
		k++;
	if (--s->v[k].n == 0)
		s->v[k] = s->v[--s->n];
}

static int by_alone(const void *x, const void *y)
{
	const struct cover_item *a = x, *b = y;
	if (a->alone_ns != b->alone_ns)
		return a->alone_ns > b->alone_ns ? -1 : 1;
	if (a->sum_ns != b->sum_ns)
		return a->sum_ns > b->sum_ns ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

void cover_by_name(struct cover_items *out, const struct trace *t, struct arena *a)
{
	struct cover_item *v = ARENA_ARRAY(a, t->n_names + 1, struct cover_item);
	struct item_state s = {.t = t, .items = v, .a = a};
	struct sweep_visitor visitor = {&s, item_segment, item_enter, item_leave};
	for (uint32_t d = 0; d < t->n_devices; d++)
		sweep_device(t, d, &visitor);
	*out = (struct cover_items){.v = v};
	for (size_t i = 0; i < t->n_names; i++) {
		if (v[i].n)
			v[out->n++] = v[i];
	}
	qsort(v, out->n, sizeof(*v), by_alone);
}
