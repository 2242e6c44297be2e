/* Nsight Compute reports as `assay read` shows them.
 * In: an opened report.
 * Out: the sheet of kernels, facts, rules, JSON.
 * Never: reads a file itself; ncu.h does. */
#include "read/ncu/reader_ncu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/ncu/facts.h"
#include "read/ncu/hotspot.h"
#include "read/ncu/occupancy_table.h"
#include "read/ncu/roofline.h"
#include "read/ncu/number.h"
#include "read/ncu/raw.h"
#include "read/ncu/result.h"
#include "read/ncu/section.h"
#include "read/ncu/session.h"
#include "read/ncu/text.h"

static bool accepts(struct str head, const char *path)
{
	/* Broken .ncu-rep files come here too, so that the message says what is wrong with them. */
	return ncu_is_report(head) || str_ends(str_from(path), ".ncu-rep") || str_ends(str_from(path), ".ncu-repz");
}

static void *open_report(const char *path, struct err *e)
{
	struct ncu_report *r = malloc(sizeof(*r));
	if (!r)
		BUG("out of memory");
	if (ncu_open(r, path, e))
		return r;
	ncu_release(r);
	free(r);
	return NULL;
}

static void close_report(void *report)
{
	ncu_release(report);
	free(report);
}

static void damage_of(const void *report, struct reader_damage *out)
{
	const struct ncu_report *r = report;
	*out = (struct reader_damage){.is_unverified = r->format == NCU_REP && !r->is_verified};
	snprintf(out->version, sizeof(out->version), "ncu %.*s", STR_ARG(r->tool_version));
	if (r->damage.is_damaged)
		snprintf(out->text, sizeof(out->text), "offset %zu: %s; %zu whole results before it are kept",
			 r->damage.offset, r->damage.reason, r->n_results);
}

static const struct sheet_column kernel_columns[] = {
	{"id", "id", "", 0},
	{"kernel", "kernel", "", SHEET_TEXT | SHEET_KEY},
	{"grid", "grid", "", SHEET_TEXT},
	{"block", "block", "", SHEET_TEXT},
	{"time_ns", "time", "ns", SHEET_SHARE},
	{"sm_pct", "SM", "%", 0},
	{"memory_pct", "mem", "%", 0},
	{"dram_pct", "DRAM", "%", 0},
	{"occupancy_pct", "occ", "%", 0},
	{"registers", "regs", "register/thread", 0},
	{"rules", "rules satisfied", "", SHEET_TEXT | SHEET_HIDDEN},
	{"kind", "kind", "", SHEET_TEXT | SHEET_HIDDEN},
	{"stream", "stream", "", SHEET_HIDDEN},
	{"device", "device", "", SHEET_HIDDEN},
	{"pid", "pid", "", SHEET_HIDDEN},
};

static struct str dim_text(struct arena *a, struct ncu_dim3 d)
{
	return str_from(arena_printf(a, "%llux%llux%llu", (unsigned long long)d.x, (unsigned long long)d.y,
				     (unsigned long long)d.z));
}

static struct str rules_text(const struct ncu_report *r, const struct ncu_result *res, struct arena *a)
{
	struct ncu_subject ctx = {r, res};
	const char *text = "";
	for (size_t i = 0; i < rule_count(); i++) {
		struct rule_finding f;
		rule_evaluate(&f, i, ncu_rule_lookup, &ctx);
		if (f.state == RULE_SATISFIED)
			text = arena_printf(a, "%s%s%s", text, *text ? " " : "", f.rule);
	}
	return str_from(*text ? text : "none");
}

static void kernel_row(const struct ncu_report *r, const struct ncu_result *res, struct sheet *s)
{
	static const enum metric_id metrics[] = {METRIC_KERNEL_DURATION, METRIC_SM_THROUGHPUT, METRIC_MEMORY_THROUGHPUT,
						 METRIC_DRAM_THROUGHPUT, METRIC_OCCUPANCY,     METRIC_REGISTERS};
	struct sheet_cell *c = sheet_row(s);
	sheet_put(&c[0], res->id);
	sheet_put_text(&c[1], res->name);
	if (res->has_dims) {
		sheet_put_text(&c[2], dim_text(s->arena, res->grid));
		sheet_put_text(&c[3], dim_text(s->arena, res->block));
	}
	for (size_t i = 0; i < COUNT_OF(metrics); i++) {
		const struct ncu_metric *m = ncu_semantic(r, res, metrics[i]);
		double v;
		if (m && ncu_number(m, &v))
			sheet_put(&c[4 + i], v);
	}
	sheet_put_text(&c[10], rules_text(r, res, s->arena));
	sheet_put_text(&c[11], str_from(result_kind_name(res->kind)));
	if (res->has_stream)
		sheet_put(&c[12], res->stream);
	if (res->has_device)
		sheet_put(&c[13], res->device);
	if (res->process)
		sheet_put(&c[14], res->process->pid);
}

