/* Nsight Compute reports.
 * In: a report or a CSV export. Out: the seven published metrics over the kernels asked for, and each kernel by itself.
 * The long CSV is read by its four published columns alone; everything else goes through read/ncu.
 * Never: takes a value whose unit is not the metric's. */
#include <math.h>

#include "base/file.h"
#include "base/map.h"
#include "facts/unit.h"
#include "inspect/collect.h"
#include "inspect/material.h"
#include "protocol/shape.h"
#include "read/ncu/ncu.h"
#include "read/ncu/record.h"

#define DIALECT_LONG "ncu-csv-long-v1"
#define DIALECTS DIALECT_LONG "|ncu-csv-raw-v1|ncu-rep-v1"
#define MAX_UNMODELED 128

static const struct modeled {
	const char *metric, *id, *unit;
} modeled[] = {
	{"dram__throughput.avg.pct_of_peak_sustained_elapsed", "kernel.dram_throughput_pct", "%"},
	{"dram__bytes.sum", "kernel.dram_bytes", "byte"},
	{"sm__warps_active.avg.pct_of_peak_sustained_active", "kernel.occupancy_pct", "%"},
	{"sm__cycles_active.avg.pct_of_peak_sustained_elapsed", "kernel.sm_active_pct", "%"},
	{"sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active", "kernel.tensor_pipe_pct", "%"},
	{"smsp__average_warp_latency_issue_stalled_barrier_per_warp_active.pct", "kernel.barrier_stall_pct", "%"},
	{"smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct", "kernel.long_scoreboard_pct", "%"},
};
#define N_MODELED COUNT_OF(modeled)

const char *ncu_published_metric(struct str semantic_id)
{
	for (size_t m = 0; m < N_MODELED; m++) {
		if (str_is(semantic_id, modeled[m].id))
			return modeled[m].metric;
	}
	return NULL;
}

struct sums {
	double sum[N_MODELED];
	uint64_t n[N_MODELED];
};
struct kernel {
	struct str name;
	uint64_t n_rows;
	struct sums s;
};
struct taking {
	struct inspection *i;
	const struct json *hints;
	struct arena *a;
	struct map kernels, others; /* name -> struct kernel; metrics that are not modeled */
	struct sums all;
	uint64_t n_rows, n_matching;
};

static bool is_wanted(const struct taking *t, struct str name)
{
	for (size_t i = 0; i < t->hints->n; i++) {
		if (str_find(name, t->hints->items[i]->text) != SIZE_MAX)
			return true;
	}
	return t->hints->n == 0;
}

static struct kernel *kernel_of(struct taking *t, struct str name)
{
	struct map_entry *at = map_intern(&t->kernels, name, NULL);
	if (!at->value) {
		struct kernel *k = ARENA_NEW(t->a, struct kernel);
		k->name = at->key;
		at->value = k;
	}
	return at->value;
}

static size_t modeled_index(struct str metric)
{
	size_t m = 0;
	while (m < N_MODELED && !str_is(metric, modeled[m].metric))
		m++;
	return m;
}

static void add(struct sums *s, size_t m, double v)
{
	s->sum[m] += v;
	s->n[m]++;
}

/* One value of a kernel that is wanted. */
static bool take(struct taking *t, struct kernel *k, size_t m, double value, struct str unit, struct err *e)
{
	char shown[STR_SHOWN];
	struct unit u = {"", 1};
	protocol_step(t->i->p, "unexpected_unit");
	if (!unit_parse(&u, unit) || strcmp(u.base, modeled[m].unit) != 0)
		return err_set(e, ERR_INPUT, "metric %s has the unit \"%s\"; it is in %s", modeled[m].metric,
			       str_shown(shown, unit), modeled[m].unit);
	protocol_step(t->i->p, "invalid_metric_value");
	if (!isfinite(value))
		return err_set(e, ERR_INPUT, "metric %s has a value that is no finite number", modeled[m].metric);
	add(&t->all, m, value * u.factor);
	add(&k->s, m, value * u.factor);
	return true;
}

/* ---- the long CSV ---- */

enum { KERNEL, METRIC, UNIT, VALUE, N_COLUMNS };
static const char *const columns[N_COLUMNS] = {"Kernel Name", "Metric Name", "Metric Unit", "Metric Value"};

struct table {
	size_t at[N_COLUMNS], n;
	bool is_there;
};

