/* Devices, contexts, errors.
 * In: fake.conf, CUDA_VISIBLE_DEVICES. Out: what the driver says about them.
 * Every function of the driver enters through fake_enter, which counts it for scripted failures.
 * Never: makes a context that is not a primary one. */
#include "inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf.h"

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;

static struct ctx contexts[MAX_GPUS];
static unsigned visible[MAX_GPUS], visible_mig[MAX_GPUS], n_visible; /* device -> GPU, MIG instance */
static bool is_initialized;
static _Thread_local struct ctx *current;

struct ctx *fake_ctx(unsigned device)
{
	return device < n_visible ? &contexts[device] : NULL;
}

unsigned fake_n_devices(void)
{
	return n_visible;
}

int fake_enter(const char *symbol, enum needs needs, struct ctx **ctx)
{
	int code = fake_conf_fail(symbol);
	if (code)
		return code;
	pthread_mutex_lock(&fake_lock);
	if (ctx)
		*ctx = current;
	if (needs != NEEDS_NOTHING && !is_initialized)
		return fake_leave(CU_NOT_INITIALIZED);
	if (needs != NEEDS_CONTEXT)
		return 0;
	if (!current)
		return fake_leave(GPU_INVALID_CONTEXT);
	if (!current->is_active)
		return fake_leave(CU_CONTEXT_IS_DESTROYED);
	if (current->sticky)
		return fake_leave(current->sticky);
	return 0;
}

int fake_leave(int code)
{
	pthread_mutex_unlock(&fake_lock);
	return code;
}

static void show(unsigned i_gpu, unsigned i_mig)
{
	if (n_visible == MAX_GPUS)
		return;
	visible[n_visible] = i_gpu;
	visible_mig[n_visible] = i_mig;
	contexts[n_visible].i_gpu = n_visible;
	n_visible++;
}

static unsigned n_instances(unsigned i_gpu)
{
	return i_gpu == 0 ? (unsigned)fake_conf()->mig : 0;
}

/* One word of CUDA_VISIBLE_DEVICES: a number, a GPU's UUID or an instance's. False: the list ends here. */
static bool show_word(const char *word, size_t n)
{
	unsigned n_gpus = (unsigned)fake_conf()->gpus;
	for (unsigned i = 0; i < n_gpus && i < MAX_GPUS; i++) {
		char text[48];
		for (unsigned m = FAKE_WHOLE; m <= n_instances(i); m++) {
			fake_uuid_text(text, i, m);
			if (strlen(text) != n || strncmp(text, word, n) != 0)
				continue;
			show(i, m == FAKE_WHOLE && n_instances(i) ? 1 : m);
			return true;
		}
		int k = snprintf(text, sizeof(text), "%u", i);
		if ((size_t)k == n && strncmp(text, word, n) == 0) {
			show(i, n_instances(i) ? 1 : FAKE_WHOLE);
			return true;
		}
	}
	return false;
}

static void find_devices(void)
{
	const char *list = getenv("CUDA_VISIBLE_DEVICES");
	if (!list) {
		for (unsigned i = 0; i < (unsigned)fake_conf()->gpus; i++)
			show(i, n_instances(i) ? 1 : FAKE_WHOLE);
		return;
	}
	while (*list) {
		size_t n = strcspn(list, ",");
		if (!show_word(list, n))
			return;
		list += n + (list[n] == ',');
	}
}

FAKE_CU(init, cuInit)(unsigned flags)
{
	int rc = fake_enter("cuInit", NEEDS_NOTHING, NULL);
	if (rc)
		return rc;
	if (flags)
		return fake_leave(GPU_INVALID_VALUE);
	if (!is_initialized)
		find_devices();
	is_initialized = n_visible > 0;
	return fake_leave(is_initialized ? 0 : GPU_NO_DEVICE);
}

FAKE_CU(driver_version, cuDriverGetVersion)(int *version)
{
	int rc = fake_enter("cuDriverGetVersion", NEEDS_NOTHING, NULL);
	*version = 13000;
	return rc ? rc : fake_leave(0);
}

