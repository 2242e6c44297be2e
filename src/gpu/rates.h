/* Kernels whose rates are ceilings of a GPU (rates.ptx): copy and read of memory, float32 multiply-adds. Launches are
 * asynchronous on the legacy stream. */
#ifndef ASSAY_GPU_RATES_H
#define ASSAY_GPU_RATES_H

#include "gpu/context.h"

enum rates_kernel { RATES_COPY, RATES_READ, RATES_FMA, RATES_COUNT };
struct rates_copy_args {
	uint64_t from, to, bytes, unused;
};
struct rates_read_args {
	uint64_t p, bytes, sink;
	uint32_t repeat, unused;
};
struct rates_fma_args {
	uint32_t n, unused;
	float a, b;
	uint64_t sink, unused2;
};
struct rates {
	const struct gpu_driver *gpu;
	void *module, *function[RATES_COUNT];
	unsigned n_blocks[RATES_COUNT]; /* fill the GPU once */
};
enum { RATES_THREADS = 256, RATES_FLOPS = 256 /* of a thread in one iteration: 128 multiply-adds */ };

MUST_USE bool rates_load(struct rates *out, const struct gpu_context *c, struct err *e);
void rates_release(struct rates *r); /* all zero is allowed */
/* `args`: the struct of that kernel. */
MUST_USE bool rates_launch(const struct rates *r, enum rates_kernel k, const void *args, struct err *e);

#endif
