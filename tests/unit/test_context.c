/* Unit tests of gpu/driver and gpu/context: errors in the driver's words, facts with missing attributes, and that a
 * failure half-way gives back what was made.
 * In: a driver made of functions in this file.
 * Out: cmocka's report.
 * Never: needs a GPU; opens the machine's driver only to read the error where there is none. */
#include "gpu/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct {
	int fail_at; /* the n-th VMM call fails */
	int n_calls; /* VMM calls that make something */
	int handles, ranges, maps, contexts;
	int exported;
	size_t mapped_bytes;
} fake;

static int fake_error_string(int code, const char **text)
{
	*text = code == 2 ? "out of memory" : NULL;
	return code == 2 ? 0 : 1;
}
static int fake_error_name(int code, const char **name)
{
	*name = code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : NULL;
	return code == 2 ? 0 : 1;
}
static int fake_device_get(int *device, int ordinal)
{
	*device = 40 + ordinal;
	return ordinal == 0 ? 0 : 101;
}
static int fake_retain(void **ctx, int device)
{
	fake.contexts += device == 40;
	*ctx = &fake;
	return 0;
}
static int fake_release(int device)
{
	fake.contexts -= device == 40;
	return 0;
}
static int fake_set(void *ctx)
{
	return ctx == &fake && fake.fail_at != -1 ? 0 : 201;
}
static int step(void)
{
	return ++fake.n_calls == fake.fail_at ? 2 : 0;
}
static int fake_granularity(size_t *bytes, const struct gpu_vmm_prop *prop, int option)
{
	*bytes = 2 << 20;
	return prop->device == 40 && prop->handle_types == 1 && option == 0 ? 0 : 1;
}
static int fake_create(gpu_ptr *handle, size_t bytes, const struct gpu_vmm_prop *prop, unsigned long long flags)
{
	int rc = step();
	fake.handles += rc == 0;
	*handle = 7;
	return bytes % (2 << 20) || prop->type != 1 || flags ? 1 : rc;
}
static int fake_import(gpu_ptr *handle, void *fd, int type)
{
	int rc = step();
	fake.handles += rc == 0;
	*handle = 7;
	return (uintptr_t)fd == 33 && type == 1 ? rc : 1;
}
static int fake_vmm_release(gpu_ptr handle)
{
	fake.handles -= handle == 7;
	return 0;
}
static int fake_export(void *fd, gpu_ptr handle, int type, unsigned long long flags)
{
	int v = 33;
	memcpy(fd, &v, sizeof v);
	return handle == 7 && type == 1 && !flags ? 0 : 1;
}
static int fake_reserve(gpu_ptr *p, size_t bytes, size_t align, gpu_ptr near, unsigned long long flags)
{
	int rc = step();
	fake.ranges += rc == 0;
	*p = 0x10000;
	return bytes && !align && !near && !flags ? rc : 1;
}
static int fake_unreserve(gpu_ptr p, size_t bytes)
{
	fake.ranges -= p == 0x10000 && bytes;
	return 0;
}
static int fake_map(gpu_ptr p, size_t bytes, size_t offset, gpu_ptr handle, unsigned long long flags)
{
	int rc = step();
	fake.maps += rc == 0;
	fake.mapped_bytes = bytes;
	return p == 0x10000 && !offset && handle == 7 && !flags ? rc : 1;
}
static int fake_unmap(gpu_ptr p, size_t bytes)
{
	fake.maps -= p == 0x10000 && bytes == fake.mapped_bytes;
	return 0;
}
static int fake_access(gpu_ptr p, size_t bytes, const struct gpu_vmm_access *access, size_t n)
{
	int rc = step();
	return p && bytes && access->device == 40 && access->flags == 3 && n == 1 ? rc : 1;
}
static int fake_attribute(int *v, int attribute, int device)
{
	*v = attribute == 16 ? 132 : 5;
	return device == 40 && attribute != 108 ? 0 : 1; /* no persisting L2 here */
}
static int fake_name(char *name, int bytes, int device)
{
	snprintf(name, (size_t)bytes, "Fake %d", device);
	return 0;
}
static int fake_uuid(void *uuid, int device)
{
	memset(uuid, device == 40 ? 0xab : 0, 16);
	return 0;
}
static int fake_uuid_parent(void *uuid, int device)
{
	memset(uuid, device == 40 ? 0x11 : 0, 16);
	return 0;
}
static int fake_mem(size_t *bytes, int device)
{
	*bytes = (size_t)device << 30;
	return 0;
}
static int fake_pci(char *id, int bytes, int device)
{
	snprintf(id, (size_t)bytes, "0000:%02x:00.0", device);
	return 0;
}

