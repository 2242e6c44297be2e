/* A device's primary context, its facts as the driver knows them, and memory that two processes can map.
 * In: the opened driver, a device's ordinal; sizes; a descriptor from another process.
 * Out: struct gpu_context, struct gpu_facts, struct gpu_share.
 * Never: sends a descriptor itself, leaves a half-made mapping behind. */
#include "gpu/context.h"

#include <stdio.h>
#include <string.h>

enum { DEVICE_LOCATION = 1, PINNED = 1, READ_WRITE = 3 };

/* cuda.h, CUdevice_attribute */
static const struct {
	int attribute;
	size_t offset;
} attributes[] = {
	{75, offsetof(struct gpu_facts, cc_major)},
	{76, offsetof(struct gpu_facts, cc_minor)},
	{16, offsetof(struct gpu_facts, n_sm)},
	{38, offsetof(struct gpu_facts, l2_bytes)},
	{108, offsetof(struct gpu_facts, persisting_l2_bytes)},
	{8, offsetof(struct gpu_facts, smem_block_bytes)},
	{97, offsetof(struct gpu_facts, smem_block_optin_bytes)},
	{81, offsetof(struct gpu_facts, smem_sm_bytes)},
	{111, offsetof(struct gpu_facts, smem_reserved_bytes)},
	{82, offsetof(struct gpu_facts, registers_sm)},
	{12, offsetof(struct gpu_facts, registers_block)},
	{39, offsetof(struct gpu_facts, threads_sm)},
	{1, offsetof(struct gpu_facts, threads_block)},
	{106, offsetof(struct gpu_facts, blocks_sm)},
	{10, offsetof(struct gpu_facts, warp)},
	{13, offsetof(struct gpu_facts, clock_khz)},
	{36, offsetof(struct gpu_facts, memory_clock_khz)},
	{37, offsetof(struct gpu_facts, memory_bus_bits)},
	{40, offsetof(struct gpu_facts, n_copy_engines)},
	{32, offsetof(struct gpu_facts, ecc)},
	{18, offsetof(struct gpu_facts, integrated)},
	{20, offsetof(struct gpu_facts, compute_mode)},
	{102, offsetof(struct gpu_facts, has_vmm)},
	{103, offsetof(struct gpu_facts, has_posix_fd)},
	{115, offsetof(struct gpu_facts, has_mem_pools)},
	{95, offsetof(struct gpu_facts, has_cooperative)},
};

bool gpu_context_open(struct gpu_context *out, const struct gpu_driver *gpu, int ordinal, struct err *e)
{
	struct gpu_context c = {.gpu = gpu, .ordinal = ordinal};
	char what[64];
	snprintf(what, sizeof what, "cuDeviceGet(%d)", ordinal);
	memset(out, 0, sizeof *out);
	if (!gpu_check(gpu, gpu->device_get(&c.device, ordinal), what, e) ||
	    !gpu_check(gpu, gpu->ctx_retain(&c.ctx, c.device), "cuDevicePrimaryCtxRetain", e))
		return false;
	if (!gpu_check(gpu, gpu->ctx_set(c.ctx), "cuCtxSetCurrent", e)) {
		gpu->ctx_release(c.device);
		return false;
	}
	*out = c;
	return true;
}

void gpu_context_release(struct gpu_context *c)
{
	if (c->ctx)
		c->gpu->ctx_release(c->device);
	memset(c, 0, sizeof *c);
}

