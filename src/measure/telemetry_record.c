/* Telemetry in records.
 * In: samples and what was judged from them. Out: a column file, one JSON object.
 * What was not read is a missing value in its column.
 * Never: judges. */
#include "measure/telemetry.h"

#include <math.h>

#include "run/sampler.h"
#include "store/column.h"

struct row { /* a sample as its columns hold it */
	int64_t t_ns;
	int64_t busy_ns, idle_ns, steal_ns, own_ns, throttled_ns;
	double load1, sm_mhz, memory_mhz, temperature_c, power_w, utilization_pct, foreign_sm_pct, memory_used_bytes;
	int64_t reasons, n_processes, n_ours, n_children;
	uint8_t by, flags;
};
static const struct {
	const char *name, *unit;
	enum column_type type;
	bool is_optional;
	size_t offset;
} columns[] = {
	{"t_ns", "ns", COLUMN_I64, false, offsetof(struct row, t_ns)},
	{"busy_ns", "ns", COLUMN_I64, false, offsetof(struct row, busy_ns)},
	{"idle_ns", "ns", COLUMN_I64, false, offsetof(struct row, idle_ns)},
	{"steal_ns", "ns", COLUMN_I64, false, offsetof(struct row, steal_ns)},
	{"own_ns", "ns", COLUMN_I64, false, offsetof(struct row, own_ns)},
	{"throttled_ns", "ns", COLUMN_I64, false, offsetof(struct row, throttled_ns)},
	{"load1", "1", COLUMN_F64, true, offsetof(struct row, load1)},
	{"sm_mhz", "mhz", COLUMN_F64, true, offsetof(struct row, sm_mhz)},
	{"memory_mhz", "mhz", COLUMN_F64, true, offsetof(struct row, memory_mhz)},
	{"temperature_c", "celsius", COLUMN_F64, true, offsetof(struct row, temperature_c)},
	{"power_w", "w", COLUMN_F64, true, offsetof(struct row, power_w)},
	{"utilization_pct", "pct", COLUMN_F64, true, offsetof(struct row, utilization_pct)},
	{"foreign_sm_pct", "pct", COLUMN_F64, true, offsetof(struct row, foreign_sm_pct)},
	{"memory_used_bytes", "bytes", COLUMN_F64, true, offsetof(struct row, memory_used_bytes)},
	{"reasons", "bits", COLUMN_I64, true, offsetof(struct row, reasons)},
	{"n_processes", "1", COLUMN_I64, true, offsetof(struct row, n_processes)},
	{"n_ours", "1", COLUMN_I64, true, offsetof(struct row, n_ours)},
	{"n_children", "1", COLUMN_I64, false, offsetof(struct row, n_children)},
	{"by", "code", COLUMN_U8, false, offsetof(struct row, by)},
	{"flags", "bits", COLUMN_U8, false, offsetof(struct row, flags)},
};

static double if_has(const struct sampler_sample *s, unsigned bit, double v)
{
	return s->gpu_has & bit ? v : NAN;
}

static struct row row_of(const struct sampler_sample *s, unsigned flags)
{
	bool has_list = (s->gpu_has & GPU_SAMPLE_PROCESSES) != 0;
	return (struct row){.t_ns = s->t_ns,
			    .busy_ns = s->load.busy_ns,
			    .idle_ns = s->load.idle_ns,
			    .steal_ns = s->load.steal_ns,
			    .own_ns = s->load.own_ns,
			    .throttled_ns = s->load.throttled_ns,
			    .load1 = s->load.load1,
			    .sm_mhz = if_has(s, GPU_SAMPLE_SM_MHZ, s->sm_mhz),
			    .memory_mhz = if_has(s, GPU_SAMPLE_MEMORY_MHZ, s->memory_mhz),
			    .temperature_c = if_has(s, GPU_SAMPLE_TEMPERATURE, s->temperature_c),
			    .power_w = if_has(s, GPU_SAMPLE_POWER, s->power_mw / 1e3),
			    .utilization_pct = if_has(s, GPU_SAMPLE_UTILIZATION, s->utilization_pct),
			    .foreign_sm_pct = s->foreign_sm_pct >= 0 ? (double)s->foreign_sm_pct : (double)NAN,
			    .memory_used_bytes = if_has(s, GPU_SAMPLE_MEMORY, (double)s->memory_used_bytes),
			    .reasons = s->gpu_has & GPU_SAMPLE_REASONS ? (int64_t)s->reasons : INT64_MIN,
			    .n_processes = has_list ? s->n_processes : INT64_MIN,
			    .n_ours = has_list ? s->n_ours : INT64_MIN,
			    .n_children = s->load.n_children,
			    .by = (uint8_t)s->by,
			    .flags = (uint8_t)flags};
}

static struct row *rows_of(struct telemetry *t, size_t *n)
{
	const struct sampler_sample *s = sampler_samples(t->sampler, n);
	struct row *rows = ARENA_ARRAY(t->arena, *n + 1, struct row);
	for (size_t i = 0; i < *n; i++)
		rows[i] = row_of(&s[i], telemetry_judge(s, i, t->is_gpu, NULL));
	return rows;
}

