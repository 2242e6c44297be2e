/* Unit tests of base/dtype.
 * In: every pattern of the small floats, and the midpoints between neighbours.
 * Out: cmocka's report.
 * Never: compares with a conversion of the compiler for half and smaller. */
#include "base/dtype.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

struct format {
	enum dtype type;
	unsigned bits, mantissa_bits;
	int bias;
	bool has_infinity;
};
static const struct format formats[] = {
	{DTYPE_F16, 16, 10, 15, true},
	{DTYPE_BF16, 16, 7, 127, true},
	{DTYPE_F8E4M3, 8, 3, 7, false},
	{DTYPE_F8E5M2, 8, 2, 15, true},
};

static double load(enum dtype t, uint64_t pattern)
{
	unsigned char p[9];
	memcpy(p + 1, &pattern, 8); /* unaligned on purpose */
	return dtype_load(t, p + 1);
}

static uint64_t store(enum dtype t, double v)
{
	unsigned char p[9];
	uint64_t out = 0;
	memset(p, 0xaa, sizeof p);
	dtype_store(t, p + 1, v);
	memcpy(&out, p + 1, dtype_bytes(t));
	assert_int_equal(p[0], 0xaa);
	for (size_t i = dtype_bytes(t) + 1; i < sizeof p; i++)
		assert_int_equal(p[i], 0xaa);
	return out;
}

/* Value of a pattern by the definition of the format. */
static double defined(const struct format *f, uint64_t pattern)
{
	uint64_t magnitude = pattern & ((1u << (f->bits - 1)) - 1);
	int e = (int)(magnitude >> f->mantissa_bits), top = (1 << (f->bits - 1 - f->mantissa_bits)) - 1;
	double m = (double)(magnitude & ((1u << f->mantissa_bits) - 1)), sign = pattern >> (f->bits - 1) ? -1 : 1;
	bool ones = magnitude == (1u << (f->bits - 1)) - 1;
	if (f->has_infinity && e == top)
		return m == 0 ? sign * HUGE_VAL : (double)NAN;
	if (!f->has_infinity && ones)
		return (double)NAN;
	if (e == 0)
		return sign * m * pow(2, 1 - f->bias - (int)f->mantissa_bits);
	return sign * (1 + m * pow(2, -(int)f->mantissa_bits)) * pow(2, e - f->bias);
}

static void every_pattern(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(formats); i++) {
		const struct format *f = &formats[i];
		for (uint64_t p = 0; p < 1u << f->bits; p++) {
			double v = load(f->type, p), want = defined(f, p);
			assert_int_equal(isnan(v) != 0, isnan(want) != 0);
			if (!isnan(want))
				assert_memory_equal(&v, &want, sizeof v); /* tells -0 from 0 */
			assert_int_equal(store(f->type, v), p);
		}
	}
}

/* Around the midpoint of each pair of neighbours: the even one at the midpoint, the nearer one a double's ulp beside
 * it. A conversion by way of float fails here. */
static void rounds_once_to_even(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(formats); i++) {
		const struct format *f = &formats[i];
		uint64_t sign = 1u << (f->bits - 1);
		for (uint64_t p = 0; p + 1 < sign && isfinite(load(f->type, p + 1)); p++) {
			double a = load(f->type, p), b = load(f->type, p + 1), mid = a + (b - a) / 2;
			uint64_t even = p & 1 ? p + 1 : p;
			assert_int_equal(store(f->type, mid), even);
			assert_int_equal(store(f->type, nextafter(mid, a)), p);
			assert_int_equal(store(f->type, nextafter(mid, b)), p + 1);
			assert_int_equal(store(f->type, -mid), even | sign);
			assert_int_equal(store(f->type, nextafter(-mid, -b)), (p + 1) | sign);
		}
		assert_int_equal(store(f->type, 5e-324), 0);
		assert_int_equal(store(f->type, -5e-324), sign);
		assert_int_equal(store(f->type, -1e-300), sign);
	}
}

static void overflows(void **state)
{
	(void)state;
	assert_int_equal(store(DTYPE_F16, 65519.999), 0x7bff);
	assert_int_equal(store(DTYPE_F16, 65520), 0x7c00);
	assert_int_equal(store(DTYPE_F16, -1e308), 0xfc00);
	assert_int_equal(store(DTYPE_BF16, HUGE_VAL), 0x7f80);
	assert_int_equal(store(DTYPE_BF16, 1e39), 0x7f80);
	assert_int_equal(store(DTYPE_F8E5M2, 61440), 0x7c);
	assert_int_equal(store(DTYPE_F8E5M2, 61439), 0x7b);
	assert_int_equal(store(DTYPE_F8E4M3, 448), 0x7e);
	assert_int_equal(store(DTYPE_F8E4M3, 1e9), 0x7e);
	assert_int_equal(store(DTYPE_F8E4M3, -HUGE_VAL), 0xfe);
	assert_int_equal(store(DTYPE_F8E4M3, (double)NAN) & 0x7f, 0x7f);
	assert_int_equal(store(DTYPE_F32, 1e39), 0x7f800000);
	assert_int_equal(store(DTYPE_F32, 1 + 0x1p-24), 0x3f800000);
	assert_int_equal(store(DTYPE_F32, 1 + 0x1p-24 + 0x1p-52), 0x3f800001);
	/* A NaN whose payload lies below the target's bits stays a NaN. */
	uint64_t bits = UINT64_C(0x7ff0000000000001);
	double quiet;
	memcpy(&quiet, &bits, sizeof quiet);
	assert_int_equal(store(DTYPE_F16, quiet), 0x7e00);
}