static void format_uuid(char out[48], const char *prefix, const unsigned char u[16])
{
	snprintf(out, 48, "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", prefix, u[0], u[1],
		 u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
}

/* The newer call gives the MIG instance's UUID, the older one its parent's: they differ under MIG only. */
static bool read_uuid(struct gpu_facts *out, const struct gpu_driver *gpu, int device, struct err *e)
{
	unsigned char own[16] = {0}, parent[16] = {0};
	if (!gpu_check(gpu, gpu->device_uuid(own, device), "cuDeviceGetUuid", e))
		return false;
	bool is_mig = gpu->device_uuid_parent && gpu->device_uuid_parent(parent, device) == GPU_OK &&
		      memcmp(own, parent, sizeof own) != 0;
	format_uuid(out->uuid, is_mig ? "MIG" : "GPU", own);
	return true;
}

bool gpu_facts(struct gpu_facts *out, const struct gpu_driver *gpu, int ordinal, struct err *e)
{
	int device = 0;
	size_t bytes = 0;
	memset(out, 0, sizeof *out);
	if (!gpu_check(gpu, gpu->device_get(&device, ordinal), "cuDeviceGet", e) ||
	    !gpu_check(gpu, gpu->device_name(out->name, (int)sizeof out->name, device), "cuDeviceGetName", e) ||
	    !gpu_check(gpu, gpu->device_total_mem(&bytes, device), "cuDeviceTotalMem", e) ||
	    !gpu_check(gpu, gpu->device_pci(out->pci, (int)sizeof out->pci, device), "cuDeviceGetPCIBusId", e) ||
	    !read_uuid(out, gpu, device, e))
		return false;
	out->memory_bytes = bytes;
	for (size_t i = 0; i < COUNT_OF(attributes); i++) {
		int v = -1;
		if (gpu->device_attribute(&v, attributes[i].attribute, device) != GPU_OK)
			v = -1;
		memcpy((char *)out + attributes[i].offset, &v, sizeof v);
	}
	return true;
}

static struct gpu_vmm_prop share_prop(const struct gpu_context *c)
{
	return (struct gpu_vmm_prop){
		.type = PINNED, .handle_types = GPU_HANDLE_POSIX_FD, .location = DEVICE_LOCATION, .device = c->device};
}

/* Maps s->handle; on failure everything made here and the handle are given back. */
static bool share_map(struct gpu_share *s, const struct gpu_context *c, struct err *e)
{
	const struct gpu_driver *gpu = c->gpu;
	struct gpu_vmm_access access = {.location = DEVICE_LOCATION, .device = c->device, .flags = READ_WRITE};
	gpu_ptr p = 0;
	if (!gpu_check(gpu, gpu->vmm_reserve(&p, s->bytes, 0, 0, 0), "cuMemAddressReserve", e))
		goto release;
	if (!gpu_check(gpu, gpu->vmm_map(p, s->bytes, 0, s->handle, 0), "cuMemMap", e))
		goto unreserve;
	if (!gpu_check(gpu, gpu->vmm_access(p, s->bytes, &access, 1), "cuMemSetAccess", e))
		goto unmap;
	s->p = p;
	return true;
unmap:
	gpu->vmm_unmap(p, s->bytes);
unreserve:
	gpu->vmm_unreserve(p, s->bytes);
release:
	gpu->vmm_release(s->handle);
	memset(s, 0, sizeof *s);
	return false;
}

static bool has_vmm(const struct gpu_driver *gpu, struct err *e)
{
	if (gpu->vmm_create && gpu->vmm_export && gpu->vmm_import && gpu->vmm_reserve && gpu->vmm_unreserve &&
	    gpu->vmm_map && gpu->vmm_unmap && gpu->vmm_access && gpu->vmm_release && gpu->vmm_granularity)
		return true;
	return err_set(e, ERR_ENVIRONMENT, "%s: no cuMemCreate and its kind (in drivers for CUDA 10.2 and later)",
		       gpu->path);
}

/* Memory is mapped in units of the driver's granularity (2 MiB): exporter and importer round the same way. */
static bool share_round(size_t *out, const struct gpu_context *c, size_t bytes, struct err *e)
{
	struct gpu_vmm_prop prop = share_prop(c);
	size_t unit = 0;
	if (!has_vmm(c->gpu, e) ||
	    !gpu_check(c->gpu, c->gpu->vmm_granularity(&unit, &prop, 0), "cuMemGetAllocationGranularity", e))
		return false;
	if (unit == 0 || bytes == 0 || bytes > SIZE_MAX - unit)
		return err_set(e, ERR_INPUT, "device memory: cannot share %zu bytes", bytes);
	*out = (bytes + unit - 1) / unit * unit;
	return true;
}

bool gpu_share_create(struct gpu_share *out, const struct gpu_context *c, size_t bytes, struct err *e)
{
	struct gpu_vmm_prop prop = share_prop(c);
	char what[64];
	memset(out, 0, sizeof *out);
	if (!share_round(&out->bytes, c, bytes, e))
		return false;
	snprintf(what, sizeof what, "cuMemCreate of %zu bytes", out->bytes);
	if (!gpu_check(c->gpu, c->gpu->vmm_create(&out->handle, out->bytes, &prop, 0), what, e)) {
		memset(out, 0, sizeof *out);
		return false;
	}
	return share_map(out, c, e);
}

int gpu_share_export(const struct gpu_share *s, const struct gpu_context *c, struct err *e)
{
	int fd = -1;
	int rc = c->gpu->vmm_export(&fd, s->handle, GPU_HANDLE_POSIX_FD, 0);
	return gpu_check(c->gpu, rc, "cuMemExportToShareableHandle", e) ? fd : -1;
}

bool gpu_share_import(struct gpu_share *out, const struct gpu_context *c, int fd, size_t bytes, struct err *e)
{
	size_t rounded = 0;
	memset(out, 0, sizeof *out);
	if (fd < 0)
		return err_set(e, ERR_INPUT, "device memory: no descriptor to import");
	if (!share_round(&rounded, c, bytes, e))
		return false;
	int rc = c->gpu->vmm_import(&out->handle, (void *)(uintptr_t)fd, GPU_HANDLE_POSIX_FD);
	if (!gpu_check(c->gpu, rc, "cuMemImportFromShareableHandle", e))
		return false;
	out->bytes = rounded;
	return share_map(out, c, e);
}

void gpu_share_release(struct gpu_share *s, const struct gpu_context *c)
{
	if (s->p) {
		c->gpu->vmm_unmap(s->p, s->bytes);
		c->gpu->vmm_unreserve(s->p, s->bytes);
		c->gpu->vmm_release(s->handle);
	}
	memset(s, 0, sizeof *s);
}

/* Our own page, registered; NULL where that is refused. */
static void *register_page(const struct gpu_driver *gpu)
{
	void *p = aligned_alloc(GPU_PAGE_BYTES, GPU_PAGE_BYTES);
	if (!p)
		BUG("out of memory");
	if (gpu->host_register && gpu->host_register(p, GPU_PAGE_BYTES, GPU_HOST_PORTABLE | GPU_HOST_MAPPED) == GPU_OK)
		return p;
	free(p);
	return NULL;
}

bool gpu_page_open(struct gpu_page *out, const struct gpu_driver *gpu, struct err *e)
{
	const unsigned flags = GPU_HOST_PORTABLE | GPU_HOST_MAPPED;
	memset(out, 0, sizeof *out);
	void *p = register_page(gpu);
	if (!p && !gpu_check(gpu, gpu->host_alloc(&p, GPU_PAGE_BYTES, flags), "cuMemHostAlloc of a page", e))
		return false;
	memset(p, 0, GPU_PAGE_BYTES);
	if (!gpu_check(gpu, gpu->host_pointer(&out->device, p, 0), "cuMemHostGetDevicePointer", e))
		return false;
	out->p = p;
	return true;
}
