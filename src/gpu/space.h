/* Where tensors live: host memory (backend c) or one GPU. The keeper and the worker do the same things to both through
 * this one door. A region is one allocation that another process can map from a file descriptor; addresses are those of
 * the space (host pointers, or device addresses). Everything here has finished when it returns. */
#ifndef ASSAY_GPU_SPACE_H
#define ASSAY_GPU_SPACE_H

#include "gpu/context.h"
#include "gpu/kernels.h"

enum space_kind { SPACE_HOST, SPACE_GPU };
struct space;
struct space_region {
	uint64_t base;
	size_t bytes; /* as asked for */
	int fd;       /* host: the memory file; -1 on a GPU */
	struct gpu_share share;
	void *staged; /* GPU: the memory file that this is a copy of; NULL: none */
};

/* ordinal: of the visible GPUs; ignored for the host. ERR_ENVIRONMENT where there is no such GPU. */
MUST_USE struct space *space_open(enum space_kind kind, int ordinal, struct err *e);
void space_free(struct space *s);
enum space_kind space_kind(const struct space *s);
/* The GPU's context and kernels; NULL for the host. */
struct gpu_context *space_context(struct space *s);
struct gpu_kernels *space_kernels(struct space *s);

MUST_USE bool space_create(struct space *s, struct space_region *out, size_t bytes, struct err *e);
/* Memory of this process alone: what tools that replay kernels (ncu) handle best. */
MUST_USE bool space_alloc(struct space *s, struct space_region *out, size_t bytes, struct err *e);
MUST_USE int space_export(struct space *s, const struct space_region *r, struct err *e); /* the caller closes it */
/* The descriptor stays the caller's. `bytes` as given to space_create by the exporter. */
MUST_USE bool space_import(struct space *s, struct space_region *out, int fd, size_t bytes, struct err *e);
/* Where device memory cannot be shared: device memory of this process and the exporter's memory file (made by a host
 * space), copied by pull and push. */
MUST_USE bool space_stage(struct space *s, struct space_region *out, int fd, size_t bytes, struct err *e);
MUST_USE bool space_pull(struct space *s, const struct space_region *r,
			 struct err *e); /* file to device; others: nothing */
MUST_USE bool space_push(struct space *s, const struct space_region *r, struct err *e); /* device to file */
/* Whether another process can map what space_create makes. False with the driver's reason: ERR_ENVIRONMENT says that it
 * never can here. */
MUST_USE bool space_can_export(struct space *s, struct err *e);
void space_release(struct space *s, struct space_region *r); /* all zero is allowed */

MUST_USE bool space_fill(struct space *s, uint64_t p, size_t n, const struct value_source *v, struct err *e);
MUST_USE bool space_poison(struct space *s, uint64_t p, size_t bytes, uint64_t pattern, struct err *e);
MUST_USE bool space_compare(struct space *s, const struct twin_compare_args *args, struct twin_compare *out,
			    struct err *e);
MUST_USE bool space_hash(struct space *s, uint64_t p, size_t bytes, uint64_t key, uint64_t *out, struct err *e);
MUST_USE bool space_guard(struct space *s, const struct twin_guard_args *args, struct twin_guard *out, struct err *e);
MUST_USE bool space_read(struct space *s, void *host, uint64_t p, size_t bytes, struct err *e);
MUST_USE bool space_write(struct space *s, uint64_t p, const void *host, size_t bytes, struct err *e);
MUST_USE bool space_copy(struct space *s, uint64_t to, uint64_t from, size_t bytes, struct err *e);
/* Waits for all work of this process on the device; a sticky error comes up here. */
MUST_USE bool space_sync(struct space *s, struct err *e);

#endif