static const struct {
	int code;
	const char *name, *text;
} errors[] = {
	{0, "CUDA_SUCCESS", "no error"},
	{1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
	{2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	{3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
	{46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
	{100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
	{101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
	{200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
	{201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
	{214, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
	{400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
	{500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
	{600, "CUDA_ERROR_NOT_READY", "device not ready"},
	{700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
	{702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
	{709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
	{719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
	{800, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
	{801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
	{802, "CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized"},
	{999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

FAKE_CU(error_name, cuGetErrorName)(int code, const char **name)
{
	*name = NULL;
	for (size_t i = 0; i < COUNT_OF(errors); i++)
		if (errors[i].code == code)
			*name = errors[i].name;
	return *name ? 0 : GPU_INVALID_VALUE;
}

FAKE_CU(error_string, cuGetErrorString)(int code, const char **text)
{
	*text = NULL;
	for (size_t i = 0; i < COUNT_OF(errors); i++)
		if (errors[i].code == code)
			*text = errors[i].text;
	return *text ? 0 : GPU_INVALID_VALUE;
}

/* ---- devices */

static int enter_device(const char *symbol, int device)
{
	int rc = fake_enter(symbol, NEEDS_INIT, NULL);
	if (rc)
		return rc;
	return device >= 0 && (unsigned)device < n_visible ? 0 : fake_leave(CU_INVALID_DEVICE);
}

FAKE_CU(device_count, cuDeviceGetCount)(int *n)
{
	int rc = fake_enter("cuDeviceGetCount", NEEDS_INIT, NULL);
	*n = (int)n_visible;
	return rc ? rc : fake_leave(0);
}

FAKE_CU(device_get, cuDeviceGet)(int *device, int ordinal)
{
	int rc = enter_device("cuDeviceGet", ordinal);
	*device = ordinal;
	return rc ? rc : fake_leave(0);
}

FAKE_CU(device_name, cuDeviceGetName)(char *name, int bytes, int device)
{
	int rc = enter_device("cuDeviceGetName", device);
	if (rc)
		return rc;
	snprintf(name, (size_t)bytes, "Fake GPU");
	return fake_leave(0);
}

/* The newer call names the MIG instance, the older one its GPU. */
FAKE_CU(device_uuid, cuDeviceGetUuid_v2)(void *uuid16, int device)
{
	int rc = enter_device("cuDeviceGetUuid_v2", device);
	if (rc)
		return rc;
	fake_uuid(uuid16, visible[device], visible_mig[device]);
	return fake_leave(0);
}

FAKE_CU(device_uuid_parent, cuDeviceGetUuid)(void *uuid16, int device)
{
	int rc = enter_device("cuDeviceGetUuid", device);
	if (rc)
		return rc;
	fake_uuid(uuid16, visible[device], FAKE_WHOLE);
	return fake_leave(0);
}

FAKE_CU(device_total_mem, cuDeviceTotalMem_v2)(size_t *bytes, int device)
{
	int rc = enter_device("cuDeviceTotalMem_v2", device);
	*bytes = fake_conf()->memory_mb << 20;
	return rc ? rc : fake_leave(0);
}

FAKE_CU(device_pci, cuDeviceGetPCIBusId)(char *id, int bytes, int device)
{
	int rc = enter_device("cuDeviceGetPCIBusId", device);
	if (rc)
		return rc;
	snprintf(id, (size_t)bytes, "0000:%02X:00.0", 0x10 + visible[device]);
	return fake_leave(0);
}

/* As an H200 says, but for the caches. */
static const struct {
	int attribute, value;
} attributes[] = {
	{1, 1024},     {8, 49152},   {10, 32},   {12, 65536}, {13, 1980000}, {16, 132},   {18, 0},      {32, 1},
	{36, 3201000}, {37, 6016},   {39, 2048}, {40, 3},     {75, 9},       {76, 0},     {81, 233472}, {82, 65536},
	{95, 1},       {97, 232448}, {102, 1},   {103, 1},    {106, 32},     {111, 1024}, {115, 1},
};

FAKE_CU(device_attribute, cuDeviceGetAttribute)(int *value, int attribute, int device)
{
	int rc = enter_device("cuDeviceGetAttribute", device);
	if (rc)
		return rc;
	const struct fake_conf *c = fake_conf();
	for (size_t i = 0; i < COUNT_OF(attributes); i++) {
		if (attributes[i].attribute != attribute)
			continue;
		*value = attributes[i].value;
		return fake_leave(0);
	}
	if (attribute == 20)
		*value = (int)c->compute_mode;
	else if (attribute == 38)
		*value = (int)(c->l2_kb << 10);
	else if (attribute == 108)
		*value = (int)(c->l2_kb << 10) / 2;
	else
		return fake_leave(GPU_INVALID_VALUE);
	return fake_leave(0);
}

/* ---- primary contexts */

static void destroy(struct ctx *c)
{
	if (!c->sticky)
		fake_wait_all(c);
	fake_memory_reset(c);
	c->is_active = false;
	c->generation++;
}

FAKE_CU(ctx_retain, cuDevicePrimaryCtxRetain)(void **ctx, int device)
{
	int rc = enter_device("cuDevicePrimaryCtxRetain", device);
	if (rc)
		return rc;
	struct ctx *c = &contexts[device];
	if (c->sticky)
		return fake_leave(c->sticky);
	if (!c->is_active) {
		c->is_active = true;
		fake_streams_open(c);
	}
	c->n_retained++;
	*ctx = c;
	return fake_leave(0);
}

FAKE_CU(ctx_release, cuDevicePrimaryCtxRelease_v2)(int device)
{
	int rc = enter_device("cuDevicePrimaryCtxRelease_v2", device);
	if (rc)
		return rc;
	struct ctx *c = &contexts[device];
	if (c->n_retained == 0)
		return fake_leave(GPU_INVALID_CONTEXT);
	if (--c->n_retained == 0)
		destroy(c);
	return fake_leave(0);
}

/* Of cudaDeviceReset; assay itself never calls it. */
FAKE_API int cuDevicePrimaryCtxReset_v2(int device);
FAKE_API int cuDevicePrimaryCtxReset_v2(int device)
{
	int rc = enter_device("cuDevicePrimaryCtxReset_v2", device);
	if (rc)
		return rc;
	destroy(&contexts[device]);
	return fake_leave(0);
}

FAKE_CU(ctx_state, cuDevicePrimaryCtxGetState)(int device, unsigned *flags, int *active)
{
	int rc = enter_device("cuDevicePrimaryCtxGetState", device);
	if (rc)
		return rc;
	*flags = 0;
	*active = contexts[device].is_active;
	return fake_leave(0);
}

FAKE_CU(ctx_flags, cuDevicePrimaryCtxSetFlags_v2)(int device, unsigned flags)
{
	(void)flags;
	int rc = enter_device("cuDevicePrimaryCtxSetFlags_v2", device);
	return rc ? rc : fake_leave(0);
}

FAKE_CU(ctx_set, cuCtxSetCurrent)(void *ctx)
{
	int rc = fake_enter("cuCtxSetCurrent", NEEDS_INIT, NULL);
	if (rc)
		return rc;
	if (ctx && ((struct ctx *)ctx < contexts || (struct ctx *)ctx >= contexts + MAX_GPUS))
		return fake_leave(GPU_INVALID_CONTEXT);
	current = ctx;
	return fake_leave(0);
}

FAKE_CU(ctx_get, cuCtxGetCurrent)(void **ctx)
{
	int rc = fake_enter("cuCtxGetCurrent", NEEDS_INIT, NULL);
	if (rc)
		return rc;
	*ctx = current;
	return fake_leave(0);
}

FAKE_CU(ctx_reset_l2, cuCtxResetPersistingL2Cache)(void)
{
	struct ctx *c;
	int rc = fake_enter("cuCtxResetPersistingL2Cache", NEEDS_CONTEXT, &c);
	return rc ? rc : fake_leave(0);
}

FAKE_CU(profiler_start, cuProfilerStart)(void)
{
	struct ctx *c;
	int rc = fake_enter("cuProfilerStart", NEEDS_CONTEXT, &c);
	return rc ? rc : fake_leave(0);
}

FAKE_CU(profiler_stop, cuProfilerStop)(void)
{
	struct ctx *c;
	int rc = fake_enter("cuProfilerStop", NEEDS_CONTEXT, &c);
	return rc ? rc : fake_leave(0);
}
