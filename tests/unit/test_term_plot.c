/* Unit tests of base/term_plot.
 * In: numbers. Out: cmocka's report.
 * Marks are looked at one by one.
 * Never: asks the terminal of the tests. */
#include "base/term_plot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const struct term utf8 = {.width = 80, .is_utf8 = true}, ascii = {.width = 80};

static const char *spark(const struct term *t, struct buf *b, const double *x, size_t n)
{
	buf_clear(b);
	term_spark(t, b, x, n, 8);
	return b->n ? b->p : "";
}

static void sparks(void **state)
{
	const double up[] = {0, 1, 2, 3, 4, 5, 6, 7}, holes[] = {1, NAN, 3, INFINITY}, flat[] = {5, 5},
		     none[] = {NAN, NAN};
	double many[80];
	struct buf b;
	(void)state;
	buf_init(&b);
	assert_string_equal(spark(&utf8, &b, up, 8), "▁▂▃▄▅▆▇█");
	assert_string_equal(spark(&ascii, &b, up, 8), ".:-=+*#@");
	assert_string_equal(spark(&ascii, &b, holes, 4), ". @ ");
	assert_string_equal(spark(&ascii, &b, flat, 2), "++");
	assert_string_equal(spark(&ascii, &b, none, 2), "");
	assert_string_equal(spark(&ascii, &b, up, 0), "");
	for (size_t i = 0; i < 80; i++) /* ten values a column, whose mean is shown */
		many[i] = (double)(i / 10) + (i % 2 ? 0.25 : -0.25);
	assert_string_equal(spark(&ascii, &b, many, 80), ".:-=+*#@");
	buf_release(&b);
}

static void bins(void **state)
{
	const double x[] = {0, 0.5, 1, 2, 2.5, 2.5, 2.99, 4, 4.01, -1, NAN, INFINITY};
	struct term_bins got, wanted = {.low = 0, .high = 4, .n = 4};
	struct arena a;
	struct buf b;
	(void)state;
	arena_init(&a);
	buf_init(&b);
	term_bins_make(&got, &a, x, COUNT_OF(x), &wanted);
	const size_t counts[] = {2, 1, 4, 1}; /* the bin of 4 holds 4 itself */
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(got.counts[i], counts[i]);
	assert_int_equal(got.most, 4);
	assert_int_equal(got.n_below, 1);
	assert_int_equal(got.n_above, 1); /* not the infinite one: it is no value */
	term_bins_write(&utf8, &b, &got);
	assert_string_equal(b.p, "▄▂█▂");
	buf_clear(&b);
	got.counts[1] = 0;
	got.most = 1000; /* one of a thousand shows, none does not */
	term_bins_write(&ascii, &b, &got);
	assert_string_equal(b.p, ". ..");
	buf_release(&b);
	arena_release(&a);
}

static const char *interval(const struct term *t, struct buf *b, const struct term_interval *x)
{
	buf_clear(b);
	term_interval_write(t, b, x, 11);
	return b->p;
}

static void intervals(void **state)
{
	struct term_interval x = {.low = -5, .high = 5, .lower = 1, .middle = 2, .upper = 4, .mark = 0};
	struct buf b;
	(void)state;
	buf_init(&b);
	assert_string_equal(interval(&ascii, &b, &x), "     |-o-- ");
	assert_string_equal(interval(&utf8, &b, &x), "     │─●── ");
	x.lower = -100; /* clipped */
	x.upper = 100;
	assert_string_equal(interval(&ascii, &b, &x), "-----|-o---");
	x.mark = NAN;
	assert_string_equal(interval(&ascii, &b, &x), "-------o---");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(sparks), cmocka_unit_test(bins),
					   cmocka_unit_test(intervals)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