static bool publish(char digest[SHA256_HEX], struct telemetry *t, const struct row *rows, size_t n, struct store *s,
		    struct err *e)
{
	struct column c[COUNT_OF(columns)];
	struct json *header = json_object(t->arena), *flags = json_set_object(header, "flags");
	json_set_i64(flags, "contaminated", TELEMETRY_CONTAMINATED);
	json_set_i64(flags, "throttled", TELEMETRY_THROTTLED);
	json_set_i64(flags, "unobserved", TELEMETRY_UNOBSERVED);
	struct json *by = json_set_object(header, "by");
	json_set_i64(by, "helper", SAMPLER_HELPER);
	json_set_i64(by, "parent", SAMPLER_PARENT);
	for (size_t i = 0; i < COUNT_OF(columns); i++) {
		size_t size = column_type_bytes(columns[i].type);
		char *data = arena_array(t->arena, n + 1, size);
		for (size_t k = 0; k < n; k++)
			memcpy(data + k * size, (const char *)&rows[k] + columns[i].offset, size);
		c[i] = (struct column){.name = columns[i].name,
				       .unit = columns[i].unit,
				       .type = columns[i].type,
				       .is_optional = columns[i].is_optional,
				       .data = data};
	}
	struct column_file f = {.header = header, .n_rows = n, .n_columns = COUNT_OF(columns), .columns = c};
	return column_publish(s, &f, digest, e);
}

/* {"min","max"} of a column, or null when it was never read. */
static void put_range(struct json *j, const char *key, const struct row *rows, size_t n, size_t offset)
{
	double low = INFINITY, high = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		double v;
		memcpy(&v, (const char *)&rows[i] + offset, sizeof(v));
		if (isfinite(v)) {
			low = fmin(low, v);
			high = fmax(high, v);
		}
	}
	if (low > high) {
		json_set_null(j, key);
		return;
	}
	struct json *x = json_set_object(j, key);
	json_set_f64(x, "min", low);
	json_set_f64(x, "max", high);
}

static void put_gpu(struct json *j, const struct row *rows, size_t n)
{
	uint64_t seen = 0;
	put_range(j, "sm_mhz", rows, n, offsetof(struct row, sm_mhz));
	put_range(j, "memory_mhz", rows, n, offsetof(struct row, memory_mhz));
	put_range(j, "temperature_c", rows, n, offsetof(struct row, temperature_c));
	put_range(j, "power_w", rows, n, offsetof(struct row, power_w));
	put_range(j, "utilization_pct", rows, n, offsetof(struct row, utilization_pct));
	for (size_t i = 0; i < n; i++)
		seen |= rows[i].reasons == INT64_MIN ? 0 : (uint64_t)rows[i].reasons;
	struct json *reasons = json_set_array(j, "reasons");
	for (uint64_t bit = 1; bit; bit <<= 1) {
		const char *name = seen & bit ? gpu_reason_name(bit, NULL) : NULL;
		if (name)
			json_push_str(reasons, str_from(name));
	}
}

static void put_calls(struct json *j, const struct telemetry *t)
{
	struct json *idle = json_set_object(j, "idle_check"), *calls = json_set_object(j, "timed_calls");
	json_set_bool(idle, "is_idle", t->is_idle);
	json_set_f64(idle, "seconds", t->idle_check_s);
	json_set_cstr(idle, "text", t->busy);
	json_set_u64(calls, "n", t->n_rows);
	json_set_u64(calls, "contaminated", t->n_contaminated);
	json_set_u64(calls, "throttled", t->n_throttled);
	json_set_u64(calls, "unobserved", t->n_unobserved);
	json_set_f64(j, t->is_gpu ? "worst_foreign_sm_pct" : "worst_foreign_cpus", t->worst_foreign);
	json_set_cstr(j, "problem", telemetry_problem(t));
}

bool telemetry_json(struct json **out, struct telemetry *t, struct store *s, struct err *e)
{
	struct json *j = *out = json_object(t->arena);
	char digest[SHA256_HEX];
	json_set_cstr(j, "witness", t->is_gpu ? "NVML" : "parent");
	put_calls(j, t);
	if (!t->sampler) {
		json_set_null(j, "samples");
		return true;
	}
	size_t n = 0;
	int64_t gap = 0;
	struct row *rows = rows_of(t, &n);
	for (size_t i = 1; i < n; i++)
		gap = rows[i].t_ns - rows[i - 1].t_ns > gap ? rows[i].t_ns - rows[i - 1].t_ns : gap;
	json_set_u64(j, "n_samples", n);
	json_set_f64(j, "period_s", (double)SAMPLER_PERIOD_NS / 1e9);
	json_set_f64(j, "longest_gap_s", (double)gap / 1e9);
	put_range(j, "load1", rows, n, offsetof(struct row, load1));
	if (t->is_gpu)
		put_gpu(j, rows, n);
	if (!publish(digest, t, rows, n, s, e))
		return false;
	json_set_cstr(j, "samples", digest);
	return true;
}
