/* Where tensors live.
 * In: addresses and lengths. Out: the same effect in host memory (twins) or on the GPU (our kernels).
 * One struct, two kinds; the kind is looked at in each function and nowhere else in the program.
 * Never: keeps a result from one call for the next. */
#include "gpu/space.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"

struct space {
	enum space_kind kind;
	struct gpu_driver driver;
	struct gpu_context context;
	struct gpu_kernels kernels;
	bool has_kernels;
};

static void *host_at(uint64_t p)
{
	return (void *)(uintptr_t)p;
}

static bool check(struct space *s, int rc, const char *what, struct err *e)
{
	return gpu_check(&s->driver, rc, what, e);
}

struct space *space_open(enum space_kind kind, int ordinal, struct err *e)
{
	struct space *s = calloc(1, sizeof(*s));
	if (!s)
		BUG("out of memory");
	s->kind = kind;
	if (kind == SPACE_HOST)
		return s;
	if (gpu_driver_open(&s->driver, e) && gpu_driver_init(&s->driver, e) &&
	    gpu_context_open(&s->context, &s->driver, ordinal, e) && gpu_kernels_load(&s->kernels, &s->context, e)) {
		s->has_kernels = true;
		return s;
	}
	space_free(s);
	return NULL;
}

void space_free(struct space *s)
{
	if (!s)
		return;
	if (s->has_kernels)
		gpu_kernels_release(&s->kernels);
	if (s->context.ctx)
		gpu_context_release(&s->context);
	free(s); /* the driver's library stays: it keeps threads running */
}

enum space_kind space_kind(const struct space *s)
{
	return s->kind;
}

struct gpu_context *space_context(struct space *s)
{
	return s->kind == SPACE_GPU ? &s->context : NULL;
}

struct gpu_kernels *space_kernels(struct space *s)
{
	return s->kind == SPACE_GPU ? &s->kernels : NULL;
}

static bool map_host(struct space_region *out, int fd, size_t bytes, struct err *e)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (p == MAP_FAILED)
		return err_errno(e, ERR_SYSTEM, errno, "mapping %zu bytes of tensors", bytes);
	*out = (struct space_region){.base = (uintptr_t)p, .bytes = bytes, .fd = -1};
	return true;
}

bool space_create(struct space *s, struct space_region *out, size_t bytes, struct err *e)
{
	*out = (struct space_region){.fd = -1};
	if (s->kind == SPACE_GPU) {
		if (!gpu_share_create(&out->share, &s->context, bytes, e))
			return false;
		out->base = out->share.p;
		out->bytes = bytes;
		return true;
	}
	int fd = file_memfd("tensors", bytes, e);
	if (fd < 0)
		return false;
	if (!map_host(out, fd, bytes, e)) {
		close(fd);
		return false;
	}
	out->fd = fd;
	return true;
}

bool space_alloc(struct space *s, struct space_region *out, size_t bytes, struct err *e)
{
	*out = (struct space_region){.fd = -1, .bytes = bytes};
	if (s->kind == SPACE_HOST) {
		void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			return err_errno(e, ERR_SYSTEM, errno, "allocating %zu bytes", bytes);
		madvise(p, bytes, MADV_HUGEPAGE); /* a wish: fewer page walks while a cache is emptied */
		out->base = (uintptr_t)p;
		return true;
	}
	return check(s, s->driver.mem_alloc(&out->base, bytes), "allocating tensors", e);
}