static const struct gpu_driver driver = {
	.path = "fake",
	.error_string = fake_error_string,
	.error_name = fake_error_name,
	.device_get = fake_device_get,
	.ctx_retain = fake_retain,
	.ctx_release = fake_release,
	.ctx_set = fake_set,
	.vmm_granularity = fake_granularity,
	.vmm_create = fake_create,
	.vmm_release = fake_vmm_release,
	.vmm_export = fake_export,
	.vmm_import = fake_import,
	.vmm_reserve = fake_reserve,
	.vmm_unreserve = fake_unreserve,
	.vmm_map = fake_map,
	.vmm_unmap = fake_unmap,
	.vmm_access = fake_access,
	.device_attribute = fake_attribute,
	.device_name = fake_name,
	.device_uuid = fake_uuid,
	.device_total_mem = fake_mem,
	.device_pci = fake_pci,
};

static void start(struct gpu_context *c)
{
	struct err e = {0};
	memset(&fake, 0, sizeof fake);
	assert_true(gpu_context_open(c, &driver, 0, &e));
	assert_int_equal(fake.contexts, 1);
}

static void errors(void **state)
{
	(void)state;
	struct err e = {0};
	char text[32];
	assert_true(gpu_check(&driver, 0, "cuInit", &e));
	assert_int_equal(e.code, ERR_NONE);
	assert_false(gpu_check(&driver, 2, "cuMemAlloc of 5 bytes", &e));
	assert_int_equal(e.code, ERR_SYSTEM);
	assert_string_equal(e.text, "cuMemAlloc of 5 bytes: out of memory (CUDA_ERROR_OUT_OF_MEMORY, 2)");
	assert_false(gpu_check(&driver, 100, "cuInit", &e));
	assert_int_equal(e.code, ERR_ENVIRONMENT);
	assert_string_equal(e.text, "cuInit: unknown error (CUDA_ERROR_100, 100)");
	assert_string_equal(gpu_error_name(&driver, 12345, text), "CUDA_ERROR_12345");
	assert_true(gpu_error_is_sticky(700));
	assert_true(gpu_error_is_sticky(719));
	assert_false(gpu_error_is_sticky(2));
	assert_false(gpu_error_is_sticky(600));
}

static void context(void **state)
{
	(void)state;
	struct gpu_context c;
	struct err e = {0};
	start(&c);
	gpu_context_release(&c);
	assert_int_equal(fake.contexts, 0);
	gpu_context_release(&c);
	assert_int_equal(fake.contexts, 0);
	assert_false(gpu_context_open(&c, &driver, 3, &e));
	assert_non_null(strstr(e.text, "cuDeviceGet(3)"));
	fake.fail_at = -1;
	assert_false(gpu_context_open(&c, &driver, 0, &e));
	assert_int_equal(fake.contexts, 0);
}

