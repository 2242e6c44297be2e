/* CPU twins of our device code: same arguments, same results. They are the test oracle, the fake driver's kernels, and
 * the host path where tensors lie in host memory. Counts, indexes, maxima, hashes, fills: same bits as the GPU. The three
 * sums of a compare may differ in the last bits: the GPU adds in another order (always the same on the same GPU). */
#ifndef ASSAY_GPU_TWINS_H
#define ASSAY_GPU_TWINS_H

#include "gpu/values.h"

enum gpu_kernel {
#define GPU_KERNEL(id, name, args) GPU_KERNEL_##id,
#include "gpu/kernels.def"
#undef GPU_KERNEL
	GPU_KERNEL_COUNT
};

/* Arguments as the kernels take them (one struct each, same layout in assay.ptx). Addresses are the device's; for a twin
 * they are the host's. */
struct twin_fill_args {
	uint64_t out, n; /* out aligned to the element */
	struct value_plan plan;
};
struct twin_poison_args {
	uint64_t p, bytes, pattern; /* any alignment; the pattern's first (lowest) byte lies at p */
};
struct twin_flush_args {
	uint64_t p, bytes; /* aligned to 16 */
	uint64_t clock;    /* where to store a twin_flush; 0: nowhere */
	uint64_t sink;     /* 8 bytes that are never written in practice: keeps the reads */
};
struct twin_flush { /* of one multiprocessor, over its part of the flush; MHz = 1000 * cycles / ns */
	uint64_t cycles_start, cycles_end, ns_start, ns_end;
};
struct twin_compare_args {
	uint64_t actual, expected, n; /* n elements, aligned to the element */
	uint32_t dtype, dtype_expected;
	double atol, rtol; /* bad unless |a - e| <= fma(rtol, |e|, atol), in float64 */
	uint64_t partial;  /* one twin_compare a block */
};
/* Finite pairs count into maxima and sums. A NaN reference wants a NaN, an infinite one the same infinity; a NaN or
 * infinity where the reference is finite is always bad. 64-bit integers are subtracted exactly. */
struct twin_compare {
	uint64_t n_bad, n_nan, n_inf; /* n_nan, n_inf: actual is NaN (Inf) and the reference is not */
	uint64_t first_bad;           /* index; UINT64_MAX: none */
	uint64_t at_max_abs;          /* least index where max_abs was seen; UINT64_MAX: no difference */
	double max_abs, max_rel;      /* max_rel over references that are not zero */
	double sum_abs, sum_sq_err, sum_sq_ref;
};
struct twin_hash_args {
	uint64_t p, bytes; /* aligned to 8 */
	uint64_t key;      /* a secret makes damage unpredictable to who caused it */
	uint64_t out;      /* 8 bytes, added to: zero them before */
};
struct twin_guard_args {
	uint64_t p, bytes, pattern; /* as for poison; p aligned to element_bytes */
	uint32_t element_bytes;     /* 1, 2, 4 or 8 */
	uint32_t reserved;
	uint64_t out; /* a twin_guard, added to */
};
struct twin_guard {
	uint64_t n_changed;   /* bytes that differ from the pattern */
	uint64_t n_untouched; /* whole elements that equal it: not written since poison, or written with it */
	uint64_t first;       /* offset of the first byte that differs; UINT64_MAX: none. Start value UINT64_MAX */
};
struct twin_empty_args {
	uint64_t nothing;
};

void twin_compare(struct twin_compare *out, const struct twin_compare_args *a); /* `partial` is not used */
uint64_t twin_hash(const void *p, size_t bytes, uint64_t key);                  /* length included, see twins.c */
void twin_guard(struct twin_guard *out, const struct twin_guard_args *a);       /* `out` of a is not used */
void twin_poison(void *p, size_t bytes, uint64_t pattern);

/* What finishes a result on the host, the same after kernel and twin. */
void twin_compare_start(struct twin_compare *c);
void twin_compare_merge(struct twin_compare *into, const struct twin_compare *part);
uint64_t twin_hash_finish(uint64_t sum, size_t bytes, uint64_t key);

/* For the fake driver: a kernel by its name (GPU_KERNEL_COUNT: not ours), the size of its argument, and the run. */
enum gpu_kernel twin_by_name(const char *name);
size_t twin_args_bytes(enum gpu_kernel k);
void twin_run(enum gpu_kernel k, unsigned n_blocks, const void *args);

#endif
