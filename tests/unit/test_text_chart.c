/* Unit tests of report/text_chart: what the charts of a bench and of a comparison say, number by number.
 * In: records made here. Out: cmocka's report.
 * Never: measures. */
#include "report/text_chart.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

struct fixture {
	struct arena a;
	struct buf out;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	arena_init(&f->a);
	buf_init(&f->out);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	arena_release(&f->a);
	buf_release(&f->out);
	free(f);
	return 0;
}

static struct json *parsed(struct fixture *f, const char *text)
{
	struct err e;
	struct json *j = json_parse(&f->a, "test", str_from(text), JSON_STRICT, &e);
	if (!j)
		fail_msg("%s", e.text);
	return j;
}

static const char *shown(struct fixture *f, const char *record, struct term t, bool is_compare)
{
	buf_clear(&f->out);
	if (is_compare)
		text_chart_compare(parsed(f, record), &t, &f->a, &f->out);
	else
		text_chart_bench(parsed(f, record), &t, &f->a, &f->out);
	return f->out.n ? f->out.p : "";
}

/* 36 samples of 1 ms to 1.02 ms, and one of 9 ms that the axis leaves out and the line counts. */
static void a_bench(void **state)
{
	struct fixture *f = *state;
	struct buf b;
	buf_init(&b);
	buf_puts(&b, "{\"kernel\": {\"cold\": {\"samples_ns\": [");
	for (int i = 0; i < 36; i++)
		buf_printf(&b, "%d, ", i < 24 ? 1000000 : i < 33 ? 1010000 : 1020000);
	buf_puts(&b, "9000000]}, \"warm\": {\"samples_ns\": [5, 5, 5, 5]}}}");
	const char *text = shown(f, b.p, (struct term){.width = 80}, false);
	/* 14 columns from 1 ms to 1.03 ms: 24 in the first, 9 in the fifth (of 8 levels, rounded up: 3), 3 in the tenth (1) */
	assert_string_equal(text, "samples    cold  @   -    .                  1.00 ms to 1.03 ms, n 37, 1 above\n"
				  "in order   cold  .........................@  first to last, 1.4 a column\n");
	text = shown(f, b.p, (struct term){.width = 80, .is_utf8 = true}, false);
	assert_non_null(
		strstr(text, "samples    cold  █   ▃    ▁                  1.00 ms to 1.03 ms, n 37, 1 above\n"));
	text = shown(f, b.p, (struct term){.width = 40}, false); /* the axis goes below */
	assert_string_equal(text, "samples    cold  @   -    .\n                 1.00 ms to 1.03 ms, n 37, 1 above\n"
				  "in order   cold  ..............@\n                 first to last, 2.5 a column\n");
	assert_string_equal(shown(f, b.p, (struct term){.width = 80, .is_quiet = true}, false), "");
	buf_release(&b);
}

static void a_bench_without_samples(void **state)
{
	struct fixture *f = *state;
	static const char *const records[] = {"{}",
					      "{\"kernel\": {}}",
					      "{\"kernel\": {\"cold\": {\"samples_ns\": []}}}",
					      "{\"kernel\": {\"cold\": {\"samples_ns\": [1, 2]}}}",
					      "{\"kernel\": {\"cold\": {\"samples_ns\": [null, \"x\", {}, 3]}}}",
					      "{\"kernel\": {\"cold\": {\"samples_ns\": \"text\"}}}"};
	for (size_t i = 0; i < COUNT_OF(records); i++)
		assert_string_equal(shown(f, records[i], (struct term){.width = 80}, false), "");
}

static const char comparison[] =
	"{\"sides\": [{\"label\": \"A\", \"cases\": [{\"time_ns\": [2000, 2000, 2000, 2400]}]},"
	"{\"label\": \"B\", \"effect\": {\"effect_pct\": 50, \"lower_pct\": 25, \"upper_pct\": 75},"
	" \"cases\": [{\"time_ns\": [1000, 1000, 1200, 1400],"
	" \"log_ratio\": [0.6931471805599453, 0.6931471805599453, 0.0, 0.4054651081081644]}]},"
	"{\"label\": \"C\", \"cases\": []}]}";

static void a_comparison(void **state)
{
	struct fixture *f = *state;
	const char *text = shown(f, comparison, (struct term){.width = 79}, true);
	/* 25 columns of 56 ns: 1,000 in column 0, 1,200 in 3, 1,400 in 7, 2,000 in 17, 2,400 in 24. 25 of 4 %: 0 in 0, 50 in 12,
	 * 100 in 24; the interval from 25 to 75 */
	assert_string_equal(text, "times      A                      @      -  1.00 us to 2.40 us, n 4\n"
				  "           B     @  =   =                   n 4\n"
				  "A against  B     =           =           @  A longer by +0 to +100 %, n 4\n"
				  "                 |     ------o------        95 % interval; | is no difference\n");
	assert_string_equal(shown(f, comparison, (struct term){.width = 79, .is_quiet = true}, true), "");
	for (size_t width = 40; width < 130; width++) {
		struct str all = str_from(shown(f, comparison, (struct term){.width = width, .is_utf8 = true}, true)),
			   line;
		while (str_split(&all, '\n', &line))
			if (term_columns(line) > (width < 60 ? 60 : width)) /* the axis is never cut */
				fail_msg("width %zu: %.*s", width, STR_ARG(line));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_bench, setup, teardown),
		cmocka_unit_test_setup_teardown(a_bench_without_samples, setup, teardown),
		cmocka_unit_test_setup_teardown(a_comparison, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
