/* Sheets of durations by name.
 * In: tables of an export.
 * Out: kernels, memory operations, API calls, synchronisation, NVTX ranges, OS runtime calls, graph replays.
 * Never: counts a row that ends before it starts; those are counted apart. */
#include "read/nsys/tables.h"

#include <stdio.h>
#include <string.h>

#include "facts/occupancy.h"
#include "read/nsys/more.h"
#include "read/nsys/tally.h"

const char *const tables_names[TABLES_COUNT] = {
	"kernels", "memory",   "api",     "sync",        "nvtx",        "osrt",
	"graphs",  "launches", "devices", "gpu_metrics", "diagnostics", "trust",
};

enum { C_NAME, C_PCT, C_TOTAL, C_COUNT, C_MEAN, C_P50, C_P99, C_MIN, C_MAX, C_STDDEV, C_EXTRA };
#define TIME_COLUMNS(title, p99)                                                                                       \
	{"name", title, "", SHEET_TEXT | SHEET_KEY}, {"time_pct", "share", "%", 0},                                    \
		{"total_ns", "total", "ns", SHEET_SHARE}, {"count", "count", "", 0}, {"mean_ns", "mean", "ns", 0},     \
		{"p50_ns", "p50", "ns", 0}, {"p99_ns", "p99", "ns", p99}, {"min_ns", "min", "ns", SHEET_HIDDEN},       \
		{"max_ns", "max", "ns", SHEET_HIDDEN},                                                                 \
	{                                                                                                              \
		"stddev_ns", "stddev", "ns", SHEET_HIDDEN                                                              \
	}
static const struct sheet_column kernel_columns[] = {TIME_COLUMNS("kernel", 0)};
static const struct sheet_column api_columns[] = {TIME_COLUMNS("call", 0)};
static const struct sheet_column sync_columns[] = {TIME_COLUMNS("synchronisation", 0)};
static const struct sheet_column graph_columns[] = {TIME_COLUMNS("graph", 0)};
static const struct sheet_column memory_columns[] = {TIME_COLUMNS("operation", SHEET_HIDDEN),
						     {"bytes", "bytes", "byte", 0},
						     {"bytes_per_second", "rate", "byte/s", 0}};
static const struct sheet_column nvtx_columns[] = {TIME_COLUMNS("range", 0), {"style", "style", "", SHEET_TEXT}};

struct job {
	struct nsys_report *r;
	struct arena *a;
	struct sheet *out;
	struct tally t;
	bool has_bytes;
};

static void put_group(struct job *j, const struct tally_group *g, struct str name)
{
	struct tally_stats s;
	struct sheet_cell *c = sheet_row(j->out);
	tally_stats(&s, &j->t, g);
	sheet_put_text(&c[C_NAME], name);
	if (j->t.total_ns > 0)
		sheet_put(&c[C_PCT], 100 * (double)g->total_ns / (double)j->t.total_ns);
	sheet_put(&c[C_TOTAL], (double)g->total_ns);
	sheet_put(&c[C_COUNT], (double)g->n);
	sheet_put(&c[C_MEAN], s.mean_ns);
	sheet_put(&c[C_P50], s.p50_ns);
	sheet_put(&c[C_P99], s.p99_ns);
	sheet_put(&c[C_MIN], (double)g->min_ns);
	sheet_put(&c[C_MAX], (double)g->max_ns);
	sheet_put(&c[C_STDDEV], s.stddev_ns);
}

static bool sort_by_total(struct job *j, struct err *e)
{
	size_t n;
	return sheet_apply(j->out, &(struct sheet_view){.sort = "total_ns"}, &n, e);
}

static void add_row(void *ctx, const int64_t *v, const bool *has)
{
	struct job *j = ctx;
	struct tally_group *g = tally_add(&j->t, has[2] ? v[2] : -1, v[1] - v[0]);
	if (j->has_bytes && has[3] && v[3] > 0)
		g->bytes += (uint64_t)v[3];
}

