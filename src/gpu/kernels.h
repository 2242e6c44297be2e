/* Our device code (assay.ptx) loaded into the current context. All but the three that return a result are asynchronous
 * on `stream`, allocate nothing and cost one launch. Addresses are device addresses; alignment as in twins.h. */
#ifndef ASSAY_GPU_KERNELS_H
#define ASSAY_GPU_KERNELS_H

#include "gpu/context.h"
#include "gpu/twins.h"

struct gpu_kernels {
	const struct gpu_driver *gpu;
	void *module, *function[GPU_KERNEL_COUNT];
	unsigned n_blocks;            /* most blocks of a launch: they fill the GPU once */
	gpu_ptr result;               /* device memory for results */
	struct twin_compare *partial; /* pinned host memory for reading them */
};
/* The PTX text: gpu_ptx .. gpu_ptx_end, NUL-terminated (the NUL is before gpu_ptx_end). */
extern const char gpu_ptx[], gpu_ptx_end[];

/* Loads the module (the driver compiles it, about 0.1 s once, then from its cache; the compiler's log is in the error),
 * looks the kernels up and loads each, allocates 0.2 MB on both sides. */
MUST_USE bool gpu_kernels_load(struct gpu_kernels *out, const struct gpu_context *c, struct err *e);
void gpu_kernels_release(struct gpu_kernels *k);

/* Fills n elements at p. */
MUST_USE bool gpu_fill(const struct gpu_kernels *k, const struct twin_fill_args *a, void *stream, struct err *e);
MUST_USE bool gpu_poison(const struct gpu_kernels *k, const struct twin_poison_args *a, void *stream, struct err *e);
/* Reads [p, p + bytes) once, so that it displaces what the L2 holds. a->sink is set by the function. `clock` may be
 * mapped host memory. */
MUST_USE bool gpu_flush(const struct gpu_kernels *k, const struct twin_flush_args *a, void *stream, struct err *e);
MUST_USE bool gpu_empty(const struct gpu_kernels *k, void *stream, struct err *e);

/* These wait for the stream. a->partial and a->out are set by the function. Not for two threads at a time. */
MUST_USE bool gpu_compare(struct twin_compare *out, const struct gpu_kernels *k, const struct twin_compare_args *a,
			  void *stream, struct err *e);
/* As twin_hash. */
MUST_USE bool gpu_hash(uint64_t *out, const struct gpu_kernels *k, const struct twin_hash_args *a, void *stream,
		       struct err *e);
MUST_USE bool gpu_guard(struct twin_guard *out, const struct gpu_kernels *k, const struct twin_guard_args *a,
			void *stream, struct err *e);

#endif
