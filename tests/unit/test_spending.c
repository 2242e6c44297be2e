/* Unit tests of stats/spending.
 * In: the committed table, seeded normal numbers. Out: cmocka's report.
 * The exact table (bench/spending.c) is confronted with a plain simulation, which knows nothing of its method.
 * Never: a timing. */
#include "stats/spending.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "stats/simulate.h"
#include "stats/student.h"

static void test_looks(void **state)
{
	(void)state;
	const size_t n[] = {0, 5, 6, 8, 9, 17, 18, 31, 32, 1000}, k[] = {0, 0, 1, 1, 2, 3, 4, 5, 6, 6};
	for (size_t i = 0; i < COUNT_OF(n); i++)
		assert_int_equal(spending_n_looks(n[i]), k[i]);
}

static void test_table(void **state)
{
	(void)state;
	for (size_t n_looks = 1; n_looks <= SPENDING_LOOKS; n_looks++) {
		/* The first look's level is its share exactly; the others are above their share, for looks agree. */
		double last = (double)spending_look[n_looks - 1];
		for (double alpha = SPENDING_ALPHA; alpha > 1e-5; alpha *= 0.77) {
			double sum = 0;
			for (size_t i = 0; i < n_looks; i++) {
				double level = spending_nominal(n_looks, i, alpha);
				double before = i ? (double)spending_look[i - 1] : 0;
				double share = alpha * ((double)spending_look[i] - before) / last;
				assert_true(level >= share * (1 - 3e-4));
				if (i == 0)
					assert_true(fabs(level - share) < 1e-3 * share);
				sum += level;
			}
			assert_true(sum < 2 * alpha);
		}
		/* Stricter alpha, stricter look. */
		for (size_t i = 0; i < n_looks; i++)
			for (double alpha = SPENDING_ALPHA; alpha > 1e-5; alpha *= 0.77)
				assert_true(spending_nominal(n_looks, i, alpha * 0.77) <
					    spending_nominal(n_looks, i, alpha));
	}
}

/* Share of 60,000 normal series that some look rejects, for alpha and the plan of n_looks. */
static double rejected(size_t n_looks, double alpha, uint64_t seed)
{
	struct simulate_rng r;
	double limit[SPENDING_LOOKS];
	size_t n_runs = 60000, n_rejected = 0;
	simulate_seed(&r, seed);
	for (size_t i = 0; i < n_looks; i++)
		limit[i] = student_quantile(1 - spending_nominal(n_looks, i, alpha) / 2, (double)spending_look[i] - 1);
	for (size_t run = 0; run < n_runs; run++) {
		double sum = 0, squares = 0;
		size_t n = 0;
		for (size_t i = 0; i < n_looks; i++) {
			for (; n < spending_look[i]; n++) {
				double z = simulate_normal(&r);
				sum += z;
				squares += z * z;
			}
			double k = (double)n, var = (squares - sum * sum / k) / (k - 1);
			if (fabs(sum / k) > limit[i] * sqrt(var / k)) {
				n_rejected++;
				break;
			}
		}
	}
	return (double)n_rejected / (double)n_runs;
}

static void test_simulated(void **state)
{
	(void)state;
	const struct {
		size_t n_looks;
		double alpha;
	} plans[] = {{1, 0.04}, {2, 0.04}, {4, 0.04}, {6, 0.04}, {6, 0.04 / 3}};
	for (size_t i = 0; i < COUNT_OF(plans); i++) {
		double alpha = plans[i].alpha, got = rejected(plans[i].n_looks, alpha, 10 + i);
		double sd = sqrt(alpha * (1 - alpha) / 60000);
		if (fabs(got - alpha) > 4 * sd)
			fail_msg("plan %zu: rejected %.5f, alpha %.5f", i, got, alpha);
	}
	/* Below the table, Bonferroni: at most alpha. */
	assert_true(rejected(6, 0.0002, 99) < 0.0002 + 4 * sqrt(0.0002 / 60000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_looks),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_simulated),
	};
	return cmocka_run_group_tests_name("stats/spending", tests, NULL, NULL);
}