/* All rows of a table with columns start, end, key and maybe bytes. */
static bool tally_rows(struct job *j, const char *table, const char *const *columns, size_t n_columns,
		       size_t n_required, struct err *e)
{
	j->has_bytes = n_columns > 3;
	return nsys_fold(j->r, &(struct nsys_query){table, columns, n_columns, n_required}, add_row, j, e);
}

static void add_memset(void *ctx, const int64_t *v, const bool *has)
{
	struct job *j = ctx;
	struct tally_group *g = tally_add(&j->t, TABLES_MEMSET, v[1] - v[0]);
	if (has[2] && v[2] > 0)
		g->bytes += (uint64_t)v[2];
}

static const char *absent(struct job *j, const char *table, const char *what)
{
	return nsys_table(j->r, table) ? NULL : arena_printf(j->a, "not traced: no table %s, so no %s", table, what);
}

static void put_named(struct job *j, bool is_api)
{
	for (size_t i = 0; i < j->t.n_groups; i++) {
		struct str name = nsys_string(j->r, j->t.groups[i].key, j->a);
		if (!name.n)
			name = str_from(
				arena_printf(j->a, "(string %lld is not in the file)", (long long)j->t.groups[i].key));
		put_group(j, &j->t.groups[i], is_api ? nsys_api_name(name) : name);
	}
}

static uint64_t count_rows(struct nsys_report *r, const char *table)
{
	static const char *const columns[] = {"start"};
	struct nsys_cursor c;
	struct err e = {0};
	uint64_t n = 0;
	if (nsys_scan(&c, r, &(struct nsys_query){table, columns, 1, 0}, &e)) {
		while (nsys_next(&c))
			n++;
	}
	return n;
}

