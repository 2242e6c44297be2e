/* A trace as JSON and as facts.
 * In: a trace that was read.
 * Out: documents for people, programs and the knowledge base.
 * Never prints a name of a host, user or environment: those are not read. */
#include "read/kineto/table.h"

static void set_ns(struct json *j, const char *key, int64_t ns)
{
	json_set_i64(j, key, ns);
}

static struct json *row_json(const struct kineto_row *r, struct arena *a)
{
	struct json *j = json_object(a);
	json_set_str(j, "name", r->name);
	json_set_u64(j, "n", r->n);
	set_ns(j, "total_ns", r->total_ns);
	json_set_f64(j, "share", r->share);
	if (r->n) {
		json_set_f64(j, "mean_ns", (double)r->total_ns / (double)r->n);
		set_ns(j, "min_ns", r->min_ns);
		set_ns(j, "p50_ns", r->p50_ns);
		set_ns(j, "p99_ns", r->p99_ns);
		set_ns(j, "max_ns", r->max_ns);
	}
	return j;
}

enum table_kind { TABLE_KERNELS, TABLE_CATEGORIES, TABLE_OPERATORS, TABLE_STEPS };

static void rows_json(struct json *to, const char *key, const struct kineto_rows *rows, enum table_kind kind,
		      size_t top)
{
	static const char *const kinds[] = {"kernel", "memcpy", "memset"};
	struct json *j = json_set_object(to, key), *list = json_set_array(j, "rows");
	size_t n = top && top < rows->n ? top : rows->n;
	for (size_t i = 0; i < n; i++) {
		const struct kineto_row *r = &rows->v[i];
		struct json *item = row_json(r, to->arena);
		if (kind == TABLE_KERNELS) {
			json_set_cstr(item, "kind", kinds[r->kind]);
			json_set_bool(item, "collective", r->is_collective);
		} else if (kind == TABLE_OPERATORS) {
			json_set_u64(item, "calls", r->n_calls);
			set_ns(item, "cpu_ns", r->calls_ns);
		} else if (kind == TABLE_STEPS) {
			set_ns(item, "start_ns", r->start_ns);
			set_ns(item, "duration_ns", r->calls_ns);
		}
		json_push(list, item);
	}
	json_set_u64(j, "n_rows", rows->n);
	set_ns(j, "total_ns", rows->total_ns);
	json_set_u64(j, "unattributed_n", rows->n_left);
	set_ns(j, "unattributed_ns", rows->left_ns);
}

struct json *kineto_trust_json(const struct kineto_trace *t, struct arena *a)
{
	const struct kineto_trust *u = &t->trust;
	const struct {
		const char *key;
		uint64_t v;
	} counts[] = {
		{"events", u->n_events},
		{"metadata_events", u->n_metadata},
		{"flow_events", u->n_flows},
		{"unmodeled_events", u->n_other},
		{"unlinked_activities", u->n_unlinked},
		{"launches_without_activity", u->n_empty_launches},
		{"graph_launches", u->n_graph_launches},
		{"graph_kernels", u->n_graph_kernels},
		{"graph_launches_without_activity", u->n_graph_empty},
		{"zero_durations", u->n_zero},
		{"negative_durations", u->n_negative},
		{"suspect_durations", u->n_suspect},
		{"same_stream_overlaps", u->n_overlapping},
		{"duplicate_keys", u->n_duplicate_keys},
		{"bad_numbers", u->n_bad_numbers},
		{"bad_escapes", u->n_bad_escapes},
		{"numbers_as_strings", u->n_string_numbers},
		{"not_finite", u->n_not_finite},
		{"raw_breaks_in_strings", u->n_raw_breaks},
		{"resyncs", u->n_resyncs},
		{"lost_bytes", u->lost_bytes},
		{"times_finer_than_ns", u->n_precision},
		{"wide_ids", u->n_wide_ids},
		{"profiler_overhead_events", u->n_overhead},
	};
	struct json *j = json_object(a);
	for (size_t i = 0; i < COUNT_OF(counts); i++)
		json_set_u64(j, counts[i].key, counts[i].v);
	set_ns(j, "suspect_ns", u->suspect_ns);
	set_ns(j, "profiler_overhead_ns", u->overhead_ns);
	json_set_bool(j, "torn", u->is_torn);
	if (u->is_torn)
		json_set_u64(j, "torn_offset", u->torn_offset);
	if (u->source_problem.n)
		json_set_str(j, "compression_problem", u->source_problem);
	json_set_cstr(j, "span_is",
		      "first start to last end of kernels, copies and memsets; events with time 0 left out");
	return j;
}

static void calls_json(const struct kineto_trace *t, struct json *list, struct arena *a)
{
	for (size_t i = 0; i < t->n_calls; i++) {
		const struct kineto_calls *c = &t->calls[i];
		if (c->is_operator)
			continue;
		struct json *j = json_object(a);
		json_set_str(j, "name", t->names[c->name]);
		json_set_u64(j, "n", c->n);
		set_ns(j, "total_ns", c->total_ns);
		set_ns(j, "max_ns", c->max_ns);
		json_set_bool(j, "blocks", c->is_sync);
		json_set_bool(j, "on_device", !c->is_runtime);
		json_push(list, j);
	}
}