static const struct sheet_column rule_columns[] = {
	{"id", "id", "", 0},
	{"kernel", "kernel", "", SHEET_TEXT | SHEET_KEY | SHEET_HIDDEN},
	{"rule", "rule", "", SHEET_TEXT},
	{"because", "because", "", SHEET_TEXT},
};

static struct str finding_text(struct arena *a, const struct rule_finding *f)
{
	struct buf b;
	buf_init(&b);
	rule_finding_text(f, &b);
	struct str text = arena_str(a, str_trim(str_sub(buf_view(&b), strlen(f->rule) + 1, SIZE_MAX)));
	buf_release(&b);
	return text;
}

static void rule_rows(const struct ncu_report *r, const struct ncu_result *res, struct sheet *s)
{
	struct ncu_subject ctx = {r, res};
	for (size_t i = 0; i < rule_count(); i++) {
		struct rule_finding f;
		rule_evaluate(&f, i, ncu_rule_lookup, &ctx);
		if (f.state != RULE_SATISFIED)
			continue;
		struct sheet_cell *c = sheet_row(s);
		sheet_put(&c[0], res->id);
		sheet_put_text(&c[1], res->name);
		sheet_put_text(&c[2], str_from(f.rule));
		sheet_put_text(&c[3], finding_text(s->arena, &f));
	}
}

static const struct sheet_column trust_columns[] = {
	{"what", "what", "", SHEET_TEXT},
	{"value", "value", "", 0},
};

static void trust_row(struct sheet *s, const char *what, double v)
{
	if (v == 0)
		return;
	struct sheet_cell *c = sheet_row(s);
	sheet_put_text(&c[0], str_from(what));
	sheet_put(&c[1], v);
}

/* What stands against the numbers: counts that are not zero. */
static void trust_rows(const struct ncu_report *r, struct sheet *s)
{
	double unlocked = 0, unsaid = 0, dropped = 0, passes = 0, v;
	for (size_t i = 0; i < r->n_results; i++) {
		const struct ncu_result *res = &r->results[i];
		const struct ncu_metric *m = ncu_metric(r, res, "smsp__pcsamp_dropped_bytes");
		unlocked += res->has_clock_lock && !res->clock_locked;
		unsaid += !res->has_clock_lock;
		dropped += m && ncu_number(m, &v) ? v : 0;
		m = ncu_metric(r, res, "profiler__replayer_passes");
		passes = m && ncu_number(m, &v) && v > passes ? v : passes;
	}
	s->title = "Trust";
	s->note = "the kernel ran once a pass: values of different passes are of different runs";
	trust_row(s, "most_passes_of_a_result", passes);
	trust_row(s, "results_without_clock_lock", unlocked);
	trust_row(s, "results_that_do_not_say_about_clocks", unsaid);
	trust_row(s, "dropped_samples_bytes", dropped);
	trust_row(s, "unmodeled_fields", (double)r->n_unmodeled);
}

