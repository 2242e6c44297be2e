/* CPU twins of assay.ptx: the same arguments, the same results (fills: values.c).
 * In: a kernel's argument struct whose addresses are the host's.
 * Out: what the kernel would have written.
 * Never: follows `partial` or `out` except in twin_run; adds in the GPU's order (the sums of a compare). */
#include "gpu/twins.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

static const struct {
	const char *name;
	size_t args_bytes;
} kernels[GPU_KERNEL_COUNT] = {
#define GPU_KERNEL(id, name, args) [GPU_KERNEL_##id] = {name, sizeof(args)},
#include "gpu/kernels.def"
#undef GPU_KERNEL
};

/* The layouts that assay.ptx reads. */
_Static_assert(sizeof(struct value_plan) == 136 && offsetof(struct value_plan, min_normal) == 32 &&
		       offsetof(struct value_plan, lo) == 56 && offsetof(struct value_plan, lo_i) == 88 &&
		       offsetof(struct value_plan, span_i) == 112 && offsetof(struct value_plan, first) == 120,
	       "value_plan");
_Static_assert(sizeof(struct twin_fill_args) == 152 && sizeof(struct twin_poison_args) == 24 &&
		       sizeof(struct twin_flush_args) == 32 && sizeof(struct twin_compare_args) == 56 &&
		       sizeof(struct twin_hash_args) == 32 && sizeof(struct twin_guard_args) == 40 &&
		       sizeof(struct twin_empty_args) == 8,
	       "kernel arguments");
_Static_assert(sizeof(struct twin_compare) == 80 && offsetof(struct twin_compare, max_abs) == 40 &&
		       sizeof(struct twin_guard) == 24 && sizeof(struct twin_flush) == 32,
	       "kernel results");

#define INLINE static inline __attribute__((always_inline))

static const uint64_t golden = 0x9E3779B97F4A7C15;

