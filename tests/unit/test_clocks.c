/* Unit tests of measure/clocks.
 * In: pairs of times as an H200 gives them, and as they come where one of them was tampered with. Out: cmocka's report.
 * Never: a measurement. */
#include "measure/clocks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void test_honest(void **state)
{
	(void)state;
	struct clocks one = {.span_ns = 15900, .busy_ns = 15900, .event_ns = 17800, .is_single = true, .is_held = true};
	assert_int_equal(clocks_choose(&one), CLOCKS_RECORDS);
	one.is_held = false; /* waits inside */
	one.event_ns = 23700;
	assert_int_equal(clocks_choose(&one), CLOCKS_RECORDS);
	one.event_ns = 4000000;
	assert_int_equal(clocks_choose(&one), CLOCKS_RECORDS);
	struct clocks tiny = {.span_ns = 1100, .busy_ns = 1100, .event_ns = 900, .is_single = true, .is_held = true};
	assert_int_equal(clocks_choose(&tiny), CLOCKS_RECORDS);
	struct clocks many = {
		.span_ns = 64000, .busy_ns = 41000, .event_ns = 47000, .is_held = true}; /* CUPTI widens gaps */
	assert_int_equal(clocks_choose(&many), CLOCKS_EVENTS);
	many.event_ns = 41000 * 0.95;
	assert_int_equal(clocks_choose(&many), CLOCKS_EVENTS);
}

static void test_missing(void **state)
{
	(void)state;
	struct clocks c = {.span_ns = 15900, .busy_ns = 15900, .is_single = false};
	assert_int_equal(clocks_choose(&c), CLOCKS_RECORDS);
	c.event_ns = NAN;
	assert_int_equal(clocks_choose(&c), CLOCKS_RECORDS);
	c.span_ns = NAN;
	assert_int_equal(clocks_choose(&c), CLOCKS_NONE);
	c.event_ns = 5000;
	c.is_single = true;
	assert_int_equal(clocks_choose(&c), CLOCKS_EVENTS);
}

/* Streams that are not joined: 40 us of work, of which the events see nothing, or the smaller half. */
static void test_outside_events(void **state)
{
	(void)state;
	struct clocks c = {.span_ns = 41000, .busy_ns = 40000, .event_ns = 150, .is_held = true};
	assert_int_equal(clocks_choose(&c), CLOCKS_UNORDERED);
	c.event_ns = 20000;
	assert_int_equal(clocks_choose(&c), CLOCKS_UNORDERED);
	c.is_single = true; /* events forged: the record is the number anyway, and that they differ is said */
	assert_int_equal(clocks_choose(&c), CLOCKS_UNORDERED);
}

/* CUPTI switched off around the work and on around a small kernel. */
static void test_outside_records(void **state)
{
	(void)state;
	struct clocks c = {.span_ns = 2000, .busy_ns = 2000, .event_ns = 2000000, .is_single = true, .is_held = true};
	assert_int_equal(clocks_choose(&c), CLOCKS_UNRECORDED);
	c.event_ns = 25000;
	assert_int_equal(clocks_choose(&c), CLOCKS_UNRECORDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_honest),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_outside_events),
		cmocka_unit_test(test_outside_records),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
