/* Unit tests of gpu/values and gpu/philox: known answers, distributions, ranges, cutting.
 * In: nothing.
 * Out: cmocka's report.
 * Never: asserts a time; statistical bounds are 6 standard errors of a fixed seed, so a pass is for ever. */
#include "gpu/values.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gpu/philox.h"

enum { N = 1 << 18 };

static const enum dtype floats[] = {DTYPE_F64, DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_F8E4M3, DTYPE_F8E5M2};

static struct value_source source(enum dtype t, enum fill_kind kind, double lo, double hi)
{
	return (struct value_source){.dtype = t, .fill = {kind, lo, hi}, .seed = 0x123456789abcdef, .tensor = 3};
}

static double at(enum dtype t, const void *p, size_t i)
{
	return dtype_load(t, (const char *)p + i * dtype_bytes(t));
}

/* Known answers of the algorithm's authors (Random123, kat_vectors). */
static void philox_known(void **state)
{
	(void)state;
	static const struct {
		uint32_t ctr[4], key[2], want[4];
	} cases[] = {
		{{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
		 {0xa4093822, 0x299f31d0},
		 {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint32_t c[4];
		memcpy(c, cases[i].ctr, sizeof c);
		philox4x32(c, cases[i].key);
		assert_memory_equal(c, cases[i].want, sizeof c);
	}
}

/* The batch (AVX2 where the processor has it) against single blocks, across a carry into the high word. */
static void philox_many(void **state)
{
	(void)state;
	uint32_t out[4 * PHILOX_BATCH];
	const uint32_t key[2] = {7, 8};
	uint64_t first = UINT64_C(0x5fffffff0);
	philox_batch(out, first, key, 99);
	for (size_t i = 0; i < PHILOX_BATCH; i++) {
		uint32_t c[4] = {(uint32_t)(first + i), (uint32_t)((first + i) >> 32), 99, 0};
		philox4x32(c, key);
		assert_memory_equal(c, out + 4 * i, sizeof c);
	}
}

/* FILL_BITS is the words themselves: ties the tensor's bytes to the documented counter and key. */
static void bits_are_words(void **state)
{
	(void)state;
	struct value_source s = source(DTYPE_U8, FILL_BITS, 0, 0);
	uint32_t key[2] = {0x89abcdef, 0x01234567}, words[4] = {5, 0, 3, 0};
	uint8_t out[16];
	value_fill(&s, 5 * 16, sizeof out, out);
	philox4x32(words, key);
	assert_memory_equal(out, words, sizeof out);
}

static void cut(void **state)
{
	(void)state;
	for (size_t t = 0; t < DTYPE_COUNT; t++) {
		for (size_t kind = 0; kind < FILL_KINDS; kind++) {
			struct value_source s = source((enum dtype)t, (enum fill_kind)kind, 0, 50);
			size_t w = dtype_bytes((enum dtype)t);
			uint8_t whole[8 * 1000], part[8 * 1000];
			value_fill(&s, UINT64_C(0x3ffffffffe), 1000, whole);
			for (size_t i = 0; i < 1000;) {
				size_t n = 1 + i % 331;
				if (n > 1000 - i)
					n = 1000 - i;
				value_fill(&s, UINT64_C(0x3ffffffffe) + i, n, part + i * w);
				i += n;
			}
			if (kind != FILL_CONST && kind != FILL_ZERO) /* patterns do not depend on the index */
				assert_memory_equal(whole, part, 1000 * w);
			s.tensor++;
			value_fill(&s, UINT64_C(0x3ffffffffe), 1000, part);
			if (kind != FILL_ZERO && kind != FILL_CONST && kind != FILL_IOTA)
				assert_memory_not_equal(whole, part, 1000 * w);
		}
	}
}

static void uniform(void **state)
{
	(void)state;
	void *out = malloc(8 * N);
	for (size_t k = 0; k < COUNT_OF(floats); k++) {
		enum dtype t = floats[k];
		struct value_source s = source(t, FILL_UNIFORM, -1, 3);
		double sum = 0, sum2 = 0, least = INFINITY, most = -INFINITY, u = dtype_roundoff(t);
		value_fill(&s, 0, N, out);
		for (size_t i = 0; i < N; i++) {
			double v = at(t, out, i);
			assert_true(v >= -1 && v < 3);
			sum += v;
			sum2 += v * v;
			least = fmin(least, v);
			most = fmax(most, v);
		}
		double mean = sum / N, var = sum2 / N - mean * mean, se = 4 / sqrt(12) / sqrt(N);
		/* rounding to 3 or 4 bits moves the moments by up to u of the range */
		assert_true(fabs(mean - 1) < 6 * se + 2 * u);
		assert_true(fabs(var - 16.0 / 12) < 0.01 + 2 * u);
		assert_true(least < -1 + 4 * u + 0.001 && most > 3 - 4 * 3 * u - 0.001);
	}
	free(out);
}

/* The least range and bounds that are no values of the dtype: never outside [lo, hi) when a value lies inside. */
static void uniform_edges(void **state)
{
	(void)state;
	uint8_t out[8 * 256];
	static const double pairs[][2] = {{0, 1}, {0.1, 0.3},    {-0.3, -0.1}, {1, 1.0000001},
					  {5, 5}, {-1e-9, 1e-9}, {300, 1000},  {-70000, 70000}};
	for (size_t k = 0; k < COUNT_OF(floats); k++) {
		for (size_t j = 0; j < COUNT_OF(pairs); j++) {
			double lo = pairs[j][0], hi = pairs[j][1];
			struct value_source s = source(floats[k], FILL_UNIFORM, lo, hi);
			uint64_t only = value_pattern(floats[k], lo);
			double rounded = at(floats[k], &only, 0);
			value_fill(&s, 0, 256, out);
			for (size_t i = 0; i < 256; i++) {
				double v = at(floats[k], out, i);
				assert_true(isfinite(v));
				assert_true((v >= lo && v < hi) || memcmp(&v, &rounded, sizeof v) == 0);
			}
		}
	}
}

/* Normal: moments, symmetry and the tail's mass at 1, 2, 3 and 4 sigma against erfc. */
static void normal(void **state)
{
	(void)state;
	void *out = malloc(8 * 4 * N);
	size_t n = 4 * N;
	for (size_t k = 0; k < 2; k++) {
		enum dtype t = floats[k];
		struct value_source s = source(t, FILL_NORMAL, 10, 2);
		double sum = 0, sum2 = 0, sum3 = 0, sum4 = 0;
		size_t above[5] = {0}, below[5] = {0};
		value_fill(&s, 0, n, out);
		for (size_t i = 0; i < n; i++) {
			double z = (at(t, out, i) - 10) / 2;
			sum += z;
			sum2 += z * z;
			sum3 += z * z * z;
			sum4 += z * z * z * z;
			for (size_t j = 0; j < 5; j++) {
				above[j] += z > (double)j;
				below[j] += z < -(double)j;
			}
		}
		double root = sqrt((double)n);
		assert_true(fabs(sum) < 6 * root);
		assert_true(fabs(sum2 - (double)n) < 6 * sqrt(2) * root);
		assert_true(fabs(sum3) < 6 * sqrt(15) * root);
		assert_true(fabs(sum4 - 3 * (double)n) < 6 * sqrt(96) * root);
		for (size_t j = 0; j < 5; j++) {
			double p = erfc((double)j / sqrt(2)) / 2, se = sqrt(p * (1 - p) * (double)n);
			assert_true(fabs((double)above[j] - p * (double)n) < 6 * se);
			assert_true(fabs((double)below[j] - p * (double)n) < 6 * se);
		}
	}
	free(out);
}

/* Each deviate against the inverse of erfc, found by bisection from the same random bits. */
static void normal_exact(void **state)
{
	(void)state;
	enum { COUNT = 2000 };
	struct value_source s = source(DTYPE_F32, FILL_NORMAL, 0, 1), b = source(DTYPE_U32, FILL_BITS, 0, 0);
	float *z = malloc(COUNT * sizeof *z);
	uint32_t *w = malloc(COUNT * sizeof *w);
	value_fill(&s, 0, COUNT, z);
	value_fill(&b, 0, COUNT, w);
	for (size_t i = 0; i < COUNT; i++) {
		double p = ((double)(w[i] & 0x7fffffff) + 0.5) * 0x1p-32, lo = 0, hi = 7;
		for (int j = 0; j < 60; j++) {
			double mid = (lo + hi) / 2;
			if (erfc(mid / sqrt(2)) / 2 > p)
				lo = mid;
			else
				hi = mid;
		}
		double want = w[i] >> 31 ? -lo : lo;
		assert_true(fabs((double)z[i] - want) < 1e-5);
	}
	free(z);
	free(w);
}

static void whole_numbers(void **state)
{
	(void)state;
	void *out = malloc(8 * N);
	for (size_t k = 0; k < DTYPE_COUNT; k++) {
		enum dtype t = (enum dtype)k;
		struct value_source s = source(t, FILL_INT, 0, t == DTYPE_BOOL ? 1 : 6);
		size_t seen[7] = {0}, n_values = t == DTYPE_BOOL ? 2 : 7;
		value_fill(&s, 0, N, out);
		for (size_t i = 0; i < N; i++) {
			double v = at(t, out, i);
			assert_true(v >= 0 && v <= (double)(n_values - 1));
			seen[(size_t)v]++;
		}
		double p = 1 / (double)n_values, se = sqrt(p * (1 - p) * N);
		for (size_t j = 0; j < n_values; j++)
			assert_true(fabs((double)seen[j] - p * N) < 6 * se);
		/* UNIFORM leaves hi out */
		s.fill = (struct fill){FILL_UNIFORM, 0, 6};
		value_fill(&s, 0, N, out);
		for (size_t i = 0; i < N && t != DTYPE_BOOL; i++)
			assert_true(at(t, out, i) < 6);
	}
	free(out);
}

static void iota(void **state)
{
	(void)state;
	uint8_t out[8 * 300];
	for (size_t k = 0; k < DTYPE_COUNT; k++) {
		enum dtype t = (enum dtype)k;
		struct value_source s = source(t, FILL_IOTA, 3, 8);
		value_fill(&s, 1000, 300, out);
		for (size_t i = 0; i < 300; i++)
			assert_true(at(t, out, i) == (t == DTYPE_BOOL ? (double)(i % 2) : (double)(3 + i % 5)));
	}
	struct value_source s = source(DTYPE_U8, FILL_IOTA, 0, 0);
	value_fill(&s, 250, 300, out);
	assert_int_equal(out[5], 255);
	assert_int_equal(out[6], 0);
	s = source(DTYPE_F16, FILL_IOTA, 0, 0);
	value_fill(&s, 100000, 4, out);
	assert_true(at(DTYPE_F16, out, 0) == 65504);
	s = source(DTYPE_I64, FILL_IOTA, -5, 0);
	s.fill.hi = -5;
	value_fill(&s, UINT64_C(1) << 40, 4, out);
	assert_true(at(DTYPE_I64, out, 1) == 0x1p40 - 4);
}

static void heavy(void **state)
{
	(void)state;
	void *out = malloc(8 * 4 * N);
	for (size_t k = 0; k < COUNT_OF(floats); k++) {
		struct value_source s = source(floats[k], FILL_HEAVY, 0.5, 1);
		size_t n_large = 0;
		value_fill(&s, 0, 4 * N, out);
		for (size_t i = 0; i < 4 * N; i++) {
			double v = at(floats[k], out, i);
			assert_true(isfinite(v) && v >= 0.46);
			n_large += v > 100;
			assert_true(v <= 1 || (v >= 448 && v <= 1024));
		}
		double want = 4.0 * N / 4096;
		assert_true(fabs((double)n_large - want) < 6 * sqrt(want));
	}
	struct value_source s = source(DTYPE_I8, FILL_HEAVY, 1, 3);
	value_fill(&s, 0, 4 * N, out);
	size_t n_large = 0;
	for (size_t i = 0; i < 4 * N; i++)
		n_large += at(DTYPE_I8, out, i) == 127;
	assert_true(n_large > 100 && n_large < 400);
	free(out);
}

static void constants(void **state)
{
	(void)state;
	uint8_t out[8 * 9];
	for (size_t k = 0; k < DTYPE_COUNT; k++) {
		struct value_source s = source((enum dtype)k, FILL_CONST, 1, 7);
		value_fill(&s, 1, 9, out);
		for (size_t i = 0; i < 9; i++)
			assert_true(at((enum dtype)k, out, i) == 1);
		s.fill.kind = FILL_ZERO;
		value_fill(&s, 1, 9, out);
		for (size_t i = 0; i < 9; i++)
			assert_true(at((enum dtype)k, out, i) == 0);
	}
	assert_int_equal(value_pattern(DTYPE_F16, 1), UINT64_C(0x3c003c003c003c00));
}

/* Normal, heavy and int saturate; nothing random is infinite or NaN but FILL_BITS. */
static void saturate(void **state)
{
	(void)state;
	static const enum fill_kind kinds[] = {FILL_NORMAL, FILL_HEAVY, FILL_INT};
	uint8_t out[8 * 4096];
	for (size_t k = 0; k < DTYPE_COUNT; k++) {
		for (size_t j = 0; j < COUNT_OF(kinds); j++) {
			struct value_source s = source((enum dtype)k, kinds[j], 0, 1e6);
			value_fill(&s, 0, 4096, out);
			for (size_t i = 0; i < 4096; i++)
				assert_true(isfinite(at((enum dtype)k, out, i)));
		}
	}
	struct value_source s = source(DTYPE_U8, FILL_NORMAL, 0, 1e6);
	value_fill(&s, 0, 4096, out);
	for (size_t i = 0; i < 4096; i++)
		assert_true(out[i] == 0 || out[i] == 255);
	s = source(DTYPE_F32, FILL_BITS, 0, 0);
	size_t n_special = 0;
	void *many = malloc(4 * N);
	value_fill(&s, 0, N, many);
	for (size_t i = 0; i < N; i++)
		n_special += isfinite(at(DTYPE_F32, many, i)) ? 0 : 1;
	assert_true(n_special > N / 256 / 2 && n_special < N / 256 * 2);
	free(many);
	s = source(DTYPE_BOOL, FILL_BITS, 0, 0);
	value_fill(&s, 0, 4096, out);
	for (size_t i = 0; i < 4096; i++)
		assert_true(out[i] <= 1);
}

static void refused(void **state)
{
	(void)state;
	static const struct {
		enum dtype t;
		enum fill_kind kind;
		double lo, hi;
		bool ok;
	} cases[] = {
		{DTYPE_F32, FILL_UNIFORM, 0, 1, true},
		{DTYPE_F32, FILL_UNIFORM, 1, 0, false},
		{DTYPE_F32, FILL_UNIFORM, (double)NAN, 1, false},
		{DTYPE_F32, FILL_UNIFORM, 0, 1e300, false},
		{DTYPE_F32, FILL_NORMAL, 0, -1, false},
		{DTYPE_F32, FILL_INT, 0.2, 0.8, false},
		{DTYPE_F32, FILL_INT, 0, 5e9, false},
		{DTYPE_F64, FILL_INT, 0, 5e9, true},
		{DTYPE_I32, FILL_INT, 0, 5e9, true},
		{DTYPE_I8, FILL_UNIFORM, 0.2, 0.8, false},
		{DTYPE_BOOL, FILL_UNIFORM, 0, 1, true},
		{DTYPE_F32, FILL_BITS, (double)NAN, 0, true},
		{DTYPE_F32, FILL_KINDS, 0, 0, false},
	};
	uint8_t out[64];
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct value_source s = source(cases[i].t, cases[i].kind, cases[i].lo, cases[i].hi);
		struct err e = {0};
		assert_int_equal(value_check(&s, &e), cases[i].ok);
		assert_int_equal(e.code, cases[i].ok ? ERR_NONE : ERR_INPUT);
		value_fill(&s, 0, 8, out); /* defined all the same */
		if (!cases[i].ok && !isnan(cases[i].lo) && cases[i].t == DTYPE_F32)
			assert_true(at(cases[i].t, out, 7) == (double)(float)cases[i].lo);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(philox_known), cmocka_unit_test(philox_many),  cmocka_unit_test(bits_are_words),
		cmocka_unit_test(cut),          cmocka_unit_test(uniform),      cmocka_unit_test(uniform_edges),
		cmocka_unit_test(normal),       cmocka_unit_test(normal_exact), cmocka_unit_test(whole_numbers),
		cmocka_unit_test(iota),         cmocka_unit_test(heavy),        cmocka_unit_test(constants),
		cmocka_unit_test(saturate),     cmocka_unit_test(refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