int space_export(struct space *s, const struct space_region *r, struct err *e)
{
	if (s->kind == SPACE_GPU)
		return gpu_share_export(&r->share, &s->context, e);
	int fd = fcntl(r->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		err_errno(e, ERR_SYSTEM, errno, "sharing tensors");
	return fd;
}

bool space_import(struct space *s, struct space_region *out, int fd, size_t bytes, struct err *e)
{
	*out = (struct space_region){.fd = -1};
	if (s->kind == SPACE_HOST)
		return map_host(out, fd, bytes, e);
	if (!gpu_share_import(&out->share, &s->context, fd, bytes, e))
		return false;
	out->base = out->share.p;
	out->bytes = bytes;
	return true;
}

bool space_stage(struct space *s, struct space_region *out, int fd, size_t bytes, struct err *e)
{
	struct space_region file;
	if (!space_alloc(s, out, bytes, e))
		return false;
	if (!map_host(&file, fd, bytes, e)) {
		space_release(s, out);
		return false;
	}
	out->staged = host_at(file.base);
	return true;
}

bool space_pull(struct space *s, const struct space_region *r, struct err *e)
{
	return !r->staged || space_write(s, r->base, r->staged, r->bytes, e);
}

bool space_push(struct space *s, const struct space_region *r, struct err *e)
{
	return !r->staged || space_read(s, r->staged, r->base, r->bytes, e);
}

bool space_can_export(struct space *s, struct err *e)
{
	struct space_region r;
	if (s->kind == SPACE_HOST)
		return true;
	if (!space_create(s, &r, 1, e))
		return false;
	int fd = space_export(s, &r, e);
	if (fd >= 0)
		close(fd);
	space_release(s, &r);
	return fd >= 0;
}

void space_release(struct space *s, struct space_region *r)
{
	if (!r->base)
		return;
	if (r->staged)
		munmap(r->staged, r->bytes);
	if (s->kind == SPACE_GPU && r->share.p)
		gpu_share_release(&r->share, &s->context);
	else if (s->kind == SPACE_GPU)
		s->driver.mem_free(r->base);
	else
		munmap(host_at(r->base), r->bytes);
	if (r->fd >= 0)
		close(r->fd);
	*r = (struct space_region){.fd = -1};
}

bool space_sync(struct space *s, struct err *e)
{
	return s->kind == SPACE_HOST || check(s, s->driver.ctx_sync(), "waiting for the device", e);
}

bool space_fill(struct space *s, uint64_t p, size_t n, const struct value_source *v, struct err *e)
{
	if (!value_check(v, e))
		return false;
	if (s->kind == SPACE_HOST) {
		value_fill(v, 0, n, host_at(p));
		return true;
	}
	struct twin_fill_args args = {.out = p, .n = n};
	value_plan(&args.plan, v, 0);
	return gpu_fill(&s->kernels, &args, NULL, e) && space_sync(s, e);
}

bool space_poison(struct space *s, uint64_t p, size_t bytes, uint64_t pattern, struct err *e)
{
	if (s->kind == SPACE_HOST) {
		twin_poison(host_at(p), bytes, pattern);
		return true;
	}
	struct twin_poison_args args = {p, bytes, pattern};
	return gpu_poison(&s->kernels, &args, NULL, e) && space_sync(s, e);
}

bool space_compare(struct space *s, const struct twin_compare_args *args, struct twin_compare *out, struct err *e)
{
	if (s->kind == SPACE_GPU)
		return gpu_compare(out, &s->kernels, args, NULL, e);
	twin_compare(out, args);
	return true;
}

bool space_hash(struct space *s, uint64_t p, size_t bytes, uint64_t key, uint64_t *out, struct err *e)
{
	struct twin_hash_args args = {.p = p, .bytes = bytes, .key = key};
	if (s->kind == SPACE_GPU)
		return gpu_hash(out, &s->kernels, &args, NULL, e);
	*out = twin_hash(host_at(p), bytes, key);
	return true;
}

bool space_guard(struct space *s, const struct twin_guard_args *args, struct twin_guard *out, struct err *e)
{
	if (s->kind == SPACE_GPU)
		return gpu_guard(out, &s->kernels, args, NULL, e);
	*out = (struct twin_guard){.first = UINT64_MAX};
	twin_guard(out, args);
	return true;
}

bool space_read(struct space *s, void *host, uint64_t p, size_t bytes, struct err *e)
{
	if (s->kind == SPACE_GPU)
		return check(s, s->driver.copy_to_host(host, p, bytes), "reading tensors back", e);
	memcpy(host, host_at(p), bytes);
	return true;
}

bool space_write(struct space *s, uint64_t p, const void *host, size_t bytes, struct err *e)
{
	if (s->kind == SPACE_GPU)
		return check(s, s->driver.copy_to_device(p, host, bytes), "writing tensors", e);
	memcpy(host_at(p), host, bytes);
	return true;
}

bool space_copy(struct space *s, uint64_t to, uint64_t from, size_t bytes, struct err *e)
{
	if (s->kind == SPACE_GPU)
		return check(s, s->driver.copy_on_device(to, from, bytes), "copying tensors", e) && space_sync(s, e);
	memcpy(host_at(to), host_at(from), bytes);
	return true;
}
