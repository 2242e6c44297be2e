/* A device of the driver with its primary context, and memory on it that another process can map. */
#ifndef ASSAY_GPU_CONTEXT_H
#define ASSAY_GPU_CONTEXT_H

#include "gpu/driver.h"

struct gpu_context {
	const struct gpu_driver *gpu;
	int ordinal, device; /* ordinal among the visible devices; the driver's handle */
	void *ctx;           /* the primary context, current on the calling thread */
};
/* Retains the primary context of device `ordinal` (0.1 s on an H200, 0.2 when two processes start together) and makes it current. */
MUST_USE bool gpu_context_open(struct gpu_context *out, const struct gpu_driver *gpu, int ordinal, struct err *e);
void gpu_context_release(struct gpu_context *c);

/* Facts of the driver about a device; no context is made. -1 where the driver does not know an attribute. */
struct gpu_facts {
	char name[128], pci[32];
	char uuid[48]; /* "GPU-xxxxxxxx-xxxx-..."; the compute instance's under MIG ("MIG-...") */
	uint64_t memory_bytes;
	int cc_major, cc_minor, n_sm, l2_bytes, persisting_l2_bytes;
	int smem_block_bytes, smem_block_optin_bytes, smem_sm_bytes, smem_reserved_bytes;
	int registers_sm, registers_block, threads_sm, threads_block, blocks_sm, warp;
	int clock_khz, memory_clock_khz, memory_bus_bits, n_copy_engines;
	int ecc, integrated, compute_mode;                         /* as the driver codes them */
	int has_vmm, has_posix_fd, has_mem_pools, has_cooperative; /* 1 or 0 */
};
MUST_USE bool gpu_facts(struct gpu_facts *out, const struct gpu_driver *gpu, int ordinal, struct err *e);

/* Device memory made with cuMemCreate: exportable to another process as a file descriptor. */
struct gpu_share {
	gpu_ptr p, handle;
	size_t bytes; /* rounded up to the granularity (2 MiB) */
};
/* Makes and maps at least `bytes`, readable and writable. The contents are undefined. */
MUST_USE bool gpu_share_create(struct gpu_share *out, const struct gpu_context *c, size_t bytes, struct err *e);
/* A new descriptor of the memory; the caller closes it. -1 on failure. */
MUST_USE int gpu_share_export(const struct gpu_share *s, const struct gpu_context *c, struct err *e);
/* Maps memory that another process exported. `bytes` as given to gpu_share_create there (or its gpu_share.bytes). The
 * descriptor stays the caller's. */
MUST_USE bool gpu_share_import(struct gpu_share *out, const struct gpu_context *c, int fd, size_t bytes, struct err *e);
void gpu_share_release(struct gpu_share *s, const struct gpu_context *c); /* unmaps; all zero is allowed */

/* A page of this process that the device can read and write, too. It stays ours when somebody destroys the context: what
 * cuMemHostAlloc gives is unmapped then, so that is taken only where pages cannot be registered. Zeroed; kept until the
 * process ends. */
struct gpu_page {
	void *p;
	gpu_ptr device;
};
enum { GPU_PAGE_BYTES = 4096 };
MUST_USE bool gpu_page_open(struct gpu_page *out, const struct gpu_driver *gpu, struct err *e);

#endif
