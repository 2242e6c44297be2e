/* The fake libcupti.so.13.
 * In: activities that the fake libcuda tells. Out: records in the layout of CUDA 13, in buffers of whoever asked.
 * Times lie on a lattice, as they do on an H200 (32 ns).
 * Never: makes a record of a kind that is not enabled. */
#include "gpu/cupti.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "conf.h"
#include "include/fake_cuda.h"
#include "trace.h"

#define FAKE_API __attribute__((visibility("default")))
#define FAKE_CUPTI(field, symbol)                                                                                      \
	FAKE_API __typeof__(*((struct cupti *)0)->field) symbol;                                                       \
	FAKE_API int symbol

enum { VERSION = 130001, N_KINDS = 64, INVALID_PARAMETER = 1, INVALID_KIND = 10, KERNEL_BYTES = 208, COPY_BYTES = 96 };

static struct {
	pthread_mutex_t lock;
	cupti_request_fn request;
	cupti_complete_fn complete;
	bool enabled[N_KINDS];
	uint8_t *buffer;
	size_t bytes, used;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void put(uint8_t *p, size_t at, uint64_t v, size_t n)
{
	memcpy(p + at, &v, n);
}

static uint64_t on_lattice(uint64_t ns)
{
	uint64_t q = fake_conf()->quantum_ns;
	return q ? ns / q * q : ns;
}

/* Offsets as in cupti_activity.h of CUDA 13: CUpti_ActivityKernel10, Memcpy6, Memset4, Synchronization, API. */
static size_t encode_kernel(uint8_t *p, const struct gpu_activity *x)
{
	put(p, 6, x->registers, 2);
	put(p, 16, on_lattice(x->start_ns), 8);
	put(p, 24, on_lattice(x->end_ns), 8);
	put(p, 40, x->device, 4);
	put(p, 44, x->context, 4);
	put(p, 48, x->stream, 4);
	for (size_t i = 0; i < 3; i++) {
		put(p, 52 + 4 * i, x->grid[i], 4);
		put(p, 64 + 4 * i, x->block[i], 4);
	}
	put(p, 76, x->smem_static_bytes, 4);
	put(p, 80, x->smem_dynamic_bytes, 4);
	put(p, 84, x->local_bytes, 4);
	put(p, 92, x->correlation, 4);
	put(p, 104, (uintptr_t)x->name, 8);
	return KERNEL_BYTES;
}

static size_t encode_copy(uint8_t *p, const struct gpu_activity *x)
{
	put(p, 4, x->detail, x->kind == GPU_ACTIVITY_MEMSET ? 4 : 1);
	put(p, 8, x->bytes, 8);
	put(p, 16, on_lattice(x->start_ns), 8);
	put(p, 24, on_lattice(x->end_ns), 8);
	put(p, 32, x->device, 4);
	put(p, 36, x->context, 4);
	put(p, 40, x->stream, 4);
	put(p, 44, x->correlation, 4);
	return COPY_BYTES;
}

static size_t encode_memset(uint8_t *p, const struct gpu_activity *x)
{
	size_t n = encode_copy(p, x);
	put(p, 4, x->detail, 4);
	return n;
}

static size_t encode_sync(uint8_t *p, const struct gpu_activity *x)
{
	put(p, 4, x->detail, 4);
	put(p, 8, x->start_ns, 8);
	put(p, 16, x->end_ns, 8);
	put(p, 24, x->correlation, 4);
	put(p, 28, x->context, 4);
	put(p, 32, x->stream, 4);
	return 40;
}

static size_t encode_api(uint8_t *p, const struct gpu_activity *x)
{
	put(p, 4, x->detail, 4);
	put(p, 8, x->start_ns, 8);
	put(p, 16, x->end_ns, 8);
	put(p, 28, x->thread, 4);
	put(p, 32, x->correlation, 4);
	put(p, 36, x->result, 4);
	return 40;
}

static size_t encode(uint8_t *p, const struct gpu_activity *x)
{
	memset(p, 0, KERNEL_BYTES);
	put(p, 0, x->raw_kind, 4);
	switch (x->raw_kind) {
	case CUPTI_CONCURRENT_KERNEL:
	case CUPTI_KERNEL:
		return encode_kernel(p, x);
	case CUPTI_MEMCPY:
		return encode_copy(p, x);
	case CUPTI_MEMSET:
		return encode_memset(p, x);
	case CUPTI_SYNCHRONIZATION:
		return encode_sync(p, x);
	default:
		return encode_api(p, x);
	}
}

static size_t record_bytes(uint32_t kind)
{
	switch (kind) {
	case CUPTI_CONCURRENT_KERNEL:
	case CUPTI_KERNEL:
		return KERNEL_BYTES;
	case CUPTI_MEMCPY:
	case CUPTI_MEMSET:
		return COPY_BYTES;
	default:
		return 40;
	}
}

static void hand_back(void)
{
	size_t lost = fake_conf()->cupti_cuts && state.used >= KERNEL_BYTES ? KERNEL_BYTES - 100 : 0;
	if (state.buffer)
		state.complete(NULL, 0, state.buffer, state.bytes, state.used - lost);
	state.buffer = NULL;
}

static void on_activity(const struct gpu_activity *x)
{
	uint8_t record[KERNEL_BYTES];
	pthread_mutex_lock(&state.lock);
	if (x->raw_kind >= N_KINDS || !state.enabled[x->raw_kind] || !state.request || fake_conf()->cupti_silent)
		goto out;
	size_t n = encode(record, x);
	if (state.buffer && state.bytes - state.used < n)
		hand_back();
	if (!state.buffer) {
		size_t most = 0;
		state.request(&state.buffer, &state.bytes, &most);
		state.used = 0;
		if (!state.buffer || state.bytes < n)
			goto out;
	}
	memcpy(state.buffer + state.used, record, n);
	state.used += n;
out:
	pthread_mutex_unlock(&state.lock);
}

FAKE_CUPTI(version, cuptiGetVersion)(uint32_t *version)
{
	*version = VERSION;
	return fake_conf_fail("cuptiGetVersion");
}

FAKE_CUPTI(timestamp, cuptiGetTimestamp)(uint64_t *ns)
{
	*ns = fakeNow();
	return fake_conf_fail("cuptiGetTimestamp");
}

FAKE_CUPTI(error_text, cuptiGetResultString)(int code, const char **text)
{
	static const struct {
		int code;
		const char *text;
	} rows[] = {
		{0, "CUPTI_SUCCESS"},
		{1, "CUPTI_ERROR_INVALID_PARAMETER"},
		{10, "CUPTI_ERROR_INVALID_KIND"},
		{12, "CUPTI_ERROR_MAX_LIMIT_REACHED"},
		{35, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"},
		{39, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"},
	};
	*text = NULL;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (rows[i].code == code)
			*text = rows[i].text;
	return *text ? 0 : INVALID_PARAMETER;
}

FAKE_CUPTI(callbacks, cuptiActivityRegisterCallbacks)(cupti_request_fn request, cupti_complete_fn complete)
{
	int rc = fake_conf_fail("cuptiActivityRegisterCallbacks");
	if (rc)
		return rc;
	pthread_mutex_lock(&state.lock);
	state.request = request;
	state.complete = complete;
	pthread_mutex_unlock(&state.lock);
	fakeTraceTo(on_activity);
	return 0;
}

static int enable(int kind, bool on)
{
	if (kind <= 0 || kind >= N_KINDS || record_bytes((uint32_t)kind) == 0)
		return INVALID_KIND;
	pthread_mutex_lock(&state.lock);
	state.enabled[kind] = on;
	pthread_mutex_unlock(&state.lock);
	return 0;
}

FAKE_CUPTI(enable, cuptiActivityEnable)(int kind)
{
	int rc = fake_conf_fail("cuptiActivityEnable");
	if (!rc)
		rc = (int)fake_conf()->cupti_refuses;
	return rc ? rc : enable(kind, true);
}

FAKE_CUPTI(disable, cuptiActivityDisable)(int kind)
{
	int rc = fake_conf_fail("cuptiActivityDisable");
	return rc ? rc : enable(kind, false);
}

FAKE_CUPTI(flush_all, cuptiActivityFlushAll)(uint32_t flag)
{
	(void)flag;
	int rc = fake_conf_fail("cuptiActivityFlushAll");
	if (rc)
		return rc;
	pthread_mutex_lock(&state.lock);
	hand_back();
	pthread_mutex_unlock(&state.lock);
	return 0;
}

FAKE_CUPTI(next_record, cuptiActivityGetNextRecord)(uint8_t *buffer, size_t valid_bytes, void **record)
{
	int rc = fake_conf_fail("cuptiActivityGetNextRecord");
	if (rc)
		return rc;
	size_t at = 0;
	uint32_t kind;
	if (*record) {
		at = (size_t)((uint8_t *)*record - buffer);
		memcpy(&kind, buffer + at, sizeof(kind));
		at += record_bytes(kind);
	}
	if (at >= valid_bytes)
		return CUPTI_MAX_LIMIT_REACHED;
	*record = buffer + at;
	return 0;
}

FAKE_CUPTI(dropped, cuptiActivityGetNumDroppedRecords)(void *ctx, uint32_t stream, size_t *n)
{
	(void)ctx;
	(void)stream;
	*n = fake_conf()->cupti_drops;
	return 0;
}

FAKE_CUPTI(set_attribute, cuptiActivitySetAttribute)(int attribute, size_t *bytes, void *value)
{
	return attribute < 0 || !bytes || !value ? INVALID_PARAMETER : 0;
}

FAKE_CUPTI(get_attribute, cuptiActivityGetAttribute)(int attribute, size_t *bytes, void *value)
{
	if (attribute < 0 || !bytes || !value)
		return INVALID_PARAMETER;
	memset(value, 0, *bytes);
	return 0;
}

FAKE_CUPTI(callback_name, cuptiGetCallbackName)(int domain, uint32_t cbid, const char **name)
{
	static const struct {
		uint32_t id;
		const char *name;
	} rows[] = {
#define FAKE_X(call, id, text) {id, text},
		FAKE_RUNTIME_CALLS(FAKE_X)
#undef FAKE_X
	};
	for (size_t i = 0; domain == CUPTI_DOMAIN_RUNTIME && i < COUNT_OF(rows); i++) {
		if (rows[i].id != cbid)
			continue;
		*name = rows[i].name;
		return 0;
	}
	return INVALID_PARAMETER;
}

FAKE_CUPTI(context_id, cuptiGetContextId)(void *ctx, uint32_t *id)
{
	*id = 1;
	return ctx ? 0 : INVALID_PARAMETER;
}

FAKE_CUPTI(finalize, cuptiFinalize)(void)
{
	fakeTraceTo(NULL);
	return 0;
}
