/* A batch of calls in the worker.
 * In: CALLS. Out: rows; in identity mode also what was launched.
 * The device is idle before and after each call, so every record whose start lies between belongs to it.
 * Never: looks at records before the last call is over. */
#include "probe/batch.h"

#include "base/map.h"
#include "probe/guest.h"

void batch_init(struct batch *b)
{
	memset(b, 0, sizeof(*b));
	arena_init(&b->arena);
}

void batch_release(struct batch *b)
{
	arena_release(&b->arena);
}

/* What a guest's entry returned is copied into the slot: after the call's end, so neither timed nor in its records. */
static bool finish_guest(struct probe *p, size_t slot, struct probe_fault *fault)
{
	struct err e = {ERR_NONE, ""};
	if (p->guest->finish(slot) != 0)
		return probe_guest_fault(p, fault);
	return space_sync(p->space, &e) || probe_trouble(fault, &e);
}

bool batch_run(struct batch *b, struct probe *p, const struct wire_calls *c, struct probe_fault *fault)
{
	b->n = (size_t)c->n;
	b->rows = ARENA_ARRAY(&b->arena, b->n, struct wire_row);
	if (p->recorder) {
		b->begin = ARENA_ARRAY(&b->arena, b->n, uint64_t);
		b->end = ARENA_ARRAY(&b->arena, b->n, uint64_t);
	}
	if ((c->flags & WIRE_CALL_SEALED) && space_kind(p->space) == SPACE_GPU)
		return probe_sealed_device(p, c, fault);
	for (size_t i = 0; i < b->n; i++) {
		struct wire_row *row = &b->rows[i];
		*row = (struct wire_row){.call = c->first_call + i,
					 .placement = c->placement,
					 .block = c->block,
					 .side = c->side,
					 .slot = (c->first_slot + i) % c->n_slots};
		if (c->phases.n)
			memcpy(&row->phase_ns, c->phases.p + i * 8, 8);
		bool ok = space_kind(p->space) == SPACE_HOST
				  ? probe_call_host(p, c, row, fault)
				  : probe_call_device(p, c, row, fault, b->begin ? &b->begin[i] : NULL);
		if (!ok)
			return false;
		if (b->end)
			b->end[i] = recorder_now(p->recorder);
		else if (space_kind(p->space) == SPACE_GPU && (p->mode == PROBE_IDENTITY || p->mode == PROBE_TIME))
			row->marks |= WIRE_MARK_NO_RECORD; /* CUPTI is absent or refused */
		if (p->guest && !finish_guest(p, (size_t)row->slot, fault))
			return false;
	}
	return true;
}

struct span {
	uint64_t first, last, union_ns, sum_ns, covered_to;
	uint64_t streams[32];
};

static void add_to_span(struct wire_row *row, struct span *s, const struct gpu_activity *x)
{
	uint64_t ns = x->end_ns - x->start_ns;
	if (x->kind == GPU_ACTIVITY_KERNEL) {
		row->n_launch++;
		s->sum_ns += ns;
	} else {
		row->n_copy++;
	}
	if (!s->last || x->start_ns < s->first)
		s->first = x->start_ns;
	if (x->end_ns > s->last)
		s->last = x->end_ns;
	uint64_t from = x->start_ns > s->covered_to ? x->start_ns : s->covered_to; /* records come in order of start */
	if (x->end_ns > from) {
		s->union_ns += x->end_ns - from;
		s->covered_to = x->end_ns;
	}
	for (size_t i = 0; i < COUNT_OF(s->streams); i++) {
		if (i == row->n_stream) {
			s->streams[row->n_stream++] = x->stream;
			return;
		}
		if (s->streams[i] == x->stream)
			return;
	}
}

static bool is_device_work(const struct gpu_activity *x)
{
	return (x->has & GPU_ACTIVITY_HAS_TIME) &&
	       (x->kind == GPU_ACTIVITY_KERNEL || x->kind == GPU_ACTIVITY_MEMCPY || x->kind == GPU_ACTIVITY_MEMSET);
}

/* `x` is sorted by start; *at moves on over all calls. */
static void fill_row(struct batch *b, size_t i, const struct gpu_activity *x, size_t n, size_t *at)
{
	struct wire_row *row = &b->rows[i];
	struct span s = {0};
	if (!x)
		n = 0;
	while (*at < n && x[*at].start_ns < b->begin[i])
		(*at)++;
	for (; *at < n && x[*at].start_ns <= b->end[i]; (*at)++) {
		if (is_device_work(&x[*at]))
			add_to_span(row, &s, &x[*at]);
	}
	if (!row->n_launch && !row->n_copy) {
		row->marks |= WIRE_MARK_NO_RECORD;
		return;
	}
	row->span_ns = (double)(s.last - s.first);
	row->busy_ns = (double)s.union_ns;
	row->kernel_sum_ns = (double)s.sum_ns;
}

struct launch_list {
	struct buf launches, names;
	size_t n_names;
	struct map seen;
};