static struct sheet *sheets_of(void *report, const char *table, struct arena *a, size_t *n)
{
	const struct ncu_report *r = report;
	struct sheet *s = ARENA_ARRAY(a, 7, struct sheet);
	sheet_init(&s[0], a, "kernels", kernel_columns, COUNT_OF(kernel_columns));
	sheet_init(&s[1], a, "rules", rule_columns, COUNT_OF(rule_columns));
	s[0].title = "Profiled results";
	s[1].title = "Rules satisfied";
	s[0].is_main = s[1].is_main = true;
	s[0].note = "one row a profiled launch, range or graph";
	if (!r->n_results)
		s[0].note = "no result: no kernel was profiled (a filter of ncu matched nothing, or none was launched)";
	for (size_t i = 0; i < r->n_results; i++) {
		kernel_row(r, &r->results[i], &s[0]);
		rule_rows(r, &r->results[i], &s[1]);
	}
	s[1].note = s[1].n_rows ? "none, one or several may be; thresholds and sources in the JSON" : "none";
	sheet_init(&s[2], a, "trust", trust_columns, COUNT_OF(trust_columns));
	trust_rows(r, &s[2]);
	s[2].is_main = s[2].n_rows > 0;
	*n = 3;
	if (table) { /* instances are decoded only when asked for */
		hotspot_lines(r, &s[3], a);
		hotspot_sass(r, &s[4], a);
		roofline_rows(r, &s[5], a);
		occupancy_rows(r, &s[6], a);
		*n = 7;
	}
	return s;
}

static void facts_of(void *report, struct fact_set *out, const struct reader_json_options *o)
{
	ncu_facts(report, out, o->metrics && o->metrics[0] == '*' && !o->metrics[1]);
}

static struct json *rules_json(const struct ncu_report *r, const struct ncu_result *res, struct arena *a)
{
	struct ncu_subject ctx = {r, res};
	struct json *list = json_array(a);
	for (size_t i = 0; i < rule_count(); i++) {
		struct rule_finding f;
		rule_evaluate(&f, i, ncu_rule_lookup, &ctx);
		json_push(list, rule_finding_json(&f, a));
	}
	return list;
}

static struct json *tool_rules_json(const struct ncu_report *r, const struct ncu_result *res, struct arena *a)
{
	struct json *list = json_array(a);
	size_t n;
	struct ncu_section *sections = ncu_sections(r, res, a, &n);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < sections[i].n_rules; k++) {
			const struct ncu_rule *rule = &sections[i].rules[k];
			struct json *o = json_object(a);
			json_push(list, o);
			json_set_str(o, "id", rule->id);
			json_set_str(o, "section", rule->section);
			json_set_cstr(o, "type", rule->type);
			json_set_str(o, "text", rule->text);
			if (*rule->speedup_type) {
				json_set_cstr(o, "estimate_type", rule->speedup_type);
				json_set_f64(o, "estimate_pct", rule->speedup_pct);
			}
		}
	}
	return list;
}

static void metric_json(struct json *to, const struct ncu_report *r, const struct ncu_metric *m, struct arena *a)
{
	struct json *o = json_object(a);
	const char *key = arena_strndup(a, r->names[m->name].p, r->names[m->name].n);
	double v;
	json_set(to, key, o);
	json_set_cstr(o, "unit", ncu_unit(r, m));
	if (m->n_instances)
		json_set_u64(o, "instances", m->n_instances);
	if (m->kind == NCU_STRING)
		json_set_str(o, "value", (struct str){m->text, m->n_text});
	else if (m->kind == NCU_U32 || m->kind == NCU_U64)
		json_set_u64(o, "value", m->u);
	else if (ncu_number(m, &v))
		json_set_f64(o, "value", v);
	else
		json_set_null(o, "value");
}

static void result_json(struct json *list, const struct ncu_report *r, const struct ncu_result *res,
			const struct reader_json_options *o)
{
	struct arena *a = list->arena;
	struct ncu_subject ctx = {r, res};
	struct json *j = json_object(a);
	double blocks;
	json_push(list, j);
	json_set_u64(j, "id", res->id);
	json_set_cstr(j, "kind", result_kind_name(res->kind));
	json_set_str(j, "name", res->name);
	if (res->mangled.n)
		json_set_str(j, "mangled", res->mangled);
	if (res->has_dims) {
		json_set_str(j, "grid", dim_text(a, res->grid));
		json_set_str(j, "block", dim_text(a, res->block));
	}
	if (res->has_cc)
		json_set_cstr(j, "cc", arena_printf(a, "%u.%u", res->cc_major, res->cc_minor));
	if (res->has_clock_lock)
		json_set_bool(j, "clock_locked", res->clock_locked);
	json_set(j, "rules", rules_json(r, res, a));
	json_set(j, "tool_rules", tool_rules_json(r, res, a));
	const char *limiter = rule_occupancy_limiter(a, ncu_rule_lookup, &ctx, &blocks);
	if (limiter) {
		json_set_cstr(j, "occupancy_limiter", limiter);
		json_set_f64(j, "occupancy_limit_blocks", blocks);
	}
	if (!o->metrics)
		return;
	struct json *metrics = json_set_object(j, "metrics");
	for (size_t i = 0; i < res->n_metrics; i++) {
		if (sheet_match(r->names[res->metrics[i].name], o->metrics))
			metric_json(metrics, r, &res->metrics[i], a);
	}
}