/* The first record that has the metric columns is the header; what stands before it is the program's output. */
static bool take_header(struct table *h, struct taking *t, const struct record *rec, struct err *e)
{
	size_t n_found = 0;
	for (size_t c = 0; c < N_COLUMNS; c++) {
		h->at[c] = SIZE_MAX;
		for (size_t i = 0; i < rec->n; i++) {
			if (str_is(rec->cells[i], columns[c]))
				h->at[c] = i;
		}
		n_found += h->at[c] != SIZE_MAX;
	}
	if (h->at[METRIC] == SIZE_MAX && h->at[KERNEL] == SIZE_MAX)
		return true;
	protocol_step(t->i->p, "missing_required_column");
	for (size_t c = 0; c < N_COLUMNS && n_found < N_COLUMNS; c++) {
		if (h->at[c] == SIZE_MAX)
			return err_set(e, ERR_INPUT,
				       "offset %zu: the column \"%s\" is missing (ncu --csv --page "
				       "details writes it; a raw page is dialect ncu-csv-raw-v1)",
				       rec->offset, columns[c]);
	}
	for (size_t i = 0; i < rec->n; i++) {
		bool is_ours = false;
		for (size_t c = 0; c < N_COLUMNS; c++)
			is_ours = is_ours || h->at[c] == i;
		if (!is_ours)
			(void)map_intern(&t->others, rec->cells[i], NULL);
	}
	h->n = rec->n;
	h->is_there = true;
	return true;
}

static bool take_row(const struct table *h, struct taking *t, const struct record *rec, struct err *e)
{
	char shown[STR_SHOWN];
	double v = NAN;
	if (rec->n != h->n || str_is(rec->cells[h->at[METRIC]], columns[METRIC]))
		return true; /* a line of the program, or the header of another process */
	struct str metric = rec->cells[h->at[METRIC]], value = rec->cells[h->at[VALUE]];
	t->n_rows++;
	if (!is_wanted(t, rec->cells[h->at[KERNEL]]) || metric.n == 0)
		return true;
	t->n_matching++;
	struct kernel *k = kernel_of(t, rec->cells[h->at[KERNEL]]);
	size_t m = modeled_index(metric);
	k->n_rows++;
	if (m == N_MODELED) {
		(void)map_intern(&t->others, metric, NULL);
		return true;
	}
	char text[64];
	size_t n = 0;
	for (size_t i = 0; i < value.n && n + 1 < sizeof(text); i++) { /* thousands are set off by commas */
		if (value.p[i] != ',')
			text[n++] = value.p[i];
	}
	protocol_step(t->i->p, "invalid_metric_value");
	if (!str_f64((struct str){text, n}, &v))
		return err_set(e, ERR_INPUT, "offset %zu: metric %s is \"%s\", which is no number", rec->offset,
			       modeled[m].metric, str_shown(shown, value));
	return take(t, k, m, v, rec->cells[h->at[UNIT]], e);
}

static bool read_long(struct taking *t, const char *path, struct err *e)
{
	struct file_map map;
	struct record rec = {0};
	struct table h = {.is_there = false};
	size_t at = 0;
	bool ok = true;
	protocol_step(t->i->p, "invalid_ncu_csv");
	if (!file_map(&map, path, e))
		return false;
	struct str text = {map.p, map.n};
	struct arena scratch;
	arena_init(&scratch);
	while (ok && record_take(&rec, &scratch, text, &at))
		ok = h.is_there ? take_row(&h, t, &rec, e) : take_header(&h, t, &rec, e);
	if (ok && at < text.n && str_trim(str_sub(text, at, SIZE_MAX)).n) {
		protocol_step(t->i->p, "invalid_ncu_csv");
		ok = err_set(e, ERR_INPUT, "offset %zu: a quoted cell does not end", at);
	}
	if (ok && !h.is_there) {
		protocol_step(t->i->p, "missing_required_column");
		ok = err_set(e, ERR_INPUT,
			     "no line has the columns Kernel Name, Metric Name, Metric Unit, Metric Value");
	}
	arena_release(&scratch);
	file_unmap(&map);
	return ok;
}

/* ---- reports and raw pages ---- */

static bool take_result(struct taking *t, const struct ncu_report *r, const struct ncu_result *res, struct err *e)
{
	struct kernel *k = kernel_of(t, res->name);
	t->n_matching++;
	k->n_rows++;
	for (size_t i = 0; i < res->n_metrics; i++) {
		struct str name = r->names[res->metrics[i].name];
		size_t m = modeled_index(name);
		double v;
		if (m == N_MODELED) {
			if (t->others.n < MAX_UNMODELED)
				(void)map_intern(&t->others, name, NULL);
			continue;
		}
		if (res->metrics[i].kind == NCU_NO_VALUE ||
		    (res->metrics[i].kind == NCU_STRING && !res->metrics[i].n_text))
			continue; /* not collected */
		protocol_step(t->i->p, "invalid_metric_value");
		if (!ncu_number(&res->metrics[i], &v))
			return err_set(e, ERR_INPUT, "result %u: metric %s is no number", res->id, modeled[m].metric);
		if (!take(t, k, m, v, str_from(ncu_unit(r, &res->metrics[i])), e))
			return false;
	}
	return true;
}

