/* Copies and fills by the driver.
 * In: addresses, which must lie in one allocation each. Out: ops on a stream; the synchronous forms wait.
 * Pageable host memory is read before the call returns and written while it waits, as the driver does it.
 * Never: touches device memory on the caller's thread. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

enum { COPY_HTOD = 1, COPY_DTOH = 2, COPY_DTOD = 8, CACHE_BYTES = 1 << 10 };

struct copy {
	gpu_ptr to, from;
	size_t n; /* bytes */
	unsigned value, size;
	void *staged;
};

static int do_copy(struct op *op)
{
	const struct copy *x = op->arg;
	memcpy(fake_host(x->to), x->staged ? x->staged : fake_host(x->from), x->n);
	return 0;
}

static int do_set(struct op *op)
{
	const struct copy *x = op->arg;
	unsigned char *p = fake_host(x->to);
	if (x->size == 1)
		memset(p, (int)x->value, x->n);
	for (size_t i = 0; x->size == 4 && i < x->n; i += 4)
		memcpy(p + i, &x->value, 4);
	return 0;
}

static void drop_copy(void *arg)
{
	struct copy *x = arg;
	free(x->staged);
	free(x);
}

static struct op *new_op(struct stream *s, const struct copy *x, enum gpu_activity_kind kind)
{
	struct op *op = fake_op(s);
	struct copy *own = malloc(sizeof(*own));
	if (!own)
		abort();
	*own = *x;
	op->arg = own;
	op->drop = drop_copy;
	op->record.kind = kind;
	op->record.bytes = x->n;
	op->writes_cache = x->n > CACHE_BYTES;
	return op;
}

static bool is_fine(const struct copy *x, unsigned kind)
{
	bool to_ok = kind == COPY_DTOH || fake_is_memory(x->to, x->n, true);
	bool from_ok = kind == COPY_HTOD || fake_is_memory(x->from, x->n, true);
	return to_ok && from_ok;
}

static int queue_copy(struct ctx *c, const struct copy *given, unsigned kind, void *stream, bool is_async)
{
	struct copy x = *given;
	struct stream *s = fake_stream(c, stream);
	if (!s)
		return CU_INVALID_HANDLE;
	if (x.n == 0)
		return 0;
	if (!is_fine(&x, kind))
		return GPU_INVALID_VALUE;
	bool is_pageable = kind != COPY_DTOD && !fake_is_memory(kind == COPY_HTOD ? x.from : x.to, x.n, true);
	if (kind == COPY_HTOD && is_pageable) {
		x.staged = malloc(x.n);
		if (!x.staged)
			return GPU_OUT_OF_MEMORY;
		memcpy(x.staged, (const void *)(uintptr_t)x.from, x.n);
	}
	struct op *op = new_op(s, &x, GPU_ACTIVITY_MEMCPY);
	op->record.raw_kind = CUPTI_MEMCPY;
	op->record.detail = kind;
	op->effect = do_copy;
	op->ns = 700 + (int64_t)(x.n / (kind == COPY_DTOD ? 1500 : 25)); /* bytes a ns */
	if (kind == COPY_DTOH)
		op->writes_cache = false;
	fake_queue(op);
	if (kind != COPY_DTOD && (!is_async || (kind == COPY_DTOH && is_pageable))) {
		fake_wait(fake_place(s));
		return c->sticky;
	}
	return 0;
}

static int copy(const char *symbol, const struct copy *x, unsigned kind, void *stream, bool is_async)
{
	struct ctx *c;
	int rc = fake_enter(symbol, NEEDS_CONTEXT, &c);
	return rc ? rc : fake_leave(queue_copy(c, x, kind, stream, is_async));
}

static int set(const char *symbol, const struct copy *given, void *stream)
{
	struct ctx *c;
	struct copy x = *given;
	int rc = fake_enter(symbol, NEEDS_CONTEXT, &c);
	if (rc)
		return rc;
	struct stream *s = fake_stream(c, stream);
	if (x.n > SIZE_MAX / 4)
		return fake_leave(GPU_INVALID_VALUE);
	x.n *= x.size;
	if (x.n == 0 || !s)
		return fake_leave(s ? 0 : CU_INVALID_HANDLE);
	if (x.to % x.size || !fake_is_memory(x.to, x.n, true))
		return fake_leave(GPU_INVALID_VALUE);
	struct op *op = new_op(s, &x, GPU_ACTIVITY_MEMSET);
	op->record.raw_kind = CUPTI_MEMSET;
	op->record.detail = x.value;
	op->effect = do_set;
	op->ns = 800 + (int64_t)(x.n / 2500);
	fake_queue(op);
	return fake_leave(0);
}

FAKE_CU(copy_to_device, cuMemcpyHtoD_v2)(gpu_ptr to, const void *from, size_t bytes)
{
	struct copy x = {.to = to, .from = (uintptr_t)from, .n = bytes};
	return copy("cuMemcpyHtoD_v2", &x, COPY_HTOD, NULL, false);
}

FAKE_CU(copy_to_host, cuMemcpyDtoH_v2)(void *to, gpu_ptr from, size_t bytes)
{
	struct copy x = {.to = (uintptr_t)to, .from = from, .n = bytes};
	return copy("cuMemcpyDtoH_v2", &x, COPY_DTOH, NULL, false);
}

FAKE_CU(copy_on_device, cuMemcpyDtoD_v2)(gpu_ptr to, gpu_ptr from, size_t bytes)
{
	struct copy x = {.to = to, .from = from, .n = bytes};
	return copy("cuMemcpyDtoD_v2", &x, COPY_DTOD, NULL, false);
}

FAKE_CU(copy_to_device_async, cuMemcpyHtoDAsync_v2)(gpu_ptr to, const void *from, size_t bytes, void *stream)
{
	struct copy x = {.to = to, .from = (uintptr_t)from, .n = bytes};
	return copy("cuMemcpyHtoDAsync_v2", &x, COPY_HTOD, stream, true);
}

FAKE_CU(copy_to_host_async, cuMemcpyDtoHAsync_v2)(void *to, gpu_ptr from, size_t bytes, void *stream)
{
	struct copy x = {.to = (uintptr_t)to, .from = from, .n = bytes};
	return copy("cuMemcpyDtoHAsync_v2", &x, COPY_DTOH, stream, true);
}

FAKE_CU(copy_on_device_async, cuMemcpyDtoDAsync_v2)(gpu_ptr to, gpu_ptr from, size_t bytes, void *stream)
{
	struct copy x = {.to = to, .from = from, .n = bytes};
	return copy("cuMemcpyDtoDAsync_v2", &x, COPY_DTOD, stream, true);
}

FAKE_CU(set8, cuMemsetD8_v2)(gpu_ptr p, unsigned char v, size_t n)
{
	return set("cuMemsetD8_v2", &(struct copy){.to = p, .value = v, .size = 1, .n = n}, NULL);
}

FAKE_CU(set8_async, cuMemsetD8Async)(gpu_ptr p, unsigned char v, size_t n, void *stream)
{
	return set("cuMemsetD8Async", &(struct copy){.to = p, .value = v, .size = 1, .n = n}, stream);
}

FAKE_CU(set32, cuMemsetD32_v2)(gpu_ptr p, unsigned v, size_t n)
{
	return set("cuMemsetD32_v2", &(struct copy){.to = p, .value = v, .size = 4, .n = n}, NULL);
}

FAKE_CU(set32_async, cuMemsetD32Async)(gpu_ptr p, unsigned v, size_t n, void *stream)
{
	return set("cuMemsetD32Async", &(struct copy){.to = p, .value = v, .size = 4, .n = n}, stream);
}