static void json_of(void *report, struct json *out, const struct reader_json_options *o)
{
	const struct ncu_report *r = report;
	struct json *list = json_set_array(out, "results");
	for (size_t i = 0; i < r->n_results; i++) {
		if (!o->filter || sheet_match(r->results[i].name, o->filter))
			result_json(list, r, &r->results[i], o);
	}
	struct json *devices = json_set_array(out, "devices");
	for (size_t i = 0; i < r->session.n_devices; i++)
		json_push_str(devices, r->session.devices[i].name);
	if (r->session.command.n)
		json_set_str(out, "command", r->session.command);
}

static void details_of(void *report, struct buf *out)
{
	ncu_details_text(report, out);
}

static void csv_of(void *report, struct buf *out, void (*flush)(void *ctx, struct buf *out), void *ctx)
{
	ncu_raw_csv(report, out, flush, ctx);
}

static const struct sheet_column metric_columns[] = {
	{"id", "id", "", 0},
	{"kernel", "kernel", "", SHEET_TEXT | SHEET_KEY},
	{"metric", "metric", "", SHEET_TEXT},
	{"value", "value", "", SHEET_TEXT},
	{"unit", "unit", "", SHEET_TEXT},
	{"instances", "instances", "", SHEET_HIDDEN},
};

static struct str exact_text(struct arena *a, const struct ncu_metric *m)
{
	char text[32];
	double v;
	if (m->kind == NCU_STRING)
		return (struct str){m->text, m->n_text};
	if (m->kind == NCU_U32 || m->kind == NCU_U64)
		return str_from(arena_printf(a, "%llu", (unsigned long long)m->u));
	if (!ncu_number(m, &v))
		return m->n_instances ? (struct str){NULL, 0} : STR("no data");
	size_t n = json_repr(text, v);
	struct str s = {text, n};
	return arena_str(a, str_ends(s, ".0") ? str_sub(s, 0, n - 2) : s);
}

static struct sheet *metrics_of(void *report, const char *pattern, struct arena *a)
{
	const struct ncu_report *r = report;
	struct sheet *s = ARENA_NEW(a, struct sheet);
	size_t n;
	uint32_t *names = ncu_sorted_names(r, a, &n);
	sheet_init(s, a, "metrics", metric_columns, COUNT_OF(metric_columns));
	s->title = "Metrics";
	for (size_t i = 0; i < r->n_results; i++) {
		const struct ncu_result *res = &r->results[i];
		for (size_t k = 0; k < n; k++) {
			const struct ncu_metric *m = ncu_metric_at(res, names[k]);
			if (!m || !sheet_match(r->names[names[k]], pattern))
				continue;
			struct sheet_cell *c = sheet_row(s);
			sheet_put(&c[0], res->id);
			sheet_put_text(&c[1], res->name);
			sheet_put_text(&c[2], r->names[names[k]]);
			sheet_put_text(&c[3], exact_text(a, m));
			sheet_put_text(&c[4], str_from(ncu_unit(r, m)));
			sheet_put(&c[5], m->n_instances);
		}
	}
	enum metric_id m;
	bool known = metric_from_name(str_from(pattern), &m) || metric_from_id(str_from(pattern), &m);
	if (!s->n_rows && known)
		s->note = arena_printf(a, "%.*s is not in this report; ncu collects it with --section %s",
				       STR_ARG(metric_name(m, 0)), metric_row(m)->section);
	else if (!s->n_rows)
		s->note = "no metric of this report matches; it may not have been collected";
	return s;
}

const struct reader reader_ncu = {
	.name = "ncu",
	.title = "Nsight Compute report (.ncu-rep, .ncu-repz, ncu --csv)",
	.accepts = accepts,
	.open = open_report,
	.close = close_report,
	.damage = damage_of,
	.sheets = sheets_of,
	.facts = facts_of,
	.json = json_of,
	.details = details_of,
	.csv = csv_of,
	.metrics = metrics_of,
};