static bool read_results(struct taking *t, const char *path, bool is_csv, struct err *e)
{
	struct ncu_report r;
	protocol_step(t->i->p, is_csv ? "invalid_ncu_csv" : "unsupported_report");
	bool ok = ncu_open(&r, path, e);
	enum ncu_format want = is_csv ? NCU_CSV_RAW : NCU_REP;
	protocol_step(t->i->p, "unsupported_report");
	if (ok && r.format != want)
		ok = err_set(e, ERR_INPUT, "the material's dialect says %s and the file is %s",
			     is_csv ? "a raw page" : "a report", r.format == NCU_REP ? "a report" : "a CSV page");
	for (size_t i = 0; ok && i < r.n_results; i++) {
		t->n_rows++;
		if (is_wanted(t, r.results[i].name) || is_wanted(t, r.results[i].mangled))
			ok = take_result(t, &r, &r.results[i], e);
	}
	ncu_release(&r);
	return ok;
}

/* ---- the answer ---- */

static void put_observations(struct json *result, const struct taking *t, struct json *tool)
{
	struct json *list = json_set_array(result, "observations"), *metrics = json_array(t->a);
	for (size_t m = 0; m < N_MODELED; m++) {
		if (!t->all.n[m])
			continue;
		struct json *o = json_object(t->a);
		json_set_cstr(o, "semantic_id", modeled[m].id);
		json_set_f64(o, "value", t->all.sum[m] / (double)t->all.n[m]);
		json_set_cstr(o, "unit", modeled[m].unit);
		json_push_str(json_set_array(o, "scope"), STR("kernel"));
		json_set_cstr(o, "aggregation", "mean_across_matching_rows");
		json_set_cstr(o, "source_metric", modeled[m].metric);
		json_set(o, "tool", tool);
		json_push(list, o);
		json_push_str(metrics, str_from(modeled[m].metric));
	}
	json_set(json_get(result, "provenance"), "metrics", metrics);
	list = json_set_array(result, "unmodeled");
	for (size_t i = 0; i < t->others.n && i < MAX_UNMODELED; i++)
		json_push_str(list, t->others.entries[i].key);
}

/* Each kernel by itself: what a mean over all of them hides. */
static struct json *kernels_json(const struct taking *t)
{
	struct json *list = json_array(t->a);
	for (size_t i = 0; i < t->kernels.n; i++) {
		const struct kernel *k = t->kernels.entries[i].value;
		struct json *j = json_object(t->a), *values = json_set_object(j, "means");
		json_set_str(j, "name", k->name);
		json_set_u64(j, "rows", k->n_rows);
		for (size_t m = 0; m < N_MODELED; m++) {
			if (k->s.n[m])
				json_set_f64(values, modeled[m].id, k->s.sum[m] / (double)k->s.n[m]);
		}
		json_push(list, j);
	}
	return list;
}

/* Facts of launches that our reader has beyond the modeled metrics. */
static size_t n_launch_facts(const struct material_report *r)
{
	const struct json *facts = json_path(r->assay, "facts.facts");
	size_t n = 0;
	for (size_t i = 0; facts && i < facts->n; i++) {
		struct str scope = json_str(facts->items[i], "scope", STR(""));
		n += str_is(scope, "launch") || str_is(scope, "kernel");
	}
	return n;
}

static bool check_taken(struct taking *t, const struct material_report *r, struct err *e)
{
	uint64_t n = 0;
	for (size_t m = 0; m < N_MODELED; m++)
		n += t->all.n[m];
	protocol_step(t->i->p, "missing_matching_kernel");
	if (!t->n_matching && !t->hints->n)
		return err_set(e, ERR_INPUT, "no row holds a metric of a kernel");
	if (!t->n_matching)
		return err_set(e, ERR_INPUT, "none of %llu rows is of a kernel that kernel_name_hints name",
			       (unsigned long long)t->n_rows);
	protocol_step(t->i->p, "missing_modeled_metric");
	return n || n_launch_facts(r) ||
	       err_set(e, ERR_INPUT, "none of the modeled metrics is in the report (%s, ...)", modeled[0].metric);
}

