/* Sweep over intervals.
 * In: a trace, a device.
 * Out: calls of a visitor in the order of time.
 * Never: sorts; a trace is sorted by start already. */
#include "timeline/sweep.h"

#include <string.h>

struct ends { /* min-heap of the activities that run, by end and index */
	struct buf b;
	const struct trace *t;
};

static size_t *heap(struct ends *e)
{
	return (size_t *)(void *)e->b.p;
}

static size_t heap_size(const struct ends *e)
{
	return e->b.n / sizeof(size_t);
}

/* The first to end; none: e->t->n_activities. */
static size_t next_end(struct ends *e)
{
	const size_t *h = heap(e);
	return h && heap_size(e) ? h[0] : e->t->n_activities;
}

static bool sooner(const struct ends *e, size_t a, size_t b)
{
	int64_t x = e->t->activities[a].end_ns, y = e->t->activities[b].end_ns;
	return x != y ? x < y : a < b;
}

static void swap(size_t *a, size_t *b)
{
	size_t x = *a;
	*a = *b;
	*b = x;
}

static void push(struct ends *e, size_t i)
{
	buf_add(&e->b, &i, sizeof(i));
	size_t *h = heap(e);
	for (size_t k = heap_size(e) - 1; k && sooner(e, h[k], h[(k - 1) / 2]); k = (k - 1) / 2)
		swap(&h[k], &h[(k - 1) / 2]);
}

static size_t pop(struct ends *e)
{
	size_t *h = heap(e), n = heap_size(e) - 1, first = h[0];
	h[0] = h[n];
	e->b.n -= sizeof(size_t);
	for (size_t k = 0;;) {
		size_t least = k;
		for (size_t child = 2 * k + 1; child <= 2 * k + 2 && child < n; child++)
			least = sooner(e, h[child], h[least]) ? child : least;
		if (least == k)
			return first;
		swap(&h[k], &h[least]);
		k = least;
	}
}

static void advance(const struct sweep_visitor *v, int64_t *now, int64_t to)
{
	if (to > *now)
		v->segment(v->ctx, *now, to);
	*now = to > *now ? to : *now;
}

void sweep_device(const struct trace *t, uint32_t device, const struct sweep_visitor *v)
{
	struct ends e = {.t = t};
	int64_t now = INT64_MAX;
	const struct trace_activity *all = t->activities;
	buf_init(&e.b);
	for (size_t i = 0; all && i <= t->n_activities; i++) {
		const struct trace_activity *a = i < t->n_activities ? &all[i] : NULL;
		if (a && device != SWEEP_ALL && t->lanes[a->lane].device != device)
			continue;
		for (size_t k; (k = next_end(&e)) < t->n_activities && (!a || all[k].end_ns <= a->start_ns);) {
			advance(v, &now, all[k].end_ns);
			v->leave(v->ctx, pop(&e));
		}
		if (!a)
			break;
		if (now == INT64_MAX)
			now = a->start_ns;
		advance(v, &now, a->start_ns);
		v->enter(v->ctx, i);
		push(&e, i);
	}
	buf_release(&e.b);
}

int64_t sweep_select(int64_t *v, size_t n, size_t i)
{
	size_t low = 0, high = n - 1;
	while (low < high) {
		int64_t pivot = v[low + (high - low) / 2];
		size_t l = low, r = high;
		for (;;) {
			while (v[l] < pivot)
				l++;
			while (v[r] > pivot)
				r--;
			if (l >= r)
				break;
			int64_t x = v[l];
			v[l++] = v[r];
			v[r--] = x;
		}
		if (i <= r)
			high = r;
		else
			low = r + 1;
	}
	return v[i];
}

size_t sweep_rank(size_t n, unsigned per_mille)
{
	size_t at = n / 1000 * per_mille + (n % 1000 * per_mille + 999) / 1000;
	return at ? at - 1 : 0;
}