INLINE float float_of(uint32_t bits)
{
	float v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

INLINE double double_of(uint64_t bits)
{
	double v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

/* float16 by its bits: exponent and mantissa moved to float32's places, then the bias; exact, subnormals too. */
INLINE double half_value(uint32_t bits)
{
	uint32_t magnitude = bits & 0x7fff, sign = (bits & 0x8000) << 16;
	if (magnitude >= 0x7c00)
		return (double)float_of(sign | 0x7f800000 | magnitude << 13);
	uint32_t out;
	float v = float_of(magnitude << 13) * 0x1p112f;
	memcpy(&out, &v, sizeof out);
	return (double)float_of(out | sign);
}

INLINE double e4m3_value(uint32_t bits)
{
	float v = float_of((bits & 0x7f) << 20) * 0x1p120f;
	if ((bits & 0x7f) == 0x7f)
		v = NAN;
	return (double)(bits & 0x80 ? -v : v);
}

/* One side of a comparison. */
struct side {
	enum dtype dtype;
	const uint8_t *p;
};

/* Floats as their bits, integers extended to 64 bits. */
INLINE uint64_t load(const struct side *s, uint64_t i)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;
	switch (s->dtype) {
	case DTYPE_F64:
	case DTYPE_I64:
	case DTYPE_U64:
		memcpy(&eight, s->p + 8 * i, sizeof eight);
		return eight;
	case DTYPE_F32:
	case DTYPE_I32:
	case DTYPE_U32:
		memcpy(&four, s->p + 4 * i, sizeof four);
		return s->dtype == DTYPE_I32 ? (uint64_t)(int64_t)(int32_t)four : four;
	case DTYPE_F16:
	case DTYPE_BF16:
	case DTYPE_I16:
	case DTYPE_U16:
		memcpy(&two, s->p + 2 * i, sizeof two);
		return s->dtype == DTYPE_I16 ? (uint64_t)(int64_t)(int16_t)two : two;
	case DTYPE_I8:
		return (uint64_t)(int64_t)(int8_t)s->p[i];
	case DTYPE_F8E4M3:
	case DTYPE_F8E5M2:
	case DTYPE_U8:
	case DTYPE_BOOL:
	case DTYPE_COUNT:
		break;
	}
	return s->p[i];
}

INLINE double to_f64(enum dtype t, uint64_t bits)
{
	switch (t) {
	case DTYPE_F64:
		return double_of(bits);
	case DTYPE_F32:
		return (double)float_of((uint32_t)bits);
	case DTYPE_F16:
		return half_value((uint32_t)bits);
	case DTYPE_BF16:
		return (double)float_of((uint32_t)bits << 16);
	case DTYPE_F8E4M3:
		return e4m3_value((uint32_t)bits);
	case DTYPE_F8E5M2:
		return half_value((uint32_t)bits << 8);
	case DTYPE_U64:
		return (double)bits;
	case DTYPE_I8:
	case DTYPE_U8:
	case DTYPE_I16:
	case DTYPE_U16:
	case DTYPE_I32:
	case DTYPE_U32:
	case DTYPE_I64:
	case DTYPE_BOOL:
	case DTYPE_COUNT:
		break;
	}
	return (double)(int64_t)bits;
}

void twin_compare_start(struct twin_compare *c)
{
	memset(c, 0, sizeof *c);
	c->first_bad = UINT64_MAX;
	c->at_max_abs = UINT64_MAX;
}

void twin_compare_merge(struct twin_compare *into, const struct twin_compare *part)
{
	into->n_bad += part->n_bad;
	into->n_nan += part->n_nan;
	into->n_inf += part->n_inf;
	if (part->first_bad < into->first_bad)
		into->first_bad = part->first_bad;
	if (part->max_abs > into->max_abs ||
	    (!(part->max_abs < into->max_abs) && part->at_max_abs < into->at_max_abs)) {
		into->max_abs = part->max_abs;
		into->at_max_abs = part->at_max_abs;
	}
	if (part->max_rel > into->max_rel)
		into->max_rel = part->max_rel;
	into->sum_abs += part->sum_abs;
	into->sum_sq_err += part->sum_sq_err;
	into->sum_sq_ref += part->sum_sq_ref;
}

struct pair {
	uint64_t a, e; /* as loaded */
	double va, ve;
	uint64_t index;
};

INLINE double difference(const struct pair *p, const struct twin_compare_args *args)
{
	uint64_t up = p->a - p->e, down = p->e - p->a;
	if (args->dtype == DTYPE_I64 && args->dtype_expected == DTYPE_I64)
		return (double)((int64_t)p->a > (int64_t)p->e ? up : down);
	if (args->dtype == DTYPE_U64 && args->dtype_expected == DTYPE_U64)
		return (double)(p->a > p->e ? up : down);
	return fabs(p->va - p->ve);
}

INLINE bool finite_pair(struct twin_compare *out, const struct pair *p, const struct twin_compare_args *args)
{
	double err = difference(p, args), mag = fabs(p->ve);
	if (err > out->max_abs) {
		out->max_abs = err;
		out->at_max_abs = p->index;
	}
	out->sum_abs += err;
	out->sum_sq_err = fma(err, err, out->sum_sq_err);
	out->sum_sq_ref = fma(p->ve, p->ve, out->sum_sq_ref);
	if (err > 0 && mag > 0) {
		double rel = err / mag;
		if (rel > out->max_rel)
			out->max_rel = rel;
	}
	return err <= fma(args->rtol, mag, args->atol);
}

static bool special_pair(struct twin_compare *out, const struct pair *p)
{
	bool is_nan_a = isnan(p->va), is_nan_e = isnan(p->ve);
	bool is_good = (is_nan_a && is_nan_e) || (isinf(p->va) && isinf(p->ve) && signbit(p->va) == signbit(p->ve));
	out->n_nan += is_nan_a && !is_nan_e;
	out->n_inf += isinf(p->va) && !is_good;
	return is_good;
}

INLINE void compare_all(struct twin_compare *out, const struct twin_compare_args *args)
{
	struct side actual = {(enum dtype)args->dtype, (const uint8_t *)(uintptr_t)args->actual};
	struct side expected = {(enum dtype)args->dtype_expected, (const uint8_t *)(uintptr_t)args->expected};
	struct twin_compare sum;
	twin_compare_start(&sum);
	for (uint64_t i = 0; i < args->n; i++) {
		struct pair p = {.a = load(&actual, i), .e = load(&expected, i), .index = i};
		p.va = to_f64(actual.dtype, p.a);
		p.ve = to_f64(expected.dtype, p.e);
		bool is_good = isfinite(p.va) && isfinite(p.ve) ? finite_pair(&sum, &p, args) : special_pair(&sum, &p);
		if (is_good)
			continue;
		sum.n_bad++;
		if (sum.first_bad == UINT64_MAX)
			sum.first_bad = i;
	}
	*out = sum;
}

#if defined(__x86_64__)
/* Without FMA in the processor fma is a call: right, but three times slower. */
__attribute__((target("avx2,fma"))) static void compare_fma(struct twin_compare *out,
							    const struct twin_compare_args *args)
{
	compare_all(out, args);
}
#endif

void twin_compare(struct twin_compare *out, const struct twin_compare_args *args)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
		compare_fma(out, args);
		return;
	}
