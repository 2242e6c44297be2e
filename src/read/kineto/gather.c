/* Tables that grow while events go by: names, launch shapes, streams, threads, calls.
 * In: what an event says.
 * Out: small indexes for it.
 * Never keeps an event. */
#include "read/kineto/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "read/kineto/memory.h"
#include "read/kineto/scope.h"

#define MAX_LANES ((size_t)65535)

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9fb21c651e98df25u;
	return h ^ h >> 32;
}

static uint64_t load(const char *p, size_t n)
{
	uint64_t v = 0;
	memcpy(&v, p, n);
	return v;
}

static uint64_t hash_text(struct str s)
{
	uint64_t h = s.n * 0x9e3779b97f4a7c15u;
	size_t n = s.n;
	const char *p = s.p;
	for (; n >= 8; n -= 8, p += 8)
		h = mix(h, load(p, 8));
	return n ? mix(h, load(p, n)) : mix(h, 0);
}

void gather_init(struct kineto_store *s, const struct kineto_options *o)
{
	*s = (struct kineto_store){.flags = o ? o->flags : 0};
	arena_init(&s->arena);
	map_init(&s->unmodeled, &s->arena);
	map_init(&s->wide_ids, &s->arena);
	s->trace.store = s;
	arena_init(&s->meta.arena);
	map_init(&s->meta.unmodeled, &s->meta.arena);
	s->trace.meta = s->meta.members = json_object(&s->meta.arena);
	s->budget.limit = o && o->memory ? o->memory : (size_t)1 << 30;
	s->activities = (struct column){.size = sizeof(struct kineto_activity), .fd = -1};
	s->launches = (struct column){.size = sizeof(struct kineto_launch), .fd = -1};
	s->operators = (struct column){.size = sizeof(struct operator_id), .fd = -1};
	s->spans = (struct column){.size = sizeof(struct kineto_span), .fd = -1};
	s->allocations = (struct column){.size = sizeof(struct kineto_allocation), .fd = -1};
	s->scopes = (struct column){.size = sizeof(struct kineto_scope), .fd = -1};
	s->memory[0].peak_allocated = s->memory[0].peak_reserved = -1;
	s->memory[1] = s->memory[0];
	uint32_t device = 1u << CAT_KERNEL | 1u << CAT_MEMCPY | 1u << CAT_MEMSET | 1u << CAT_OVERHEAD;
	uint32_t host = 1u << CAT_RUNTIME | 1u << CAT_OPERATOR | 1u << CAT_ANNOTATION | 1u << CAT_DEVICE_ANNOTATION |
			1u << CAT_SYNC | 1u << CAT_WINDOW | 1u << CAT_INSTANT;
	s->wanted = s->flags & KINETO_KERNELS_ONLY ? device : device | host;
	s->wanted |= s->flags & KINETO_SCOPES ? 1u << CAT_PYTHON : 0;
}

void gather_release(struct kineto_store *s)
{
	column_release(&s->activities);
	column_release(&s->launches);
	column_release(&s->operators);
	column_release(&s->spans);
	column_release(&s->scopes);
	column_release(&s->allocations);
	free(s->names);
	free(s->name_slots);
	free(s->config_slots);
	free(s->thread_slots);
	arena_release(&s->meta.arena);
	arena_release(&s->arena);
}

/* Doubles a plain array outside the arena. */
static void *doubled(void *p, size_t *cap, size_t size)
{
	size_t n = *cap ? *cap * 2 : 64;
	void *q = realloc(p, n * size);
	if (!q)
		BUG("out of memory");
	*cap = n;
	return q;
}

static uint32_t *zeroed_slots(uint32_t *old, size_t n)
{
	free(old);
	uint32_t *p = calloc(n, sizeof *p);
	if (!p)
		BUG("out of memory");
	return p;
}

static bool contains(struct str s, const char *what)
{
	return str_find(s, str_from(what)) != SIZE_MAX;
}

bool kineto_is_collective(struct str kernel)
{
	static const char *const parts[] = {"nccl",      "rccl",       "Nccl",
					    "AllReduce", "all_reduce", "cross_device_reduce",
					    "multimem",  "nvshmem",    "mscclpp"};
	for (size_t i = 0; i < COUNT_OF(parts); i++)
		if (contains(kernel, parts[i]))
			return true;
	return false;
}

