/* Devices, GPU metrics and diagnostics of an export.
 * In: tables of an export.
 * Out: sheets.
 * Never: adds up durations that overlap and calls it busy time. */
#include "read/nsys/more.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"

struct interval {
	int64_t start, end;
};
struct device {
	int64_t pid, id;
	struct interval *items;
	size_t n, cap;
	uint64_t n_kernels;
	int64_t sum_ns;
};
struct devices {
	struct arena *a;
	struct device *items;
	size_t n;
	bool is_kernel;
};

static void *grown(struct arena *a, void *items, size_t n, size_t size)
{
	if (n & (n - 1))
		return items;
	void *more = arena_array(a, n ? n * 2 : 1, size);
	if (n)
		memcpy(more, items, n * size);
	return more;
}

static struct device *device_of(struct devices *d, int64_t pid, int64_t id)
{
	for (size_t i = 0; i < d->n; i++) {
		if (d->items[i].pid == pid && d->items[i].id == id)
			return &d->items[i];
	}
	d->items = grown(d->a, d->items, d->n, sizeof(*d->items));
	d->items[d->n] = (struct device){.pid = pid, .id = id};
	return &d->items[d->n++];
}

static void add_interval(struct device *at, int64_t start, int64_t end)
{
	if (at->n == at->cap) {
		at->cap = at->cap ? at->cap * 2 : 256;
		struct interval *more = malloc(at->cap * sizeof(*more));
		if (!more)
			BUG("out of memory");
		if (at->n)
			memcpy(more, at->items, at->n * sizeof(*more));
		free(at->items);
		at->items = more;
	}
	at->items[at->n++] = (struct interval){start, end};
	sum_add(&at->sum_ns, end - start);
}

static void add_row(void *ctx, const int64_t *v, const bool *has)
{
	struct devices *d = ctx;
	struct device *at = device_of(d, has[3] ? v[3] >> 24 & 0xffffff : 0, has[2] ? v[2] : -1);
	at->n_kernels += d->is_kernel;
	add_interval(at, v[0], v[1]);
}

static bool add_table(struct devices *d, struct nsys_report *r, const char *table, bool is_kernel, struct err *e)
{
	static const char *const columns[] = {"start", "end", "deviceId", "globalPid"};
	d->is_kernel = is_kernel;
	return nsys_fold(r, &(struct nsys_query){table, columns, 4, 2}, add_row, d, e);
}

static int by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* Covered time; *span from the first start to the last end. */
static int64_t covered(struct device *d, int64_t *span)
{
	int64_t sum = 0, end = INT64_MIN, last = INT64_MIN;
	qsort(d->items, d->n, sizeof(*d->items), by_start);
	for (size_t i = 0; i < d->n; i++) {
		int64_t from = d->items[i].start > end ? d->items[i].start : end;
		if (d->items[i].end > from)
			sum += d->items[i].end - from;
		if (d->items[i].end > end)
			end = d->items[i].end;
		last = end > last ? end : last;
	}
	*span = last - d->items[0].start;
	return sum;
}

static const struct sheet_column device_columns[] = {
	{"device", "device", "", 0},
	{"pid", "pid", "", 0},
	{"kernels", "kernels", "", 0},
	{"activities", "activities", "", 0},
	{"busy_ns", "busy", "ns", SHEET_SHARE},
	{"sum_ns", "sum", "ns", 0},
	{"span_ns", "span", "ns", 0},
	{"busy_pct", "busy", "%", 0},
	{"name", "name", "", SHEET_TEXT | SHEET_KEY},
};

/* The GPU's name; deviceId is an ordinal inside the process, so only a file with one mapping is certain. */
struct str more_gpu_name(struct nsys_report *r, int64_t id, struct arena *a)
{
	static const char *const columns[] = {"id", "name", "cuDevice"};
	struct nsys_cursor c;
	struct err e = {0};
	struct str found = {NULL, 0};
	int64_t key;
	if (!nsys_scan(&c, r, &(struct nsys_query){"TARGET_INFO_GPU", columns, 3, 2}, &e))
		return found;
	while (nsys_next(&c)) {
		if ((nsys_int(&c, 2, &key) || nsys_int(&c, 0, &key)) && key == id)
			found = arena_str(a, nsys_text(&c, 1));
	}
	return found;
}

