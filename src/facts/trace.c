/* The common form of traces.
 * In: activities, calls and ranges in any order.
 * Out: sorted arrays with their links.
 * Never: judges or changes a time. */
#include "facts/trace.h"

#include <stdlib.h>
#include <string.h>

enum { S_ACTIVITIES, S_CALLS, S_RANGES, S_LANES, S_DEVICES, S_THREADS, S_NAMES };
#define MAX_PLACES ((size_t)65535)

void trace_init(struct trace *t)
{
	*t = (struct trace){.rank = -1};
	arena_init(&t->arena);
	map_init(&t->name_map, &t->arena);
	map_init(&t->place_map, &t->arena);
	for (size_t i = 0; i < COUNT_OF(t->store); i++)
		buf_init(&t->store[i]);
}

void trace_release(struct trace *t)
{
	for (size_t i = 0; i < COUNT_OF(t->store); i++)
		buf_release(&t->store[i]);
	arena_release(&t->arena);
}

/* Appends and returns the element's index. */
static size_t append(struct buf *b, const void *p, size_t size)
{
	buf_add(b, p, size);
	return b->n / size - 1;
}

uint32_t trace_name(struct trace *t, struct str name)
{
	bool is_new;
	struct map_entry *at = map_intern(&t->name_map, name, &is_new);
	if (is_new) {
		size_t i = append(&t->store[S_NAMES], &at->key, sizeof(at->key));
		if (i >= UINT32_MAX - 1)
			BUG("more names than an index holds");
		at->value = (void *)(uintptr_t)(i + 1);
	}
	return (uint32_t)((uintptr_t)at->value - 1);
}

/* The number of a place (device, lane, thread), made when it is new. */
static size_t place(struct trace *t, const int64_t key[5], unsigned store, const void *value, size_t size)
{
	bool is_new;
	struct map_entry *at = map_intern(&t->place_map, (struct str){(const char *)key, 5 * sizeof(*key)}, &is_new);
	if (is_new && t->store[store].n / size == MAX_PLACES)
		at->value = (void *)(uintptr_t)MAX_PLACES;
	else if (is_new)
		at->value = (void *)(uintptr_t)(append(&t->store[store], value, size) + 1);
	return (size_t)(uintptr_t)at->value - 1;
}

uint16_t trace_lane(struct trace *t, int64_t process, int64_t device, int64_t context, int64_t stream)
{
	int64_t device_key[5] = {S_DEVICES, process, device, 0, 0};
	int64_t lane_key[5] = {S_LANES, process, device, context, stream};
	struct trace_device d = {.process = process, .id = device};
	if (t->has_last_lane && memcmp(t->last_lane, lane_key + 1, sizeof(t->last_lane)) == 0)
		return t->i_last_lane;
	size_t i = place(t, device_key, S_DEVICES, &d, sizeof(d));
	struct trace_lane lane = {.device = (uint32_t)i, .context = context, .stream = stream};
	memcpy(t->last_lane, lane_key + 1, sizeof(t->last_lane));
	t->has_last_lane = true;
	return t->i_last_lane = (uint16_t)place(t, lane_key, S_LANES, &lane, sizeof(lane));
}

uint16_t trace_thread(struct trace *t, int64_t process, int64_t thread)
{
	int64_t key[5] = {S_THREADS, process, thread, 0, 0};
	struct trace_thread v = {process, thread};
	if (t->has_last_thread && t->last_thread[0] == process && t->last_thread[1] == thread)
		return t->i_last_thread;
	t->last_thread[0] = process;
	t->last_thread[1] = thread;
	t->has_last_thread = true;
	return t->i_last_thread = (uint16_t)place(t, key, S_THREADS, &v, sizeof(v));
}

static bool is_true(int64_t start, int64_t end)
{
	return start <= end && start > -TRACE_MAX_TIME && end < TRACE_MAX_TIME;
}

void trace_add_activity(struct trace *t, const struct trace_activity *a)
{
	if (!is_true(a->start_ns, a->end_ns) || a->end_ns - a->start_ns > TRACE_MAX_NS) {
		t->n_left_out++;
		return;
	}
	(void)append(&t->store[S_ACTIVITIES], a, sizeof(*a));
}

uint32_t trace_add_call(struct trace *t, const struct trace_call *c)
{
	if (!is_true(c->start_ns, c->end_ns))
		return 0;
	return (uint32_t)append(&t->store[S_CALLS], c, sizeof(*c)) + 1;
}

