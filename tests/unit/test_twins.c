/* Unit tests of gpu/twins: compare, hash, guard and poison on planted errors; what the fake driver calls.
 * In: nothing.
 * Out: cmocka's report.
 * Never: needs a GPU (tests/gpu runs the kernels against these twins). */
#include "gpu/twins.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "gpu/kernels.h"

static struct twin_compare_args args_of(const void *actual, const void *expected, uint64_t n, enum dtype t)
{
	return (struct twin_compare_args){.actual = (uintptr_t)actual,
					  .expected = (uintptr_t)expected,
					  .n = n,
					  .dtype = (uint32_t)t,
					  .dtype_expected = (uint32_t)t};
}

static void equal_in_every_type(void **state)
{
	(void)state;
	uint8_t a[8 * 257];
	for (size_t t = 0; t < DTYPE_COUNT; t++) {
		struct value_source s = {.dtype = (enum dtype)t, .fill = {FILL_BITS, 0, 0}, .seed = t};
		struct twin_compare c;
		value_fill(&s, 0, 257, a); /* NaN and infinities included */
		struct twin_compare_args args = args_of(a, a, 257, (enum dtype)t);
		twin_compare(&c, &args);
		assert_int_equal(c.n_bad, 0);
		assert_int_equal(c.n_nan + c.n_inf, 0);
		assert_int_equal(c.first_bad, UINT64_MAX);
		assert_int_equal(c.at_max_abs, UINT64_MAX);
		assert_true(c.max_abs == 0 && c.sum_sq_err == 0 && c.sum_sq_ref > 0);
	}
}

/* The twin's own conversions against base's, every pattern of the small types. */
static void loads(void **state)
{
	(void)state;
	static const enum dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F8E4M3, DTYPE_F8E5M2,
					   DTYPE_I8,  DTYPE_U16,  DTYPE_BOOL};
	for (size_t k = 0; k < COUNT_OF(types); k++) {
		size_t w = dtype_bytes(types[k]);
		for (uint32_t i = 0; i < 1u << 8 * w; i++) {
			double want = dtype_load(types[k], &i);
			struct twin_compare c;
			struct twin_compare_args args = args_of(&i, &want, 1, types[k]);
			args.dtype_expected = DTYPE_F64;
			twin_compare(&c, &args);
			assert_int_equal(c.n_bad, 0);
			want = isfinite(want) ? want + fabs(want) + 1 : 1;
			twin_compare(&c, &args);
			assert_int_equal(c.n_bad, 1);
		}
	}
}

static void planted(void **state)
{
	(void)state;
	float e[1000], a[1000];
	for (size_t i = 0; i < 1000; i++)
		a[i] = e[i] = (float)(i + 1);
	a[500] += 3; /* relative 3 / 501 */
	a[10] += 1;  /* relative 1 / 11 */
	a[900] -= 3;
	struct twin_compare c;
	struct twin_compare_args args = args_of(a, e, 1000, DTYPE_F32);
	args.rtol = 0.01;
	twin_compare(&c, &args);
	assert_int_equal(c.n_bad, 1);
	assert_int_equal(c.first_bad, 10);
	assert_int_equal(c.at_max_abs, 500);
	assert_true(c.max_abs == 3);
	assert_true(c.max_rel == 1.0 / 11);
	assert_true(c.sum_abs == 7);
	assert_true(c.sum_sq_err == 19);
	assert_true(c.sum_sq_ref == 1000.0 * 1001 * 2001 / 6);
	args.rtol = 0;
	args.atol = 3;
	twin_compare(&c, &args);
	assert_int_equal(c.n_bad, 0);
	args.atol = 2.999;
	twin_compare(&c, &args);
	assert_int_equal(c.n_bad, 2);
	args.atol = (double)NAN; /* nothing passes an impossible tolerance */
	twin_compare(&c, &args);
	assert_int_equal(c.n_bad, 1000);
}

static void not_finite(void **state)
{
	(void)state;
	const double inf = INFINITY, nan = (double)NAN;
	const struct {
		double a, e;
		bool is_bad, is_nan, is_inf;
	} cases[] = {
		{nan, nan, false, false, false},      {inf, inf, false, false, false},
		{-inf, -inf, false, false, false},    {nan, 1, true, true, false},
		{inf, 1, true, false, true},          {1, nan, true, false, false},
		{1, inf, true, false, false},         {-inf, inf, true, false, true},
		{nan, inf, true, true, false},        {inf, nan, true, false, true},
		{1e308, -1e308, false, false, false},
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct twin_compare c;
		struct twin_compare_args args = args_of(&cases[i].a, &cases[i].e, 1, DTYPE_F64);
		args.atol = inf; /* however wide: a finite reference refuses NaN and infinity */
		twin_compare(&c, &args);
		assert_int_equal(c.n_bad, cases[i].is_bad);
		assert_int_equal(c.n_nan, cases[i].is_nan);
		assert_int_equal(c.n_inf, cases[i].is_inf);
		bool is_finite_pair = isfinite(cases[i].a) && isfinite(cases[i].e);
		assert_true((c.sum_sq_ref > 0) == is_finite_pair);
	}
}