static void whole_numbers(void **state)
{
	static const struct {
		enum dtype type;
		double v;
		uint64_t want;
	} cases[] = {
		{DTYPE_I8, 2.5, 2},
		{DTYPE_I8, 3.5, 4},
		{DTYPE_I8, -2.5, 0xfe},
		{DTYPE_I8, 127.4, 127},
		{DTYPE_I8, 128, 127},
		{DTYPE_I8, -128.5, 0x80},
		{DTYPE_I8, -1e9, 0x80},
		{DTYPE_U8, -0.5, 0},
		{DTYPE_U8, -7, 0},
		{DTYPE_U8, 255.4, 255},
		{DTYPE_U8, 256, 255},
		{DTYPE_I16, 1e6, 0x7fff},
		{DTYPE_U16, 1e6, 0xffff},
		{DTYPE_I32, -2147483648.0, 0x80000000},
		{DTYPE_I32, 2147483648.0, 0x7fffffff},
		{DTYPE_U32, 4294967296.0, 0xffffffff},
		{DTYPE_I64, 9223372036854775808.0, INT64_MAX},
		{DTYPE_I64, -9223372036854775808.0, UINT64_C(1) << 63},
		{DTYPE_I64, -1e300, UINT64_C(1) << 63},
		{DTYPE_U64, 18446744073709551616.0, UINT64_MAX},
		{DTYPE_U64, 9223372036854775808.0, UINT64_C(1) << 63},
		{DTYPE_U64, -1, 0},
		{DTYPE_I32, (double)NAN, 0},
		{DTYPE_U64, (double)NAN, 0},
		{DTYPE_U64, HUGE_VAL, UINT64_MAX},
		{DTYPE_I64, -HUGE_VAL, UINT64_C(1) << 63},
		{DTYPE_BOOL, 0.0, 0},
		{DTYPE_BOOL, 0.25, 1},
		{DTYPE_BOOL, (double)NAN, 1},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_true(store(cases[i].type, cases[i].v) == cases[i].want);
	assert_true(load(DTYPE_I8, 0x80) == -128);
	assert_true(load(DTYPE_U8, 0x80) == 128);
	assert_true(load(DTYPE_I16, 0xffff) == -1);
	assert_true(load(DTYPE_I32, 0x80000000) == -2147483648.0);
	assert_true(load(DTYPE_U64, UINT64_MAX) == 18446744073709551616.0);
	assert_true(load(DTYPE_I64, UINT64_MAX) == -1);
	assert_true(load(DTYPE_BOOL, 1) == 1);
	assert_true(load(DTYPE_F64, UINT64_C(0x3ff8000000000000)) == 1.5);
}

static void names(void **state)
{
	(void)state;
	enum dtype t;
	for (size_t i = 0; i < DTYPE_COUNT; i++) {
		assert_true(dtype_from_name(str_from(dtype_name((enum dtype)i)), &t));
		assert_int_equal(t, i);
	}
	assert_true(dtype_from_name(STR("half"), &t) && t == DTYPE_F16);
	assert_true(dtype_from_name(STR("torch.long"), &t) && t == DTYPE_I64);
	assert_true(dtype_from_name(STR("torch.float8_e5m2"), &t) && t == DTYPE_F8E5M2);
	assert_true(dtype_from_name(STR("float"), &t) && t == DTYPE_F32);
	assert_false(dtype_from_name(STR("float3"), &t));
	assert_false(dtype_from_name(STR("Float"), &t));
	assert_false(dtype_from_name(STR(""), &t));
	assert_false(dtype_from_name(STR("torch."), &t));
	enum fill_kind k;
	for (size_t i = 0; i < FILL_KINDS; i++) {
		assert_true(fill_from_name(str_from(fill_name((enum fill_kind)i)), &k));
		assert_int_equal(k, i);
	}
	assert_false(fill_from_name(STR("gauss"), &k));
}

/* The unit roundoff is where 1 + u becomes a tie: it rounds to 1, and anything above it does not. */
static void roundoff(void **state)
{
	(void)state;
	for (size_t i = 0; i < DTYPE_COUNT; i++) {
		enum dtype t = (enum dtype)i;
		double u = dtype_roundoff(t);
		if (!dtype_is_float(t)) {
			assert_true(u == 0);
			continue;
		}
		if (t == DTYPE_F64) {
			assert_true(1 + u == 1 && 1 + 2 * u > 1);
			continue;
		}
		assert_true(load(t, store(t, 1 + u)) == 1);
		assert_true(load(t, store(t, nextafter(1 + u, 2))) == 1 + 2 * u);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pattern), cmocka_unit_test(rounds_once_to_even),
		cmocka_unit_test(overflows),     cmocka_unit_test(whole_numbers),
		cmocka_unit_test(names),         cmocka_unit_test(roundoff),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
