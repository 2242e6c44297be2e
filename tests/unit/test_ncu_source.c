/* Per-instruction metrics and source lines against ncu's source page.
 * In: tests/data/ncu.
 * Out: cmocka's verdict.
 * Never: needs a disassembler. */
#include "ncu_data.h"

#include <stdio.h>
#include <string.h>

#include "read/ncu/hotspot.h"
#include "read/ncu/record.h"
#include "read/ncu/source.h"

static size_t column(const struct record *head, const char *name)
{
	for (size_t i = 0; i < head->n; i++) {
		if (str_is(head->cells[i], name))
			return i;
	}
	fail_msg("no column %s", name);
	return 0;
}

static size_t sheet_column_of(const struct sheet *s, const char *name)
{
	for (size_t i = 0; i < s->n_columns; i++) {
		if (strcmp(s->columns[i].name, name) == 0)
			return i;
	}
	fail_msg("no column %s", name);
	return 0;
}

static double number(struct str s)
{
	double v = -1;
	if (!str_f64(s, &v))
		fail_msg("no number: %.*s", STR_ARG(s));
	return v;
}

/* Address, samples, not-issued samples and executions of all 32 instructions. */
static void test_instructions(void **state)
{
	struct arena a;
	struct ncu_report r;
	struct err e = {0};
	struct sheet s;
	struct record title = {0}, head = {0}, row = {0};
	size_t at = 0, n = 0;
	(void)state;
	arena_init(&a);
	if (!ncu_open(&r, "tests/data/ncu/gather.ncu-repz", &e))
		fail_msg("%s", e.text);
	hotspot_sass(&r, &s, &a);
	struct str text = data_read(&a, "tests/data/ncu/gather.source.csv.zst");
	assert_true(record_take(&title, &a, text, &at) && record_take(&head, &a, text, &at));
	for (; record_take(&row, &a, text, &at) && row.n == head.n; n++) {
		assert_true(n < s.n_rows);
		const struct sheet_cell *c = &s.cells[n * s.n_columns];
		assert_true(str_eq(c[sheet_column_of(&s, "pc")].text, row.cells[column(&head, "Address")]));
		assert_true(c[sheet_column_of(&s, "samples")].v ==
			    number(row.cells[column(&head, "Warp Stall Sampling (All Samples)")]));
		assert_true(c[sheet_column_of(&s, "not_issued")].v ==
			    number(row.cells[column(&head, "Warp Stall Sampling (Not-issued Samples)")]));
		assert_true(c[sheet_column_of(&s, "executed")].v ==
			    number(row.cells[column(&head, "Instructions Executed")]));
		assert_true(c[sheet_column_of(&s, "thread_executed")].v ==
			    number(row.cells[column(&head, "Thread Instructions Executed")]));
	}
	assert_int_equal(n, 32);
	assert_int_equal(n, s.n_rows);
	ncu_release(&r);
	arena_release(&a);
}

static void test_lines(void **state)
{
	struct arena a;
	struct ncu_report r;
	struct err e = {0};
	struct sheet s;
	double samples = 0, share = 0;
	(void)state;
	arena_init(&a);
	if (!ncu_open(&r, "tests/data/ncu/gather.ncu-repz", &e))
		fail_msg("%s", e.text);
	hotspot_lines(&r, &s, &a);
	assert_int_equal(s.n_rows, 4);
	for (size_t i = 0; i < s.n_rows; i++) {
		const struct sheet_cell *c = &s.cells[i * s.n_columns];
		samples += c[sheet_column_of(&s, "samples")].v;
		share += c[sheet_column_of(&s, "samples_pct")].v;
		if (c[sheet_column_of(&s, "line")].v == 11) {
			assert_true(c[sheet_column_of(&s, "samples")].v == 577);
			assert_true(str_is(c[sheet_column_of(&s, "text")].text, "if (i < n) y[i] = x[idx[i]];"));
			assert_true(str_is(c[sheet_column_of(&s, "stall")].text, "long_scoreboard"));
		}
	}
	const struct ncu_metric *m = ncu_metric(&r, &r.results[0], "smsp__pcsamp_sample_count");
	assert_true(samples == (double)m->u && share > 99.99 && share < 100.01);
	ncu_release(&r);
	arena_release(&a);
}

/* Opcodes are instances too; a number that is no address is attributed to nothing. */
static void test_instances(void **state)
{
	struct arena a;
	struct ncu_report r;
	struct err e = {0};
	struct ncu_code code;
	uint64_t offset;
	size_t n;
	(void)state;
	arena_init(&a);
	assert_true(ncu_open(&r, "tests/data/ncu/gather.ncu-repz", &e));
	const struct ncu_metric *m = ncu_metric(&r, &r.results[0], "sass__inst_executed_per_opcode");
	struct ncu_instance *in = ncu_instances(m, &a, &n);
	assert_true(n == m->n_instances && n > 5);
	assert_int_equal(in[0].id.kind, NCU_STRING);
	assert_true(str_is((struct str){in[0].id.text, in[0].id.n_text}, "LDC"));
	assert_true(in[0].value.real == 163840);
	ncu_code_of(&code, &r, &r.results[0], &a);
	assert_true(code.n_functions == 2 && !code.line_problem);
	assert_null(ncu_function_at(&code, 0, &offset));
	assert_null(ncu_function_at(&code, UINT64_MAX, &offset));
	ncu_release(&r);
	arena_release(&a);
}

static void test_no_lines(void **state)
{
	struct arena a;
	struct line_table t;
	struct ncu_report r;
	struct sheet s;
	struct err e = {0};
	(void)state;
	arena_init(&a);
	line_table_read(&t, &a, STR("no ELF"));
	assert_string_equal(t.problem, "no 64-bit ELF");
	assert_int_equal(t.n_functions, 0);
	assert_true(ncu_open(&r, "tests/data/ncu/sm_targeted.ncu-repz", &e));
	hotspot_lines(&r, &s, &a);
	assert_int_equal(s.n_rows, 0);
	assert_non_null(s.note);
	ncu_release(&r);
	arena_release(&a);
}

/* Every byte of a small cubin changed: never a crash. */
static void test_broken_cubin(void **state)
{
	struct arena a;
	struct ncu_report r;
	struct err e = {0};
	(void)state;
	arena_init(&a);
	assert_true(ncu_open(&r, "tests/data/ncu/gather.ncu-repz", &e));
	struct str cubin = r.sources[0].cubin;
	for (size_t i = 0; i < r.n_sources && !cubin.n; i++)
		cubin = r.sources[i].cubin;
	assert_true(cubin.n > 1000);
	char *p = arena_strndup(&a, cubin.p, cubin.n);
	for (size_t i = 0; i < cubin.n; i += 3) {
		struct line_table t;
		struct arena_mark mark = arena_mark(&a);
		char was = p[i];
		p[i] = (char)(was ^ 0xff);
		line_table_read(&t, &a, (struct str){p, i % 2 ? cubin.n : i});
		for (size_t k = 0; k < t.n_functions; k++)
			(void)line_table_at(&t.functions[k], 64);
		p[i] = was;
		arena_reset(&a, mark);
	}
	ncu_release(&r);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions), cmocka_unit_test(test_lines),
		cmocka_unit_test(test_instances),    cmocka_unit_test(test_no_lines),
		cmocka_unit_test(test_broken_cubin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
