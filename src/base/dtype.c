/* Element types: names, sizes, and one element to and from a double.
 * In: a type and the bytes of an element, aligned or not.
 * Out: its exact value; or the bytes nearest to a double, rounded once.
 * Never: rounds twice (half and the 8-bit types are rounded from the double itself), touches the FP environment. */
#include "base/dtype.h"

#include <math.h>
#include <string.h>

static const struct {
	const char *name;
	size_t bytes;
	bool is_float;
} types[DTYPE_COUNT] = {
#define DTYPE_X(id, name, bytes, is_float, c) [DTYPE_##id] = {name, bytes, is_float},
	DTYPE_TABLE(DTYPE_X)
#undef DTYPE_X
};

/* Names of torch that are not the file name. */
static const struct {
	const char *name;
	enum dtype type;
} aliases[] = {
	{"double", DTYPE_F64}, {"float", DTYPE_F32}, {"half", DTYPE_F16},
	{"short", DTYPE_I16},  {"int", DTYPE_I32},   {"long", DTYPE_I64},
};

/* The small float formats. `largest` is the pattern of the largest finite value.
 * Sources: IEEE 754-2019 (binary16); OCP 8-bit Floating Point Specification 1.0 (E4M3 without infinity: all ones is
 * NaN; E5M2); bfloat16 is the upper half of binary32. */
struct small_float {
	unsigned mantissa_bits;
	int bias;
	uint64_t sign, infinity, largest; /* infinity of E4M3: its NaN pattern */
	bool has_infinity;
};
static const struct small_float half_format = {10, 15, 0x8000, 0x7c00, 0x7bff, true};
static const struct small_float bf16_format = {7, 127, 0x8000, 0x7f80, 0x7f7f, true};
static const struct small_float e4m3_format = {3, 7, 0x80, 0x7f, 0x7e, false};
static const struct small_float e5m2_format = {2, 15, 0x80, 0x7c, 0x7b, true};

enum { DOUBLE_MANTISSA = 52, DOUBLE_BIAS = 1023 };
static const uint64_t double_infinity = UINT64_C(0x7ff) << DOUBLE_MANTISSA;

