/* Unit tests of base/progress.
 * In: levels, phases, counts; a folder. Out: cmocka's report.
 * The line itself needs a terminal: tests/cli/progress.t.
 * Never: asserts a time. */
#include "base/progress.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "base/proc.h"

struct fixture {
	struct arena a;
	struct err e;
	char dir[32];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	arena_init(&f->a);
	snprintf(f->dir, sizeof(f->dir), "/tmp/progress-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	progress_folder(NULL, NULL);
	assert_true(file_remove_tree(f->dir, &f->e));
	arena_release(&f->a);
	free(f);
	return 0;
}

static struct json *live(struct fixture *f)
{
	struct json *j = json_read_file(&f->a, path_join(&f->a, f->dir, ".live.json"), JSON_STRICT, &f->e);
	if (!j)
		fail_msg("%s", f->e.text);
	return j;
}

static void what_is_said(struct fixture *f, size_t i, const char *key, const char *wanted)
{
	struct str got = json_str(json_at(json_get(live(f), "levels"), i), key, STR("(null)"));
	assert_int_equal(got.n, strlen(wanted));
	assert_memory_equal(got.p, wanted, got.n);
}

static void levels_and_phases(void **state)
{
	struct fixture *f = *state;
	progress_folder(f->dir, "assay optimize k.c");
	progress_begin("optimize");
	progress_begin("v%d of %d", 2, 5);
	progress_phase("cold", 1.5);
	what_is_said(f, 0, "what", "optimize");
	what_is_said(f, 1, "what", "v2 of 5");
	what_is_said(f, 1, "phase", "cold");
	assert_true(json_f64(json_at(json_get(live(f), "levels"), 1), "phase_most_seconds", 0) == 1.5);
	assert_int_equal(json_i64(live(f), "pid", 0), getpid());
	assert_true(proc_is_alive(getpid(), json_i64(live(f), "start_time", 0)));
	assert_false(
		proc_is_alive(getpid(), json_i64(live(f), "start_time", 0) + 1)); /* the number was given out again */
	progress_count("samples", 320, 0);
	progress_figures(4.5e6, 1980);
	progress_phase("warm", 0); /* shown at once: what was counted before it is not of this phase */
	what_is_said(f, 1, "phase", "warm");
	assert_null(json_get(json_at(json_get(live(f), "levels"), 1), "done"));
	assert_true(json_f64(live(f), "clock_mhz", 0) == 1980);
	progress_end();
	progress_phase("last", 0);
	assert_int_equal(json_get(live(f), "levels")->n, 1);
	progress_end();
	progress_folder(NULL, NULL);
	assert_false(file_exists(path_join(&f->a, f->dir, ".live.json")));
}

static void counts(void **state)
{
	struct fixture *f = *state;
	progress_folder(f->dir, "");
	progress_begin("compare");
	progress_phase("placements", 10);
	usleep(300000); /* more often than four times a second nothing is shown */
	progress_count("placements", 3, 12);
	const struct json *level = json_at(json_get(live(f), "levels"), 0);
	assert_int_equal(json_i64(level, "done", 0), 3);
	assert_int_equal(json_i64(level, "most", 0), 12);
	progress_end();
}

/* Deeper than is shown, and ended more often than begun. */
static void too_deep(void **state)
{
	struct fixture *f = *state;
	progress_folder(f->dir, "");
	for (int i = 0; i < 6; i++)
		progress_begin("level %d", i);
	progress_phase("not shown", 0);
	what_is_said(f, 3, "what", "level 3");
	assert_int_equal(json_get(live(f), "levels")->n, 4);
	for (int i = 0; i < 9; i++)
		progress_end();
	progress_phase("no level", 0);
	progress_begin("again");
	what_is_said(f, 0, "what", "again");
	progress_end();
}

static void a_folder_that_cannot_be_written(void **state)
{
	(void)state;
	progress_folder("/proc/nothing", "");
	progress_begin("optimize");
	progress_phase("cold", 1);
	progress_end();
	progress_folder(NULL, NULL);
}

static void seconds(void **state)
{
	static const struct {
		double s;
		const char *text;
	} wanted[] = {{0.04, "0.0 s"},      {9.94, "9.9 s"},    {9.96, "10 s"},      {99, "99 s"},
		      {-1, "0.0 s"},        {80, "80 s"},       {100, "1 min 40 s"}, {5999, "99 min 59 s"},
		      {6000, "1 h 40 min"}, {7500, "2 h 5 min"}};
	struct buf b;
	(void)state;
	buf_init(&b);
	for (size_t i = 0; i < COUNT_OF(wanted); i++) {
		buf_clear(&b);
		progress_seconds(&b, wanted[i].s);
		assert_string_equal(b.p, wanted[i].text);
	}
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(levels_and_phases, setup, teardown),
		cmocka_unit_test_setup_teardown(counts, setup, teardown),
		cmocka_unit_test_setup_teardown(too_deep, setup, teardown),
		cmocka_unit_test(a_folder_that_cannot_be_written),
		cmocka_unit_test(seconds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