#endif
	compare_all(out, args);
}

/* splitmix64's finalizer (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
	x = (x ^ x >> 27) * 0x94D049BB133111EB;
	return x ^ x >> 31;
}

static uint64_t hash_sum(const uint8_t *p, uint64_t bytes, uint64_t key)
{
	uint64_t sum = 0, salt = golden, at = 0, word = 0;
	for (; bytes - at >= 8; at += 8, salt += golden) {
		memcpy(&word, p + at, 8);
		sum += mix((word ^ key) + salt);
	}
	if (at == bytes)
		return sum;
	word = 0;
	memcpy(&word, p + at, (size_t)(bytes - at));
	return sum + mix((word ^ key) + salt);
}

uint64_t twin_hash_finish(uint64_t sum, size_t bytes, uint64_t key)
{
	return mix(sum + mix(bytes * golden ^ key));
}

uint64_t twin_hash(const void *p, size_t bytes, uint64_t key)
{
	return twin_hash_finish(hash_sum(p, bytes, key), bytes, key);
}

static uint8_t pattern_byte(uint64_t pattern, uint64_t offset)
{
	return (uint8_t)(pattern >> 8 * (offset & 7));
}

/* One element, the last one may be cut off. */
static void guard_element(struct twin_guard *out, const struct twin_guard_args *a, uint64_t at)
{
	const uint8_t *p = (const uint8_t *)(uintptr_t)a->p;
	uint64_t end = a->bytes - at < a->element_bytes ? a->bytes : at + a->element_bytes, differs = 0;
	for (uint64_t i = at; i < end; i++) {
		if (p[i] == pattern_byte(a->pattern, i))
			continue;
		differs++;
		if (i < out->first)
			out->first = i;
	}
	out->n_changed += differs;
	out->n_untouched += differs == 0 && end - at == a->element_bytes;
}

/* Whether a byte of x is 0 (Warren: Hacker's Delight, 6-1). */
static bool has_zero_byte(uint64_t x)
{
	return ((x - 0x0101010101010101) & ~x & 0x8080808080808080) != 0;
}

