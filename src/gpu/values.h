/* Tensor values: the CPU twin of the fill kernel, and what everybody on the host uses. Same bits as on the GPU.
 *
 * Philox4x32-10, key = seed (low, high word), counter = {block low, block high, tensor, 0}: one block serves 4 elements
 * that follow each other (2 of an 8-byte dtype; FILL_BITS: 16 bytes), so block = index / 4. Floats below 8 bytes are
 * worked out in float32 and rounded once to the dtype, ties to even; float64 in float64. */
#ifndef ASSAY_GPU_VALUES_H
#define ASSAY_GPU_VALUES_H

#include "base/dtype.h"
#include "base/err.h"

struct value_source {
	enum dtype dtype;
	struct fill fill;
	uint64_t seed;
	uint32_t tensor; /* index of the tensor in the operator: another index, other values */
};
/* False when the fill makes no sense for the dtype: bounds not finite or beyond 2^53, lo > hi, negative deviation, more
 * than 2^32 whole numbers in a dtype below 8 bytes. ERR_INPUT, the text says which. */
MUST_USE bool value_check(const struct value_source *s, struct err *e);
/* Elements first .. first + n of the tensor, into out (n * dtype_bytes). An element's value depends on its index alone,
 * not on how the tensor is cut. Integer dtypes: UNIFORM takes whole numbers in [lo, hi), NORMAL rounds and saturates,
 * IOTA wraps. BOOL: a fair coin for every random kind, the index's lowest bit for IOTA. INT, IOTA, NORMAL and HEAVY stay
 * finite: they saturate at the dtype's largest value. A source that value_check refuses is filled with lo. One core
 * makes 3.5 GB/s of uniform float32, 1.8 of normal. */
void value_fill(const struct value_source *s, uint64_t first, size_t n, void *out);

/* How elements are made from random words, by dtype: floats of 1 and 2 bytes, float32, float64, integers up to 4 bytes,
 * integers of 8. */
enum value_form { VALUE_SMALL, VALUE_F32, VALUE_F64, VALUE_INT, VALUE_INT64 };
/* A source worked out for the fill kernel and its twin. Same layout in assay.ptx. */
struct value_plan {
	uint32_t kind, form, bytes; /* enum fill_kind, enum value_form, bytes an element */
	uint32_t key[2], tensor;
	uint32_t shift, rebias;        /* VALUE_SMALL: how float32's bits become the dtype's, see values.c */
	float min_normal, magic;       /* ... and below the dtype's least normal value */
	float lo_f, scale_f;           /* below 8 bytes: value = fma(unit, scale, lo) */
	float bottom_f, top_f;         /* ... clipped to these before rounding to the dtype */
	double lo, scale, bottom, top; /* 8 bytes: the same in float64 */
	int64_t lo_i, bottom_i, top_i; /* whole numbers: the least one, and what they are clipped to */
	uint64_t span_i;               /* their number; 0 (FILL_IOTA only): no modulus */
	uint64_t first;                /* index of the first element */
	uint64_t pattern;              /* FILL_ZERO, FILL_CONST: 8 bytes that repeat the element */
};
void value_plan(struct value_plan *out, const struct value_source *s, uint64_t first);
void value_plan_fill(const struct value_plan *p, size_t n, void *out);
/* The 8 bytes that repeat one element of `value` (stored as dtype_store does). */
uint64_t value_pattern(enum dtype t, double value);

#endif
