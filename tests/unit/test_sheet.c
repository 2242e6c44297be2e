/* Sheets: filter, sort, top, columns, CSV and JSON.
 * In: rows made here.
 * Out: cmocka's verdict.
 * Never: needs a terminal. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "read/sheet.h"

static const struct sheet_column columns[] = {
	{"name", "name", "", SHEET_TEXT | SHEET_KEY},
	{"time_ns", "time", "ns", SHEET_SHARE},
	{"note", "note", "", SHEET_TEXT | SHEET_HIDDEN},
};

static void fill(struct sheet *s, struct arena *a)
{
	static const struct {
		const char *name;
		double t;
	} rows[] = {{"alpha", 5}, {"beta,x", 1.5}, {"al\"so", 9}, {"none", -1}};
	sheet_init(s, a, "t", columns, COUNT_OF(columns));
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct sheet_cell *c = sheet_row(s);
		sheet_put_text(&c[0], str_from(rows[i].name));
		if (rows[i].t >= 0)
			sheet_put(&c[1], rows[i].t);
	}
}

static void test_match(void **state)
{
	(void)state;
	assert_true(sheet_match(STR("dram__bytes.sum"), "bytes"));
	assert_true(sheet_match(STR("dram__bytes.sum"), "dram*sum"));
	assert_true(sheet_match(STR("dram__bytes.sum"), "*"));
	assert_true(sheet_match(STR("aXbXc"), "a?b*c"));
	assert_false(sheet_match(STR("dram__bytes.sum"), "dram*"
							 "avg"));
	assert_false(sheet_match(STR("dram"), "?dram"));
	assert_true(sheet_match(STR("aaaaaaaaaaaaaaaaaaaaaaaaaaab"), "*a*a*a*b"));
	assert_true(sheet_match(STR(""), "*"));
}

static void expect_csv(const struct sheet_view *v, size_t n_want, const char *csv)
{
	struct arena a;
	struct sheet s;
	struct buf b;
	struct err e = {0};
	size_t n;
	arena_init(&a);
	buf_init(&b);
	fill(&s, &a);
	assert_true(sheet_apply(&s, v, &n, &e));
	assert_int_equal(n, n_want);
	sheet_csv(&s, NULL, &b);
	assert_string_equal(b.p, csv);
	buf_release(&b);
	arena_release(&a);
}

static void test_view(void **state)
{
	(void)state;
	expect_csv(&(struct sheet_view){0}, 4,
		   "name,time_ns,note\nalpha,5,\n\"beta,x\",1.5,\n\"al\"\"so\",9,\nnone,,\n");
	expect_csv(&(struct sheet_view){.sort = "time_ns", .top = 2}, 4,
		   "name,time_ns,note\n\"al\"\"so\",9,\nalpha,5,\n");
	expect_csv(&(struct sheet_view){.sort = "-time_ns"}, 4,
		   "name,time_ns,note\n\"beta,x\",1.5,\nalpha,5,\n\"al\"\"so\",9,\nnone,,\n"); /* missing stays last */
	expect_csv(&(struct sheet_view){.filter = "al*", .sort = "-name"}, 2,
		   "name,time_ns,note\n\"al\"\"so\",9,\nalpha,5,\n");
	expect_csv(&(struct sheet_view){.filter = "zzz"}, 0, "name,time_ns,note\n");
}

static void test_unknown_column(void **state)
{
	struct arena a;
	struct sheet s;
	struct err e = {0};
	size_t n;
	(void)state;
	arena_init(&a);
	fill(&s, &a);
	assert_false(sheet_apply(&s, &(struct sheet_view){.sort = "tyme"}, &n, &e));
	assert_string_equal(e.text, "no column \"tyme\" in t; it has name, time_ns, note");
	assert_false(sheet_apply(&s, &(struct sheet_view){.columns = "name,x"}, &n, &e));
	arena_release(&a);
}

static void test_json_and_text(void **state)
{
	struct arena a;
	struct sheet s;
	struct buf b;
	struct term t = {80, false};
	(void)state;
	arena_init(&a);
	buf_init(&b);
	fill(&s, &a);
	json_write(&b, sheet_json(&s, &a), JSON_COMPACT);
	assert_non_null(strstr(b.p, "{\"name\":\"beta,x\",\"time_ns\":1.5}"));
	assert_non_null(strstr(b.p, "{\"name\":\"none\"}")); /* missing is not zero */
	buf_clear(&b);
	sheet_text(&s, NULL, &t, &b);
	assert_non_null(strstr(b.p, "1.50 ns"));
	assert_null(strstr(b.p, "note"));
	buf_clear(&b);
	sheet_text(&s, "note,name", &t, &b);
	assert_non_null(strstr(b.p, "note"));
	assert_null(strstr(b.p, "time"));
	buf_release(&b);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_view),
		cmocka_unit_test(test_unknown_column),
		cmocka_unit_test(test_json_and_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
