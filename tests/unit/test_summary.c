/* Unit tests of stats/summary.
 * In: samples made by integer formulas, so that a script can make them too. Out: cmocka's report.
 * The expected values were computed with Python (math.fsum, scipy.stats.t) from the definitions in summary.h.
 * Never: needs Python. */
#include "stats/summary.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define N_MAX 400

struct fixture {
	struct arena a;
	struct err e;
	struct summary s;
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

static void make(struct fixture *f, size_t n)
{
	assert_true(summary_make(&f->s, f->x, n, &f->a, &f->e));
	assert_int_equal(f->s.n, n);
}

/* A kernel of 15.7 us on a 32 ns lattice, every tenth call slower. */
static void test_lattice(void **state)
{
	struct fixture *f = *state;
	for (size_t i = 0; i < 400; i++)
		f->x[i] = (double)(15008 + 32 * ((i * i * 7 + i * 13) % 37) + (i % 10 == 0 ? 1312 : 0));
	make(f, 400);
	const struct summary *s = &f->s;
	near(s->mean, 15744.08);
	near(s->median, 15744);
	near(s->sd, 525.2740386113688);
	near(s->trimmed_mean, 15687.4);
	near(s->mad, 256);
	near(s->p05, 15040);
	near(s->p25, 15488);
	near(s->p75, 15968);
	near(s->p95, 16899.199999999997);
	near(s->p99, 17312.96);
	near(s->half_width, 44.602081013217834);
	near(s->n_effective, 400);
	near(s->modes.separation, 2.1805277521359936);
	near(s->modes.share_high, 0.4125);
	near(s->quantum, 32);
	assert_int_equal(s->method, SUMMARY_INDEPENDENT);
	assert_false(s->modes.bimodal);
	assert_int_equal(s->has, 1023);
}

static void test_small(void **state)
{
	struct fixture *f = *state;
	for (size_t i = 0; i < 15; i++)
		f->x[i] = 0.1 * (double)i * (double)i - 3.7 * (double)i + 1 / (double)(i + 1);
	make(f, 15);
	near(f->s.mean, -18.91211806711807);
	near(f->s.median, -20.875);
	near(f->s.sd, 10.631811543875502);
	near(f->s.trimmed_mean, -19.426802897956744);
	near(f->s.mad, 7.874999999999998);
	near(f->s.p25, -27.71287878787879);
	near(f->s.p75, -11.475000000000001);
	near(f->s.half_width, 6.513904660422016);
	assert_int_equal(f->s.has, SUMMARY_HAS_SD | SUMMARY_HAS_P25 | SUMMARY_HAS_P75 | SUMMARY_HAS_INTERVAL);
}

static void test_two_modes(void **state)
{
	struct fixture *f = *state;
	for (size_t i = 0; i < 70; i++)
		f->x[i] = 1000 + (double)((i * 5) % 11) * 0.0625 * (double)(i / 7) +
			  0.37 * (double)((i * i * i * 5 + i) % 101) + ((i * 7) % 10 < 4 ? 900 : 0);
	make(f, 70);
	near(f->s.median, 1032.7024999999999);
	near(f->s.sd, 445.2889911996985);
	near(f->s.mad, 28.43749999999983);
	near(f->s.p95, 1934.6015);
	near(f->s.half_width, 133.0180888964361);
	near(f->s.modes.separation, 79.76993413225112);
	near(f->s.modes.share_high, 0.4);
	assert_true(f->s.modes.bimodal);
	assert_false(f->s.has & (SUMMARY_HAS_P99 | SUMMARY_HAS_QUANTUM));
}

/* Drift: batch means must widen the interval. */
static void test_drift(void **state)
{
	struct fixture *f = *state;
	for (size_t i = 0; i < 64; i++)
		f->x[i] = (double)(5000 + 3 * i + (i * i * 7 + i * 13) % 37);
	make(f, 64);
	assert_int_equal(f->s.method, SUMMARY_BATCH_MEANS);
	near(f->s.half_width, 47.11196668425742);
	near(f->s.n_effective, 9.535728248546626);
	near(f->s.quantum, 1);
}

static void test_float_lattice(void **state)
{
	struct fixture *f = *state;
	/* Event times: milliseconds as float32, from a clock of 32 ns; in ns they are not whole. */
	for (size_t i = 0; i < 200; i++)
		f->x[i] = (double)((float)(2048 + 32 * (i * i % 37)) / 1e6F) * 1e6;
	make(f, 200);
	assert_true(f->s.has & SUMMARY_HAS_QUANTUM);
	assert_true(fabs(f->s.quantum - 32) < 0.02);
	/* Two neighbouring ticks are no two modes; two ticks far apart are. */
	for (size_t i = 0; i < 200; i++)
		f->x[i] = i % 2 ? 2112 : 2144;
	make(f, 200);
	near(f->s.quantum, 32);
	assert_false(f->s.modes.bimodal);
	for (size_t i = 0; i < 200; i++)
		f->x[i] = i % 2 ? 2112 : 2528;
	make(f, 200);
	assert_true(f->s.modes.bimodal);
	/* A tenth of slow calls is what the trimmed mean cuts: no mode of its own; a little more is. */
	for (size_t n_slow = 20; n_slow <= 21; n_slow++) {
		for (size_t i = 0; i < 200; i++)
			f->x[i] = i < n_slow ? 9000 + (double)(i % 3) : 2112 + (double)(i % 5);
		make(f, 200);
		assert_true(f->s.modes.separation > 4);
		assert_int_equal(f->s.modes.bimodal, n_slow > 20);
	}
}

static void test_edges(void **state)
{
	struct fixture *f = *state;
	f->x[0] = 7;
	make(f, 1);
	assert_int_equal(f->s.has, 0);
	near(f->s.median, 7);
	near(f->s.trimmed_mean, 7);
	assert_true(isinf(summary_relative_half_width(&f->s)));
	for (size_t i = 0; i < 100; i++)
		f->x[i] = 7;
	make(f, 100);
	near(f->s.sd, 0);
	near(f->s.half_width, 0);
	assert_int_equal(f->s.n_distinct, 1);
	assert_false(f->s.has & SUMMARY_HAS_QUANTUM);
	assert_false(f->s.modes.bimodal);
	assert_false(summary_make(&f->s, f->x, 0, &f->a, &f->e));
	assert_int_equal(f->e.code, ERR_INPUT);
	f->x[41] = NAN;
	assert_false(summary_make(&f->s, f->x, 100, &f->a, &f->e));
	assert_non_null(strstr(f->e.text, "sample 41"));
	/* The exact sum survives cancellation. */
	double x[] = {1e16, 1, -1e16, 1};
	assert_true(summary_sum(x, 4) == 2);
}

static void test_carries(void **state)
{
	(void)state;
	const struct {
		double p;
		size_t n;
	} first[] = {{0.05, 59}, {0.25, 11}, {0.75, 11}, {0.95, 59}, {0.99, 299}};
	for (size_t i = 0; i < COUNT_OF(first); i++) {
		assert_false(summary_carries(first[i].n - 1, first[i].p));
		assert_true(summary_carries(first[i].n, first[i].p));
	}
}

static void test_json(void **state)
{
	struct fixture *f = *state;
	for (size_t i = 0; i < 64; i++)
		f->x[i] = (double)(5000 + 3 * i + (i * i * 7 + i * 13) % 37);
	make(f, 64);
	struct json *j = summary_json(&f->a, &f->s, "ns");
	assert_int_equal(json_i64(j, "n", 0), 64);
	near(json_f64(j, "mean_ns", 0), f->s.mean);
	near(json_f64(json_get(j, "interval"), "half_width_ns", 0), f->s.half_width);
	assert_true(str_is(json_str(json_get(j, "interval"), "method", STR("")), "batch_means"));
	assert_null(json_get(j, "p99_ns"));
	assert_non_null(json_get(summary_json(&f->a, &f->s, ""), "mean"));
}

/* tests/data/stats/summaries.json is checked by an independent script (tools/recompute.py, tests/tools/recompute.t); here:
 * it is what this program writes. */
static void test_document(void **state)
{
	struct fixture *f = *state;
	struct json *list = json_read_file(&f->a, "tests/data/stats/summaries.json", JSON_STRICT, &f->e);
	assert_non_null(list);
	assert_true(list->n >= 8);
	for (size_t k = 0; k < list->n; k++) {
		struct json *samples = json_get(list->items[k], "samples");
		assert_true(samples->n <= N_MAX);
		for (size_t i = 0; i < samples->n; i++)
			f->x[i] = samples->items[i]->real;
		make(f, samples->n);
		const char *unit = arena_str(&f->a, json_str(list->items[k], "unit", STR(""))).p;
		struct buf want, got;
		buf_init(&want);
		buf_init(&got);
		json_write(&want, json_get(list->items[k], "summary"), JSON_PRETTY);
		json_write(&got, summary_json(&f->a, &f->s, unit), JSON_PRETTY);
		assert_string_equal(got.p, want.p);
		buf_release(&want);
		buf_release(&got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_lattice, setup, teardown),
		cmocka_unit_test_setup_teardown(test_small, setup, teardown),
		cmocka_unit_test_setup_teardown(test_two_modes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_drift, setup, teardown),
		cmocka_unit_test_setup_teardown(test_float_lattice, setup, teardown),
		cmocka_unit_test_setup_teardown(test_edges, setup, teardown),
		cmocka_unit_test(test_carries),
		cmocka_unit_test_setup_teardown(test_json, setup, teardown),
		cmocka_unit_test_setup_teardown(test_document, setup, teardown),
	};
	return cmocka_run_group_tests_name("stats/summary", tests, NULL, NULL);
}
