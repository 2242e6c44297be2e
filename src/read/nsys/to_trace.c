/* Activities, calls and ranges of an export.
 * In: tables of an export.
 * Out: a trace, activities linked to their API calls by process and correlation id.
 * Never: holds more of the API table than the calls that launched or waited. */
#include "read/nsys/to_trace.h"

#include <stdlib.h>

#include "read/kineto/kineto.h"
#include "read/nsys/more.h"
#include "read/nsys/tables.h"

struct pending {
	struct trace_activity a;
	uint64_t key; /* process and correlation id; 0: no correlation */
};
struct seen_name {     /* what a string id means */
	uint32_t name; /* of the trace */
	bool is_comm, blocks;
};
struct job {
	struct nsys_report *r;
	struct trace *out;
	struct arena scratch;
	struct map names; /* by string id */
	int64_t last_id;
	struct seen_name *last;
	enum trace_kind kind;
	struct buf pending;
	struct pending *v;
	size_t n, hint;
};

static int64_t pid_of(int64_t global)
{
	return global >> 24 & 0xffffff;
}

static uint64_t key_of(bool has, int64_t correlation, bool has_process, int64_t global)
{
	if (!has || correlation <= 0)
		return 0;
	return (uint64_t)(has_process ? pid_of(global) : 0) << 40 | ((uint64_t)correlation & 0xffffffffffu);
}

static bool blocks(struct str name)
{
	static const char *const waits[] = {
		"cudaMemcpy",     "cudaMemcpy2D", "cudaMemcpyToSymbol", "cudaMemcpyFromSymbol",
		"cudaFree",       "cudaMalloc",   "cuMemcpyDtoH",       "cuMemcpyHtoD",
		"cuMemAlloc",     "cuMemFree",    "cudaFreeHost",       "cudaHostAlloc",
		"cudaMallocHost", "cudaMemset"};
	if (str_find(name, STR("Synchronize")) != SIZE_MAX)
		return true;
	for (size_t i = 0; i < COUNT_OF(waits); i++) {
		if (str_is(name, waits[i]))
			return true;
	}
	return false;
}

static struct seen_name *name_of(struct job *j, int64_t id)
{
	if (j->last && j->last_id == id)
		return j->last;
	bool is_new;
	struct map_entry *at = map_intern(&j->names, (struct str){(const char *)&id, sizeof(id)}, &is_new);
	if (is_new) {
		struct str text = nsys_string(j->r, id, &j->scratch), api = nsys_api_name(text);
		struct seen_name *seen = ARENA_NEW(&j->scratch, struct seen_name);
		if (!text.n)
			text = api = str_from(arena_printf(&j->scratch, "(string %lld)", (long long)id));
		*seen = (struct seen_name){trace_name(j->out, api), kineto_is_collective(text), blocks(api)};
		at->value = seen;
	}
	j->last_id = id;
	return j->last = at->value;
}

enum { V_START, V_END, V_DEVICE, V_STREAM, V_PROCESS, V_CORRELATION, V_CONTEXT, V_NODE, V_NAME };

static void add_activity(void *ctx, const int64_t *v, const bool *has)
{
	struct job *j = ctx;
	struct pending p = {.a = {.start_ns = v[V_START], .end_ns = v[V_END], .kind = (uint8_t)j->kind}};
	if (j->kind == TRACE_COMPUTE) {
		const struct seen_name *seen = name_of(j, has[V_NAME] ? v[V_NAME] : -1);
		p.a.name = seen->name;
		p.a.kind = seen->is_comm ? TRACE_COMM : TRACE_COMPUTE;
	} else {
		struct arena_mark mark = arena_mark(&j->scratch);
		int64_t id = has[V_NAME] ? v[V_NAME] : -1;
		const char *name = j->kind == TRACE_GRAPH
					   ? arena_printf(&j->scratch, "graph %lld", (long long)id)
					   : tables_memory_name(&j->scratch, j->kind == TRACE_SET ? TABLES_MEMSET : id);
		p.a.name = trace_name(j->out, str_from(name));
		arena_reset(&j->scratch, mark);
	}
	if (has[V_NODE] && v[V_NODE] > 0)
		p.a.flags = TRACE_IN_GRAPH;
	p.a.lane = trace_lane(j->out, has[V_PROCESS] ? pid_of(v[V_PROCESS]) : -1, has[V_DEVICE] ? v[V_DEVICE] : -1,
			      has[V_CONTEXT] ? v[V_CONTEXT] : -1, has[V_STREAM] ? v[V_STREAM] : -1);
	p.key = key_of(has[V_CORRELATION], v[V_CORRELATION], has[V_PROCESS], v[V_PROCESS]);
	buf_add(&j->pending, &p, sizeof(p));
}

