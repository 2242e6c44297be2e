/* CPython's generator and the published statistics, against values that CPython 3.11 printed. */
#include "stats/published.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <math.h>

#include "base/python_random.h"

static void test_random(void **state)
{
	(void)state;
	struct python_random r;
	python_random_seed(&r, 42);
	assert_true(python_random_real(&r) == 0.6394267984578837);
	assert_true(python_random_real(&r) == 0.025010755222666936);
	python_random_real(&r);
	const uint64_t small[] = {228, 142, 754, 104, 692};
	for (size_t i = 0; i < COUNT_OF(small); i++)
		assert_int_equal(python_random_below(&r, 1000), small[i]);
	python_random_seed(&r, (UINT64_C(1) << 40) + 7);
	assert_true(python_random_real(&r) == 0.6137037779936511);
	const uint64_t large[] = {UINT64_C(551799892330), UINT64_C(797660323531)};
	for (size_t i = 0; i < COUNT_OF(large); i++)
		assert_int_equal(python_random_below(&r, UINT64_C(1) << 40), large[i]);
}

static void test_orders(void **state)
{
	(void)state;
	static const struct {
		size_t n;
		uint64_t seed;
		const char *orders;
	} cases[] = {{6, 1, "ABBABA"},
		     {7, 1, "BAABAAB"},
		     {11, 12345, "BBBABBAABAA"},
		     {30, 0, "AABBAAABBABBBABABAABABBBAAABAB"}};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char got[64] = "";
		published_orders(got, cases[i].n, cases[i].seed);
		assert_string_equal(got, cases[i].orders);
	}
}

static void test_bootstrap(void **state)
{
	(void)state;
	static const double x[] = {1.5, 2.25, -0.5, 3.0, 2.0, 1.0, 0.25};
	struct arena a;
	struct published_interval i;
	struct published_rule r = {0.95, 500, 7};
	arena_init(&a);
	published_bootstrap(&i, x, 7, &r, &a);
	assert_true(fabs(i.estimate - 1.5) < 1e-12 && fabs(i.low - (0.25)) < 1e-12 && fabs(i.high - 2.25) < 1e-12);
	r = (struct published_rule){0.9, 333, UINT64_C(1) << 33};
	published_bootstrap(&i, x, 6, &r, &a);
	assert_true(fabs(i.estimate - 1.75) < 1e-12 && fabs(i.low - (0.75)) < 1e-12 && fabs(i.high - 2.5) < 1e-12);
	arena_release(&a);
}

static void test_classify(void **state)
{
	(void)state;
	struct published_interval i = {.estimate = 2, .low = 1, .high = 3, .n = 5};
	assert_int_equal(published_classify(&i, 5, 1), PUBLISHED_WIN);
	assert_int_equal(published_classify(&i, 6, 1), PUBLISHED_INCONCLUSIVE);
	assert_int_equal(published_classify(&i, 5, 1.01), PUBLISHED_INCONCLUSIVE);
	i = (struct published_interval){.estimate = -2, .low = -3, .high = -1, .n = 5};
	assert_int_equal(published_classify(&i, 5, 1), PUBLISHED_LOSS);
	i = (struct published_interval){.estimate = 0, .low = 0, .high = 0, .n = 5};
	assert_int_equal(published_classify(&i, 5, 0), PUBLISHED_INCONCLUSIVE);
	assert_true(published_improvement(10, 8, true) == 20 && published_improvement(-10, -8, false) == 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_bootstrap),
		cmocka_unit_test(test_classify),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
