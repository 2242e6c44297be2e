/* Our device code: loads assay.ptx, launches its kernels, reads their results.
 * In: a context; argument structs of twins.h with device addresses.
 * Out: launches; for compare, hash and guard the finished result.
 * Never: allocates after loading, waits for anything but its own stream. */
#include "gpu/kernels.h"

#include <stdio.h>
#include <string.h>

enum {
	LOG_BYTES = 900, /* fits struct err's text */
	RESULT_BYTES = GPU_MAX_BLOCKS * sizeof(struct twin_compare),
	/* cuda.h, CUjit_option and CUdevice_attribute */
	JIT_ERROR_LOG = 5,
	JIT_ERROR_LOG_BYTES = 6,
	ATTRIBUTE_SM_COUNT = 16
};

static const char *const names[GPU_KERNEL_COUNT] = {
#define GPU_KERNEL(id, name, args) [GPU_KERNEL_##id] = name,
#include "gpu/kernels.def"
#undef GPU_KERNEL
};

static bool load_module(struct gpu_kernels *k, struct err *e)
{
	char log[LOG_BYTES] = "";
	int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES};
	void *values[] = {log, (void *)(uintptr_t)sizeof log};
	int rc = k->gpu->module_load(&k->module, gpu_ptx, COUNT_OF(options), options, values);
	if (gpu_check(k->gpu, rc, "cuModuleLoadDataEx of assay.ptx", e))
		return true;
	log[sizeof log - 1] = 0;
	if (e && log[0]) {
		size_t used = strlen(e->text);
		snprintf(e->text + used, sizeof e->text - used, ": %s", log);
	}
	return false;
}

static bool load_function(struct gpu_kernels *k, size_t i, int n_sm, struct err *e)
{
	const struct gpu_driver *gpu = k->gpu;
	int registers = 0, blocks = 0;
	char what[96];
	snprintf(what, sizeof what, "cuModuleGetFunction(%s)", names[i]);
	if (!gpu_check(gpu, gpu->module_function(&k->function[i], k->module, names[i]), what, e))
		return false;
	/* Both make a lazily loaded function resident. */
	if ((gpu->function_load && !gpu_check(gpu, gpu->function_load(k->function[i]), "cuFuncLoad", e)) ||
	    !gpu_check(gpu, gpu->function_attribute(&registers, GPU_FUNC_REGISTERS, k->function[i]),
		       "cuFuncGetAttribute", e) ||
	    !gpu_check(gpu, gpu->occupancy(&blocks, k->function[i], GPU_BLOCK_THREADS, 0),
		       "cuOccupancyMaxActiveBlocksPerMultiprocessor", e))
		return false;
	unsigned n = (unsigned)(blocks > 0 ? blocks : 1) * (unsigned)(n_sm > 0 ? n_sm : 1);
	k->n_blocks[i] = n < GPU_MAX_BLOCKS ? n : GPU_MAX_BLOCKS;
	return true;
}

bool gpu_kernels_load(struct gpu_kernels *out, const struct gpu_context *c, struct err *e)
{
	const struct gpu_driver *gpu = c->gpu;
	void *partial = NULL;
	int n_sm = 0;
	memset(out, 0, sizeof *out);
	out->gpu = gpu;
	if (!gpu_check(gpu, gpu->device_attribute(&n_sm, ATTRIBUTE_SM_COUNT, c->device), "cuDeviceGetAttribute", e) ||
	    !load_module(out, e))
		goto fail;
	for (size_t i = 0; i < GPU_KERNEL_COUNT; i++)
		if (!load_function(out, i, n_sm, e))
			goto fail;
	if (!gpu_check(gpu, gpu->mem_alloc(&out->result, RESULT_BYTES), "cuMemAlloc of the result area", e) ||
	    !gpu_check(gpu, gpu->host_alloc(&partial, RESULT_BYTES, 0), "cuMemHostAlloc of the result area", e))
		goto fail;
	out->partial = partial;
	return true;
fail:
	gpu_kernels_release(out);
	return false;
}

void gpu_kernels_release(struct gpu_kernels *k)
{
	if (k->partial)
		k->gpu->host_free(k->partial);
	if (k->result)
		k->gpu->mem_free(k->result);
	if (k->module)
		k->gpu->module_unload(k->module);
	memset(k, 0, sizeof *k);
}

/* Blocks for `items` units of work, one a thread: no more than fill the GPU once, and at least one. */
static unsigned grid(const struct gpu_kernels *k, enum gpu_kernel i, uint64_t items)
{
	uint64_t n = items / GPU_BLOCK_THREADS + (items % GPU_BLOCK_THREADS != 0);
	if (n > k->n_blocks[i])
		return k->n_blocks[i];
	return n ? (unsigned)n : 1;
}

/* cuLaunchKernel copies the arguments before it returns and does not write to them. */
static bool launch(const struct gpu_kernels *k, enum gpu_kernel i, unsigned n_blocks, void *args, void *stream,
		   struct err *e)
{
	void *params[] = {args};
	int rc = k->gpu->launch(k->function[i], n_blocks, 1, 1, GPU_BLOCK_THREADS, 1, 1, 0, stream, params, NULL);
	return gpu_check(k->gpu, rc, names[i], e);
}