bool more_devices(struct sheet *out, struct nsys_report *r, struct arena *a, struct err *e)
{
	struct devices d = {.a = a};
	sheet_init(out, a, "devices", device_columns, COUNT_OF(device_columns));
	out->title = "Devices";
	out->note = "busy: union of kernels, copies, memsets and graph replays; span: first start to last end of those";
	bool ok = add_table(&d, r, "CUPTI_ACTIVITY_KIND_KERNEL", true, e) &&
		  add_table(&d, r, "CUPTI_ACTIVITY_KIND_MEMCPY", false, e) &&
		  add_table(&d, r, "CUPTI_ACTIVITY_KIND_MEMSET", false, e) &&
		  add_table(&d, r, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", false, e);
	for (size_t i = 0; i < d.n; i++) {
		int64_t span, busy = covered(&d.items[i], &span);
		struct sheet_cell *c = sheet_row(out);
		struct str name = more_gpu_name(r, d.items[i].id, a);
		sheet_put(&c[0], (double)d.items[i].id);
		sheet_put(&c[1], (double)d.items[i].pid);
		sheet_put(&c[2], (double)d.items[i].n_kernels);
		sheet_put(&c[3], (double)d.items[i].n);
		sheet_put(&c[4], (double)busy);
		sheet_put(&c[5], (double)d.items[i].sum_ns);
		sheet_put(&c[6], (double)span);
		if (span > 0)
			sheet_put(&c[7], 100 * (double)busy / (double)span);
		if (name.n)
			sheet_put_text(&c[8], name);
		free(d.items[i].items);
	}
	if (!d.n)
		out->note = "no activity of a device was recorded";
	return ok;
}

static const struct sheet_column metric_columns[] = {
	{"name", "metric", "", SHEET_TEXT | SHEET_KEY},
	{"count", "samples", "", 0},
	{"mean", "mean", "", 0},
	{"min", "min", "", 0},
	{"max", "max", "", 0},
	{"source", "source", "", SHEET_HIDDEN},
};
struct metric_sum {
	int64_t type, metric;
	uint64_t n;
	double sum, min, max;
};

static struct str metric_name(struct nsys_report *r, const struct metric_sum *m, struct arena *a)
{
	static const char *const columns[] = {"metricId", "metricName", "typeId"};
	struct nsys_cursor c;
	struct err e = {0};
	struct str found = {NULL, 0};
	int64_t metric, type;
	if (!nsys_scan(&c, r, &(struct nsys_query){"TARGET_INFO_GPU_METRICS", columns, 3, 2}, &e))
		return found;
	while (nsys_next(&c)) {
		if (nsys_int(&c, 0, &metric) && metric == m->metric && (!nsys_int(&c, 2, &type) || type == m->type))
			found = arena_str(a, nsys_text(&c, 1));
	}
	return found.n ? found : str_from(arena_printf(a, "metric %lld", (long long)m->metric));
}

static struct metric_sum *metric_of(struct map *sums, struct arena *a, int64_t type, int64_t metric)
{
	int64_t ids[2] = {type, metric};
	struct map_entry *at = map_intern(sums, (struct str){(const char *)ids, sizeof(ids)}, NULL);
	if (!at->value) {
		struct metric_sum *m = ARENA_NEW(a, struct metric_sum);
		*m = (struct metric_sum){.type = type, .metric = metric};
		at->value = m;
	}
	return at->value;
}

bool more_metrics(struct sheet *out, struct nsys_report *r, struct arena *a, struct err *e)
{
	static const char *const columns[] = {"metricId", "value", "typeId"};
	struct nsys_cursor c;
	struct map sums;
	int64_t type, metric;
	map_init(&sums, a);
	sheet_init(out, a, "gpu_metrics", metric_columns, COUNT_OF(metric_columns));
	out->title = "GPU metrics";
	if (!nsys_table(r, "GPU_METRICS"))
		out->note = "not traced: no table GPU_METRICS (--gpu-metrics-devices)";
	if (!nsys_scan(&c, r, &(struct nsys_query){"GPU_METRICS", columns, 3, 2}, e))
		return false;
	while (nsys_next(&c)) {
		if (!nsys_int(&c, 0, &metric))
			continue;
		if (!nsys_int(&c, 2, &type))
			type = 0;
		double v = nsys_real(&c, 1);
		struct metric_sum *m = metric_of(&sums, a, type, metric);
		m->min = m->n && m->min < v ? m->min : v;
		m->max = m->n && m->max > v ? m->max : v;
		m->sum += v;
		m->n++;
	}
	for (size_t i = 0; i < sums.n; i++) {
		const struct metric_sum *m = sums.entries[i].value;
		struct sheet_cell *cells = sheet_row(out);
		sheet_put_text(&cells[0], metric_name(r, m, a));
		sheet_put(&cells[1], (double)m->n);
		sheet_put(&cells[2], m->sum / (double)m->n);
		sheet_put(&cells[3], m->min);
		sheet_put(&cells[4], m->max);
		sheet_put(&cells[5], (double)m->type);
	}
	return true;
}

static const struct sheet_column diagnostic_columns[] = {
	{"severity", "severity", "", SHEET_TEXT},
	{"text", "text", "", SHEET_TEXT | SHEET_KEY},
};

bool more_diagnostics(struct sheet *out, struct nsys_report *r, struct arena *a, struct err *e)
{
	static const char *const columns[] = {"severity", "text"};
	static const char *const names[] = {"unknown", "info", "warning", "error", "verbose"};
	struct nsys_cursor c;
	int64_t severity;
	sheet_init(out, a, "diagnostics", diagnostic_columns, COUNT_OF(diagnostic_columns));
	out->title = "Messages of nsys";
	if (!nsys_table(r, "DIAGNOSTIC_EVENT"))
		out->note = "none are stored (exports before 3.16 hold none)";
	if (!nsys_scan(&c, r, &(struct nsys_query){"DIAGNOSTIC_EVENT", columns, 2, 2}, e))
		return false;
	while (nsys_next(&c)) {
		bool known = nsys_int(&c, 0, &severity) && severity >= 0 && severity < (int64_t)COUNT_OF(names);
		struct sheet_cell *cells = sheet_row(out);
		sheet_put_text(&cells[0], str_from(names[known ? severity : 0]));
		sheet_put_text(&cells[1], arena_str(a, nsys_text(&c, 1)));
	}
	return true;
}

static const struct sheet_column trust_columns[] = {
	{"what", "what", "", SHEET_TEXT},
	{"value", "value", "", 0},
};

static void trust_row(struct sheet *s, const char *what, double v)
{
	struct sheet_cell *c;
	if (v == 0)
		return;
	c = sheet_row(s);
	sheet_put_text(&c[0], str_from(what));
	sheet_put(&c[1], v);
}

struct overhead {
	uint64_t n;
	int64_t ns;
};

static void add_overhead(void *ctx, const int64_t *v, const bool *has)
{
	struct overhead *o = ctx;
	(void)has;
	o->n++;
	o->ns += v[1] - v[0];
}

static uint64_t count_severity(struct nsys_report *r, int64_t wanted)
{
	static const char *const columns[] = {"severity"};
	struct nsys_cursor c;
	struct err ignored = {0};
	int64_t severity;
	uint64_t n = 0;
	if (!nsys_scan(&c, r, &(struct nsys_query){"DIAGNOSTIC_EVENT", columns, 1, 1}, &ignored))
		return 0;
	while (nsys_next(&c))
		n += nsys_int(&c, 0, &severity) && severity == wanted;
	return n;
}

static const char *not_traced(struct nsys_report *r, struct arena *a)
{
	static const struct {
		const char *table, *what;
	} rows[] = {{"CUPTI_ACTIVITY_KIND_KERNEL", "kernels"},
		    {"CUPTI_ACTIVITY_KIND_RUNTIME", "API calls"},
		    {"CUPTI_ACTIVITY_KIND_MEMCPY", "copies"},
		    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "synchronisation"},
		    {"NVTX_EVENTS", "NVTX ranges"},
		    {"GPU_METRICS", "GPU metrics"}};
	struct buf b;
	buf_init(&b);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (!nsys_table(r, rows[i].table))
			buf_printf(&b, "%s%s", b.n ? ", " : "", rows[i].what);
	}
	const char *text = b.n ? arena_printf(a, "not traced, or none happened: %s", b.p) : NULL;
	buf_release(&b);
	return text;
}

