/* Every value of every sample report against ncu's own export of it.
 * In: tests/data/ncu (ours), fixtures/ncu where they are.
 * Out: cmocka's verdict.
 * Never: tolerates a difference that is not named here. */
#include "ncu_data.h"

#include <stdio.h>
#include <string.h>

#include "read/ncu/ncu.h"
#include "read/ncu/raw.h"
#include "read/ncu/record.h"

struct table {
	struct record header, units, *rows;
	size_t n_rows;
};

static struct table table_of(struct arena *a, struct str text)
{
	struct table t = {0};
	size_t at = 0;
	t.rows = ARENA_ARRAY(a, 4096, struct record);
	assert_true(record_take(&t.header, a, text, &at));
	assert_true(record_take(&t.units, a, text, &at));
	while (t.n_rows < 4096 && record_take(&t.rows[t.n_rows], a, text, &at))
		t.n_rows++;
	return t;
}

/* Kernel names: ncu 2025.3 prints them simplified, the report holds "(int)4" where it prints "4". */
static struct str plain_name(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.n + 1);
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (str_starts(str_sub(s, i, SIZE_MAX), "(int)"))
			i += 5;
		if (i < s.n)
			p[n++] = s.p[i];
	}
	return (struct str){p, n};
}

static bool differs_knowingly(struct str column, struct str ours, struct str theirs)
{
	/* The unit that ncu invents for these depends on which other metrics the report has. */
	if (str_starts(column, "sass__inst_executed_register_spilling_mem_"))
		return str_is(ours, "inst") && str_is(theirs, "byte");
	return false;
}

/* with_units: the export is of ncu 2025.3, whose words for units we use. */
static void compare(const char *name, struct str ours_text, struct str theirs_text, bool with_units)
{
	struct arena a;
	arena_init(&a);
	struct table ours = table_of(&a, ours_text), theirs = table_of(&a, theirs_text);
	assert_int_equal(ours.header.n, theirs.header.n);
	assert_int_equal(ours.n_rows, theirs.n_rows);
	assert_true(ours.n_rows > 0);
	for (size_t c = 0; c < ours.header.n; c++) {
		struct str column = theirs.header.cells[c];
		assert_true(str_eq(ours.header.cells[c], column));
		if (with_units && !str_eq(ours.units.cells[c], theirs.units.cells[c]) &&
		    !differs_knowingly(column, ours.units.cells[c], theirs.units.cells[c]))
			fail_msg("%s: unit of %.*s is %.*s, ncu prints %.*s", name, STR_ARG(column),
				 STR_ARG(ours.units.cells[c]), STR_ARG(theirs.units.cells[c]));
		for (size_t i = 0; i < ours.n_rows; i++) {
			struct str x = ours.rows[i].cells[c], y = theirs.rows[i].cells[c];
			assert_true(ours.rows[i].n == ours.header.n && theirs.rows[i].n == ours.header.n);
			if (str_is(column, "Kernel Name")) {
				x = plain_name(&a, x);
				y = plain_name(&a, y);
			}
			if (!str_eq(x, y))
				fail_msg("%s: result %zu: %.*s is \"%.*s\", ncu prints \"%.*s\"", name, i,
					 STR_ARG(column), STR_ARG(x), STR_ARG(y));
		}
	}
	arena_release(&a);
}

static void compare_file(const char *report, const char *export_path, bool with_units)
{
	struct ncu_report r;
	struct err e = {0};
	struct arena a;
	struct buf out;
	arena_init(&a);
	buf_init(&out);
	if (!ncu_open(&r, report, &e))
		fail_msg("%s", e.text);
	assert_false(r.damage.is_damaged);
	assert_true(r.is_verified);
	ncu_raw_csv(&r, &out, NULL, NULL);
	compare(report, buf_view(&out), data_read(&a, export_path), with_units);
	ncu_release(&r);
	buf_release(&out);
	arena_release(&a);
}

/* Byte for byte: no name and no unit of this report differs. */
static void test_bytes(void **state)
{
	static const char *const names[] = {"range", "apprange", "gather"};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		char report[128], export_path[128];
		struct ncu_report r;
		struct err e = {0};
		struct arena a;
		struct buf out;
		arena_init(&a);
		buf_init(&out);
		snprintf(report, sizeof(report), "tests/data/ncu/%s.ncu-repz", names[i]);
		snprintf(export_path, sizeof(export_path), "tests/data/ncu/%s.raw_base.csv.zst", names[i]);
		if (!ncu_open(&r, report, &e))
			fail_msg("%s", e.text);
		ncu_raw_csv(&r, &out, NULL, NULL);
		struct str want = data_read(&a, export_path);
		assert_int_equal(out.n, want.n);
		assert_memory_equal(out.p, want.p, want.n);
		ncu_release(&r);
		buf_release(&out);
		arena_release(&a);
	}
}

static void test_ours(void **state)
{
	(void)state;
	compare_file("tests/data/ncu/sm_targeted.ncu-repz", "tests/data/ncu/sm_targeted.raw_base.csv.zst", true);
	/* two processes at once: rows are grouped by process */
	compare_file("tests/data/ncu/two.ncu-repz", "tests/data/ncu/two.raw_base.csv.zst", true);
}

/* ncu does not double the quotes inside NVTX names, so its export is no CSV; ours is. What both mean must agree. */
static void test_nvtx(void **state)
{
	struct ncu_report r;
	struct err e = {0};
	struct arena a;
	struct buf out;
	(void)state;
	arena_init(&a);
	buf_init(&out);
	if (!ncu_open(&r, "tests/data/ncu/nvtx.ncu-repz", &e))
		fail_msg("%s", e.text);
	ncu_raw_csv(&r, &out, NULL, NULL);
	compare("nvtx", buf_view(&out), data_read(&a, "tests/data/ncu/nvtx.raw_base.csv.zst"), true);
	ncu_release(&r);
	buf_release(&out);
	arena_release(&a);
}

/* Exports of ncu 2024.1.1 (other unit words), of 2025.3.1 with thousands commas for ours. */
static void test_fixtures(void **state)
{
	(void)state;
	const char *root = data_fixtures();
	struct arena a;
	struct err e = {0};
	size_t n;
	if (!root) {
		print_message("no fixtures folder: public reports are not compared\n");
		skip();
	}
	arena_init(&a);
	char *dir = arena_printf(&a, "%s/ncu/public", root);
	char **files = file_list(&a, dir, &n, &e);
	size_t n_compared = 0;
	for (size_t i = 0; files && i < n; i++) {
		if (!str_ends(str_from(files[i]), ".ncu-rep"))
			continue;
		char *stem = path_stem(&a, files[i]);
		compare_file(path_join(&a, dir, files[i]), arena_printf(&a, "%s/%s.raw_base.csv", dir, stem), false);
		n_compared++;
	}
	assert_true(n_compared >= 10);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_ours),
		cmocka_unit_test(test_nvtx),
		cmocka_unit_test(test_fixtures),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