bool gpu_poison(const struct gpu_kernels *k, const struct twin_poison_args *a, void *stream, struct err *e)
{
	struct twin_poison_args args = *a;
	if (args.bytes == 0)
		return true;
	return launch(k, GPU_KERNEL_POISON, grid(k, GPU_KERNEL_POISON, args.bytes / 16), &args, stream, e);
}

bool gpu_fill(const struct gpu_kernels *k, const struct twin_fill_args *a, void *stream, struct err *e)
{
	struct twin_fill_args args = *a;
	if (args.n == 0)
		return true;
	if (args.plan.kind == FILL_ZERO || args.plan.kind == FILL_CONST) {
		struct twin_poison_args poison = {args.out, args.n * args.plan.bytes, args.plan.pattern};
		return gpu_poison(k, &poison, stream, e);
	}
	return launch(k, GPU_KERNEL_FILL, grid(k, GPU_KERNEL_FILL, args.n / 2), &args, stream, e);
}

bool gpu_flush(const struct gpu_kernels *k, const struct twin_flush_args *a, void *stream, struct err *e)
{
	struct twin_flush_args args = *a;
	args.sink = k->result;
	return launch(k, GPU_KERNEL_FLUSH, grid(k, GPU_KERNEL_FLUSH, args.bytes / 16), &args, stream, e);
}

bool gpu_empty(const struct gpu_kernels *k, void *stream, struct err *e)
{
	struct twin_empty_args args = {0};
	return launch(k, GPU_KERNEL_EMPTY, 1, &args, stream, e);
}

/* Brings the first `bytes` of the result area to k->partial. */
static bool fetch(const struct gpu_kernels *k, size_t bytes, void *stream, struct err *e)
{
	return gpu_check(k->gpu, k->gpu->copy_to_host_async(k->partial, k->result, bytes, stream),
			 "cuMemcpyDtoHAsync of a result", e) &&
	       gpu_check(k->gpu, k->gpu->stream_sync(stream), "cuStreamSynchronize for a result", e);
}

/* Sends the first `bytes` of k->partial to the result area. */
static bool preset(const struct gpu_kernels *k, size_t bytes, void *stream, struct err *e)
{
	return gpu_check(k->gpu, k->gpu->copy_to_device_async(k->result, k->partial, bytes, stream),
			 "cuMemcpyHtoDAsync of a result's start", e);
}

static bool is_aligned(uint64_t p, uint64_t to, const char *what, struct err *e)
{
	if (to && p % to == 0)
		return true;
	return err_set(e, ERR_INPUT, "%s: address 0x%llx is not aligned to %llu", what, (unsigned long long)p,
		       (unsigned long long)to);
}

bool gpu_compare(struct twin_compare *out, const struct gpu_kernels *k, const struct twin_compare_args *a, void *stream,
		 struct err *e)
{
	struct twin_compare_args args = *a;
	unsigned n_blocks = grid(k, GPU_KERNEL_COMPARE, args.n / 4);
	args.partial = k->result;
	twin_compare_start(out);
	if (args.dtype >= DTYPE_COUNT || args.dtype_expected >= DTYPE_COUNT)
		return err_set(e, ERR_INPUT, "compare: unknown dtype");
	if (!is_aligned(args.actual, dtype_bytes((enum dtype)args.dtype), "compare", e) ||
	    !is_aligned(args.expected, dtype_bytes((enum dtype)args.dtype_expected), "compare", e) ||
	    !launch(k, GPU_KERNEL_COMPARE, n_blocks, &args, stream, e) ||
	    !fetch(k, n_blocks * sizeof *k->partial, stream, e))
		return false;
	for (unsigned i = 0; i < n_blocks; i++)
		twin_compare_merge(out, &k->partial[i]);
	return true;
}

bool gpu_hash(uint64_t *out, const struct gpu_kernels *k, const struct twin_hash_args *a, void *stream, struct err *e)
{
	struct twin_hash_args args = *a;
	uint64_t sum = 0;
	args.out = k->result;
	memcpy(k->partial, &sum, sizeof sum);
	if (!is_aligned(args.p, 8, "hash", e) || !preset(k, sizeof sum, stream, e) ||
	    !launch(k, GPU_KERNEL_HASH, grid(k, GPU_KERNEL_HASH, args.bytes / 8), &args, stream, e) ||
	    !fetch(k, sizeof sum, stream, e))
		return false;
	memcpy(&sum, k->partial, sizeof sum);
	*out = twin_hash_finish(sum, (size_t)args.bytes, args.key);
	return true;
}

bool gpu_guard(struct twin_guard *out, const struct gpu_kernels *k, const struct twin_guard_args *a, void *stream,
	       struct err *e)
{
	struct twin_guard_args args = *a;
	*out = (struct twin_guard){.first = UINT64_MAX};
	args.out = k->result;
	uint32_t element = args.element_bytes;
	if (element != 1 && element != 2 && element != 4 && element != 8)
		return err_set(e, ERR_INPUT, "guard: elements of %u bytes", element);
	memcpy(k->partial, out, sizeof *out);
	if (!is_aligned(args.p, element, "guard", e) || !preset(k, sizeof *out, stream, e) ||
	    !launch(k, GPU_KERNEL_GUARD, grid(k, GPU_KERNEL_GUARD, args.bytes / 8), &args, stream, e) ||
	    !fetch(k, sizeof *out, stream, e))
		return false;
	memcpy(out, k->partial, sizeof *out);
	return true;
}