bool more_trust(struct sheet *out, struct nsys_report *r, struct arena *a, struct err *e)
{
	static const char *const columns[] = {"start", "end"};
	struct overhead profiler = {0}, cupti = {0}, graphs = {0};
	sheet_init(out, a, "trust", trust_columns, COUNT_OF(trust_columns));
	out->title = "Trust";
	out->note = not_traced(r, a);
	bool ok = nsys_fold(r, &(struct nsys_query){"PROFILER_OVERHEAD", columns, 2, 2}, add_overhead, &profiler, e) &&
		  nsys_fold(r, &(struct nsys_query){"CUPTI_ACTIVITY_KIND_OVERHEAD", columns, 2, 2}, add_overhead,
			    &cupti, e) &&
		  nsys_fold(r, &(struct nsys_query){"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", columns, 2, 2}, add_overhead,
			    &graphs, e);
	trust_row(out, "impossible_durations", (double)r->n_impossible);
	trust_row(out, "profiler_overhead_events", (double)(profiler.n + cupti.n));
	trust_row(out, "profiler_overhead_ns", (double)(profiler.ns + cupti.ns));
	trust_row(out, "graph_replays_without_their_kernels", (double)graphs.n);
	trust_row(out, "errors_of_nsys", (double)count_severity(r, 3));
	trust_row(out, "warnings_of_nsys", (double)count_severity(r, 2));
	trust_row(out, "times_are_shifted", r->is_time_shifted);
	return ok;
}