static bool read_report(struct json *result, struct inspection *i, struct err *e)
{
	struct taking t = {.i = i, .hints = json_get(i->frozen, "kernel_name_hints"), .a = i->p->arena};
	struct material_report r;
	struct str dialect = json_str(json_get(i->frozen, "material"), "dialect", STR(""));
	bool is_long = str_is(dialect, DIALECT_LONG), is_raw = str_is(dialect, "ncu-csv-raw-v1");
	struct err why = {ERR_NONE, ""};
	map_init(&t.kernels, t.a);
	map_init(&t.others, t.a);
	/* A long page without the columns that our reader wants is read all the same. */
	if (!material_open(&r, i, "ncu", &why) && !(is_long && r.path && !r.is_open)) {
		*e = why;
		return false;
	}
	if (!(is_long ? read_long(&t, r.path, e) : read_results(&t, r.path, is_raw, e)) || !check_taken(&t, &r, e))
		return false;
	json_set(result, "provenance", material_provenance(i, &r));
	json_set(json_get(result, "provenance"), "csv",
		 is_long || is_raw ? json_get(r.material, "object_ref") : json_new_null(t.a));
	put_observations(result, &t, r.tool);
	json_set(r.assay, "kernels", kernels_json(&t));
	json_set(result, "assay", r.assay);
	return true;
}

static bool freeze_hints(struct inspection *i, struct err *e)
{
	const struct json *hints = json_get(i->request, "kernel_name_hints");
	if (!shape_names(hints, "kernel_name_hints", 0, e))
		return false;
	if (hints->n > 64)
		return err_set(e, ERR_INPUT, "kernel_name_hints: %zu, at most 64", hints->n);
	for (size_t k = 0; k < hints->n; k++) {
		if (hints->items[k]->text.n > 4096)
			return err_set(e, ERR_INPUT, "kernel_name_hints: one is longer than 4,096 bytes");
	}
	json_set(i->frozen, "kernel_name_hints", shape_copy(i->p->arena, hints));
	return true;
}

static bool freeze_report(struct inspection *i, struct err *e)
{
	return freeze_hints(i, e) && material_freeze_report(i, "ncu", DIALECTS, e);
}

/* A hint as a regular expression of ncu: every kernel whose name holds one of them is replayed, no other. */
static const char *hints_pattern(struct inspection *i)
{
	const struct json *hints = json_get(i->frozen, "kernel_name_hints");
	struct buf b;
	buf_init(&b);
	buf_puts(&b, "regex:");
	for (size_t k = 0; k < hints->n; k++) {
		struct str s = hints->items[k]->text;
		buf_puts(&b, k ? "|" : "");
		for (size_t c = 0; c < s.n; c++) {
			if (strchr(".^$*+?()[]{}|\\", s.p[c]))
				buf_char(&b, '\\');
			buf_char(&b, s.p[c]);
		}
	}
	const char *pattern = arena_strndup(i->p->arena, b.p, b.n);
	buf_release(&b);
	return pattern;
}

static const char **wrap_call(struct inspection *i, const char *tool, const char *out)
{
	struct arena *a = i->p->arena;
	struct buf names;
	size_t n = 0;
	const char **argv = ARENA_ARRAY(a, 16, const char *);
	buf_init(&names);
	for (size_t m = 0; m < N_MODELED; m++)
		buf_printf(&names, "%s%s", m ? "," : "", modeled[m].metric);
	argv[n++] = tool;
	argv[n++] = "--config-file";
	argv[n++] = "off";
	argv[n++] = "--metrics";
	argv[n++] = arena_strndup(a, names.p, names.n);
	argv[n++] = "--target-processes";
	argv[n++] = "all";
	if (json_get(i->frozen, "kernel_name_hints")->n) {
		argv[n++] = "--kernel-name-base";
		argv[n++] = "demangled";
		argv[n++] = "--kernel-name";
		argv[n++] = hints_pattern(i);
	}
	argv[n++] = "--export";
	argv[n++] = arena_printf(a, "%s.ncu-rep", out);
	buf_release(&names);
	return argv;
}

static const struct collecting collecting = {.capability = "ncu_wrap_v1",
					     .tool = "ncu",
					     .operation = "profile_ncu_collect",
					     .kind = "ncu_collect",
					     .dialect = "ncu-rep-v1",
					     .wrap = wrap_call,
					     .extension = ".ncu-rep"};

const struct family family_ncu = {
	.name = "ncu",
	.format = PROTOCOL("ncu-input-v1"),
	.code = "invalid_ncu_input",
	.contract = PROTOCOL("profiler-result-v1"),
	.record_type = "profiler_result",
	.members = "report_ref:o kernel_name_hints:S",
	.freeze = freeze_report,
	.read = read_report,
	.collecting = &collecting,
	.collect_members = " kernel_name_hints:S",
	.freeze_more = freeze_hints,
};