/* What a name means; looked at once per distinct name. */
static unsigned name_flags(struct str s)
{
	static const char *const waits[] = {
		"cudaMemcpy",   "cudaFree",       "cudaMalloc", "cudaHostAlloc",       "cudaHostRegister",
		"cudaFreeHost", "cudaMallocHost", "hipMemcpy",  "hipMemcpyWithStream", "hipFree",
		"hipMalloc",    "cuMemAlloc",     "cuMemFree"};
	unsigned flags = kineto_is_collective(s) ? NAME_COLLECTIVE : 0;
	if (contains(s, "Launch") || contains(s, "emcpy") || contains(s, "emset") || contains(s, "emPrefetch"))
		flags |= NAME_LAUNCH;
	if (contains(s, "GraphLaunch"))
		flags |= NAME_GRAPH;
	if (contains(s, "Synchronize"))
		flags |= NAME_SYNC;
	for (size_t i = 0; i < COUNT_OF(waits); i++)
		if (str_is(s, waits[i]))
			flags |= NAME_SYNC;
	if (str_starts(s, "ProfilerStep#"))
		flags |= NAME_STEP;
	return flags;
}

static void grow_names(struct kineto_store *s)
{
	s->n_name_slots = s->n_name_slots ? s->n_name_slots * 2 : 1024;
	s->name_slots = zeroed_slots(s->name_slots, s->n_name_slots);
	for (size_t i = 0; i < s->n_names; i++) {
		size_t at = s->names[i].hash & (s->n_name_slots - 1);
		while (s->name_slots[at])
			at = (at + 1) & (s->n_name_slots - 1);
		s->name_slots[at] = (uint32_t)i + 1;
	}
}

uint32_t gather_name(struct kineto_store *s, struct str raw)
{
	if (s->n_names * 2 >= s->n_name_slots)
		grow_names(s);
	uint64_t hash = hash_text(raw);
	size_t at = hash & (s->n_name_slots - 1);
	for (; s->name_slots[at]; at = (at + 1) & (s->n_name_slots - 1)) {
		const struct name *n = &s->names[s->name_slots[at] - 1];
		if (n->hash == hash && n->raw.n == raw.n && memcmp(n->raw.p, raw.p, raw.n) == 0)
			return s->name_slots[at] - 1;
	}
	if (s->n_names == UINT32_MAX - 1)
		BUG("more than 2^32 distinct names");
	if (s->n_names == s->cap_names)
		s->names = doubled(s->names, &s->cap_names, sizeof *s->names);
	s->names[s->n_names] = (struct name){.raw = arena_str(&s->arena, raw), .hash = hash, .flags = name_flags(raw)};
	s->name_slots[at] = (uint32_t)++s->n_names;
	return (uint32_t)s->n_names - 1;
}

/* Room at the end of an array in the arena. */
static void *arena_grown(struct kineto_store *s, void *old, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return old;
	*cap = *cap ? *cap * 2 : 32;
	void *p = arena_array(&s->arena, *cap, size);
	if (n)
		memcpy(p, old, n * size);
	return p;
}

static uint64_t hash_config(const struct kineto_config *c)
{
	uint64_t h = mix(c->has, c->bytes);
	for (unsigned i = 0; i < 3; i++)
		h = mix(h, c->grid[i] | (uint64_t)c->block[i] << 32);
	return mix(h, c->registers | (uint64_t)c->shared_bytes << 32);
}

static bool same_config(const struct kineto_config *a, const struct kineto_config *b)
{
	return a->has == b->has && a->bytes == b->bytes && a->registers == b->registers &&
	       a->shared_bytes == b->shared_bytes && memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
	       memcmp(a->block, b->block, sizeof a->block) == 0;
}

uint32_t gather_config(struct kineto_store *s, const struct kineto_config *c)
{
	struct kineto_trace *t = &s->trace;
	if (t->n_configs * 2 >= s->n_config_slots) {
		s->n_config_slots = s->n_config_slots ? s->n_config_slots * 2 : 256;
		s->config_slots = zeroed_slots(s->config_slots, s->n_config_slots);
		for (size_t i = 0; i < t->n_configs; i++) {
			size_t at = hash_config(&t->configs[i]) & (s->n_config_slots - 1);
			while (s->config_slots[at])
				at = (at + 1) & (s->n_config_slots - 1);
			s->config_slots[at] = (uint32_t)i + 1;
		}
	}
	size_t at = hash_config(c) & (s->n_config_slots - 1);
	for (; s->config_slots[at]; at = (at + 1) & (s->n_config_slots - 1))
		if (same_config(&t->configs[s->config_slots[at] - 1], c))
			return s->config_slots[at] - 1;
	t->configs = arena_grown(s, t->configs, t->n_configs, &s->cap_configs, sizeof *t->configs);
	t->configs[t->n_configs] = *c;
	s->config_slots[at] = (uint32_t)++t->n_configs;
	return (uint32_t)t->n_configs - 1;
}