static void facts(void **state)
{
	(void)state;
	struct gpu_facts f;
	struct err e = {0};
	assert_true(gpu_facts(&f, &driver, 0, &e));
	assert_int_equal(f.n_sm, 132);
	assert_int_equal(f.warp, 5);
	assert_int_equal(f.has_posix_fd, 5);
	assert_int_equal(f.persisting_l2_bytes, -1);
	assert_string_equal(f.name, "Fake 40");
	assert_string_equal(f.uuid, "GPU-abababab-abab-abab-abab-abababababab");
	assert_string_equal(f.pci, "0000:28:00.0");
	assert_int_equal(f.memory_bytes, UINT64_C(40) << 30);
	struct gpu_driver mig = driver;
	mig.device_uuid_parent = fake_uuid_parent;
	assert_true(gpu_facts(&f, &mig, 0, &e));
	assert_memory_equal(f.uuid, "MIG-abab", 8);
	mig.device_uuid_parent = fake_uuid;
	assert_true(gpu_facts(&f, &mig, 0, &e));
	assert_memory_equal(f.uuid, "GPU-abab", 8);
}

static void share(void **state)
{
	(void)state;
	struct gpu_context c;
	struct gpu_share s, t;
	struct err e = {0};
	start(&c);
	assert_true(gpu_share_create(&s, &c, 3 << 20, &e));
	assert_int_equal(s.bytes, 4 << 20);
	assert_int_equal(s.p, 0x10000);
	assert_int_equal(gpu_share_export(&s, &c, &e), 33);
	assert_true(gpu_share_import(&t, &c, 33, s.bytes, &e));
	gpu_share_release(&t, &c);
	gpu_share_release(&s, &c);
	gpu_share_release(&s, &c);
	assert_int_equal(fake.handles, 0);
	assert_int_equal(fake.ranges, 0);
	assert_int_equal(fake.maps, 0);
	assert_false(gpu_share_create(&s, &c, 0, &e));
	assert_int_equal(e.code, ERR_INPUT);
	assert_false(gpu_share_create(&s, &c, SIZE_MAX - 5, &e));
	assert_false(gpu_share_import(&t, &c, -1, 4096, &e));
	struct gpu_driver old = driver;
	old.vmm_export = NULL;
	c.gpu = &old;
	assert_false(gpu_share_create(&s, &c, 4096, &e));
	assert_int_equal(e.code, ERR_ENVIRONMENT);
}

static void share_fails(void **state)
{
	(void)state;
	struct gpu_context c;
	struct gpu_share s;
	struct err e = {0};
	static const char *const names[] = {"cuMemCreate of 2097152 bytes", "cuMemAddressReserve", "cuMemMap",
					    "cuMemSetAccess"};
	for (int i = 0; i < 4; i++) {
		start(&c);
		fake.fail_at = i + 1;
		assert_false(gpu_share_create(&s, &c, 1, &e));
		assert_memory_equal(e.text, names[i], strlen(names[i]));
		assert_int_equal(s.p, 0);
		assert_int_equal(fake.handles, 0);
		assert_int_equal(fake.ranges, 0);
		assert_int_equal(fake.maps, 0);
	}
	for (int i = 0; i < 4; i++) {
		start(&c);
		fake.fail_at = i + 1;
		assert_false(gpu_share_import(&s, &c, 33, 2 << 20, &e));
		assert_int_equal(fake.handles, 0);
		assert_int_equal(fake.ranges, 0);
		assert_int_equal(fake.maps, 0);
	}
}

static void real_driver(void **state)
{
	(void)state;
	struct gpu_driver gpu;
	struct err e = {0};
	if (gpu_driver_open(&gpu, &e)) {
		assert_true(gpu.version >= 9000);
		assert_true(gpu.path[0] != 0);
		gpu_driver_release(&gpu);
	} else {
		assert_int_equal(e.code, ERR_ENVIRONMENT);
		assert_true(strstr(e.text, "libcuda.so.1") || strstr(e.text, "symbol"));
	}
	assert_null(gpu.lib);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors), cmocka_unit_test(context),     cmocka_unit_test(facts),
		cmocka_unit_test(share),  cmocka_unit_test(share_fails), cmocka_unit_test(real_driver),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
