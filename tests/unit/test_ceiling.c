/* Unit tests of stats/ceiling.
 * In: amounts and times worked out on paper. Out: cmocka's report.
 * Rates are those of an H200 (4.8 TB/s, 60 MB of L2, 6144 bits at 3201 MHz).
 * Never: a measurement. */
#include "stats/ceiling.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-12 * fabs(want)))
		fail_msg("got %.17g, want %.17g", got, want);
}

static void test_roofline(void **state)
{
	(void)state;
	struct ceiling c;
	struct err e;
	/* 4096 x 4096 x 4096 fp16 at 200 us: compute. */
	struct ceiling_work w = {.flops = 2.0 * 4096 * 4096 * 4096,
				 .bytes = 3.0 * 2 * 4096 * 4096,
				 .time_ns = 200e3,
				 .peak_flops = 989e12,
				 .peak_bytes = 4.8e12};
	assert_true(ceiling_of(&c, &w, &e));
	assert_int_equal(c.bound, CEILING_COMPUTE);
	near(c.intensity, 4096.0 / 3);
	near(c.ridge, 989e12 / 4.8e12);
	near(c.flop_rate, 2.0 * 4096 * 4096 * 4096 / 200e-6);
	near(c.least_ns, 2.0 * 4096 * 4096 * 4096 / 989e12 * 1e9);
	near(c.pct, 100 * c.least_ns / 200e3);
	near(c.flop_pct, c.pct);
	assert_true(c.byte_pct < c.flop_pct);
	/* A copy: memory. */
	w.flops = 0;
	assert_true(ceiling_of(&c, &w, &e));
	assert_int_equal(c.bound, CEILING_MEMORY);
	assert_int_equal(c.has, CEILING_HAS_ROOF | CEILING_HAS_BYTES | CEILING_HAS_RIDGE);
	near(c.pct, 100 * (w.bytes / 4.8e12 * 1e9) / 200e3);
	/* Nothing known. */
	w = (struct ceiling_work){.time_ns = 1};
	assert_true(ceiling_of(&c, &w, &e));
	assert_int_equal(c.has, 0);
	assert_int_equal(c.bound, CEILING_NONE);
	/* Amounts without peaks: rates, no roof. */
	w = (struct ceiling_work){.time_ns = 1000, .flops = 5, .bytes = 10};
	assert_true(ceiling_of(&c, &w, &e));
	assert_int_equal(c.has, CEILING_HAS_INTENSITY | CEILING_HAS_FLOPS | CEILING_HAS_BYTES);
	near(c.byte_rate, 1e7);
	near(c.intensity, 0.5);
}

static void test_refused(void **state)
{
	(void)state;
	struct ceiling c;
	struct err e;
	const struct ceiling_work bad[] = {{.time_ns = 0},
					   {.time_ns = -1},
					   {.time_ns = NAN},
					   {.time_ns = 1, .flops = -1},
					   {.time_ns = 1, .bytes = INFINITY},
					   {.time_ns = 1, .peak_flops = NAN}};
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		assert_false(ceiling_of(&c, &bad[i], &e));
		assert_int_equal(e.code, ERR_INPUT);
	}
}

static void test_floor(void **state)
{
	(void)state;
	double floor_ns, pins = ceiling_pin_rate(6144, 3201e6, 2);
	near(pins, 4.916736e12);
	struct ceiling_floor_in in = {.bytes = 560e6,
				      .l2_bytes = 60e6,
				      .pin_rate = pins,
				      .measured_rate = 4.3e12,
				      .flags = CEILING_DECLARED | CEILING_COLD};
	in.time_ns = 101e3;
	assert_int_equal(ceiling_floor_of(&in, &floor_ns), CEILING_FLOOR_IMPOSSIBLE);
	near(floor_ns, 500e6 / pins * 1e9);
	in.flags = CEILING_DECLARED; /* warm */
	assert_int_equal(ceiling_floor_of(&in, NULL), CEILING_FLOOR_SUSPECT);
	in.flags = CEILING_COLD; /* guessed */
	assert_int_equal(ceiling_floor_of(&in, NULL), CEILING_FLOOR_SUSPECT);
	in.flags = CEILING_DECLARED | CEILING_COLD;
	in.time_ns = 110e3; /* above the pins, below what any copy reached */
	assert_int_equal(ceiling_floor_of(&in, NULL), CEILING_FLOOR_SUSPECT);
	in.time_ns = 120e3;
	assert_int_equal(ceiling_floor_of(&in, NULL), CEILING_FLOOR_PASSED);
	in.bytes = 50e6; /* fits into the cache: no floor */
	in.time_ns = 1;
	assert_int_equal(ceiling_floor_of(&in, &floor_ns), CEILING_FLOOR_PASSED);
	near(floor_ns, 0);
	in.bytes = 0;
	assert_int_equal(ceiling_floor_of(&in, NULL), CEILING_FLOOR_UNKNOWN);
	in = (struct ceiling_floor_in){.bytes = 1e9, .time_ns = 1};
	assert_int_equal(ceiling_floor_of(&in, NULL), CEILING_FLOOR_UNKNOWN);
}

static void test_amdahl(void **state)
{
	(void)state;
	near(ceiling_amdahl(0.5, 0.5, 0), 1.0 / 3);
	near(ceiling_amdahl(0.2, 1, 0), 0.25);
	near(ceiling_amdahl(0.2, 0.5, 0.1), 0);
	assert_true(ceiling_amdahl(0.1, 0.1, 0.05) < 0);
	assert_true(isinf(ceiling_amdahl(1, 1, 0)));
	near(ceiling_amdahl_needed(ceiling_amdahl(0.3, 0.7, 0.02), 0.3, 0.02), 0.7);
	assert_true(ceiling_amdahl_needed(0.5, 0.1, 0) > 1);
}

static void test_json(void **state)
{
	(void)state;
	struct arena a;
	struct err e;
	struct ceiling c;
	arena_init(&a);
	assert_true(ceiling_of(&c, &(struct ceiling_work){.bytes = 4.8e6, .time_ns = 2000, .peak_bytes = 4.8e12}, &e));
	struct json *j = ceiling_json(&a, &c);
	near(json_f64(j, "binding_pct", 0), 50);
	assert_true(str_is(json_str(j, "binding", STR("")), "memory"));
	assert_null(json_get(j, "compute_pct"));
	assert_null(json_get(j, "intensity_flop_per_byte"));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_roofline), cmocka_unit_test(test_refused), cmocka_unit_test(test_floor),
		cmocka_unit_test(test_amdahl),   cmocka_unit_test(test_json),
	};
	return cmocka_run_group_tests_name("stats/ceiling", tests, NULL, NULL);
}