uint16_t gather_lane(struct kineto_store *s, int64_t device, int64_t stream, int64_t context)
{
	struct kineto_trace *t = &s->trace;
	if (s->last_lane < t->n_lanes) {
		const struct kineto_lane *l = &t->lanes[s->last_lane];
		if (l->device == device && l->stream == stream && l->context == context)
			return (uint16_t)s->last_lane;
	}
	size_t i = 0;
	for (; i < t->n_lanes; i++)
		if (t->lanes[i].device == device && t->lanes[i].stream == stream && t->lanes[i].context == context)
			break;
	if (i == t->n_lanes) {
		if (i == MAX_LANES)
			return (uint16_t)(MAX_LANES - 1); /* hostile input: no machine has so many streams */
		t->lanes = arena_grown(s, t->lanes, t->n_lanes, &s->cap_lanes, sizeof *t->lanes);
		t->lanes[t->n_lanes++] = (struct kineto_lane){device, stream, context};
	}
	s->last_lane = (uint32_t)i;
	return (uint16_t)i;
}

static uint64_t hash_thread(const struct kineto_thread *h)
{
	return mix(mix(1, (uint64_t)h->pid), (uint64_t)h->tid);
}

uint32_t gather_thread(struct kineto_store *s, int64_t pid, int64_t tid)
{
	struct kineto_trace *t = &s->trace;
	struct kineto_thread h = {pid, tid};
	if (s->last_thread < t->n_threads && t->threads[s->last_thread].pid == pid &&
	    t->threads[s->last_thread].tid == tid)
		return s->last_thread;
	if (t->n_threads * 2 >= s->n_thread_slots) {
		s->n_thread_slots = s->n_thread_slots ? s->n_thread_slots * 2 : 64;
		s->thread_slots = zeroed_slots(s->thread_slots, s->n_thread_slots);
		for (size_t i = 0; i < t->n_threads; i++) {
			size_t at = hash_thread(&t->threads[i]) & (s->n_thread_slots - 1);
			while (s->thread_slots[at])
				at = (at + 1) & (s->n_thread_slots - 1);
			s->thread_slots[at] = (uint32_t)i + 1;
		}
	}
	size_t at = hash_thread(&h) & (s->n_thread_slots - 1);
	for (; s->thread_slots[at]; at = (at + 1) & (s->n_thread_slots - 1)) {
		const struct kineto_thread *k = &t->threads[s->thread_slots[at] - 1];
		if (k->pid == pid && k->tid == tid)
			break;
	}
	if (!s->thread_slots[at]) {
		t->threads = arena_grown(s, t->threads, t->n_threads, &s->cap_threads, sizeof *t->threads);
		t->threads[t->n_threads] = h;
		s->thread_slots[at] = (uint32_t)++t->n_threads;
	}
	return s->last_thread = s->thread_slots[at] - 1;
}

void gather_call(struct kineto_store *s, uint32_t name, enum calls_kind kind, int64_t dur_ns)
{
	struct kineto_trace *t = &s->trace;
	uint32_t *index = &s->names[name].calls[kind];
	if (!*index) {
		t->calls = arena_grown(s, t->calls, t->n_calls, &s->cap_calls, sizeof *t->calls);
		struct kineto_calls *c = &t->calls[t->n_calls++];
		c->name = name;
		c->is_operator = kind == CALLS_OPERATOR;
		c->is_runtime = kind == CALLS_RUNTIME;
		c->is_sync = kind == CALLS_SYNC || (kind == CALLS_RUNTIME && (s->names[name].flags & NAME_SYNC));
		*index = (uint32_t)t->n_calls;
	}
	struct kineto_calls *c = &t->calls[*index - 1];
	c->n++;
	sum_add(&c->total_ns, dur_ns);
	c->max_ns = dur_ns > c->max_ns ? dur_ns : c->max_ns;
}

void gather_unmodeled(struct kineto_store *s, struct str name)
{
	if (s->unmodeled.n < 256)
		(void)map_intern(&s->unmodeled, str_sub(name, 0, 128), NULL);
}