/* 2^63 - 1 and 2^63 - 2 are the same double. */
static void exact_integers(void **state)
{
	(void)state;
	int64_t a = INT64_MAX, e = INT64_MAX - 1;
	uint64_t ua = UINT64_MAX, ue = 0;
	struct twin_compare c;
	struct twin_compare_args args = args_of(&a, &e, 1, DTYPE_I64);
	twin_compare(&c, &args);
	assert_int_equal(c.n_bad, 1);
	assert_true(c.max_abs == 1);
	a = INT64_MIN;
	e = INT64_MAX;
	twin_compare(&c, &args);
	assert_true(c.max_abs == 0x1p64);
	args = args_of(&ue, &ua, 1, DTYPE_U64);
	twin_compare(&c, &args);
	assert_true(c.max_abs == 0x1p64);
}

static void merge(void **state)
{
	(void)state;
	enum { N = 1003, PARTS = 7 };
	double a[N], e[N];
	struct value_source s = {.dtype = DTYPE_F64, .fill = {FILL_NORMAL, 0, 1}, .seed = 4};
	value_fill(&s, 0, N, a);
	value_fill(&s, 7, N, e);
	struct twin_compare whole, sum, part;
	struct twin_compare_args args = args_of(a, e, N, DTYPE_F64);
	args.atol = 1;
	twin_compare(&whole, &args);
	twin_compare_start(&sum);
	for (size_t i = 0; i < PARTS; i++) {
		size_t from = N * i / PARTS, to = N * (i + 1) / PARTS;
		args = args_of(a + from, e + from, to - from, DTYPE_F64);
		args.atol = 1;
		twin_compare(&part, &args);
		if (part.first_bad != UINT64_MAX)
			part.first_bad += from;
		if (part.at_max_abs != UINT64_MAX)
			part.at_max_abs += from;
		twin_compare_merge(&sum, &part);
	}
	assert_true(whole.n_bad > 100 && whole.n_bad < N);
	assert_memory_equal(&sum, &whole, offsetof(struct twin_compare, sum_abs));
	assert_true(fabs(sum.sum_sq_err - whole.sum_sq_err) < 1e-12 * whole.sum_sq_err);
	assert_true(fabs(sum.sum_abs - whole.sum_abs) < 1e-12 * whole.sum_abs);
}

static void hash(void **state)
{
	(void)state;
	uint8_t p[1000];
	struct value_source s = {.dtype = DTYPE_U8, .fill = {FILL_BITS, 0, 0}, .seed = 4};
	value_fill(&s, 0, sizeof p, p);
	for (size_t n = 0; n < sizeof p; n += 1 + n / 8) {
		uint64_t h = twin_hash(p, n, 1);
		assert_int_equal(twin_hash(p, n, 1), h);
		assert_int_not_equal(twin_hash(p, n, 2), h);
		assert_int_not_equal(twin_hash(p, n + 1, 1), h);
		for (size_t i = 0; i < n; i += 1 + n / 16) {
			p[i] ^= 1;
			assert_int_not_equal(twin_hash(p, n, 1), h);
			p[i] ^= 1;
		}
	}
	/* zeros of other lengths, and two words changing places */
	uint64_t zero[4] = {0}, h = twin_hash(zero, 16, 0);
	assert_int_not_equal(twin_hash(zero, 24, 0), h);
	assert_int_not_equal(twin_hash(zero, 15, 0), h);
	zero[0] = 5;
	h = twin_hash(zero, 16, 0);
	zero[0] = 0;
	zero[1] = 5;
	assert_int_not_equal(twin_hash(zero, 16, 0), h);
}

