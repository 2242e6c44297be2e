/* Unit tests of stats/plan.
 * In: costs and spreads written by hand, seeded series. Out: cmocka's report.
 * The coverage that plan.h states is checked on fewer series, with the bound that so few carry.
 * Never: a clock. */
#include "stats/plan.h"
#include "stats/plan_compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "stats/paired.h"
#include "stats/simulate.h"
#include "stats/summary.h"

#define N_MAX 20000

struct fixture {
	struct arena a;
	struct err e;
	struct plan_step step;
	double x[N_MAX];
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

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-12 * fabs(want)))
		fail_msg("got %.17g, want %.17g", got, want);
}

static void test_looks(void **state)
{
	(void)state;
	struct plan_rule r = {.noise = 0.01};
	const size_t looks[] = {30, 45, 67, 100, 150, 225};
	size_t n = 0;
	for (size_t i = 0; i < COUNT_OF(looks); i++) {
		assert_int_equal(plan_next_look(n, &r), looks[i]);
		n = looks[i];
	}
	assert_int_equal(plan_next_look(46, &r), 67);
	r.n_min = 200;
	r.n_max = 310;
	assert_int_equal(plan_next_look(0, &r), 200);
	assert_int_equal(plan_next_look(200, &r), 300);
	assert_int_equal(plan_next_look(300, &r), 310);
}

static enum plan_stop bench(struct fixture *f, const struct plan_rule *r, size_t n, double used_ns)
{
	assert_true(plan_bench(&f->step, r, &(struct plan_progress){f->x, n, used_ns}, &f->a, &f->e));
	return f->step.stop;
}

static void test_stops(void **state)
{
	struct fixture *f = *state;
	for (size_t i = 0; i < N_MAX; i++)
		f->x[i] = i % 2 ? 1010 : 990;
	struct plan_rule r = {.noise = 0.01, .n_max = 100, .budget_ns = 1e9};
	assert_int_equal(bench(f, &r, 0, 0), PLAN_GO_ON);
	assert_int_equal(f->step.n_look, 30);
	assert_true(isinf(f->step.relative_half_width));
	/* Precise at the first look, but one look alone is not believed; between looks nothing is. */
	assert_int_equal(bench(f, &r, 30, 1), PLAN_GO_ON);
	assert_true(f->step.relative_half_width < 0.01);
	assert_int_equal(bench(f, &r, 44, 1), PLAN_GO_ON);
	assert_int_equal(bench(f, &r, 45, 1), PLAN_PRECISE);
	r.noise = 0.0001;
	assert_int_equal(bench(f, &r, 45, 1), PLAN_GO_ON);
	assert_int_equal(f->step.n_look, 67);
	assert_int_equal(bench(f, &r, 46, 1e9), PLAN_TIME);
	assert_int_equal(bench(f, &r, 100, 1e9), PLAN_FULL);
	r = (struct plan_rule){.n_max = 5};
	assert_int_equal(bench(f, &r, 5, 0), PLAN_FULL);
	r = (struct plan_rule){.n_min = 10};
	assert_false(plan_bench(&f->step, &r, &(struct plan_progress){f->x, 5, 0}, &f->a, &f->e));
	assert_non_null(strstr(f->e.text, "no end"));
	r.noise = -1;
	assert_false(plan_bench(&f->step, &r, &(struct plan_progress){f->x, 5, 0}, &f->a, &f->e));
}

/* Drift never looks precise before it is seen: a rise of 10 % over 1,000 samples. */
static void test_drift(void **state)
{
	struct fixture *f = *state;
	struct plan_rule r = {.noise = 0.002};
	for (size_t i = 0; i < N_MAX; i++)
		f->x[i] = 1000 + 0.1 * (double)i + (i % 2 ? 1 : -1);
	for (size_t n = plan_next_look(0, &r); n < 10000; n = plan_next_look(n, &r)) {
		bench(f, &r, n, 0);
		assert_true(n < 100 || f->step.stop == PLAN_GO_ON);
	}
}

/* Share of 300 autocorrelated series whose interval at the stop holds the truth. */
static double coverage(struct fixture *f, double ar, double noise)
{
	struct simulate_rng rng;
	size_t n_held = 0;
	simulate_seed(&rng, 17);
	for (size_t run = 0; run < 300; run++) {
		struct plan_rule r = {.noise = noise, .n_max = N_MAX};
		double level = simulate_normal(&rng);
		size_t n = 0;
		f->step = (struct plan_step){.n_look = plan_next_look(0, &r)};
		while (f->step.stop == PLAN_GO_ON) {
			for (; n < f->step.n_look; n++) {
				level = ar * level + sqrt(1 - ar * ar) * simulate_normal(&rng);
				f->x[n] = 1000 + 10 * level;
			}
			bench(f, &r, n, 0);
		}
		struct summary s;
		assert_true(summary_make(&s, f->x, n, &f->a, &f->e));
		assert_true(f->step.stop == PLAN_FULL || summary_relative_half_width(&s) <= noise);
		n_held += fabs(s.trimmed_mean - 1000) <= s.half_width;
	}
	return (double)n_held / 300;
}

