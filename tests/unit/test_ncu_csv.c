/* Exports of ncu: raw and details page, base and scaled units, live output with log lines; sections of reports against
 * ncu's details page.
 * In: tests/data/ncu.
 * Out: cmocka's verdict.
 * Never: needs ncu. */
#include "ncu_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "read/ncu/facts.h"
#include "read/ncu/ncu.h"
#include "read/ncu/raw.h"
#include "read/ncu/section.h"
#include "read/ncu/text.h"

static void open_packed(struct ncu_report *r, struct arena *a, const char *path)
{
	struct err e = {0};
	if (!ncu_open_bytes(r, path, data_read(a, path), &e))
		fail_msg("%s", e.text);
}

/* The raw page in base units, read and written again, is the same bytes. */
static void test_round_trip(void **state)
{
	static const char *const names[] = {"gather", "range", "apprange", "two", "sm_targeted"};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct arena a;
		struct ncu_report r;
		struct buf out;
		arena_init(&a);
		buf_init(&out);
		const char *path = arena_printf(&a, "tests/data/ncu/%s.raw_base.csv.zst", names[i]);
		struct str want = data_read(&a, path);
		open_packed(&r, &a, path);
		assert_int_equal(r.format, NCU_CSV_RAW);
		ncu_raw_csv(&r, &out, NULL, NULL);
		assert_int_equal(out.n, want.n);
		assert_memory_equal(out.p, want.p, want.n);
		ncu_release(&r);
		buf_release(&out);
		arena_release(&a);
	}
}

/* Automatic units: every number comes back to the report's, within what six printed decimals hold. */
static void test_scaled(void **state)
{
	struct arena a;
	struct ncu_report csv, rep;
	struct err e = {0};
	size_t n = 0;
	(void)state;
	arena_init(&a);
	open_packed(&csv, &a, "tests/data/ncu/gather.raw.csv.zst");
	assert_true(ncu_open(&rep, "tests/data/ncu/gather.ncu-repz", &e));
	for (size_t i = 0; i < csv.results[0].n_metrics; i++) {
		const struct ncu_metric *x = &csv.results[0].metrics[i];
		uint32_t name = ncu_name(&rep, csv.names[x->name]);
		const struct ncu_metric *y = ncu_metric_at(&rep.results[0], name);
		double u, v;
		assert_non_null(y);
		/* ncu scales this one's number but not the meaning of its unit; the unit is not known to us */
		if (str_is(csv.names[x->name], "derived__pct_occupancy_per_shared_mem_size"))
			continue;
		if (strcmp(ncu_unit(&csv, x), ncu_unit(&rep, y)) != 0)
			fail_msg("%.*s: %s, %s", STR_ARG(csv.names[x->name]), ncu_unit(&csv, x), ncu_unit(&rep, y));
		if (!ncu_number(x, &u) || !ncu_number(y, &v) || isnan(v))
			continue;
		if (fabs(u - v) > 0.0051 && fabs(u - v) > 2e-5 * fabs(v))
			fail_msg("%.*s: %.9g, %.9g", STR_ARG(csv.names[x->name]), u, v);
		n++;
	}
	assert_true(n > 2000);
	ncu_release(&csv);
	ncu_release(&rep);
	arena_release(&a);
}

static struct str no_commas(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.n + 1);
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != ',')
			p[n++] = s.p[i];
	}
	return (struct str){p, n};
}

/* Sections of the report = rows of ncu's details page: label, unit, value, in its order; rule texts and estimates. */
static void compare_details(const char *report, const char *export_path)
{
	struct arena a;
	struct ncu_report rep, csv;
	struct err e = {0};
	arena_init(&a);
	assert_true(ncu_open(&rep, report, &e));
	open_packed(&csv, &a, export_path);
	assert_int_equal(csv.format, NCU_CSV_DETAILS);
	assert_int_equal(csv.n_results, rep.n_results);
	for (size_t i = 0; i < rep.n_results; i++) {
		size_t n, row = 0, n_rules = 0;
		struct ncu_section *s = ncu_sections(&rep, &rep.results[i], &a, &n);
		for (size_t k = 0; k < n; k++) {
			for (size_t m = 0; m < s[k].n_rows; m++, row++) {
				assert_true(row < csv.results[i].n_rows);
				const struct ncu_row *want = &csv.results[i].rows[row];
				if (!str_eq(want->label, s[k].rows[m].label) ||
				    !str_eq(want->unit, s[k].rows[m].unit) ||
				    !str_eq(no_commas(&a, want->value), s[k].rows[m].value) ||
				    !str_eq(want->section, s[k].title))
					fail_msg("%s: %.*s %.*s %.*s, ncu prints %.*s %.*s %.*s", report,
						 STR_ARG(s[k].rows[m].label), STR_ARG(s[k].rows[m].value),
						 STR_ARG(s[k].rows[m].unit), STR_ARG(want->label), STR_ARG(want->value),
						 STR_ARG(want->unit));
			}
			n_rules += s[k].n_rules;
		}
		assert_int_equal(row, csv.results[i].n_rows);
		assert_int_equal(n_rules, csv.results[i].n_rules);
	}
	ncu_release(&rep);
	ncu_release(&csv);
	arena_release(&a);
}

