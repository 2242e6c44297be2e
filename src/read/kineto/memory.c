/* Memory over time.
 * In: allocations and frees of a trace.
 * Out: one row a device and slice of time.
 * Never: takes changes since the trace began for all that is allocated without saying so. */
#include "read/kineto/memory.h"

#include <stdlib.h>

#include "base/sum.h"
#include "read/kineto/internal.h"

static const struct sheet_column columns[] = {
	{"device", "device", "", SHEET_TEXT},
	{"from_ns", "from", "ns", 0},
	{"most_bytes", "most", "byte", 0},
	{"end_bytes", "at its end", "byte", 0},
	{"reserved_bytes", "reserved", "byte", 0},
	{"allocations", "allocations", "", 0},
	{"frees", "frees", "", 0},
	{"allocated_bytes", "allocated", "byte", SHEET_HIDDEN},
	{"freed_bytes", "freed", "byte", SHEET_HIDDEN},
	{"source", "source", "", SHEET_TEXT | SHEET_HIDDEN},
};
struct slice {
	bool any, has_reserved;
	int64_t most, end, reserved, allocated, freed;
	uint64_t n_allocations, n_frees;
};

static int by_device(const void *x, const void *y)
{
	const struct kineto_allocation *a = x, *b = y;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->ts_ns != b->ts_ns)
		return a->ts_ns < b->ts_ns ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static void take(struct slice *s, const struct kineto_allocation *v, int64_t now, int64_t before)
{
	int64_t high = now > before ? now : before; /* before a slice's first event what was there counts too */
	s->most = s->any && s->most > high ? s->most : high;
	s->any = true;
	s->end = now;
	if (v->reserved >= 0) {
		s->reserved = s->has_reserved && s->reserved > v->reserved ? s->reserved : v->reserved;
		s->has_reserved = true;
	}
	sum_add(v->bytes > 0 ? &s->allocated : &s->freed, v->bytes > 0            ? v->bytes
							  : v->bytes == INT64_MIN ? INT64_MAX
										  : -v->bytes);
	s->n_allocations += v->bytes > 0;
	s->n_frees += v->bytes < 0;
}

static void put_slice(struct sheet *out, const struct slice *s, const char *device, int64_t from_ns, bool is_written)
{
	struct sheet_cell *c = sheet_row(out);
	sheet_put_text(&c[0], str_from(device));
	sheet_put(&c[1], (double)from_ns);
	sheet_put(&c[2], (double)s->most);
	sheet_put(&c[3], (double)s->end);
	if (s->has_reserved)
		sheet_put(&c[4], (double)s->reserved);
	sheet_put(&c[5], (double)s->n_allocations);
	sheet_put(&c[6], (double)s->n_frees);
	sheet_put(&c[7], (double)s->allocated);
	sheet_put(&c[8], (double)s->freed);
	sheet_put_text(&c[9], is_written ? STR("written") : STR("changes"));
}

/* v[0, n): the events of one device. */
static void one_device(struct sheet *out, const struct kineto_allocation *v, size_t n)
{
	struct slice slices[KINETO_MEMORY_SLICES] = {{0}};
	bool is_written = true;
	int64_t now = 0, first = v[0].ts_ns;
	uint64_t span = (uint64_t)v[n - 1].ts_ns - (uint64_t)first;
	const char *device = v[0].device < 0 ? "CPU" : arena_printf(out->arena, "%d", v[0].device);
	for (size_t i = 0; i < n; i++)
		is_written &= v[i].allocated >= 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t at = (uint64_t)v[i].ts_ns - (uint64_t)first;
		size_t k = span ? (size_t)((double)at / (double)span * KINETO_MEMORY_SLICES) : 0;
		int64_t before = now;
		if (is_written)
			now = v[i].allocated;
		else
			sum_add(&now, v[i].bytes);
		take(&slices[k < KINETO_MEMORY_SLICES ? k : KINETO_MEMORY_SLICES - 1], &v[i], now,
		     is_written && !i ? now : before);
	}
	for (size_t k = 0; k < KINETO_MEMORY_SLICES; k++) {
		if (slices[k].any)
			put_slice(out, &slices[k], device, (int64_t)((double)span / KINETO_MEMORY_SLICES * (double)k),
				  is_written);
	}
}

void kineto_memory_sheet(struct sheet *out, const struct kineto_trace *t, struct arena *a)
{
	struct kineto_allocation *v = (void *)t->store->allocations.p;
	size_t n = t->store->allocations.n;
	sheet_init(out, a, "memory", columns, COUNT_OF(columns));
	out->title = "Memory over time";
	out->note = n ? "by device and slice of its time; from: since its first event"
		      : "no allocation was recorded (profile_memory)";
	if (n)
		qsort(v, n, sizeof *v, by_device);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && v[to].device == v[from].device;)
			to++;
		one_device(out, v + from, to - from);
	}
	for (size_t i = 0; i < out->n_rows; i++) {
		if (str_is(out->cells[i * out->n_columns + 9].text, "changes"))
			out->note = "by device and slice of its time; from: since its first event; where the trace "
				    "does not say "
				    "what is allocated in all: the sum of changes since it began";
	}
}