/* Words that are the pattern, or differ from it in each byte, as outputs that were written mostly do, are taken whole. */
void twin_guard(struct twin_guard *out, const struct twin_guard_args *a)
{
	const uint8_t *p = (const uint8_t *)(uintptr_t)a->p;
	*out = (struct twin_guard){.first = UINT64_MAX};
	for (uint64_t at = 0; at < a->bytes;) {
		uint64_t word;
		if (at % 8 == 0 && a->bytes - at >= 8) {
			memcpy(&word, p + at, sizeof word);
			bool is_changed = !has_zero_byte(word ^ a->pattern);
			if (is_changed || word == a->pattern) {
				out->n_changed += is_changed ? 8 : 0;
				out->n_untouched += is_changed ? 0 : 8 / a->element_bytes;
				out->first = is_changed && at < out->first ? at : out->first;
				at += 8;
				continue;
			}
		}
		guard_element(out, a, at);
		at += a->element_bytes;
	}
}

void twin_poison(void *p, size_t bytes, uint64_t pattern)
{
	uint8_t *out = p;
	size_t i = 0;
	for (; i + sizeof pattern <= bytes; i += sizeof pattern)
		memcpy(out + i, &pattern, sizeof pattern);
	memcpy(out + i, &pattern, bytes - i);
}

enum gpu_kernel twin_by_name(const char *name)
{
	for (size_t i = 0; i < GPU_KERNEL_COUNT; i++)
		if (strcmp(name, kernels[i].name) == 0)
			return (enum gpu_kernel)i;
	return GPU_KERNEL_COUNT;
}

size_t twin_args_bytes(enum gpu_kernel k)
{
	if (k >= GPU_KERNEL_COUNT)
		BUG("kernel");
	return kernels[k].args_bytes;
}

static void run_compare(const struct twin_compare_args *a, unsigned n_blocks)
{
	struct twin_compare *partial = (struct twin_compare *)(uintptr_t)a->partial;
	twin_compare(&partial[0], a);
	for (unsigned i = 1; i < n_blocks; i++)
		twin_compare_start(&partial[i]);
}

static void run_guard(const struct twin_guard_args *a)
{
	struct twin_guard found, *out = (struct twin_guard *)(uintptr_t)a->out;
	twin_guard(&found, a);
	out->n_changed += found.n_changed;
	out->n_untouched += found.n_untouched;
	if (found.first < out->first)
		out->first = found.first;
}

static void run_flush(const struct twin_flush_args *a)
{
	const uint64_t *p = (const uint64_t *)(uintptr_t)a->p;
	struct twin_flush clock = {.ns_start = (uint64_t)clock_ns()};
	uint64_t sum = 0;
	for (uint64_t i = 0; i < a->bytes / sizeof *p; i += 8) /* one load a cache line */
		sum ^= p[i];
	volatile uint64_t keep = sum;
	(void)keep;
	clock.ns_end = (uint64_t)clock_ns();
	clock.cycles_end = clock.ns_end - clock.ns_start; /* a host has no SM clock: 1000 MHz */
	if (a->clock)
		memcpy((void *)(uintptr_t)a->clock, &clock, sizeof clock);
}

void twin_run(enum gpu_kernel k, unsigned n_blocks, const void *args)
{
	const struct twin_fill_args *fill = args;
	const struct twin_poison_args *poison = args;
	const struct twin_hash_args *hash = args;
	switch (k) {
	case GPU_KERNEL_FILL:
		value_plan_fill(&fill->plan, (size_t)fill->n, (void *)(uintptr_t)fill->out);
		return;
	case GPU_KERNEL_POISON:
		twin_poison((void *)(uintptr_t)poison->p, (size_t)poison->bytes, poison->pattern);
		return;
	case GPU_KERNEL_FLUSH:
		run_flush(args);
		return;
	case GPU_KERNEL_COMPARE:
		run_compare(args, n_blocks);
		return;
	case GPU_KERNEL_HASH:
		*(uint64_t *)(uintptr_t)hash->out +=
			hash_sum((const uint8_t *)(uintptr_t)hash->p, hash->bytes, hash->key);
		return;
	case GPU_KERNEL_GUARD:
		run_guard(args);
		return;
	case GPU_KERNEL_EMPTY:
		return;
	case GPU_KERNEL_COUNT:
		break;
	}
	BUG("kernel");
}
