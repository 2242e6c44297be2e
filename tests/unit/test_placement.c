/* Unit tests of stats/placement.
 * In: calls written by hand. Out: cmocka's report.
 * Expected values follow the numbered rules of placement.h, worked out on paper or with Python.
 * Never: random numbers. */
#include "stats/placement.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define A PLACEMENT_A
#define B PLACEMENT_B

struct fixture {
	struct arena a;
	struct err e;
	struct placement_call c[512];
	size_t n;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	arena_init(&f->a);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	arena_release(&f->a);
	free(f);
	return 0;
}

static void add(struct fixture *f, uint32_t block, uint8_t slot, uint8_t side, double time)
{
	f->c[f->n++] = (struct placement_call){.time_ns = time, .block = block, .slot = slot, .side = side};
}

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-12 * fabs(want) + 1e-15))
		fail_msg("got %.17g, want %.17g", got, want);
}

/* n_calls calls a slot, A = 110, B = 100, the discarded ones absurd. */
static void fill(struct fixture *f, uint32_t n_blocks, size_t n_calls)
{
	for (uint32_t b = 0; b < n_blocks; b++)
		for (uint8_t slot = 0; slot < 4; slot++)
			for (size_t i = 0; i < n_calls; i++) {
				bool switched = i == 0 && (slot == 1 || slot == 3 || (slot == 0 && b == 0));
				uint8_t side = slot == 1 || slot == 2 ? B : A;
				add(f, b, slot, side, switched ? 1e9 : side == A ? 110 : 100);
			}
}

static void test_constant(void **state)
{
	struct fixture *f = *state;
	struct placement p;
	fill(f, 3, 4);
	assert_true(placement_reduce(&p, f->c, f->n, &f->a, &f->e));
	near(p.d, log(1.1));
	near(p.time_a, 110);
	near(p.time_b, 100);
	assert_true(p.se < 1e-15);
	assert_int_equal(p.n_blocks, 3);
	assert_int_equal(p.n_pairs, 3 * 2 * 3);
	assert_int_equal(p.n_discarded, 3 * 16 - 2 * 18);
}

/* The order B A A B gives the same sign: above 0 means B is quicker. */
static void test_other_order(void **state)
{
	struct fixture *f = *state;
	struct placement p;
	fill(f, 2, 3);
	for (size_t i = 0; i < f->n; i++)
		f->c[i].side ^= 1;
	assert_true(placement_reduce(&p, f->c, f->n, &f->a, &f->e));
	near(p.d, -log(1.1));
}

/* Linear drift of the logarithm: the two halves of a block err in opposite directions. */
static void test_drift_cancels(void **state)
{
	struct fixture *f = *state;
	struct placement p;
	fill(f, 8, 5);
	for (size_t i = 0; i < f->n; i++)
		f->c[i].time_ns = (f->c[i].side == A ? 101 : 100) * exp(1e-3 * (double)i);
	assert_true(placement_reduce(&p, f->c, f->n, &f->a, &f->e));
	/* Pairs of slots 0 and 1 are 6 calls apart, pairs of 3 and 2 as far the other way; only in the first block, where
	 * slot 0 lost a call too, they are 5 apart: 4 of 64 pairs are off by one call of drift. */
	assert_true(fabs(p.d - log(1.01)) < 1e-4);
	assert_true(fabs(p.d - log(1.01)) > 1e-6);
}

/* Twenty ratios 0..19 %: two are cut on each side. */
static void test_trimmed(void **state)
{
	struct fixture *f = *state;
	struct placement p;
	size_t k = 0;
	for (uint32_t b = 0; b < 10; b++)
		for (uint8_t slot = 0; slot < 4; slot++)
			for (size_t i = 0; i < 2; i++) {
				uint8_t side = slot == 1 || slot == 2 ? B : A;
				add(f, b, slot, side, side == B ? 1 : exp(0.01 * (double)((k * 7) % 20)));
				/* slots 0 and 3 give one pair each; count a pair when its A call is kept */
				k += side == A && i == 1;
			}
	f->c[f->n - 1].time_ns = 1e12;
	assert_true(placement_reduce(&p, f->c, f->n, &f->a, &f->e));
	assert_int_equal(p.n_pairs, 20);
	/* pair values: 0, 7, 14, 1, .. of 20, the last one (k = 19: 13) huge: sorted 0..12, 14..19, huge; cut 0, 1, 19, huge */
	near(p.d, 0.01 * (2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 14 + 15 + 16 + 17 + 18) / 16);
}

static void test_skip(void **state)
{
	struct fixture *f = *state;
	struct placement p;
	fill(f, 2, 4);
	f->c[2].skip = true;
	f->c[2].time_ns = -5; /* never looked at */
	assert_true(placement_reduce(&p, f->c, f->n, &f->a, &f->e));
	near(p.d, log(1.1));
	assert_int_equal(p.n_pairs, 2 * 2 * 3 - 1);
}

static void refuse(struct fixture *f, const char *why)
{
	struct placement p;
	assert_false(placement_reduce(&p, f->c, f->n, &f->a, &f->e));
	assert_int_equal(f->e.code, ERR_INPUT);
	if (!strstr(f->e.text, why))
		fail_msg("\"%s\" does not say \"%s\"", f->e.text, why);
}

static void test_refused(void **state)
{
	struct fixture *f = *state;
	refuse(f, "no pair");
	fill(f, 3, 1);
	refuse(f, "no pair");
	f->n = 0;
	fill(f, 2, 3);
	const double bad[] = {0, -1, NAN, INFINITY};
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		f->c[7].time_ns = bad[i];
		refuse(f, "call 7");
	}
	f->c[7].time_ns = 100;
	f->c[13].side = B;
	refuse(f, "x y y x");
	f->c[13].side = A;
	f->c[13].block = 0;
	refuse(f, "call 13");
	f->c[13].block = 1;
	f->c[13].slot = 4;
	refuse(f, "call 13");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_constant, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_drift_cancels, setup, teardown),
		cmocka_unit_test_setup_teardown(test_trimmed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_skip, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
	};
	return cmocka_run_group_tests_name("stats/placement", tests, NULL, NULL);
}
