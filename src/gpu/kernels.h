/* Our device code (assay.ptx) loaded into the current context. Launches are asynchronous on `stream` (NULL: the legacy
 * stream) and allocate nothing; the three that return a result wait for the stream. Addresses are device addresses,
 * aligned as twins.h says. Errors are the launch's (ERR_SYSTEM), or a sticky one of earlier work. */
#ifndef ASSAY_GPU_KERNELS_H
#define ASSAY_GPU_KERNELS_H

#include "gpu/context.h"
#include "gpu/twins.h"

enum { GPU_MAX_BLOCKS = 2048, GPU_BLOCK_THREADS = 256 };
struct gpu_kernels {
	const struct gpu_driver *gpu;
	void *module, *function[GPU_KERNEL_COUNT];
	unsigned n_blocks[GPU_KERNEL_COUNT]; /* most blocks of a launch: they fill the GPU once */
	gpu_ptr result;               /* device memory for results, GPU_MAX_BLOCKS * sizeof(struct twin_compare) */
	struct twin_compare *partial; /* pinned host memory of the same size */
};
/* The PTX text: gpu_ptx .. gpu_ptx_end, the last byte is a NUL. */
extern const char gpu_ptx[], gpu_ptx_end[];

/* Loads the module (the driver compiles it once: 0.3 s; from its cache: 2 ms; the compiler's log is in the error),
 * looks the kernels up and loads each (no lazy loading later: a load under a held queue waits until it is released), allocates 2 * 160 KB. */
MUST_USE bool gpu_kernels_load(struct gpu_kernels *out, const struct gpu_context *c, struct err *e);
void gpu_kernels_release(struct gpu_kernels *k); /* all zero is allowed */

/* Fills n elements (H200, TB/s: constant 4.3, bits 3.6, float32 uniform 2.4, normal 1.2, float16 1.2 and 0.6). A plan of FILL_ZERO or FILL_CONST is a poison with its pattern. */
MUST_USE bool gpu_fill(const struct gpu_kernels *k, const struct twin_fill_args *a, void *stream, struct err *e);
MUST_USE bool gpu_poison(const struct gpu_kernels *k, const struct twin_poison_args *a, void *stream, struct err *e);
/* Reads [p, p + bytes) once, so that it displaces what the L2 holds. a->sink is set by the function; a->clock may be the
 * device address of mapped host memory. */
MUST_USE bool gpu_flush(const struct gpu_kernels *k, const struct twin_flush_args *a, void *stream, struct err *e);
MUST_USE bool gpu_empty(const struct gpu_kernels *k, void *stream, struct err *e);

/* H200, TB/s read: compare of float32 2.0, float16 1.1, float8 0.3; hash 2.9, guard 2.1; 20 us for a small tensor.
 * a->partial and a->out are set by the function. They share one result area: one at a time per gpu_kernels. */
MUST_USE bool gpu_compare(struct twin_compare *out, const struct gpu_kernels *k, const struct twin_compare_args *a,
			  void *stream, struct err *e);
MUST_USE bool gpu_hash(uint64_t *out, const struct gpu_kernels *k, const struct twin_hash_args *a, void *stream,
		       struct err *e); /* as twin_hash */
MUST_USE bool gpu_guard(struct twin_guard *out, const struct gpu_kernels *k, const struct twin_guard_args *a,
			void *stream, struct err *e);

#endif