static bool api_matches(const char *name, const char *what)
{
	return name && strstr(name, what) != NULL;
}

/* kind of wire_launch, or -1: not reported */
static int launch_kind(struct probe *p, const struct gpu_activity *x, const char **name)
{
	*name = x->name ? x->name : "";
	switch (x->kind) {
	case GPU_ACTIVITY_KERNEL:
		return WIRE_LAUNCH_KERNEL;
	case GPU_ACTIVITY_MEMCPY:
		return WIRE_LAUNCH_COPY;
	case GPU_ACTIVITY_MEMSET:
		return WIRE_LAUNCH_MEMSET;
	case GPU_ACTIVITY_RUNTIME:
		*name = recorder_api_name(p->recorder, x);
		if (api_matches(*name, "Synchronize"))
			return WIRE_LAUNCH_SYNC;
		if (api_matches(*name, "Malloc") || api_matches(*name, "HostAlloc"))
			return WIRE_LAUNCH_ALLOC;
		if (api_matches(*name, "Free"))
			return WIRE_LAUNCH_FREE;
		return api_matches(*name, "GraphLaunch") ? WIRE_LAUNCH_GRAPH : -1;
	case GPU_ACTIVITY_SYNC:
	case GPU_ACTIVITY_DRIVER:
	case GPU_ACTIVITY_OTHER:
		break;
	}
	return -1;
}

static uint64_t name_index(struct launch_list *l, const char *name)
{
	bool is_new = false;
	struct map_entry *at = map_intern(&l->seen, str_from(name), &is_new);
	if (is_new) {
		at->value = (void *)(uintptr_t)l->n_names++;
		buf_puts(&l->names, name);
		buf_char(&l->names, '\n');
	}
	return (uint64_t)(uintptr_t)at->value;
}

static void add_launch(struct launch_list *l, struct probe *p, const struct gpu_activity *x, const struct batch *b,
		       size_t i)
{
	const char *name = NULL;
	int kind = launch_kind(p, x, &name);
	if (kind < 0)
		return;
	struct wire_launch w = {.i_name = name_index(l, name ? name : ""),
				.kind = (uint64_t)kind,
				.call = b->rows[i].call,
				.start_ns = (int64_t)(x->start_ns - b->begin[i]),
				.end_ns = (int64_t)(x->end_ns - b->begin[i]),
				.stream = x->stream,
				.registers = x->registers,
				.shared_static = x->smem_static_bytes,
				.shared_dynamic = x->smem_dynamic_bytes,
				.bytes = x->bytes};
	memcpy(w.grid, x->grid, sizeof(w.grid));
	memcpy(w.block, x->block, sizeof(w.block));
	buf_add(&l->launches, &w, sizeof(w));
	if (kind == WIRE_LAUNCH_SYNC)
		b->rows[i].marks |= WIRE_MARK_SYNCED;
	if (kind == WIRE_LAUNCH_ALLOC || kind == WIRE_LAUNCH_FREE)
		b->rows[i].marks |= WIRE_MARK_ALLOCATED;
}

static bool answer_launches(struct batch *b, struct probe *p, const struct gpu_activity *x, size_t n, struct err *e)
{
	struct launch_list l = {.n_names = 0};
	buf_init(&l.launches);
	buf_init(&l.names);
	map_init(&l.seen, &b->arena);
	size_t i = 0;
	for (size_t k = 0; k < n; k++) {
		while (i < b->n && x[k].start_ns > b->end[i])
			i++;
		if (i < b->n && x[k].start_ns >= b->begin[i])
			add_launch(&l, p, &x[k], b, i);
	}
	struct wire_message m = {.type = WIRE_TYPE_LAUNCHES};
	m.u.launches.launches = buf_view(&l.launches);
	m.u.launches.names = buf_view(&l.names);
	bool ok = link_send(&p->link, &m, -1, e);
	buf_release(&l.launches);
	buf_release(&l.names);
	return ok;
}

bool batch_answer(struct batch *b, struct probe *p, struct err *e)
{
	size_t n = 0, dropped = 0, at = 0;
	struct gpu_activity *x = NULL;
	if (p->recorder) {
		/* What CUPTI does not give, or what somebody spoilt, is missing: the parent takes another source. */
		struct err why = {ERR_NONE, ""};
		x = recorder_take(p->recorder, &b->arena, &n, &dropped, &why);
		if (!x)
			fprintf(stderr, "assay worker: %s\n", why.text);
		for (size_t i = 0; i < b->n; i++) {
			fill_row(b, i, x, n, &at);
			if (dropped)
				b->rows[i].marks |= WIRE_MARK_DROPPED;
		}
	}
	bool is_identity = p->mode == PROBE_IDENTITY && space_kind(p->space) == SPACE_GPU;
	if (is_identity && !answer_launches(b, p, x, n, e))
		return false;
	struct wire_message m = {.type = WIRE_TYPE_ROWS};
	m.u.rows.rows = (struct str){(const char *)b->rows, b->n * sizeof(*b->rows)};
	return link_send(&p->link, &m, -1, e);
}