static void guard(void **state)
{
	(void)state;
	_Alignas(8) uint8_t p[104];
	const uint64_t pattern = UINT64_C(0x8877665544332211);
	static const uint32_t elements[] = {1, 2, 4, 8};
	for (size_t k = 0; k < COUNT_OF(elements); k++) {
		uint32_t el = elements[k];
		for (size_t n = 0; n < 40; n++) {
			struct twin_guard g;
			struct twin_guard_args a = {
				.p = (uintptr_t)(p + 8), .bytes = n, .pattern = pattern, .element_bytes = el};
			memset(p, 0xee, sizeof p);
			twin_poison(p + 8, n, pattern);
			assert_int_equal(p[7], 0xee);
			assert_int_equal(p[8 + n], 0xee);
			twin_guard(&g, &a);
			assert_int_equal(g.n_changed, 0);
			assert_int_equal(g.n_untouched, n / el);
			assert_int_equal(g.first, UINT64_MAX);
			for (size_t i = 0; i < n; i++) {
				p[8 + i] ^= 0x40;
				twin_guard(&g, &a);
				assert_int_equal(g.n_changed, 1);
				assert_int_equal(g.first, i);
				assert_int_equal(g.n_untouched, n / el - (i / el < n / el));
				p[8 + i] ^= 0x40;
			}
		}
	}
}

static void by_name(void **state)
{
	(void)state;
	assert_int_equal(twin_by_name("assay_fill"), GPU_KERNEL_FILL);
	assert_int_equal(twin_by_name("assay_empty"), GPU_KERNEL_EMPTY);
	assert_int_equal(twin_by_name("softmax"), GPU_KERNEL_COUNT);
	/* every kernel of the table is in the embedded PTX, and the size of its argument is the PTX's */
	assert_int_equal(strlen(gpu_ptx) + 1, (uintptr_t)gpu_ptx_end - (uintptr_t)gpu_ptx);
	for (size_t i = 0; i < GPU_KERNEL_COUNT; i++) {
		static const char *const names[] = {
#define GPU_KERNEL(id, name, args) name,
#include "gpu/kernels.def"
#undef GPU_KERNEL
		};
		char text[128];
		snprintf(text, sizeof text, ".visible .entry %s(.param .align 8 .b8 arg[%zu])", names[i],
			 twin_args_bytes((enum gpu_kernel)i));
		assert_non_null(strstr(gpu_ptx, text));
	}
}

static void run(void **state)
{
	(void)state;
	float a[100], e[100];
	struct value_source s = {.dtype = DTYPE_F32, .fill = {FILL_UNIFORM, 0, 1}, .seed = 1};
	struct twin_fill_args fill = {.out = (uintptr_t)a, .n = 100};
	value_plan(&fill.plan, &s, 40);
	twin_run(GPU_KERNEL_FILL, 3, &fill);
	value_fill(&s, 40, 100, e);
	assert_memory_equal(a, e, sizeof a);
	a[31] += 1;
	struct twin_compare partial[3], sum;
	struct twin_compare_args compare = args_of(a, e, 100, DTYPE_F32);
	compare.partial = (uintptr_t)partial;
	twin_run(GPU_KERNEL_COMPARE, 3, &compare);
	twin_compare_start(&sum);
	for (size_t i = 0; i < 3; i++)
		twin_compare_merge(&sum, &partial[i]);
	assert_int_equal(sum.n_bad, 1);
	assert_int_equal(sum.first_bad, 31);
	uint64_t out = 0;
	struct twin_hash_args h = {.p = (uintptr_t)e, .bytes = sizeof e, .key = 7, .out = (uintptr_t)&out};
	twin_run(GPU_KERNEL_HASH, 3, &h);
	assert_int_equal(twin_hash_finish(out, sizeof e, 7), twin_hash(e, sizeof e, 7));
	struct twin_guard found = {.first = UINT64_MAX};
	struct twin_guard_args g = {
		.p = (uintptr_t)a, .bytes = sizeof a, .pattern = 0, .element_bytes = 4, .out = (uintptr_t)&found};
	struct twin_poison_args p = {(uintptr_t)a, sizeof a - 4, 0};
	twin_run(GPU_KERNEL_POISON, 3, &p);
	twin_run(GPU_KERNEL_GUARD, 3, &g);
	assert_int_equal(found.n_untouched, 99);
	assert_true(found.first >= 396);
	struct twin_flush clock = {0};
	struct twin_flush_args f = {.p = (uintptr_t)a, .bytes = 384, .clock = (uintptr_t)&clock};
	twin_run(GPU_KERNEL_FLUSH, 3, &f);
	assert_true(clock.ns_end >= clock.ns_start && clock.ns_start > 0);
	struct twin_empty_args nothing = {0};
	twin_run(GPU_KERNEL_EMPTY, 1, &nothing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_in_every_type),
		cmocka_unit_test(loads),
		cmocka_unit_test(planted),
		cmocka_unit_test(not_finite),
		cmocka_unit_test(exact_integers),
		cmocka_unit_test(merge),
		cmocka_unit_test(hash),
		cmocka_unit_test(guard),
		cmocka_unit_test(by_name),
		cmocka_unit_test(run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