static void test_details(void **state)
{
	(void)state;
	compare_details("tests/data/ncu/gather.ncu-repz", "tests/data/ncu/gather.details.csv.zst");
	compare_details("tests/data/ncu/range.ncu-repz", "tests/data/ncu/range.details.csv.zst");
}

static const struct ncu_rule *rule_like(const struct ncu_section *s, size_t n, struct str id, struct str text)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < s[i].n_rules; k++) {
			if (str_eq(s[i].rules[k].id, id) && str_eq(s[i].rules[k].text, text))
				return &s[i].rules[k];
		}
	}
	return NULL;
}

static void test_rules(void **state)
{
	struct arena a;
	struct ncu_report rep, csv;
	struct err e = {0};
	size_t n, m;
	(void)state;
	arena_init(&a);
	assert_true(ncu_open(&rep, "tests/data/ncu/gather.ncu-repz", &e));
	open_packed(&csv, &a, "tests/data/ncu/gather.details.csv.zst");
	struct ncu_section *s = ncu_sections(&rep, &rep.results[0], &a, &n);
	ncu_sections(&csv, &csv.results[0], &a, &m);
	for (size_t i = 0; i < csv.results[0].n_rules; i++) {
		const struct ncu_rule *want = &csv.results[0].rules[i];
		const struct ncu_rule *got = rule_like(s, n, want->id, want->text);
		if (!got)
			fail_msg("ncu prints a %.*s: %.*s", STR_ARG(want->id), STR_ARG(want->text));
		assert_string_equal(got->type, want->type);
		assert_string_equal(got->speedup_type, want->speedup_type);
		if (fabs(got->speedup_pct - want->speedup_pct) > 5e-3 * fabs(want->speedup_pct) + 1e-9)
			fail_msg("%.*s: %g, ncu prints %g", STR_ARG(want->id), got->speedup_pct, want->speedup_pct);
	}
	assert_true(csv.results[0].n_rules > 8 && m > 8);
	ncu_release(&rep);
	ncu_release(&csv);
	arena_release(&a);
}

/* As it prints while the program runs: log lines and the program's own output before the header. */
static void test_live(void **state)
{
	struct ncu_report r;
	struct err e = {0};
	double v;
	(void)state;
	if (!ncu_open(&r, "tests/data/ncu/live_metrics.csv", &e))
		fail_msg("%s", e.text);
	assert_int_equal(r.n_results, 3);
	assert_true(str_is(r.results[1].name, "gather(const float *, const int *, float *, int)"));
	assert_int_equal(r.results[1].grid.x, 8192);
	const struct ncu_metric *m = ncu_metric(&r, &r.results[0], "sm__inst_executed.sum");
	assert_true(m && ncu_number(m, &v) && v == 622592);
	ncu_release(&r);
	if (!ncu_open(&r, "tests/data/ncu/live_details.csv", &e))
		fail_msg("%s", e.text);
	assert_int_equal(r.n_results, 3);
	m = ncu_semantic(&r, &r.results[2], METRIC_KERNEL_DURATION); /* "Duration" in us or ns */
	assert_true(m && ncu_number(m, &v) && v > 1000 && v < 100000);
	/* "Memory Throughput" stands for two metrics; the unit decides */
	assert_non_null(ncu_semantic(&r, &r.results[0], METRIC_MEMORY_THROUGHPUT));
	assert_null(ncu_semantic(&r, &r.results[0], METRIC_DRAM_RATE));
	ncu_release(&r);
}

#define IDS "\"ID\",\"Process ID\",\"Process Name\",\"Kernel Name\",\"Context\",\"Stream\""
#define ROW "\"0\",\"1\",\"p\",\"k\",\"1\",\"7\""

