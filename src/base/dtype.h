/* Element types and value distributions: shared words of operator, wire, gpu and probe. */
#ifndef ASSAY_BASE_DTYPE_H
#define ASSAY_BASE_DTYPE_H

#include "base/attr.h"
#include "base/str.h"

/* name in files, bytes, is_float, C spelling for messages */
#define DTYPE_TABLE(X)                                                                                                 \
	X(F64, "float64", 8, 1, "double")                                                                              \
	X(F32, "float32", 4, 1, "float")                                                                               \
	X(F16, "float16", 2, 1, "half")                                                                                \
	X(BF16, "bfloat16", 2, 1, "__nv_bfloat16")                                                                     \
	X(F8E4M3, "float8_e4m3fn", 1, 1, "__nv_fp8_e4m3")                                                              \
	X(F8E5M2, "float8_e5m2", 1, 1, "__nv_fp8_e5m2")                                                                \
	X(I8, "int8", 1, 0, "int8_t")                                                                                  \
	X(U8, "uint8", 1, 0, "uint8_t")                                                                                \
	X(I16, "int16", 2, 0, "int16_t")                                                                               \
	X(U16, "uint16", 2, 0, "uint16_t")                                                                             \
	X(I32, "int32", 4, 0, "int32_t")                                                                               \
	X(U32, "uint32", 4, 0, "uint32_t")                                                                             \
	X(I64, "int64", 8, 0, "int64_t")                                                                               \
	X(U64, "uint64", 8, 0, "uint64_t")                                                                             \
	X(BOOL, "bool", 1, 0, "bool")

enum dtype {
#define DTYPE_X(id, name, bytes, is_float, c) DTYPE_##id,
	DTYPE_TABLE(DTYPE_X)
#undef DTYPE_X
		DTYPE_COUNT
};
const char *dtype_name(enum dtype t);
size_t dtype_bytes(enum dtype t);
bool dtype_is_float(enum dtype t);
bool dtype_from_name(struct str name, enum dtype *out); /* and torch's ("half", "torch.int8") */
/* One element at p (any alignment) as a double, exactly (64-bit integers are rounded; bool is its byte). */
double dtype_load(enum dtype t, const void *p);
/* Stores v rounded to nearest even; out of range: infinity for floats that have one, the largest finite value for
 * float8_e4m3fn, saturation for integers, whose NaN is 0; bool is v != 0. */
void dtype_store(enum dtype t, void *p, double v);
/* Half an ulp at 1.0: the unit roundoff (2^-24 for float32). 0 for integers. */
double dtype_roundoff(enum dtype t);

/* How a tensor is filled. Values come from Philox4x32-10 (key: seed; counter: element index / 4 and tensor, see
 * gpu/values.h) and only integer operations and IEEE + * fma sqrt, so that C and PTX give the same bits. */
enum fill_kind {
	FILL_ZERO,
	FILL_UNIFORM, /* [lo, hi) */
	FILL_NORMAL,  /* mean lo, standard deviation hi */
	FILL_INT,     /* whole numbers in lo..hi, both included */
	FILL_IOTA,    /* element index (mod hi - lo) + lo */
	FILL_CONST,   /* lo */
	FILL_HEAVY,   /* uniform with one element in 4096 scaled by 1000: heavy tail */
	FILL_BITS,    /* random bytes, every pattern (floats: NaN and Inf included) */
	FILL_KINDS
};
struct fill {
	enum fill_kind kind;
	double lo, hi;
};
const char *fill_name(enum fill_kind k);
bool fill_from_name(struct str name, enum fill_kind *out);

#endif