static double double_of(uint64_t bits)
{
	double v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

/* NaN payloads keep their leading bits in both directions, so load then store gives the same pattern. */
static double small_load(const struct small_float *f, uint64_t pattern)
{
	uint64_t sign = pattern & f->sign ? UINT64_C(1) << 63 : 0;
	uint64_t magnitude = pattern & (f->sign - 1);
	uint64_t mantissa = magnitude & ((UINT64_C(1) << f->mantissa_bits) - 1);
	unsigned up = DOUBLE_MANTISSA - f->mantissa_bits;
	if (magnitude > f->largest) {
		if (f->has_infinity)
			return double_of(sign | double_infinity | mantissa << up);
		return double_of(sign | double_infinity | UINT64_C(1) << (DOUBLE_MANTISSA - 1));
	}
	int exponent = (int)(magnitude >> f->mantissa_bits);
	if (exponent == 0) {
		/* exact: at most 10 bits times a power of two within double's normal range */
		double v = ldexp((double)mantissa, 1 - f->bias - (int)f->mantissa_bits);
		return sign ? -v : v;
	}
	uint64_t e = (uint64_t)(exponent - f->bias + DOUBLE_BIAS);
	return double_of(sign | e << DOUBLE_MANTISSA | mantissa << up);
}

static uint64_t small_nan(const struct small_float *f, uint64_t mantissa)
{
	if (!f->has_infinity)
		return f->infinity;
	uint64_t payload = mantissa >> (DOUBLE_MANTISSA - f->mantissa_bits);
	return f->infinity | (payload ? payload : UINT64_C(1) << (f->mantissa_bits - 1));
}

static uint64_t small_round(const struct small_float *f, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	uint64_t sign = bits >> 63 ? f->sign : 0;
	uint64_t magnitude = bits & (UINT64_MAX >> 1);
	uint64_t mantissa = magnitude & ((UINT64_C(1) << DOUBLE_MANTISSA) - 1);
	if (magnitude > double_infinity)
		return sign | small_nan(f, mantissa);
	int exponent = (int)(magnitude >> DOUBLE_MANTISSA) - DOUBLE_BIAS + f->bias; /* in the target's encoding */
	unsigned shift = DOUBLE_MANTISSA - f->mantissa_bits;
	uint64_t whole;
	if (exponent >= 1) {
		/* Wide exponent and mantissa as one number: a carry out of the mantissa moves the exponent. */
		whole = (uint64_t)exponent << DOUBLE_MANTISSA | mantissa;
	} else {
		/* Below the smallest normal: shift the 53 bits with the hidden one; moved by 55 or more they round to 0. */
		shift += (unsigned)(1 - exponent);
		whole = mantissa | UINT64_C(1) << DOUBLE_MANTISSA;
		if (shift > 63)
			return sign;
	}
	uint64_t rounded = whole >> shift;
	uint64_t rest = whole & ((UINT64_C(1) << shift) - 1), tie = UINT64_C(1) << (shift - 1);
	rounded += rest > tie || (rest == tie && (rounded & 1));
	if (rounded > f->largest)
		return sign | (f->has_infinity ? f->infinity : f->largest);
	return sign | rounded;
}

const char *dtype_name(enum dtype t)
{
	if (t >= DTYPE_COUNT)
		BUG("dtype");
	return types[t].name;
}

size_t dtype_bytes(enum dtype t)
{
	if (t >= DTYPE_COUNT)
		BUG("dtype");
	return types[t].bytes;
}

bool dtype_is_float(enum dtype t)
{
	if (t >= DTYPE_COUNT)
		BUG("dtype");
	return types[t].is_float;
}

bool dtype_from_name(struct str name, enum dtype *out)
{
	if (str_starts(name, "torch."))
		name = str_sub(name, sizeof "torch." - 1, name.n);
	for (size_t i = 0; i < DTYPE_COUNT; i++) {
		if (str_is(name, types[i].name)) {
			*out = (enum dtype)i;
			return true;
		}
	}
	for (size_t i = 0; i < COUNT_OF(aliases); i++) {
		if (str_is(name, aliases[i].name)) {
			*out = aliases[i].type;
			return true;
		}
	}
	return false;
}

static uint64_t get_bits(enum dtype t, const void *p)
{
	uint8_t b1;
	uint16_t b2;
	uint32_t b4;
	uint64_t b8;
	switch (dtype_bytes(t)) {
	case 1:
		memcpy(&b1, p, sizeof b1);
		return b1;
	case 2:
		memcpy(&b2, p, sizeof b2);
		return b2;
	case 4:
		memcpy(&b4, p, sizeof b4);
		return b4;
	default:
		memcpy(&b8, p, sizeof b8);
		return b8;
	}
}

static void put_bits(enum dtype t, void *p, uint64_t bits)
{
	uint8_t b1 = (uint8_t)bits;
	uint16_t b2 = (uint16_t)bits;
	uint32_t b4 = (uint32_t)bits;
	switch (dtype_bytes(t)) {
	case 1:
		memcpy(p, &b1, sizeof b1);
		return;
	case 2:
		memcpy(p, &b2, sizeof b2);
		return;
	case 4:
		memcpy(p, &b4, sizeof b4);
		return;
	default:
		memcpy(p, &bits, sizeof bits);
		return;
	}
}

double dtype_load(enum dtype t, const void *p)
{
	uint64_t bits = get_bits(t, p);
	float single;
	switch (t) {
	case DTYPE_F64:
		return double_of(bits);
	case DTYPE_F32:
		memcpy(&single, p, sizeof single);
		return (double)single;
	case DTYPE_F16:
		return small_load(&half_format, bits);
	case DTYPE_BF16:
		return small_load(&bf16_format, bits);
	case DTYPE_F8E4M3:
		return small_load(&e4m3_format, bits);
	case DTYPE_F8E5M2:
		return small_load(&e5m2_format, bits);
	case DTYPE_I8:
		return (double)(int8_t)bits;
	case DTYPE_I16:
		return (double)(int16_t)bits;
	case DTYPE_I32:
		return (double)(int32_t)bits;
	case DTYPE_I64:
		return (double)(int64_t)bits;
	case DTYPE_U8:
	case DTYPE_U16:
	case DTYPE_U32:
	case DTYPE_U64:
	case DTYPE_BOOL:
		return (double)bits;
	case DTYPE_COUNT:
		break;
	}
	BUG("dtype");
}

/* Nearest whole number, ties to even, saturated; NaN is 0 (as cvt.rni of PTX). `bits` is the width of the type. */
static uint64_t to_signed(double v, unsigned bits)
{
	double limit = ldexp(1.0, (int)bits - 1);
	v = nearbyint(v);
	if (isnan(v))
		return 0;
	if (v >= limit)
		return (UINT64_C(1) << (bits - 1)) - 1;
	if (v < -limit)
		v = -limit;
	return (uint64_t)(int64_t)v;
}

static uint64_t to_unsigned(double v, unsigned bits)
{
	v = nearbyint(v);
	if (isnan(v) || v <= 0)
		return 0;
	if (v >= ldexp(1.0, (int)bits))
		return UINT64_MAX >> (64 - bits);
	return (uint64_t)v;
}

void dtype_store(enum dtype t, void *p, double v)
{
	unsigned width = (unsigned)(8 * dtype_bytes(t));
	float single = (float)v;
	uint32_t single_bits;
	uint64_t bits = 0;
	switch (t) {
	case DTYPE_F64:
		memcpy(&bits, &v, sizeof bits);
		break;
	case DTYPE_F32:
		memcpy(&single_bits, &single, sizeof single_bits);
		bits = single_bits;
		break;
	case DTYPE_F16:
		bits = small_round(&half_format, v);
		break;
	case DTYPE_BF16:
		bits = small_round(&bf16_format, v);
		break;
	case DTYPE_F8E4M3:
		bits = small_round(&e4m3_format, v);
		break;
	case DTYPE_F8E5M2:
		bits = small_round(&e5m2_format, v);
		break;
	case DTYPE_I8:
	case DTYPE_I16:
	case DTYPE_I32:
	case DTYPE_I64:
		bits = to_signed(v, width);
		break;
	case DTYPE_U8:
	case DTYPE_U16:
	case DTYPE_U32:
	case DTYPE_U64:
		bits = to_unsigned(v, width);
		break;
	case DTYPE_BOOL:
		bits = v != 0;
		break;
	case DTYPE_COUNT:
		BUG("dtype");
	}
	put_bits(t, p, bits);
}

double dtype_roundoff(enum dtype t)
{
	switch (t) {
	case DTYPE_F64:
		return 0x1p-53;
	case DTYPE_F32:
		return 0x1p-24;
	case DTYPE_F16:
		return 0x1p-11;
	case DTYPE_BF16:
		return 0x1p-8;
	case DTYPE_F8E4M3:
		return 0x1p-4;
	case DTYPE_F8E5M2:
		return 0x1p-3;
	case DTYPE_I8:
	case DTYPE_U8:
	case DTYPE_I16:
	case DTYPE_U16:
	case DTYPE_I32:
	case DTYPE_U32:
	case DTYPE_I64:
	case DTYPE_U64:
	case DTYPE_BOOL:
		return 0;
	case DTYPE_COUNT:
		break;
	}
	BUG("dtype");
}

static const char *const fills[FILL_KINDS] = {
	[FILL_ZERO] = "zero", [FILL_UNIFORM] = "uniform", [FILL_NORMAL] = "normal", [FILL_INT] = "int",
	[FILL_IOTA] = "iota", [FILL_CONST] = "const",     [FILL_HEAVY] = "heavy",   [FILL_BITS] = "bits",
};

const char *fill_name(enum fill_kind k)
{
	if (k >= FILL_KINDS)
		BUG("fill kind");
	return fills[k];
}

bool fill_from_name(struct str name, enum fill_kind *out)
{
	for (size_t i = 0; i < FILL_KINDS; i++) {
		if (str_is(name, fills[i])) {
			*out = (enum fill_kind)i;
			return true;
		}
	}
	return false;
}