void trace_add_range(struct trace *t, const struct trace_range *r)
{
	if (is_true(r->start_ns, r->end_ns))
		(void)append(&t->store[S_RANGES], r, sizeof(*r));
}

static int order(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_activity(const void *x, const void *y)
{
	const struct trace_activity *a = x, *b = y;
	int c = order(a->start_ns, b->start_ns);
	c = c ? c : order(a->end_ns, b->end_ns);
	c = c ? c : order(a->lane, b->lane);
	c = c ? c : order(a->name, b->name);
	return c ? c : order(a->call, b->call);
}

static int by_range(const void *x, const void *y)
{
	const struct trace_range *a = x, *b = y;
	int c = order(a->start_ns, b->start_ns);
	c = c ? c : order(b->end_ns, a->end_ns);
	c = c ? c : order(a->thread, b->thread);
	return c ? c : order(a->name, b->name);
}

static int by_call(const void *x, const void *y, void *calls)
{
	const uint32_t *i = x, *j = y;
	const struct trace_call *a = (const struct trace_call *)calls + *i, *b = (const struct trace_call *)calls + *j;
	int c = order(a->start_ns, b->start_ns);
	c = c ? c : order(b->end_ns, a->end_ns);
	return c ? c : order(*i, *j);
}

/* What is in order already, as most traces are, is left alone. */
static void sort_if(void *p, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	for (size_t i = 1; i < n; i++) {
		if (compare((char *)p + (i - 1) * size, (char *)p + i * size) > 0) {
			qsort(p, n, size, compare);
			return;
		}
	}
}

static bool calls_in_order(const struct trace *t)
{
	for (uint32_t i = 1; i < t->n_calls; i++) {
		uint32_t before = i - 1;
		if (by_call(&before, &i, t->calls) > 0)
			return false;
	}
	return true;
}

/* Calls move, so the activities that name them follow. */
static void sort_calls(struct trace *t)
{
	struct buf order_buf, moved, where_buf;
	size_t n = t->n_calls;
	if (calls_in_order(t))
		return;
	buf_init(&order_buf);
	buf_init(&where_buf);
	buf_init(&moved);
	buf_reserve(&order_buf, n * sizeof(uint32_t));
	buf_reserve(&where_buf, n * sizeof(uint32_t));
	buf_reserve(&moved, n * sizeof(struct trace_call));
	uint32_t *at = (void *)order_buf.p, *where = (void *)where_buf.p;
	for (size_t i = 0; i < n; i++)
		at[i] = (uint32_t)i;
	qsort_r(at, n, sizeof(*at), by_call, t->calls);
	for (size_t i = 0; i < n; i++) {
		where[at[i]] = (uint32_t)i;
		buf_add(&moved, &t->calls[at[i]], sizeof(struct trace_call));
	}
	memcpy(t->calls, moved.p, n * sizeof(struct trace_call));
	for (size_t i = 0; i < t->n_activities; i++) {
		if (t->activities[i].call)
			t->activities[i].call = where[t->activities[i].call - 1] + 1;
	}
	buf_release(&order_buf);
	buf_release(&where_buf);
	buf_release(&moved);
}

static void *array_of(struct trace *t, unsigned store, size_t size, size_t *n)
{
	*n = t->store[store].n / size;
	buf_reserve(&t->store[store], size); /* never NULL */
	return t->store[store].p;
}

void trace_finish(struct trace *t)
{
	t->activities = array_of(t, S_ACTIVITIES, sizeof(*t->activities), &t->n_activities);
	t->calls = array_of(t, S_CALLS, sizeof(*t->calls), &t->n_calls);
	t->ranges = array_of(t, S_RANGES, sizeof(*t->ranges), &t->n_ranges);
	t->lanes = array_of(t, S_LANES, sizeof(*t->lanes), &t->n_lanes);
	t->devices = array_of(t, S_DEVICES, sizeof(*t->devices), &t->n_devices);
	t->threads = array_of(t, S_THREADS, sizeof(*t->threads), &t->n_threads);
	t->names = array_of(t, S_NAMES, sizeof(*t->names), &t->n_names);
	sort_calls(t);
	sort_if(t->activities, t->n_activities, sizeof(*t->activities), by_activity);
	sort_if(t->ranges, t->n_ranges, sizeof(*t->ranges), by_range);
	t->n_unlinked = 0;
	for (size_t i = 0; i < t->n_activities; i++)
		t->n_unlinked += t->activities[i].call == 0;
}