static void test_coverage(void **state)
{
	struct fixture *f = *state;
	assert_true(coverage(f, 0, 0.003) > 0.92);
	assert_true(coverage(f, 0.6, 0.003) > 0.87);
}

static void test_samples(void **state)
{
	(void)state;
	struct summary s = {.n = 100, .trimmed_mean = 1000, .half_width = 10, .has = SUMMARY_HAS_INTERVAL};
	assert_int_equal(plan_samples(&s, 0.01), 100);
	assert_int_equal(plan_samples(&s, 0.005), 400);
	assert_int_equal(plan_samples(&s, 0.02), 25);
	assert_true(plan_samples(&s, 1e-15) == SIZE_MAX);
	s.has = 0;
	assert_int_equal(plan_samples(&s, 0.01), 0);
}

static void test_comparison(void **state)
{
	(void)state;
	struct plan_compare p;
	struct plan_cost cost = {.start_ns = 0.45e9, .block_ns = 2e6, .fixed_ns = 0};
	struct plan_spread unknown = {0, 0}, known = {.sd_place = 0.002, .sd_block = 0.004};
	/* Not known: as many blocks as the start costs, but no more than 200. */
	plan_comparison(&p, &cost, &unknown, 60e9, 0, 1);
	assert_int_equal(p.n_blocks, 200);
	assert_int_equal(p.n_looks, 6);
	assert_int_equal(p.n_placements, 32);
	near(p.total_ns, 32 * (0.45e9 + 200 * 2e6));
	assert_true(p.sd == 0 && p.resolution == 0);
	/* Known: sqrt(225) * 2 = 30 blocks. */
	plan_comparison(&p, &cost, &known, 60e9, 0, 1);
	assert_int_equal(p.n_blocks, 30);
	near(p.sd, sqrt(4e-6 + 16e-6 / 30));
	near(p.resolution, paired_resolution(p.sd, 6, 1));
	near(p.detectable, paired_detectable(p.sd, 6, 0, PAIRED_POWER, 1));
	/* 5 s: 9 placements of 0.51 s fit. */
	plan_comparison(&p, &cost, &known, 5e9, 0, 1);
	assert_int_equal(p.n_looks, 2);
	assert_true(p.total_ns <= 5e9);
	/* 3 s: 6 placements fit with fewer blocks: (0.5 - 0.45) / 0.002 = 25. */
	plan_comparison(&p, &cost, &known, 3.0001e9, 0, 1);
	assert_int_equal(p.n_looks, 1);
	assert_int_equal(p.n_blocks, 25);
	/* 2.73 s: with 2 blocks each. 2 s: not even with one. */
	plan_comparison(&p, &cost, &known, 2.73e9, 0, 1);
	assert_int_equal(p.n_looks, 1);
	assert_int_equal(p.n_blocks, 2);
	plan_comparison(&p, &cost, &known, 2e9, 0, 1);
	assert_int_equal(p.n_looks, 0);
	assert_int_equal(p.n_blocks, 1);
	assert_int_equal(p.n_placements, 0);
	/* What is spent before counts. */
	cost.fixed_ns = 2e9;
	plan_comparison(&p, &cost, &known, 5e9, 0, 1);
	assert_int_equal(p.n_looks, 1);
}

static void test_spread(void **state)
{
	(void)state;
	struct plan_spread s;
	const double d[4] = {0.003, -0.003, 0.003, -0.003}, se[4] = {0.001, 0.001, 0.001, 0.001};
	plan_spread_of(&s, d, se, 4, 16);
	near(s.sd_block, 0.004);
	near(s.sd_place, sqrt(12e-6 - 1e-6));
	const double wide[4] = {0.01, 0.01, 0.01, 0.01};
	plan_spread_of(&s, d, wide, 4, 16);
	near(s.sd_place, sqrt(0.01 * 12e-6));
}

static void test_json(void **state)
{
	struct fixture *f = *state;
	struct plan_compare p;
	plan_comparison(&p, &(struct plan_cost){0.45e9, 2e6, 0}, &(struct plan_spread){0.002, 0.004}, 20e9, 0, 1);
	struct json *j = plan_compare_json(&f->a, &p);
	assert_int_equal(json_i64(j, "n_blocks", 0), 30);
	assert_int_equal(json_i64(j, "n_placements", 0), 32);
	near(json_f64(j, "detectable_pct", 0), paired_pct(p.detectable));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_looks),
		cmocka_unit_test_setup_teardown(test_stops, setup, teardown),
		cmocka_unit_test_setup_teardown(test_drift, setup, teardown),
		cmocka_unit_test_setup_teardown(test_coverage, setup, teardown),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_comparison),
		cmocka_unit_test(test_spread),
		cmocka_unit_test_setup_teardown(test_json, setup, teardown),
	};
	return cmocka_run_group_tests_name("stats/plan", tests, NULL, NULL);
}