static void refused(const char *text, const char *what)
{
	struct ncu_report r;
	struct err e = {0};
	if (ncu_open_bytes(&r, "x.csv", str_from(text), &e))
		fail_msg("accepted; expected: %s", what);
	if (!strstr(e.text, what) || !strstr(e.text, "offset"))
		fail_msg("\"%s\" does not say \"%s\"", e.text, what);
	ncu_release(&r);
}

static void test_refused(void **state)
{
	struct ncu_report r;
	struct err e = {0};
	(void)state;
	refused("\"ID\",\"Process ID\",\"Process Name\",\"Kernel\",\"Context\",\"Stream\"\n", "\"Kernel Name\"");
	refused(IDS ",\"gpu__time_duration.sum\"\n\"\",\"\",\"\",\"\",\"\",\"\",\"furlong\"\n",
		"unknown unit \"furlong\"");
	refused(IDS ",\"gpu__time_duration.sum\"\n\"\",\"\",\"\",\"\",\"\",\"\",\"byte\"\n", "it is in \"ns\"");
	refused(IDS ",\"gpu__time_duration.sum\"\n\"\",\"\",\"\",\"\",\"\",\"\",\"ns\"\n" ROW ",\"23,45\"\n",
		"no number");
	refused(IDS ",\"Metric Name\",\"Metric Unit\"\n", "\"Metric Value\"");
	refused(IDS ",\"Metric Name\",\"Metric Value\"\n", "\"Metric Unit\"");
	refused(IDS ",\"a__b\"\n\"\",\"\",\"\",\"\",\"\",\"\",\"\"\n\"0\",\"1\",\"p", "inside a row");
	/* an unknown unit of a metric without a semantic id is kept and noted */
	assert_true(ncu_open_bytes(&r, "x",
				   STR("app says\n" IDS
				       ",\"a__b\"\n\"\",\"\",\"\",\"\",\"\",\"\",\"furlong\"\n\"quoted app line\"\n" ROW
				       ",\"1,234.5 (1; 2; 3)\"\n" ROW ",\"no data\"\n" ROW ",\"\"\n" ROW ",\"nan\"\n"),
				   &e));
	assert_int_equal(r.n_results, 4);
	assert_int_equal(r.n_unmodeled, 1);
	const struct ncu_metric *m = ncu_metric(&r, &r.results[0], "a__b");
	assert_true(m->kind == NCU_DOUBLE && m->real == 1234.5 && m->n_instances == 3);
	assert_string_equal(ncu_unit(&r, m), "furlong");
	assert_int_equal(ncu_metric(&r, &r.results[1], "a__b")->kind, NCU_NO_VALUE);
	assert_int_equal(ncu_metric(&r, &r.results[2], "a__b")->kind, NCU_NO_VALUE);
	assert_true(isnan(ncu_metric(&r, &r.results[3], "a__b")->real));
	ncu_release(&r);
}

static void test_pages(void **state)
{
	struct ncu_report r;
	struct err e = {0};
	struct buf b;
	(void)state;
	buf_init(&b);
	assert_true(ncu_open(&r, "tests/data/ncu/sm_targeted.ncu-repz", &e));
	ncu_details_text(&r, &b);
	assert_true(str_starts(buf_view(&b), "# written by assay "));
	assert_non_null(strstr(b.p, "    Duration                         us        16.80 gpu__time_duration.sum\n"));
	assert_non_null(strstr(b.p, "    SM Active Cycles              cycle     28711.45 sm__cycles_active.avg\n"));
	assert_non_null(strstr(b.p, " Kbyte/block            1.02 launch__shared_mem_per_block_static\n"));
	buf_clear(&b);
	ncu_summary_text(&r, &b);
	assert_true(str_starts(buf_view(&b), "# written by assay "));
	assert_non_null(
		strstr(b.p, "[0] softmax(const float *, float *, int, int) (4096, 1, 1)x(256, 1, 1), Context 1"));
	assert_non_null(
		strstr(b.p, "    roofline_compute: sm.throughput 68.0466 % > 60; sm.throughput 68.0466 % > 67.906\n"));
	ncu_release(&r);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_scaled), cmocka_unit_test(test_details),
		cmocka_unit_test(test_rules),      cmocka_unit_test(test_live),   cmocka_unit_test(test_refused),
		cmocka_unit_test(test_pages),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