static bool add_table(struct job *j, const char *table, enum trace_kind kind, const char *name, struct err *e)
{
	const char *columns[] = {"start",         "end",       "deviceId",    "streamId", "globalPid",
				 "correlationId", "contextId", "graphNodeId", name};
	j->kind = kind;
	return nsys_fold(j->r, &(struct nsys_query){table, columns, COUNT_OF(columns), 2}, add_activity, j, e);
}

static bool add_activities(struct job *j, struct err *e)
{
	static const char *const demangled[] = {"demangledName"};
	struct nsys_cursor c;
	struct err ignored = {0};
	bool has_demangled =
		nsys_scan(&c, j->r, &(struct nsys_query){"CUPTI_ACTIVITY_KIND_KERNEL", demangled, 1, 1}, &ignored);
	nsys_close(&c);
	return add_table(j, "CUPTI_ACTIVITY_KIND_KERNEL", TRACE_COMPUTE, has_demangled ? "demangledName" : "shortName",
			 e) &&
	       add_table(j, "CUPTI_ACTIVITY_KIND_MEMCPY", TRACE_COPY, "copyKind", e) &&
	       add_table(j, "CUPTI_ACTIVITY_KIND_MEMSET", TRACE_SET, "value", e) &&
	       add_table(j, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", TRACE_GRAPH, "graphId", e);
}

static int by_key(const void *x, const void *y)
{
	const struct pending *a = x, *b = y;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->a.start_ns < b->a.start_ns ? -1 : a->a.start_ns > b->a.start_ns;
}

static void sort_pending(struct job *j)
{
	buf_reserve(&j->pending, sizeof(struct pending));
	j->v = (void *)j->pending.p;
	j->n = j->pending.n / sizeof(struct pending);
	for (size_t i = 1; i < j->n; i++) {
		if (by_key(&j->v[i - 1], &j->v[i]) > 0) {
			qsort(j->v, j->n, sizeof(*j->v), by_key);
			return;
		}
	}
}

/* The first pending activity of the key, n when there is none. Calls come nearly in the order of their ids: a few steps from
 * the last hit first. */
static size_t find(struct job *j, uint64_t key)
{
	size_t low = 0, high = j->n, at = j->hint;
	for (unsigned step = 0; step < 8 && at < j->n && j->v[at].key < key; step++)
		at++;
	if (at < j->n && j->v[at].key >= key && (!at || j->v[at - 1].key < key)) {
		j->hint = at;
		return j->v[at].key == key ? at : j->n;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (j->v[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	j->hint = low;
	return low < j->n && j->v[low].key == key ? low : j->n;
}

enum { R_START, R_END, R_THREAD, R_CORRELATION, R_NAME };

static void add_call(void *ctx, const int64_t *v, const bool *has)
{
	struct job *j = ctx;
	uint64_t key = key_of(has[R_CORRELATION], v[R_CORRELATION], has[R_THREAD], v[R_THREAD]);
	size_t at = key ? find(j, key) : j->n;
	const struct seen_name *seen = name_of(j, has[R_NAME] ? v[R_NAME] : -1);
	if (at == j->n && !seen->blocks)
		return;
	if (at < j->n && j->v[at].a.call) /* a driver call inside a runtime call */
		return;
	struct trace_call c = {
		.start_ns = v[R_START],
		.end_ns = v[R_END],
		.name = seen->name,
		.thread = trace_thread(j->out, has[R_THREAD] ? pid_of(v[R_THREAD]) : -1,
				       has[R_THREAD] ? v[R_THREAD] & 0xffffff : -1),
		.flags = (uint8_t)((at < j->n ? TRACE_CALL_LAUNCHES : 0) | (seen->blocks ? TRACE_CALL_BLOCKS : 0)),
	};
	uint32_t call = trace_add_call(j->out, &c);
	for (; at < j->n && j->v[at].key == key; at++)
		j->v[at].a.call = call;
}

static bool add_calls(struct job *j, struct err *e)
{
	static const char *const columns[] = {"start", "end", "globalTid", "correlationId", "nameId"};
	return nsys_fold(j->r, &(struct nsys_query){"CUPTI_ACTIVITY_KIND_RUNTIME", columns, 5, 2}, add_call, j, e);
}

/* Names of domains by id; an event of type 75 makes one. */
static bool read_domains(struct job *j, struct map *domains, struct err *e)
{
	static const char *const columns[] = {"eventType", "text", "domainId"};
	struct nsys_cursor c;
	int64_t type, id;
	if (!nsys_scan(&c, j->r, &(struct nsys_query){"NVTX_EVENTS", columns, 3, 1}, e))
		return false;
	while (nsys_next(&c)) {
		if (!nsys_int(&c, 0, &type) || type != 75 || !nsys_int(&c, 2, &id))
			continue;
		struct str *name = ARENA_NEW(&j->scratch, struct str);
		*name = arena_str(&j->scratch, nsys_text(&c, 1));
		map_set(domains, (struct str){(const char *)&id, sizeof(id)}, name);
	}
	return true;
}

static uint32_t range_name(struct job *j, struct nsys_cursor *c, const struct map *domains)
{
	struct arena_mark mark = arena_mark(&j->scratch);
	int64_t id, domain;
	struct str text = nsys_text(c, 3);
	const struct str *in =
		nsys_int(c, 5, &domain) ? map_get(domains, (struct str){(const char *)&domain, sizeof(domain)}) : NULL;
	if (!text.n && nsys_int(c, 4, &id) && !(in && in->n))
		return name_of(j, id)->name;
	if (!text.n && nsys_int(c, 4, &id))
		text = nsys_string(j->r, id, &j->scratch);
	if (in && in->n)
		text = str_from(arena_printf(&j->scratch, "%.*s:%.*s", STR_ARG(*in), STR_ARG(text)));
	uint32_t name = trace_name(j->out, text);
	arena_reset(&j->scratch, mark);
	return name;
}

static bool add_ranges(struct job *j, struct err *e)
{
	static const char *const columns[] = {"start", "end", "eventType", "text", "textId", "domainId", "globalTid"};
	struct nsys_cursor c;
	struct map domains;
	int64_t start, end, type, thread;
	map_init(&domains, &j->scratch);
	if (!read_domains(j, &domains, e) ||
	    !nsys_scan(&c, j->r, &(struct nsys_query){"NVTX_EVENTS", columns, 7, 3}, e))
		return false;
	while (nsys_next(&c)) {
		if (!nsys_int(&c, 2, &type) || (type != 59 && type != 60 && type != 70 && type != 71) ||
		    !nsys_int(&c, 0, &start) || !nsys_int(&c, 1, &end) || !nsys_duration(j->r, start, end))
			continue;
		if (!nsys_int(&c, 6, &thread))
			thread = 0;
		struct trace_range range = {.start_ns = start,
					    .end_ns = end,
					    .name = range_name(j, &c, &domains),
					    .thread = trace_thread(j->out, pid_of(thread), thread & 0xffffff)};
		trace_add_range(j->out, &range);
	}
	return true;
}

static void read_base(struct job *j)
{
	static const char *const columns[] = {"utcEpochNs"};
	struct nsys_cursor c;
	struct err ignored = {0};
	int64_t base;
	if (j->r->is_time_shifted ||
	    !nsys_scan(&c, j->r, &(struct nsys_query){"TARGET_INFO_SESSION_START_TIME", columns, 1, 1}, &ignored))
		return;
	if (nsys_next(&c) && nsys_int(&c, 0, &base) && base > 0) {
		j->out->has_base = true;
		j->out->base_ns = base;
	}
	nsys_close(&c);
}

bool nsys_to_trace(struct trace *out, struct nsys_report *r, struct err *e)
{
	struct job j = {.r = r, .out = out};
	uint64_t n_before = r->n_impossible;
	arena_init(&j.scratch);
	map_init(&j.names, &j.scratch);
	buf_init(&j.pending);
	bool ok = add_activities(&j, e);
	out->n_left_out += r->n_impossible - n_before;
	sort_pending(&j);
	ok = ok && add_calls(&j, e);
	for (size_t i = 0; i < j.n && ok; i++)
		trace_add_activity(out, &j.v[i].a);
	buf_release(&j.pending);
	ok = ok && add_ranges(&j, e);
	read_base(&j);
	trace_finish(out);
	for (size_t i = 0; i < out->n_devices; i++)
		out->devices[i].name = more_gpu_name(r, out->devices[i].id, &out->arena);
	out->has_blocking_calls = nsys_table(r, "CUPTI_ACTIVITY_KIND_RUNTIME") != NULL;
	arena_release(&j.scratch);
	return ok;
}
