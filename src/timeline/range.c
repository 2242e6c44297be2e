/* Device work by step and range.
 * In: a sorted trace with ranges and launch calls.
 * Out: sums by step and by range name.
 * Never: gives an activity to a range that its launch call does not lie in. */
#include "timeline/range.h"

#include <stdlib.h>

#include "base/sum.h"
#include "timeline/busy.h"
#include "timeline/sweep.h"

struct seen {            /* of one range: its activities come in the order of starts */
	uint32_t parent; /* index + 1 of the range that was open on the thread when it began */
	uint64_t n;
	int64_t first, last, sum, covered;
};
struct list { /* ranges of one thread, or the steps, by start */
	uint32_t *v;
	size_t n;
};
struct job {
	const struct trace *t;
	struct seen *seen;
	struct list *threads, steps;
};

static void add_to_list(struct job *j, struct list *l, uint32_t i)
{
	uint32_t parent = l->n ? l->v[l->n - 1] + 1 : 0;
	while (parent && j->t->ranges[parent - 1].end_ns <= j->t->ranges[i].start_ns)
		parent = j->seen[parent - 1].parent;
	j->seen[i].parent = parent;
	l->v[l->n++] = i;
}

static void make_lists(struct job *j, struct arena *a)
{
	const struct trace *t = j->t;
	size_t *count = ARENA_ARRAY(a, t->n_threads + 1, size_t), n_steps = 0;
	j->threads = ARENA_ARRAY(a, t->n_threads + 1, struct list);
	j->seen = ARENA_ARRAY(a, t->n_ranges + 1, struct seen);
	for (size_t i = 0; i < t->n_ranges; i++) {
		n_steps += t->ranges[i].is_step;
		count[t->ranges[i].thread] += !t->ranges[i].is_step;
	}
	for (size_t k = 0; k < t->n_threads; k++)
		j->threads[k].v = ARENA_ARRAY(a, count[k] + 1, uint32_t);
	j->steps.v = ARENA_ARRAY(a, n_steps + 1, uint32_t);
	for (size_t i = 0; i < t->n_ranges; i++)
		add_to_list(j, t->ranges[i].is_step ? &j->steps : &j->threads[t->ranges[i].thread], (uint32_t)i);
}

static void take(struct seen *s, const struct trace_activity *x)
{
	int64_t from = s->n && s->last > x->start_ns ? s->last : x->start_ns;
	s->first = s->n ? s->first : x->start_ns;
	s->covered += x->end_ns > from ? x->end_ns - from : 0;
	s->last = s->n && s->last > x->end_ns ? s->last : x->end_ns;
	sum_add(&s->sum, x->end_ns - x->start_ns);
	s->n++;
}

/* Gives x to the ranges of the list that hold `at`. False: none does. */
static bool give(struct job *j, const struct list *l, int64_t at, const struct trace_activity *x)
{
	size_t low = 0, high = l->n; /* the last that starts at or before */
	bool any = false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (j->t->ranges[l->v[middle]].start_ns <= at)
			low = middle + 1;
		else
			high = middle;
	}
	for (uint32_t i = low ? l->v[low - 1] + 1 : 0; i; i = j->seen[i - 1].parent) {
		if (j->t->ranges[i - 1].end_ns <= at)
			continue;
		take(&j->seen[i - 1], x);
		any = true;
	}
	return any;
}

static void add_sum(struct range_sum *sum, const struct trace_range *r, const struct seen *s, const struct busy *busy)
{
	if (!sum->n++) {
		sum->name = r->name;
		sum->is_step = r->is_step;
		sum->start_ns = r->start_ns;
	}
	sum_add(&sum->host_ns, r->end_ns - r->start_ns);
	sum->n_work += s->n;
	sum_add(&sum->sum_ns, s->sum);
	sum_add(&sum->covered_ns, s->covered);
	sum_add(&sum->projected_ns, s->n ? s->last - s->first : 0);
	sum_add(&sum->busy_ns, busy_within(busy, r->start_ns, r->end_ns));
}

static int by_covered(const void *x, const void *y)
{
	const struct range_sum *a = x, *b = y;
	if (a->covered_ns != b->covered_ns)
		return a->covered_ns > b->covered_ns ? -1 : 1;
	if (a->host_ns != b->host_ns)
		return a->host_ns > b->host_ns ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

void ranges_make(struct ranges *out, const struct trace *t, struct arena *a)
{
	struct job j = {.t = t};
	struct busy busy;
	struct arena scratch;
	arena_init(&scratch);
	*out = (struct ranges){0};
	make_lists(&j, &scratch);
	busy_make(&busy, t, SWEEP_ALL, &scratch);
	for (size_t i = 0; i < t->n_activities; i++) {
		const struct trace_activity *x = &t->activities[i];
		const struct trace_call *c = x->call ? &t->calls[x->call - 1] : NULL;
		bool in_step = give(&j, &j.steps, c ? c->start_ns : x->start_ns, x);
		bool in_range = c && give(&j, &j.threads[c->thread], c->start_ns, x);
		out->n_outside += !in_range;
		out->n_outside_steps += !in_step;
		sum_add(&out->outside_steps_ns, in_step ? 0 : x->end_ns - x->start_ns);
	}
	out->names = ARENA_ARRAY(a, t->n_names + 1, struct range_sum);
	out->steps = ARENA_ARRAY(a, j.steps.n + 1, struct range_sum);
	for (size_t i = 0; i < t->n_ranges; i++) {
		const struct trace_range *r = &t->ranges[i];
		add_sum(r->is_step ? &out->steps[out->n_steps++] : &out->names[r->name], r, &j.seen[i], &busy);
	}
	for (size_t i = 0; i < t->n_names; i++) {
		if (out->names[i].n)
			out->names[out->n_names++] = out->names[i];
	}
	qsort(out->names, out->n_names, sizeof(*out->names), by_covered);
	arena_release(&scratch);
}