/* Why there may be no kernel: what the file holds instead. */
static const char *no_kernels(struct job *j)
{
	uint64_t n_api = count_rows(j->r, "CUPTI_ACTIVITY_KIND_RUNTIME");
	uint64_t n_graph = count_rows(j->r, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE");
	return arena_printf(
		j->a,
		"no kernel was recorded (no table CUPTI_ACTIVITY_KIND_KERNEL); the file holds %llu CUDA API calls, "
		"%llu graph replays%s",
		(unsigned long long)n_api, (unsigned long long)n_graph,
		nsys_table(j->r, "DIAGNOSTIC_EVENT") ? "; see the table diagnostics" : "");
}

static bool fill_kernels(struct job *j, struct err *e)
{
	static const char *const demangled[] = {"start", "end", "demangledName"};
	static const char *const brief[] = {"start", "end", "shortName"};
	const char *table = "CUPTI_ACTIVITY_KIND_KERNEL";
	struct nsys_cursor c;
	struct err ignored = {0};
	sheet_init(j->out, j->a, "kernels", kernel_columns, COUNT_OF(kernel_columns));
	j->out->title = "Time by kernel";
	j->out->is_main = true;
	bool has_demangled = nsys_scan(&c, j->r, &(struct nsys_query){table, demangled, 3, 3}, &ignored);
	nsys_close(&c);
	if (!tally_rows(j, table, has_demangled ? demangled : brief, 3, 3, e))
		return false;
	put_named(j, false);
	j->out->note = j->t.n ? "sums of kernel durations; kernels that overlap count twice" : no_kernels(j);
	return sort_by_total(j, e);
}

static bool fill_api(struct job *j, struct err *e)
{
	static const char *const columns[] = {"start", "end", "nameId"};
	sheet_init(j->out, j->a, "api", api_columns, COUNT_OF(api_columns));
	j->out->title = "CUDA API calls";
	j->out->is_main = true;
	j->out->note = absent(j, "CUPTI_ACTIVITY_KIND_RUNTIME", "API calls");
	if (!tally_rows(j, "CUPTI_ACTIVITY_KIND_RUNTIME", columns, 3, 3, e))
		return false;
	put_named(j, true);
	return sort_by_total(j, e);
}

static bool fill_osrt(struct job *j, struct err *e)
{
	static const char *const columns[] = {"start", "end", "nameId"};
	sheet_init(j->out, j->a, "osrt", api_columns, COUNT_OF(api_columns));
	j->out->title = "OS runtime calls";
	j->out->note = absent(j, "OSRT_API", "OS runtime calls");
	if (!tally_rows(j, "OSRT_API", columns, 3, 3, e))
		return false;
	put_named(j, false);
	return sort_by_total(j, e);
}

/* Kinds as NVIDIA's ENUM_CUDA_MEMCPY_OPER; exports before 3.x have no such table. */
const char *tables_memory_name(struct arena *a, int64_t kind)
{
	static const char *const names[] = {
		"memcpy Unknown",
		"memcpy Host-to-Device",
		"memcpy Device-to-Host",
		"memcpy Host-to-Array",
		"memcpy Array-to-Host",
		"memcpy Array-to-Array",
		"memcpy Array-to-Device",
		"memcpy Device-to-Array",
		"memcpy Device-to-Device",
		"memcpy Host-to-Host",
		"memcpy Peer-to-Peer",
		"memcpy Unified Host-to-Device",
		"memcpy Unified Device-to-Host",
		"memcpy Unified Device-to-Device",
	};
	if (kind == TABLES_MEMSET)
		return "memset";
	return kind >= 0 && kind < (int64_t)COUNT_OF(names) ? names[kind]
							    : arena_printf(a, "memcpy kind %lld", (long long)kind);
}

static bool fill_memory(struct job *j, struct err *e)
{
	static const char *const copies[] = {"start", "end", "copyKind", "bytes"};
	static const char *const sets[] = {"start", "end", "bytes"};
	sheet_init(j->out, j->a, "memory", memory_columns, COUNT_OF(memory_columns));
	j->out->title = "Memory operations";
	j->out->is_main = true;
	if (!tally_rows(j, "CUPTI_ACTIVITY_KIND_MEMCPY", copies, 4, 4, e) ||
	    !nsys_fold(j->r, &(struct nsys_query){"CUPTI_ACTIVITY_KIND_MEMSET", sets, 3, 3}, add_memset, j, e))
		return false;
	for (size_t i = 0; i < j->t.n_groups; i++) {
		const struct tally_group *g = &j->t.groups[i];
		put_group(j, g, str_from(tables_memory_name(j->a, g->key)));
		struct sheet_cell *cells = &j->out->cells[(j->out->n_rows - 1) * j->out->n_columns];
		sheet_put(&cells[C_EXTRA], (double)g->bytes);
		if (g->total_ns > 0)
			sheet_put(&cells[C_EXTRA + 1], (double)g->bytes * 1e9 / (double)g->total_ns);
	}
	if (!j->t.n)
		j->out->note = "no copy and no memset was recorded";
	return sort_by_total(j, e);
}

static bool fill_sync(struct job *j, struct err *e)
{
	static const char *const columns[] = {"start", "end", "syncType"};
	static const char *const names[] = {"unknown", "event", "stream waits for event", "stream", "context"};
	sheet_init(j->out, j->a, "sync", sync_columns, COUNT_OF(sync_columns));
	j->out->title = "CUDA synchronisation";
	j->out->note = absent(j, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "synchronisation records");
	if (!tally_rows(j, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", columns, 3, 2, e))
		return false;
	for (size_t i = 0; i < j->t.n_groups; i++) {
		int64_t k = j->t.groups[i].key;
		const char *name = k >= 0 && k < (int64_t)COUNT_OF(names)
					   ? names[k]
					   : arena_printf(j->a, "type %lld", (long long)k);
		put_group(j, &j->t.groups[i], str_from(name));
	}
	return sort_by_total(j, e);
}

static bool fill_graphs(struct job *j, struct err *e)
{
	static const char *const columns[] = {"start", "end", "graphId"};
	sheet_init(j->out, j->a, "graphs", graph_columns, COUNT_OF(graph_columns));
	j->out->title = "CUDA graph replays";
	j->out->note =
		absent(j, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "graph replays as a whole (--cuda-graph-trace=graph)");
	if (!tally_rows(j, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", columns, 3, 2, e))
		return false;
	for (size_t i = 0; i < j->t.n_groups; i++)
		put_group(j, &j->t.groups[i],
			  str_from(arena_printf(j->a, "graph %lld", (long long)j->t.groups[i].key)));
	return sort_by_total(j, e);
}

struct range_key { /* of a map: compared as bytes */
	int64_t domain, text_id, style;
};
struct range {
	struct range_key key;
	struct str text; /* without an id */
};

/* 59 push/pop, 60 start/end; 70 and 71 the same of an nvtxt file. */
static const char *style_of(int64_t event_type)
{
	return event_type == 59 || event_type == 70   ? "PushPop"
	       : event_type == 60 || event_type == 71 ? "StartEnd"
						      : NULL;
}

static struct str domain_name(struct job *j, const struct map *domains, int64_t id)
{
	char key[32];
	int n = snprintf(key, sizeof(key), "%lld", (long long)id);
	struct str *name = map_get(domains, (struct str){key, (size_t)n});
	(void)j;
	return name ? *name : (struct str){NULL, 0};
}

/* A domain is created by an event of type 75 whose text is its name. */
static void note_domain(struct job *j, struct map *domains, int64_t id, struct str name)
{
	struct str *kept = ARENA_NEW(j->a, struct str);
	*kept = arena_str(j->a, name);
	map_set(domains, str_from(arena_printf(j->a, "%lld", (long long)id)), kept);
}

static struct str range_key_text(struct arena *a, const struct range_key *k, struct str text)
{
	char *p = arena_alloc(a, sizeof(*k) + text.n);
	memcpy(p, k, sizeof(*k));
	if (text.n)
		memcpy(p + sizeof(*k), text.p, text.n);
	return (struct str){p, sizeof(*k) + text.n};
}

static struct range *intern_range(struct job *j, struct map *ranges, const struct range_key *k, struct str text)
{
	struct arena_mark mark = arena_mark(j->a);
	bool is_new;
	struct str key = range_key_text(j->a, k, text);
	struct map_entry *at = map_find(ranges, key);
	if (at) {
		arena_reset(j->a, mark);
		return at->value;
	}
	at = map_intern(ranges, key, &is_new);
	struct range *range = ARENA_NEW(j->a, struct range);
	*range = (struct range){*k, arena_str(j->a, text)};
	at->value = range;
	return range;
}

static bool tally_ranges(struct job *j, struct map *ranges, struct map *domains, struct err *e)
{
	static const char *const columns[] = {"start", "end", "eventType", "text", "textId", "domainId"};
	struct nsys_cursor c;
	int64_t start, end, type;
	if (!nsys_scan(&c, j->r, &(struct nsys_query){"NVTX_EVENTS", columns, 6, 3}, e))
		return false;
	while (nsys_next(&c)) {
		struct range_key k = {0, -1, 0};
		if (!nsys_int(&c, 2, &type))
			continue;
		if (!nsys_int(&c, 5, &k.domain))
			k.domain = 0;
		if (type == 75)
			note_domain(j, domains, k.domain, nsys_text(&c, 3));
		if (!style_of(type) || !nsys_int(&c, 0, &start) || !nsys_int(&c, 1, &end) ||
		    !nsys_duration(j->r, start, end))
			continue;
		struct str text = nsys_text(&c, 3);
		if (!text.n && !nsys_int(&c, 4, &k.text_id))
			k.text_id = -1;
		k.style = type;
		struct range *range = intern_range(j, ranges, &k, text);
		tally_add(&j->t, (int64_t)(uintptr_t)range, end - start);
	}
	return true;
}

static bool fill_nvtx(struct job *j, struct err *e)
{
	struct map ranges, domains;
	map_init(&ranges, j->a);
	map_init(&domains, j->a);
	sheet_init(j->out, j->a, "nvtx", nvtx_columns, COUNT_OF(nvtx_columns));
	j->out->title = "NVTX ranges";
	j->out->note = absent(j, "NVTX_EVENTS", "NVTX ranges");
	if (!tally_ranges(j, &ranges, &domains, e))
		return false;
	for (size_t i = 0; i < j->t.n_groups; i++) {
		const struct range *range = (const struct range *)(uintptr_t)j->t.groups[i].key;
		struct str name = range->text.n ? range->text : nsys_string(j->r, range->key.text_id, j->a);
		struct str domain = domain_name(j, &domains, range->key.domain);
		if (domain.n)
			name = str_from(arena_printf(j->a, "%.*s:%.*s", STR_ARG(domain), STR_ARG(name)));
		put_group(j, &j->t.groups[i], name);
		sheet_put_text(&j->out->cells[(j->out->n_rows - 1) * j->out->n_columns + C_EXTRA],
			       str_from(style_of(range->key.style)));
	}
	return sort_by_total(j, e);
}

/* What tells launches of one kernel apart; compared as bytes. */
#define N_LAUNCH 11
enum { L_NAME = 2, L_GRID = 3, L_BLOCK = 6, L_REGISTERS = 9, L_STATIC, L_DYNAMIC, L_CONFIG };
static const struct sheet_column launch_columns[] = {
	TIME_COLUMNS("kernel", 0),
	{"grid", "grid", "", SHEET_TEXT},
	{"block", "block", "", SHEET_TEXT},
	{"registers", "regs", "register/thread", 0},
	{"static_shared_bytes", "static shared", "byte", SHEET_HIDDEN},
	{"dynamic_shared_bytes", "dynamic shared", "byte", SHEET_HIDDEN},
	{"occupancy_pct", "occupancy", "%", 0},
	{"limiter", "limited by", "", SHEET_TEXT},
};
struct launches {
	struct job *j;
	struct map keys;
};

static void add_launch(void *ctx, const int64_t *v, const bool *has)
{
	struct launches *l = ctx;
	int64_t key[N_LAUNCH];
	for (size_t i = 0; i < N_LAUNCH; i++)
		key[i] = has[L_NAME + i] ? v[L_NAME + i] : -1;
	struct str bytes = {(const char *)key, sizeof(key)};
	struct map_entry *at = map_find(&l->keys, bytes);
	if (!at) {
		at = map_intern(&l->keys, bytes, NULL);
		int64_t *kept = ARENA_ARRAY(l->j->a, N_LAUNCH, int64_t);
		memcpy(kept, key, sizeof(key));
		at->value = kept;
	}
	tally_add(&l->j->t, (int64_t)(uintptr_t)at->value, v[1] - v[0]);
}

/* 90 for 9.0 when every GPU of the file has it; 0: not said, or several. */
static int capability(struct nsys_report *r)
{
	static const char *const columns[] = {"computeMajor", "computeMinor"};
	struct nsys_cursor c;
	struct err ignored = {0};
	int64_t major, minor;
	int sm = 0;
	if (!nsys_scan(&c, r, &(struct nsys_query){"TARGET_INFO_GPU", columns, 2, 2}, &ignored))
		return 0;
	while (nsys_next(&c)) {
		int one = nsys_int(&c, 0, &major) && nsys_int(&c, 1, &minor) && major > 0 && major < 100
				  ? (int)(major * 10 + minor)
				  : -1;
		sm = sm && sm != one ? -1 : one;
	}
	return sm > 0 ? sm : 0;
}

static void put_occupancy(struct job *j, const int64_t *key, int sm, struct sheet_cell *c)
{
	const int64_t *block = key + L_BLOCK - L_NAME;
	int64_t registers = key[L_REGISTERS - L_NAME], fixed = key[L_STATIC - L_NAME],
		dynamic = key[L_DYNAMIC - L_NAME];
	int64_t config = key[L_CONFIG - L_NAME];
	struct occupancy o;
	char text[64];
	if (registers < 0 || fixed < 0 || dynamic < 0 || block[0] < 0 || block[1] < 0 || block[2] < 0 ||
	    block[0] > 1024 || block[1] > 1024 || block[2] > 1024)
		return;
	struct occupancy_in in = {.sm = sm,
				  .threads = (uint64_t)(block[0] * block[1] * block[2]),
				  .registers = (uint64_t)registers,
				  .shared_static = (uint64_t)fixed,
				  .shared_dynamic = (uint64_t)dynamic,
				  .shared_config = config > 0 ? (uint64_t)config : 0};
	if (!occupancy_of(&o, &in))
		return;
	sheet_put(&c[0], o.pct);
	sheet_put_text(&c[1], arena_str(j->a, str_from(occupancy_limits(text, o.limits))));
}

static void put_launch(struct job *j, const struct tally_group *g, int sm)
{
	const int64_t *key = (const int64_t *)(uintptr_t)g->key; /* by L_x - L_NAME */
	put_group(j, g, nsys_string(j->r, key[0], j->a));
	struct sheet_cell *c = &j->out->cells[(j->out->n_rows - 1) * j->out->n_columns + C_EXTRA];
	for (int i = 0; i < 2; i++) {
		const int64_t *d = key + (i ? L_BLOCK : L_GRID) - L_NAME;
		sheet_put_text(&c[i], str_from(arena_printf(j->a, "%lldx%lldx%lld", (long long)d[0], (long long)d[1],
							    (long long)d[2])));
	}
	for (int i = 0; i < 3; i++) {
		if (key[L_REGISTERS - L_NAME + i] >= 0)
			sheet_put(&c[2 + i], (double)key[L_REGISTERS - L_NAME + i]);
	}
	put_occupancy(j, key, sm, &c[5]);
}

static bool fill_launches(struct job *j, struct err *e)
{
	static const char *const columns[] = {"start",
					      "end",
					      "demangledName",
					      "gridX",
					      "gridY",
					      "gridZ",
					      "blockX",
					      "blockY",
					      "blockZ",
					      "registersPerThread",
					      "staticSharedMemory",
					      "dynamicSharedMemory",
					      "sharedMemoryExecuted"};
	struct launches l = {.j = j};
	map_init(&l.keys, j->a);
	sheet_init(j->out, j->a, "launches", launch_columns, COUNT_OF(launch_columns));
	j->out->title = "Time by kernel, grid and block";
	j->out->note = absent(j, "CUPTI_ACTIVITY_KIND_KERNEL", "kernels");
	if (!nsys_fold(j->r, &(struct nsys_query){"CUPTI_ACTIVITY_KIND_KERNEL", columns, 13, 9}, add_launch, &l, e))
		return false;
	int sm = capability(j->r);
	for (size_t i = 0; i < j->t.n_groups; i++)
		put_launch(j, &j->t.groups[i], sm);
	return sort_by_total(j, e);
}

bool tables_fill(struct sheet *out, size_t i, struct nsys_report *r, struct arena *a, struct err *e)
{
	static bool (*const fill[])(struct job * j, struct err * e) = {
		fill_kernels, fill_memory, fill_api, fill_sync, fill_nvtx, fill_osrt, fill_graphs, fill_launches,
	};
	struct job j = {.r = r, .a = a, .out = out};
	tally_init(&j.t, a);
	if (i < COUNT_OF(fill))
		return fill[i](&j, e);
	if (strcmp(tables_names[i], "devices") == 0)
		return more_devices(out, r, a, e);
	if (strcmp(tables_names[i], "gpu_metrics") == 0)
		return more_metrics(out, r, a, e);
	if (strcmp(tables_names[i], "trust") == 0)
		return more_trust(out, r, a, e);
	return more_diagnostics(out, r, a, e);
}
