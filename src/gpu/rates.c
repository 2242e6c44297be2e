/* Kernels whose rates are ceilings.
 * In: a context, argument structs. Out: launches on the legacy stream.
 * Loaded by who measures ceilings only: a worker has no use for them.
 * Never: allocates, waits. */
#include "gpu/rates.h"

enum { ATTRIBUTE_SM_COUNT = 16 };

extern const char gpu_rates_ptx[];

static const char *const names[RATES_COUNT] = {"assay_rates_copy", "assay_rates_read", "assay_rates_fma"};

static bool load(struct rates *r, size_t i, int n_sm, struct err *e)
{
	const struct gpu_driver *gpu = r->gpu;
	int blocks = 0;
	if (!gpu_check(gpu, gpu->module_function(&r->function[i], r->module, names[i]), names[i], e) ||
	    !gpu_check(gpu, gpu->occupancy(&blocks, r->function[i], RATES_THREADS, 0), names[i], e))
		return false;
	r->n_blocks[i] = (unsigned)(blocks > 0 ? blocks : 1) * (unsigned)(n_sm > 0 ? n_sm : 1);
	return true;
}

bool rates_load(struct rates *out, const struct gpu_context *c, struct err *e)
{
	const struct gpu_driver *gpu = c->gpu;
	int n_sm = 0;
	*out = (struct rates){.gpu = gpu};
	if (!gpu_check(gpu, gpu->device_attribute(&n_sm, ATTRIBUTE_SM_COUNT, c->device), "cuDeviceGetAttribute", e) ||
	    !gpu_check(gpu, gpu->module_load(&out->module, gpu_rates_ptx, 0, NULL, NULL), "loading rates.ptx", e))
		return false;
	for (size_t i = 0; i < RATES_COUNT; i++) {
		if (!load(out, i, n_sm, e)) {
			rates_release(out);
			return false;
		}
	}
	return true;
}

void rates_release(struct rates *r)
{
	if (r->module)
		r->gpu->module_unload(r->module);
	*r = (struct rates){0};
}

bool rates_launch(const struct rates *r, enum rates_kernel k, const void *args, struct err *e)
{
	uint64_t copy[4]; /* every struct here has 32 bytes; the driver copies them before it returns */
	void *params[] = {copy};
	memcpy(copy, args, sizeof(copy));
	int rc = r->gpu->launch(r->function[k], r->n_blocks[k], 1, 1, RATES_THREADS, 1, 1, 0, GPU_STREAM_LEGACY, params,
				NULL);
	return gpu_check(r->gpu, rc, names[k], e);
}
