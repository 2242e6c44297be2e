/* Device memory, pinned memory, copies.
 * In: sizes, addresses. Out: ranges, checked as the driver checks them, and memory files that another process can map.
 * Two reservations of the same size: what callers hold are addresses in the one that never becomes readable, kernels
 * work on the other. Never: gives an address out twice. */
#include "inside.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf.h"
#include "include/fake_cuda.h"

enum { DEVICE_ALIGN = 512, PAGE = 4096 };
#define RESERVED_BYTES (UINT64_C(128) << 30)

enum kind { MEM, VMM, PINNED, REGISTERED };
struct handle { /* of cuMemCreate */
	struct handle *next;
	int fd;
	size_t bytes;
	unsigned n_refs, i_gpu;
	bool is_released, is_ours; /* ours: not imported, counts against the memory */
};
struct range {
	struct range *next;
	gpu_ptr p;
	size_t bytes; /* as asked for */
	enum kind kind;
	struct ctx *ctx;
	unsigned generation;
	struct handle *handle; /* VMM: what is mapped; NULL: nothing */
	size_t mapped;         /* VMM: bytes of it */
	bool is_open;          /* VMM: access was given */
};
static struct range *ranges;
static struct handle *handles;
static gpu_ptr device_base, host_base, next_free;

static void *reserve(void)
{
	void *p = mmap(NULL, RESERVED_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		abort();
	return p;
}

static gpu_ptr take_address(size_t bytes, size_t align)
{
	if (!device_base) {
		device_base = (uintptr_t)reserve();
		host_base = (uintptr_t)reserve();
		next_free = device_base;
	}
	gpu_ptr p = (next_free + align - 1) / align * align;
	if (bytes > RESERVED_BYTES || p - device_base > RESERVED_BYTES - bytes - PAGE)
		return 0;
	next_free = p + bytes + PAGE; /* a page that nobody has between two */
	return p;
}

void *fake_host(gpu_ptr p)
{
	if (device_base && p >= device_base && p - device_base < RESERVED_BYTES)
		p = p - device_base + host_base;
	return (void *)(uintptr_t)p;
}

FAKE_API void *fakeHost(const void *p)
{
	return fake_host((uintptr_t)p);
}

static size_t whole_pages(size_t bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

static struct range *range_at(gpu_ptr p)
{
	for (struct range *r = ranges; r; r = r->next) {
		if (p >= r->p && p - r->p < r->bytes)
			return r;
	}
	return NULL;
}

static struct range *range_add(struct ctx *c, enum kind kind, gpu_ptr p, size_t bytes)
{
	struct range *r = calloc(1, sizeof(*r));
	if (!r)
		abort();
	*r = (struct range){
		.next = ranges, .p = p, .bytes = bytes, .kind = kind, .ctx = c, .generation = c ? c->generation : 0};
	ranges = r;
	return r;
}

static void range_drop(struct range *r)
{
	for (struct range **at = &ranges; *at; at = &(*at)->next) {
		if (*at != r)
			continue;
		*at = r->next;
		free(r);
		return;
	}
}

bool fake_is_memory(gpu_ptr p, size_t bytes, bool may_be_host)
{
	const struct range *r = range_at(p);
	size_t n = r && r->kind == VMM ? r->mapped : r ? r->bytes : 0;
	if (!r || p - r->p > n || bytes > n - (p - r->p))
		return false;
	if (r->kind == VMM)
		return r->is_open;
	return r->kind == MEM || may_be_host;
}

/* ---- cuMemAlloc and pinned memory */

static void make_unreadable(gpu_ptr p, size_t bytes)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
	if (mmap(fake_host(p), bytes, PROT_NONE, flags, -1, 0) == MAP_FAILED)
		abort();
}

static bool has_room(const struct ctx *c, size_t bytes)
{
	uint64_t all = fake_conf()->memory_mb << 20;
	return bytes <= all && c->used_bytes <= all - bytes;
}

FAKE_CU(mem_alloc, cuMemAlloc_v2)(gpu_ptr *p, size_t bytes)
{
	struct ctx *c;
	int rc = fake_enter("cuMemAlloc_v2", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	if (!p || bytes == 0)
		return fake_leave(GPU_INVALID_VALUE);
	if (!has_room(c, bytes))
		return fake_leave(GPU_OUT_OF_MEMORY);
	/* At the end of its last page, so that what is written behind it meets nothing. */
	size_t pages = whole_pages(bytes);
	gpu_ptr at = take_address(pages, PAGE);
	if (!at || mprotect(fake_host(at), pages, PROT_READ | PROT_WRITE) != 0)
		return fake_leave(GPU_OUT_OF_MEMORY);
	at += (pages - bytes) / DEVICE_ALIGN * DEVICE_ALIGN;
	range_add(c, MEM, at, bytes);
	c->used_bytes += bytes;
	*p = at;
	return fake_leave(0);
}

static void release_mem(struct range *r)
{
	r->ctx->used_bytes -= r->bytes;
	make_unreadable(r->p / PAGE * PAGE, whole_pages(r->bytes + r->p % PAGE));
	range_drop(r);
}

FAKE_CU(mem_free, cuMemFree_v2)(gpu_ptr p)
{
	struct ctx *c;
	int rc = fake_enter("cuMemFree_v2", NEEDS_CONTEXT, &c);
	if (rc || p == 0)
		return rc ? rc : fake_leave(0);
	struct range *r = range_at(p);
	if (!r || r->kind != MEM || r->p != p)
		return fake_leave(GPU_INVALID_VALUE);
	fake_wait_all(c);
	release_mem(r);
	return fake_leave(c->sticky);
}

FAKE_CU(mem_info, cuMemGetInfo_v2)(size_t *free_bytes, size_t *total_bytes)
{
	struct ctx *c;
	int rc = fake_enter("cuMemGetInfo_v2", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	*total_bytes = fake_conf()->memory_mb << 20;
	*free_bytes = *total_bytes - c->used_bytes;
	return fake_leave(0);
}

FAKE_CU(host_alloc, cuMemHostAlloc)(void **p, size_t bytes, unsigned flags)
{
	struct ctx *c;
	int rc = fake_enter("cuMemHostAlloc", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	if (bytes == 0 || flags & ~7u)
		return fake_leave(GPU_INVALID_VALUE);
	void *at = mmap(NULL, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return fake_leave(GPU_OUT_OF_MEMORY);
	range_add(c, PINNED, (uintptr_t)at, bytes);
	*p = at;
	return fake_leave(0);
}

static void release_pinned(struct range *r)
{
	munmap((void *)(uintptr_t)r->p, whole_pages(r->bytes));
	range_drop(r);
}

static int drop_host(const char *symbol, void *p, enum kind kind)
{
	struct ctx *c;
	int rc = fake_enter(symbol, NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	struct range *r = range_at((uintptr_t)p);
	if (!r || r->kind != kind || r->p != (uintptr_t)p)
		return fake_leave(GPU_INVALID_VALUE);
	fake_wait_all(c);
	if (kind == PINNED)
		release_pinned(r);
	else
		range_drop(r);
	return fake_leave(0);
}

FAKE_CU(host_free, cuMemFreeHost)(void *p)
{
	return drop_host("cuMemFreeHost", p, PINNED);
}

FAKE_CU(host_pointer, cuMemHostGetDevicePointer_v2)(gpu_ptr *p, void *host, unsigned flags)
{
	struct ctx *c;
	int rc = fake_enter("cuMemHostGetDevicePointer_v2", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	const struct range *r = range_at((uintptr_t)host);
	if (flags || !r || (r->kind != PINNED && r->kind != REGISTERED))
		return fake_leave(GPU_INVALID_VALUE);
	*p = (uintptr_t)host;
	return fake_leave(0);
}

FAKE_CU(host_register, cuMemHostRegister_v2)(void *p, size_t bytes, unsigned flags)
{
	struct ctx *c;
	int rc = fake_enter("cuMemHostRegister_v2", NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	if (!p || bytes == 0 || flags & ~15u || range_at((uintptr_t)p))
		return fake_leave(GPU_INVALID_VALUE);
	range_add(c, REGISTERED, (uintptr_t)p, bytes);
	return fake_leave(0);
}

FAKE_CU(host_unregister, cuMemHostUnregister)(void *p)
{
	return drop_host("cuMemHostUnregister", p, REGISTERED);
}

/* Works in a context that is broken, too. */
FAKE_CU(pointer_attribute, cuPointerGetAttribute)(void *value, int attribute, gpu_ptr p)
{
	int rc = fake_enter("cuPointerGetAttribute", NEEDS_INIT, NULL);
	if (rc)
		return rc;
	const struct range *r = range_at(p);
	if (!r || (r->kind == VMM && !r->handle))
		return fake_leave(GPU_INVALID_VALUE);
	unsigned type = r->kind == MEM || r->kind == VMM ? 2 : 1;
	size_t bytes = r->kind == VMM ? r->mapped : r->bytes;
	if (attribute == GPU_PTR_MEMORY_TYPE)
		memcpy(value, &type, sizeof(type));
	else if (attribute == GPU_PTR_RANGE_START)
		memcpy(value, &r->p, sizeof(r->p));
	else if (attribute == GPU_PTR_RANGE_SIZE)
		memcpy(value, &bytes, sizeof(bytes));
	else
		return fake_leave(GPU_INVALID_VALUE);
	return fake_leave(0);
}

void fake_memory_reset(struct ctx *c)
{
	struct range *next;
	for (struct range *r = ranges; r; r = next) {
		next = r->next;
		if (r->ctx != c)
			continue;
		if (r->kind == MEM)
			release_mem(r);
		else if (r->kind == PINNED)
			release_pinned(r);
		else if (r->kind == REGISTERED)
			range_drop(r);
	}
}

/* ---- cuMemCreate and its kind: not bound to a context, they outlive its reset */

static struct handle *handle_of(gpu_ptr value)
{
	for (struct handle *h = handles; h; h = h->next) {
		if ((uintptr_t)h == value && h->n_refs && !h->is_released)
			return h;
	}
	return NULL;
}

static gpu_ptr handle_add(int fd, size_t bytes, unsigned i_gpu, bool is_ours)
{
	struct handle *h = calloc(1, sizeof(*h));
	if (!h)
		abort();
	*h = (struct handle){
		.next = handles, .fd = fd, .bytes = bytes, .n_refs = 1, .i_gpu = i_gpu, .is_ours = is_ours};
	handles = h;
	if (is_ours)
		fake_ctx(i_gpu)->used_bytes += bytes;
	return (uintptr_t)h;
}

/* The struct stays in the list: its address names nothing else later. */
static void handle_unref(struct handle *h)
{
	if (--h->n_refs)
		return;
	close(h->fd);
	if (h->is_ours)
		fake_ctx(h->i_gpu)->used_bytes -= h->bytes;
}

FAKE_CU(vmm_granularity, cuMemGetAllocationGranularity)(size_t *bytes, const struct gpu_vmm_prop *prop, int option)
{
	int rc = fake_enter("cuMemGetAllocationGranularity", NEEDS_INIT, NULL);
	if (rc)
		return rc;
	if (!prop || option < 0 || option > 1)
		return fake_leave(GPU_INVALID_VALUE);
	*bytes = UNIT;
	return fake_leave(0);
}

FAKE_CU(vmm_create, cuMemCreate)
(gpu_ptr *handle, size_t bytes, const struct gpu_vmm_prop *prop, unsigned long long flags)
{
	int rc = fake_enter("cuMemCreate", NEEDS_INIT, NULL);
	if (rc)
		return rc;
	if (bytes == 0 || bytes % UNIT || !prop || prop->type != 1 || prop->location != 1 || flags)
		return fake_leave(GPU_INVALID_VALUE);
	struct ctx *c = fake_ctx((unsigned)prop->device);
	if (!c)
		return fake_leave(CU_INVALID_DEVICE);
	int fd = has_room(c, bytes) ? memfd_create("fake device memory", MFD_CLOEXEC) : -1;
	if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
		return fake_leave(GPU_OUT_OF_MEMORY);
	*handle = handle_add(fd, bytes, (unsigned)prop->device, true);
	return fake_leave(0);
}

FAKE_CU(vmm_release, cuMemRelease)(gpu_ptr handle)
{
	int rc = fake_enter("cuMemRelease", NEEDS_INIT, NULL);
	if (rc)
		return rc;
	struct handle *h = handle_of(handle);
	if (!h)
		return fake_leave(GPU_INVALID_VALUE);
	h->is_released = true;
	handle_unref(h);
	return fake_leave(0);
}

FAKE_CU(vmm_export, cuMemExportToShareableHandle)(void *fd, gpu_ptr handle, int handle_type, unsigned long long flags)
{
	int rc = fake_enter("cuMemExportToShareableHandle", NEEDS_INIT, NULL);
	if (rc)
		return rc;
	const struct handle *h = handle_of(handle);
	if (!h || handle_type != GPU_HANDLE_POSIX_FD || flags)
		return fake_leave(GPU_INVALID_VALUE);
	int copy = fcntl(h->fd, F_DUPFD_CLOEXEC, 0);
	if (copy < 0)
		return fake_leave(CU_UNKNOWN);
	memcpy(fd, &copy, sizeof(copy));
	return fake_leave(0);
}

FAKE_CU(vmm_import, cuMemImportFromShareableHandle)(gpu_ptr *handle, void *fd_as_pointer, int handle_type)
{
	int rc = fake_enter("cuMemImportFromShareableHandle", NEEDS_INIT, NULL);
	if (rc)
		return rc;
	int fd = (int)(intptr_t)fd_as_pointer;
	struct stat st;
	if (handle_type != GPU_HANDLE_POSIX_FD)
		return fake_leave(GPU_INVALID_VALUE);
	/* Only a memory file has seals. */
	if (fcntl(fd, F_GET_SEALS) < 0 || fstat(fd, &st) != 0 || st.st_size == 0 || st.st_size % UNIT)
		return fake_leave(CU_UNKNOWN);
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy < 0)
		return fake_leave(CU_UNKNOWN);
	*handle = handle_add(copy, (size_t)st.st_size, 0, false);
	return fake_leave(0);
}

FAKE_CU(vmm_reserve, cuMemAddressReserve)
(gpu_ptr *p, size_t bytes, size_t align, gpu_ptr near, unsigned long long flags)
{
	(void)near;
	int rc = fake_enter("cuMemAddressReserve", NEEDS_INIT, NULL);
	if (rc)
		return rc;
	if (bytes == 0 || bytes % UNIT || align % UNIT || flags)
		return fake_leave(GPU_INVALID_VALUE);
	gpu_ptr at = take_address(bytes, align ? align : UNIT);
	if (!at)
		return fake_leave(GPU_OUT_OF_MEMORY);
	range_add(NULL, VMM, at, bytes);
	*p = at;
	return fake_leave(0);
}

/* The reservation that begins at p. */
static struct range *reservation(gpu_ptr p)
{
	struct range *r = range_at(p);
	return r && r->kind == VMM && r->p == p ? r : NULL;
}

FAKE_CU(vmm_unreserve, cuMemAddressFree)(gpu_ptr p, size_t bytes)
{
	int rc = fake_enter("cuMemAddressFree", NEEDS_INIT, NULL);
	if (rc)
		return rc;
	struct range *r = reservation(p);
	if (!r || r->bytes != bytes || r->handle)
		return fake_leave(GPU_INVALID_VALUE);
	range_drop(r);
	return fake_leave(0);
}

/* Exportable memory is mapped as a whole or not at all (801 on the H200). */
FAKE_CU(vmm_map, cuMemMap)(gpu_ptr p, size_t bytes, size_t offset, gpu_ptr handle, unsigned long long flags)
{
	int rc = fake_enter("cuMemMap", NEEDS_INIT, NULL);
	if (rc)
		return rc;
	struct range *r = reservation(p);
	struct handle *h = handle_of(handle);
	if (!r || r->handle || !h || flags)
		return fake_leave(GPU_INVALID_VALUE);
	if (offset || bytes != h->bytes || bytes > r->bytes)
		return fake_leave(GPU_NOT_SUPPORTED);
	if (mmap(fake_host(p), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, h->fd, 0) == MAP_FAILED)
		return fake_leave(GPU_OUT_OF_MEMORY);
	h->n_refs++;
	r->handle = h;
	r->mapped = bytes;
	r->is_open = false;
	return fake_leave(0);
}

FAKE_CU(vmm_unmap, cuMemUnmap)(gpu_ptr p, size_t bytes)
{
	int rc = fake_enter("cuMemUnmap", NEEDS_INIT, NULL);
	if (rc)
		return rc;
	struct range *r = reservation(p);
	if (!r || !r->handle || r->mapped != bytes)
		return fake_leave(GPU_INVALID_VALUE);
	make_unreadable(p, bytes);
	handle_unref(r->handle);
	r->handle = NULL;
	r->mapped = 0;
	r->is_open = false;
	return fake_leave(0);
}

FAKE_CU(vmm_access, cuMemSetAccess)(gpu_ptr p, size_t bytes, const struct gpu_vmm_access *access, size_t n)
{
	int rc = fake_enter("cuMemSetAccess", NEEDS_INIT, NULL);
	if (rc)
		return rc;
	struct range *r = reservation(p);
	if (!r || !r->handle || r->mapped != bytes || !access || n != 1 || access->flags != 3)
		return fake_leave(GPU_INVALID_VALUE);
	if (mprotect(fake_host(p), bytes, PROT_READ | PROT_WRITE) != 0)
		return fake_leave(CU_UNKNOWN);
	r->is_open = true;
	return fake_leave(0);
}
