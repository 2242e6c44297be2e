/* Tensor values on the CPU: plans a fill for a dtype and makes its elements, bit for bit as assay_fill of assay.ptx.
 * In: a value_source; which elements.
 * Out: the elements' bytes.
 * Never: uses libm beyond exact rounding (floor, ceil, rint), keeps a state, contracts a*b+c by itself. */
#include "gpu/values.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/philox.h"

#define INLINE static inline __attribute__((always_inline))
/* gcc 12 vectorises the loops at -O3 only; clang does at -O2. Measured: 0.5 against 2 GB/s of float32 normal. */
#if defined(__clang__)
#define VECTORIZE
#else
#define VECTORIZE __attribute__((optimize("O3")))
#endif

enum {
	WORDS = 4 * PHILOX_BATCH,
	BATCH_BYTES = 4 * WORDS, /* the most a batch makes: 16 bytes a block */
	HEAVY_BELOW = 1 << 20    /* 2^32 / 4096 */
};
static const uint32_t heavy_hash = 0x9E3779B1; /* odd: permutes the words, so exactly one in 4096 is heavy */
static const double whole_limit = 0x1p53;

/* The polynomials of normal32 and normal64: our own minimax fits, see assay.ptx. Constant term first. */
static const float log_poly[8] = {-0x1.000014p-1f, 0x1.5555e6p-2f, -0x1.ffdd9ep-3f, 0x1.99216cp-3f,
				  -0x1.5887fcp-3f, 0x1.32deep-3f,  -0x1.ee4786p-4f, 0x1.bb740cp-5f};
static const float central_poly[9] = {0x1.0fc8bep+1f,   0x1.652c86p-2f, -0x1.8332aap-8f,
				      -0x1.d0c8b2p-10f, 0x1.442aep-12f, -0x1.a1485p-18f,
				      -0x1.4ee944p-18f, 0x1.04f9ap-21f, 0x1.5aa4dap-25f};
static const float tail_poly[9] = {0x1.5b8992p+2f,   0x1.6d7b52p+0f,   0x1.ddc26ep-10f,
				   -0x1.5cc0dcp-10f, 0x1.86251ep-12f,  -0x1.4e451cp-15f,
				   0x1.02809ap-13f,  -0x1.d3fde2p-14f, 0x1.b2ce92p-16f};

/* What a dtype can hold. bottom, top: largest finite values; for integers what float32 (float64 for 8 bytes) can hold
 * within the range. Small floats: bits dropped from float32, exponent bias difference in place, least normal value, and
 * the float32 whose ulp is the dtype's least subnormal. */
static const struct range {
	enum value_form form;
	double bottom, top;
	int64_t bottom_i, top_i;
	uint32_t shift, rebias;
	float min_normal, magic;
} ranges[DTYPE_COUNT] = {
	[DTYPE_F64] = {VALUE_F64, -DBL_MAX, DBL_MAX, INT64_MIN, INT64_MAX, 0, 0, 0, 0},
	[DTYPE_F32] = {VALUE_F32, -(double)FLT_MAX, (double)FLT_MAX, INT64_MIN, INT64_MAX, 0, 0, 0, 0},
	[DTYPE_F16] = {VALUE_SMALL, -65504, 65504, INT64_MIN, INT64_MAX, 13, 112 << 10, 0x1p-14f, 0x1p-1f},
	[DTYPE_BF16] = {VALUE_SMALL, -0x1.fep127, 0x1.fep127, INT64_MIN, INT64_MAX, 16, 0, 0, 0},
	[DTYPE_F8E4M3] = {VALUE_SMALL, -448, 448, INT64_MIN, INT64_MAX, 20, 120 << 3, 0x1p-6f, 0x1p14f},
	[DTYPE_F8E5M2] = {VALUE_SMALL, -57344, 57344, INT64_MIN, INT64_MAX, 21, 112 << 2, 0x1p-14f, 0x1p7f},
	[DTYPE_I8] = {VALUE_INT, INT8_MIN, INT8_MAX, INT8_MIN, INT8_MAX, 0, 0, 0, 0},
	[DTYPE_U8] = {VALUE_INT, 0, UINT8_MAX, 0, UINT8_MAX, 0, 0, 0, 0},
	[DTYPE_I16] = {VALUE_INT, INT16_MIN, INT16_MAX, INT16_MIN, INT16_MAX, 0, 0, 0, 0},
	[DTYPE_U16] = {VALUE_INT, 0, UINT16_MAX, 0, UINT16_MAX, 0, 0, 0, 0},
	[DTYPE_I32] = {VALUE_INT, INT32_MIN, 2147483520.0, INT32_MIN, INT32_MAX, 0, 0, 0, 0},
	[DTYPE_U32] = {VALUE_INT, 0, 4294967040.0, 0, UINT32_MAX, 0, 0, 0, 0},
	[DTYPE_I64] = {VALUE_INT64, -0x1p63, 0x1.fffffffffffffp62, INT64_MIN, INT64_MAX, 0, 0, 0, 0},
	[DTYPE_U64] = {VALUE_INT64, 0, 0x1.fffffffffffffp62, 0, INT64_MAX, 0, 0, 0, 0},
	[DTYPE_BOOL] = {VALUE_INT, 0, 1, 0, 1, 0, 0, 0, 0},
};