static void memory_json(const struct kineto_trace *t, struct json *j)
{
	const struct kineto_memory *m = &t->memory;
	if (!m->n)
		return;
	struct json *memory = json_set_object(j, "memory");
	json_set_u64(memory, "events", m->n);
	json_set_i64(memory, "allocations", m->n_alloc);
	json_set_i64(memory, "frees", m->n_free);
	if (m->peak_allocated >= 0) {
		json_set_i64(memory, "peak_allocated_bytes", m->peak_allocated);
		json_set_i64(memory, "peak_at_ns", m->peak_ns);
	}
	if (m->peak_reserved >= 0)
		json_set_i64(memory, "peak_reserved_bytes", m->peak_reserved);
}

static void delays_json(const struct kineto_trace *t, struct json *j)
{
	struct kineto_delays d;
	kineto_launch_delays(&d, t);
	if (!d.n)
		return;
	struct json *delays = json_set_object(j, "launch_delay");
	json_set_u64(delays, "n", d.n);
	json_set_u64(delays, "negative", d.n_negative);
	set_ns(delays, "p50_ns", d.p50_ns);
	set_ns(delays, "p99_ns", d.p99_ns);
	set_ns(delays, "max_ns", d.max_ns);
}

struct json *kineto_json(const struct kineto_trace *t, struct arena *a, size_t top)
{
	struct kineto_rows rows;
	struct json *j = json_object(a), *unmodeled;
	json_set_cstr(j, "format", "assay/trace-v1");
	json_set_cstr(j, "compression", t->compression);
	json_set_u64(j, "bytes", t->bytes);
	json_set(j, "meta", t->meta);
	json_set_bool(j, "verified", t->is_verified);
	set_ns(j, "first_ns", t->first_ns);
	set_ns(j, "last_ns", t->last_ns);
	set_ns(j, "span_ns", t->last_ns - t->first_ns);
	json_set_u64(j, "activities", t->n_activities);
	json_set_u64(j, "streams", t->n_lanes);
	if (t->has_base)
		json_set_i64(j, "base_ns", t->base_ns);
	kineto_by_kernel(&rows, a, t);
	rows_json(j, "kernels", &rows, TABLE_KERNELS, top);
	kineto_by_category(&rows, a, t);
	rows_json(j, "categories", &rows, TABLE_CATEGORIES, 0);
	kineto_by_operator(&rows, a, t);
	rows_json(j, "operators", &rows, TABLE_OPERATORS, top);
	kineto_by_step(&rows, a, t);
	rows_json(j, "steps", &rows, TABLE_STEPS, 0);
	calls_json(t, json_set_array(j, "calls"), a);
	memory_json(t, j);
	delays_json(t, j);
	json_set(j, "trust", kineto_trust_json(t, a));
	unmodeled = json_set_array(j, "unmodeled");
	for (size_t i = 0; i < t->n_unmodeled; i++)
		json_push_str(unmodeled, t->unmodeled[i]);
	return j;
}

static void kernel_fact(struct fact_set *out, const struct kineto_row *r, uint32_t i, const char *id, double v,
			const char *agg)
{
	struct fact *f = fact_add(out, str_from(id), "ns", FACT_KERNEL);
	f->type = FACT_REAL;
	f->real = v;
	f->aggregation = agg;
	f->subject = r->name;
	f->i_subject = i;
	f->source = STR("dur");
}

void kineto_facts(struct fact_set *out, const struct kineto_trace *t, struct arena *a)
{
	struct kineto_rows rows;
	kineto_by_kernel(&rows, a, t);
	fact_add_count(out, "trace.activities", "", t->n_activities);
	fact_add_real(out, "trace.span", "ns", (double)(t->last_ns - t->first_ns));
	fact_add_real(out, "trace.activity_time", "ns", (double)rows.total_ns);
	fact_add_count(out, "trace.unlinked", "", t->trust.n_unlinked);
	fact_add_count(out, "trace.lost_bytes", "byte", t->trust.lost_bytes);
	fact_add_count(out, "trace.suspect_durations", "", t->trust.n_suspect);
	for (size_t i = 0; i < rows.n; i++) {
		const struct kineto_row *r = &rows.v[i];
		struct fact *f = fact_add(out, STR("kernel.count"), "", FACT_KERNEL);
		f->type = FACT_COUNT;
		f->count = r->n;
		f->subject = r->name;
		f->i_subject = (uint32_t)i;
		kernel_fact(out, r, (uint32_t)i, "kernel.time", (double)r->total_ns, "sum");
		kernel_fact(out, r, (uint32_t)i, "kernel.time", (double)r->total_ns / (double)r->n, "avg");
		kernel_fact(out, r, (uint32_t)i, "kernel.time", (double)r->p50_ns, "p50");
		kernel_fact(out, r, (uint32_t)i, "kernel.time", (double)r->p99_ns, "p99");
	}
}