/* Unit interval to a normal deviate, central part; the tail is done afterwards by normal_tail. */
struct deviate {
	float z, w, x;
};

INLINE float from_bits(uint32_t bits)
{
	float v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

INLINE uint32_t to_bits(float v)
{
	uint32_t bits;
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

INLINE float poly(const float *c, int degree, float x)
{
	float r = c[degree];
	for (int i = degree - 1; i >= 0; i--)
		r = fmaf(r, x, c[i]);
	return r;
}

INLINE double poly64(const float *c, int degree, double x)
{
	double r = (double)c[degree];
	for (int i = degree - 1; i >= 0; i--)
		r = fma(r, x, (double)c[i]);
	return r;
}

INLINE float signed_like(float v, uint32_t word)
{
	return from_bits(to_bits(v) ^ (word & 0x80000000));
}

INLINE struct deviate normal_central(uint32_t word)
{
	float p = fmaf((float)(int32_t)(word & 0x7fffffff), 0x1p-32f, 0x1p-33f);
	float q = (p * 4) * (1 - p);
	int32_t e = ((int32_t)to_bits(q) - 0x3f400000) >> 23;
	float f = from_bits(to_bits(q) - ((uint32_t)e << 23)) - 1;
	float w = -fmaf((float)e, 0x1.62e43p-1f, fmaf(poly(log_poly, 7, f), f * f, f));
	float x = 1 - (p + p);
	return (struct deviate){signed_like(poly(central_poly, 8, w - 2.5f) * x, word), w, x};
}

INLINE float normal_tail(float w, float x, uint32_t word)
{
	return signed_like(poly(tail_poly, 8, sqrtf(w) - 4) * x, word);
}

INLINE double normal64(uint64_t word)
{
	double p = fma((double)(int64_t)(word >> 11 & 0xfffffffffffff), 0x1p-53, 0x1p-54);
	double q = (p * 4) * (1 - p), f, z;
	uint64_t bits;
	memcpy(&bits, &q, sizeof bits);
	int64_t e = ((int64_t)bits - 0x3fe8000000000000) >> 52;
	bits -= (uint64_t)e << 52;
	memcpy(&f, &bits, sizeof f);
	f -= 1;
	double w = -fma((double)e, 0x1.62e42fefa39efp-1, fma(poly64(log_poly, 7, f), f * f, f));
	double x = 1 - (p + p);
	z = w >= 5 ? poly64(tail_poly, 8, sqrt(w) - 4) * x : poly64(central_poly, 8, w - 2.5) * x;
	return word >> 63 ? -z : z;
}

INLINE bool is_heavy(uint32_t word)
{
	return word * heavy_hash < HEAVY_BELOW;
}

INLINE void real_words(const struct value_plan *p, const uint32_t *word, float *v)
{
	if (p->kind == FILL_NORMAL) {
		float w[WORDS], x[WORDS];
		for (size_t i = 0; i < WORDS; i++) {
			struct deviate d = normal_central(word[i]);
			v[i] = d.z;
			w[i] = d.w;
			x[i] = d.x;
		}
		for (size_t i = 0; i < WORDS; i++)
			if (w[i] >= 5)
				v[i] = normal_tail(w[i], x[i], word[i]);
	} else {
		for (size_t i = 0; i < WORDS; i++)
			v[i] = (float)(int32_t)(word[i] >> 8) * 0x1p-24f;
	}
	float lo = p->lo_f, scale = p->scale_f;
	for (size_t i = 0; i < WORDS; i++)
		v[i] = fmaf(v[i], scale, lo);
	if (p->kind == FILL_HEAVY)
		for (size_t i = 0; i < WORDS; i++)
			v[i] = is_heavy(word[i]) ? v[i] * 1000 : v[i];
}

INLINE int64_t whole_clip(const struct value_plan *p, int64_t whole, uint32_t word)
{
	if (p->kind == FILL_HEAVY && is_heavy(word))
		whole *= 1000; /* |whole| <= 2^53: it fits */
	whole = whole < p->bottom_i ? p->bottom_i : whole;
	return whole > p->top_i ? p->top_i : whole;
}

INLINE int64_t whole_iota(const struct value_plan *p, uint64_t element)
{
	return (int64_t)((uint64_t)p->lo_i + (p->span_i ? element % p->span_i : element));
}

/* As PTX's max and min, where +0 is above -0: bottom and top are never -0 (plan_real). */
INLINE void clip_words(const struct value_plan *p, float *v)
{
	float bottom = p->bottom_f, top = p->top_f;
	for (size_t i = 0; i < WORDS; i++) {
		float a = v[i] > bottom ? v[i] : bottom;
		v[i] = a > top ? top : a;
	}
}

/* float32 to fewer bits, ties to even. From the least normal value on: drop bits, move the exponent. Below: adding
 * `magic` rounds to a multiple of the least subnormal, and the sum's low bits are the pattern. */
INLINE void small_words(const struct value_plan *p, const float *v, uint32_t *bits)
{
	uint32_t shift = p->shift, half = (1u << p->shift >> 1) - 1, rebias = p->rebias, width = 8 * p->bytes;
	float min_normal = p->min_normal, magic = p->magic;
	for (size_t i = 0; i < WORDS; i++) {
		uint32_t all = to_bits(v[i]), magnitude = all & 0x7fffffff;
		uint32_t normal = ((magnitude + half + (magnitude >> shift & 1)) >> shift) - rebias;
		uint32_t subnormal = to_bits(from_bits(magnitude) + magic) - to_bits(magic);
		uint32_t is_normal = -(uint32_t)(from_bits(magnitude) >= min_normal);
		bits[i] = ((normal & is_normal) | (subnormal & ~is_normal)) | all >> 31 << (width - 1);
	}
}

INLINE void put_words(const uint32_t *bits, uint32_t bytes, uint8_t *out)
{
	uint16_t two[WORDS];
	if (bytes == 4) {
		memcpy(out, bits, 4 * WORDS);
	} else if (bytes == 2) {
		for (size_t i = 0; i < WORDS; i++)
			two[i] = (uint16_t)bits[i];
		memcpy(out, two, sizeof two);
	} else {
		for (size_t i = 0; i < WORDS; i++)
			out[i] = (uint8_t)bits[i];
	}
}

static bool is_whole(const struct value_plan *p)
{
	if (p->kind == FILL_INT || p->kind == FILL_IOTA)
		return true;
	return p->form >= VALUE_INT && p->kind != FILL_NORMAL;
}

/* Below 8 bytes: 4 elements a block. */
INLINE void narrow_batch(const struct value_plan *p, const uint32_t *word, uint64_t element, uint8_t *out)
{
	uint32_t bits[WORDS];
	float v[WORDS];
	if (is_whole(p)) {
		for (size_t i = 0; i < WORDS; i++) {
			int64_t whole;
			if (p->kind == FILL_IOTA)
				whole = whole_iota(p, element + i);
			else
				whole = whole_clip(p, p->lo_i + (int64_t)(word[i] * p->span_i >> 32), word[i]);
			bits[i] = (uint32_t)whole;
			v[i] = (float)whole;
		}
	} else {
		real_words(p, word, v);
	}
	if (p->form != VALUE_INT || !is_whole(p)) {
		clip_words(p, v);
		if (p->form == VALUE_SMALL)
			small_words(p, v, bits);
		else if (p->form == VALUE_F32)
			memcpy(bits, v, sizeof bits);
		else
			for (size_t i = 0; i < WORDS; i++)
				bits[i] = (uint32_t)(int64_t)rintf(v[i]);
	}
	put_words(bits, p->bytes, out);
}

INLINE double real64(const struct value_plan *p, uint64_t word)
{
	double v = p->kind == FILL_NORMAL ? normal64(word) : (double)(int64_t)(word >> 11) * 0x1p-53;
	v = fma(v, p->scale, p->lo);
	if (p->kind == FILL_HEAVY && is_heavy((uint32_t)word))
		v *= 1000;
	return v;
}

INLINE double clip64(const struct value_plan *p, double v)
{
	v = v > p->bottom ? v : p->bottom;
	return v > p->top ? p->top : v;
}

INLINE uint64_t wide_element(const struct value_plan *p, uint64_t word, uint64_t element)
{
	int64_t whole;
	uint64_t bits;
	double v;
	if (is_whole(p)) {
		__extension__ typedef unsigned __int128 u128;
		if (p->kind == FILL_IOTA)
			whole = whole_iota(p, element);
		else
			whole = whole_clip(p, p->lo_i + (int64_t)((u128)word * p->span_i >> 64), (uint32_t)word);
		if (p->form == VALUE_INT64)
			return (uint64_t)whole;
		v = clip64(p, (double)whole);
	} else {
		v = clip64(p, real64(p, word));
		if (p->form == VALUE_INT64)
			return (uint64_t)(int64_t)rint(v);
	}
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

/* 8 bytes: 2 elements a block. */
INLINE void wide_batch(const struct value_plan *p, const uint32_t *word, uint64_t element, uint8_t *out)
{
	for (size_t i = 0; i < WORDS / 2; i++) {
		uint64_t pair = word[2 * i] | (uint64_t)word[2 * i + 1] << 32;
		uint64_t bits = wide_element(p, pair, element + i);
		memcpy(out + 8 * i, &bits, sizeof bits);
	}
}

INLINE void any_batch(const struct value_plan *p, const uint32_t *word, uint64_t element, uint8_t *out)
{
	if (p->bytes == 8)
		wide_batch(p, word, element, out);
	else
		narrow_batch(p, word, element, out);
}

#if defined(__x86_64__)
/* The same code for processors with FMA: without it fmaf is a call, right but slow. */
VECTORIZE __attribute__((target("avx2,fma"))) static void fast_batch(const struct value_plan *p, const uint32_t *word,
								     uint64_t element, uint8_t *out)
{
	any_batch(p, word, element, out);
}
#endif

static void slow_batch(const struct value_plan *p, const uint32_t *word, uint64_t element, uint8_t *out)
{
	any_batch(p, word, element, out);
}

static unsigned log2_of(uint32_t v)
{
	return (unsigned)__builtin_ctz(v); /* 1, 2, 4, 8 */
}

/* Elements a block, as a power of two. */
static unsigned block_log(const struct value_plan *p)
{
	if (p->kind == FILL_BITS)
		return 4 - log2_of(p->bytes);
	return p->bytes == 8 ? 1 : 2;
}

static void make_batch(const struct value_plan *p, uint64_t block, uint8_t *out)
{
	uint32_t word[WORDS] = {0};
	if (p->kind != FILL_IOTA)
		philox_batch(word, block, p->key, p->tensor);
	if (p->kind == FILL_BITS) {
		memcpy(out, word, sizeof word);
		return;
	}
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
		fast_batch(p, word, block << block_log(p), out);
		return;
	}
#endif
	slow_batch(p, word, block << block_log(p), out);
}

static void repeat(void *out, size_t bytes, uint64_t pattern)
{
	uint8_t *p = out;
	size_t i = 0;
	for (; i + sizeof pattern <= bytes; i += sizeof pattern)
		memcpy(p + i, &pattern, sizeof pattern);
	memcpy(p + i, &pattern, bytes - i);
}

void value_plan_fill(const struct value_plan *p, size_t n, void *out)
{
	_Alignas(32) uint8_t batch[BATCH_BYTES];
	unsigned lg = block_log(p);
	uint64_t at = p->first, last = p->first + n;
	if (p->kind == FILL_ZERO || p->kind == FILL_CONST) {
		repeat(out, n * p->bytes, p->pattern);
		return;
	}
	while (at < last) {
		uint64_t block = at >> lg, start = block << lg, end = start + ((uint64_t)PHILOX_BATCH << lg);
		uint64_t stop = end < last ? end : last;
		make_batch(p, block, batch);
		memcpy((uint8_t *)out + (at - p->first) * p->bytes, batch + (at - start) * p->bytes,
		       (size_t)(stop - at) * p->bytes);
		at = stop;
	}
}

uint64_t value_pattern(enum dtype t, double value)
{
	uint8_t bytes[8];
	uint64_t pattern;
	size_t n = dtype_bytes(t);
	for (size_t i = 0; i < sizeof bytes; i += n)
		dtype_store(t, bytes + i, value);
	memcpy(&pattern, bytes, sizeof pattern);
	return pattern;
}

/* The dtype's value next to v, above or below; v must be one of its values. */
static double neighbour(enum dtype t, double v, int direction)
{
	uint64_t bits = 0;
	unsigned width = (unsigned)(8 * dtype_bytes(t));
	uint64_t sign = UINT64_C(1) << (width - 1);
	dtype_store(t, &bits, v);
	if ((bits & ~sign) == 0)
		bits = 1 | (direction < 0 ? sign : 0);
	else
		bits = ((bits & sign) != 0) == (direction > 0) ? bits - 1 : bits + 1;
	return dtype_load(t, &bits);
}

static double nearest(enum dtype t, double v)
{
	uint64_t bits = 0;
	dtype_store(t, &bits, v);
	return dtype_load(t, &bits);
}

/* [lo, hi) in values of the dtype: the least one not below lo, the largest one below hi; without any, lo rounded. */
static void float_bounds(enum dtype t, double lo, double hi, double out[2])
{
	double bottom = nearest(t, lo), top = nearest(t, hi);
	if (bottom < lo)
		bottom = neighbour(t, bottom, 1);
	if (top >= hi)
		top = neighbour(t, top, -1);
	if (!(bottom <= top))
		bottom = top = nearest(t, lo);
	out[0] = bottom;
	out[1] = top;
}

static const char *check_text(const struct value_source *s)
{
	double lo = s->fill.lo, hi = s->fill.hi;
	const struct range *r = &ranges[s->dtype];
	enum fill_kind kind = s->fill.kind;
	if (kind == FILL_ZERO || kind == FILL_BITS || kind == FILL_CONST)
		return NULL;
	if (s->dtype == DTYPE_BOOL && kind != FILL_INT)
		return NULL; /* a coin, whatever the bounds */
	if (!(fabs(lo) <= whole_limit && fabs(hi) <= whole_limit))
		return "lo and hi must lie within 2^53";
	if (kind == FILL_NORMAL)
		return hi < 0 ? "the deviation (hi) is negative" : NULL;
	if (kind == FILL_IOTA)
		return NULL;
	if (lo > hi)
		return "lo is above hi";
	bool is_integer = r->form == VALUE_INT || r->form == VALUE_INT64;
	if ((kind == FILL_INT || is_integer) && ceil(lo) > floor(hi))
		return "no whole number lies between lo and hi";
	if (kind == FILL_INT && r->form <= VALUE_F32 && floor(hi) - ceil(lo) >= 0x1p32)
		return "more than 2^32 whole numbers";
	return NULL;
}

bool value_check(const struct value_source *s, struct err *e)
{
	if (s->dtype >= DTYPE_COUNT || s->fill.kind >= FILL_KINDS)
		return err_set(e, ERR_INPUT, "fill: unknown dtype or kind");
	const char *text = check_text(s);
	if (text)
		return err_set(e, ERR_INPUT, "fill %s of %s, lo %g, hi %g: %s", fill_name(s->fill.kind),
			       dtype_name(s->dtype), s->fill.lo, s->fill.hi, text);
	return true;
}

static int64_t clip_whole(double v, int64_t bottom, int64_t top)
{
	if (v <= (double)bottom)
		return bottom;
	if (v >= (double)top)
		return top;
	return (int64_t)v;
}

static void plan_whole(struct value_plan *out, const struct value_source *s, const struct range *r)
{
	double lo = s->fill.lo, hi = s->fill.hi;
	if (out->kind == FILL_IOTA) {
		out->lo_i = (int64_t)floor(lo);
		out->span_i = floor(hi) > floor(lo) ? (uint64_t)(floor(hi) - floor(lo)) : 0;
		return;
	}
	int64_t least = clip_whole(ceil(lo), r->bottom_i, r->top_i), most;
	most = clip_whole(out->kind == FILL_INT ? floor(hi) : ceil(hi) - 1, r->bottom_i, r->top_i);
	out->lo_i = least;
	out->span_i = most > least ? (uint64_t)(most - least) + 1 : 1;
}

static void plan_real(struct value_plan *out, const struct value_source *s, const struct range *r)
{
	double bounds[2] = {r->bottom, r->top};
	bool is_float = r->form <= VALUE_F64;
	if (out->kind == FILL_UNIFORM && is_float)
		float_bounds(s->dtype, s->fill.lo, s->fill.hi, bounds);
	out->lo = s->fill.lo;
	out->scale = out->kind == FILL_NORMAL ? s->fill.hi : s->fill.hi - s->fill.lo;
	out->bottom = bounds[0] + 0.0; /* -0 becomes +0 */
	out->top = bounds[1] + 0.0;
	if (r->form == VALUE_F64 || r->form == VALUE_INT64)
		return;
	out->lo_f = (float)out->lo;
	out->scale_f = (float)out->scale;
	out->bottom_f = (float)out->bottom;
	out->top_f = (float)out->top;
}

/* BOOL has no distribution but the coin; its bytes stay 0 and 1. */
static struct value_source as_coin(const struct value_source *s)
{
	struct value_source out = *s;
	if (s->fill.kind == FILL_ZERO || s->fill.kind == FILL_CONST)
		return out;
	out.fill.kind = s->fill.kind == FILL_IOTA ? FILL_IOTA : FILL_INT;
	out.fill.lo = s->fill.kind == FILL_INT && s->fill.lo > 0 ? 1 : 0;
	out.fill.hi = s->fill.kind == FILL_INT && s->fill.hi < 1 ? 0 : 1;
	if (s->fill.kind == FILL_IOTA)
		out.fill.hi = 2;
	return out;
}

void value_plan(struct value_plan *out, const struct value_source *source, uint64_t first)
{
	struct value_source s = *source;
	if (s.dtype >= DTYPE_COUNT)
		BUG("dtype");
	memset(out, 0, sizeof *out);
	if (!value_check(&s, NULL))
		s.fill.kind = FILL_CONST;
	else if (s.dtype == DTYPE_BOOL)
		s = as_coin(&s);
	const struct range *r = &ranges[s.dtype];
	out->kind = s.fill.kind;
	out->form = r->form;
	out->bytes = (uint32_t)dtype_bytes(s.dtype);
	out->key[0] = (uint32_t)s.seed;
	out->key[1] = (uint32_t)(s.seed >> 32);
	out->tensor = s.tensor;
	out->shift = r->shift;
	out->rebias = r->rebias;
	out->min_normal = r->min_normal;
	out->magic = r->magic;
	out->bottom_i = r->bottom_i;
	out->top_i = r->top_i;
	out->first = first;
	out->span_i = 1;
	if (s.fill.kind == FILL_CONST)
		out->pattern = value_pattern(s.dtype, s.fill.lo);
	if (s.fill.kind == FILL_ZERO || s.fill.kind == FILL_CONST || s.fill.kind == FILL_BITS)
		return;
	plan_real(out, &s, r);
	if (is_whole(out))
		plan_whole(out, &s, r);
}

void value_fill(const struct value_source *s, uint64_t first, size_t n, void *out)
{
	struct value_plan plan;
	value_plan(&plan, s, first);
	value_plan_fill(&plan, n, out);
}
