/* The fake driver against what an H200 did (driver 580.159, 2026-11-29): what is refused with which code, what an error
 * leaves, what a reset frees. And that its exports are the tables' and nothing else of the vendor's. */
#include "fake_kit.h"

#include <dlfcn.h>
#include <fcntl.h>

#include "gpu/context.h"
#include "gpu/cupti.h"
#include "gpu/kernels.h"
#include "gpu/nvml.h"

#include "fake/include/fake_cuda.h"

static struct gpu_driver gpu;
static struct gpu_context context;
static struct gpu_vmm_prop prop = {.type = 1, .handle_types = 1, .location = 1};
static struct gpu_vmm_access access_all = {.location = 1, .flags = 3};
enum { UNIT = 2 << 20 };

static void open_gpu(void)
{
	struct err e = {ERR_NONE, ""};
	CHECK(gpu_driver_open(&gpu, &e));
	CHECK(strstr(gpu.path, "/fake/libcuda.so.1"));
	CHECK(gpu_driver_init(&gpu, &e));
	CHECK(gpu_context_open(&context, &gpu, 0, &e));
}

static int reset(void)
{
	int (*f)(int);
	void *p = dlsym(gpu.lib, "cuDevicePrimaryCtxReset_v2");
	memcpy(&f, &p, sizeof(f));
	return f(0);
}

static int launch(void (*run)(void *), void *arg, void *stream)
{
	int (*f)(const struct fake_launch *);
	void *p = dlsym(gpu.lib, "fakeLaunch");
	memcpy(&f, &p, sizeof(f));
	struct fake_launch l = {"test", {1, 1, 1}, {1, 1, 1}, 0, stream, run, free, arg};
	return f(&l);
}

/* ---- exports */

static const char *const driver_symbols[] = {
#define DRV(field, symbol, older, least, optional, args) symbol,
#include "gpu/driver.def"
#undef DRV
	"cuDevicePrimaryCtxReset_v2", /* of cudaDeviceReset */
};
static const char *const nvml_symbols[] = {
#define NVML(field, symbol, older, optional, args) symbol,
#include "gpu/nvml.def"
#undef NVML
	"nvmlErrorString",
};
static const char *const cupti_symbols[] = {
#define CUPTI(field, symbol, optional, args) symbol,
#include "gpu/cupti.def"
#undef CUPTI
};

static bool is_listed(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return false;
}

static void check_exports(const char *file, const char *prefix, const char *const *list, size_t n)
{
	char command[4096], line[512], name[256];
	size_t n_found = 0;
	snprintf(command, sizeof(command), "LD_LIBRARY_PATH= nm -D --defined-only %s/fake/%s", kit_build, file);
	FILE *f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*x %*c %255s", name) != 1 || strncmp(name, prefix, strlen(prefix)) != 0)
			continue;
		if (!is_listed(name, list, n))
			fail_msg("%s exports %s", file, name);
		n_found++;
	}
	assert_int_equal(pclose(f), 0);
	assert_int_equal(n_found, n);
}

static void exports(void **state)
{
	(void)state;
	check_exports("libcuda.so.1", "cu", driver_symbols, COUNT_OF(driver_symbols));
	check_exports("libnvidia-ml.so.1", "nvml", nvml_symbols, COUNT_OF(nvml_symbols));
	check_exports("libcupti.so.13", "cupti", cupti_symbols, COUNT_OF(cupti_symbols));
}

/* ---- memory that can be shared */

static void sizes(gpu_ptr *handle, gpu_ptr *p)
{
	size_t unit = 0;
	CHECK_IS(gpu.vmm_granularity(&unit, &prop, 0), 0);
	CHECK_IS(unit, UNIT);
	CHECK_IS(gpu.vmm_create(handle, UNIT + 512, &prop, 0), 1);
	CHECK_IS(gpu.vmm_create(handle, 0, &prop, 0), 1);
	CHECK_IS(gpu.vmm_create(handle, (size_t)1 << 40, &prop, 0), 2);
	CHECK_IS(gpu.vmm_create(handle, 3 * UNIT, &prop, 0), 0);
	CHECK_IS(gpu.vmm_reserve(p, UNIT + 512, 0, 0, 0), 1);
	CHECK_IS(gpu.vmm_reserve(p, 65536, 0, 0, 0), 1);
	CHECK_IS(gpu.vmm_reserve(p, 0, 0, 0, 0), 1);
	CHECK_IS(gpu.vmm_reserve(p, 4 * UNIT, 0, 0, 0), 0);
}

static void mapping(gpu_ptr handle, gpu_ptr p)
{
	CHECK_IS(gpu.vmm_map(p, UNIT + 512, 0, handle, 0), 801);
	CHECK_IS(gpu.vmm_map(p, 4 * UNIT, 0, handle, 0), 801);
	CHECK_IS(gpu.vmm_map(p, UNIT, UNIT, handle, 0), 801);
	CHECK_IS(gpu.vmm_map(p, UNIT, 0, handle, 0), 801);
	CHECK_IS(gpu.vmm_map(p, 3 * UNIT, 0, handle, 0), 0);
	CHECK_IS(gpu.vmm_map(p, 3 * UNIT, 0, handle, 0), 1);
	CHECK_IS(gpu.set8(p, 1, 16), 1); /* no access yet */
	CHECK_IS(gpu.vmm_access(p, UNIT + 512, &access_all, 1), 1);
	CHECK_IS(gpu.vmm_access(p, 4 * UNIT, &access_all, 1), 1);
	CHECK_IS(gpu.vmm_access(p, 3 * UNIT, &access_all, 1), 0);
	CHECK_IS(gpu.set8(p, 1, 3 * UNIT), 0);
	CHECK_IS(gpu.set8(p, 1, 3 * UNIT + 1), 1);
}

static void sharing_child(void)
{
	gpu_ptr handle = 0, again = 0, p = 0, q = 0, start = 0;
	int fd = -1;
	uint32_t word = 0, type = 0;
	size_t bytes = 0;
	open_gpu();
	sizes(&handle, &p);
	mapping(handle, p);
	CHECK_IS(gpu.vmm_export(&fd, handle, 1, 0), 0);
	CHECK_IS(gpu.vmm_export(&fd, handle + 12345, 1, 0), 1);
	CHECK_IS(gpu.vmm_import(&again, (void *)(intptr_t)fd, 1), 0);
	CHECK_IS(gpu.vmm_import(&q, (void *)(intptr_t)open("/dev/null", O_RDONLY), 1), 999);
	CHECK_IS(gpu.vmm_import(&q, (void *)(intptr_t)999, 1), 999);
	CHECK_IS(gpu.vmm_reserve(&q, 3 * UNIT, 0, 0, 0), 0);
	CHECK_IS(gpu.vmm_map(q, 3 * UNIT, 0, again, 0), 0);
	CHECK_IS(gpu.vmm_access(q, 3 * UNIT, &access_all, 1), 0);
	CHECK_IS(gpu.copy_to_host(&word, q, 4), 0);
	CHECK_IS(word, 0x01010101);
	CHECK_IS(gpu.pointer_attribute(&start, GPU_PTR_RANGE_START, q + 100), 0);
	CHECK(start == q);
	CHECK_IS(gpu.pointer_attribute(&bytes, GPU_PTR_RANGE_SIZE, q + 100), 0);
	CHECK_IS(bytes, 3 * UNIT);
	CHECK_IS(gpu.pointer_attribute(&type, GPU_PTR_MEMORY_TYPE, q + 100), 0);
	CHECK_IS(type, 2);
	CHECK_IS(gpu.mem_free(q), 1);
	CHECK_IS(gpu.vmm_unreserve(q, 3 * UNIT), 1);
	CHECK_IS(gpu.vmm_unmap(q, UNIT), 1);
	CHECK_IS(gpu.vmm_unmap(q, 3 * UNIT), 0);
	CHECK_IS(gpu.vmm_unreserve(q, UNIT), 1);
	CHECK_IS(gpu.vmm_unreserve(q, 3 * UNIT), 0);
	CHECK_IS(gpu.vmm_release(again), 0);
	CHECK_IS(gpu.vmm_release(again), 1);
	CHECK_IS(gpu.vmm_release(handle), 0); /* mapped: it stays */
	CHECK_IS(gpu.copy_to_host(&word, p, 4), 0);
	CHECK_IS(gpu.pointer_attribute(&start, GPU_PTR_RANGE_START, q), 1);
}

static void sharing(void **state)
{
	(void)state;
	kit_child(sharing_child, "");
}

/* ---- other memory */

static void memory_child(void)
{
	gpu_ptr p = 0, q = 0, start = 0;
	char host[64] = "";
	void *pinned = NULL;
	size_t bytes = 0, all = 0;
	uint32_t type = 0;
	open_gpu();
	CHECK_IS(gpu.mem_alloc(&p, 0), 1);
	CHECK_IS(gpu.mem_alloc(&p, (size_t)1 << 40), 2);
	CHECK_IS(gpu.mem_alloc(&p, 1000), 0);
	CHECK_IS(p % 512, 0);
	CHECK_IS(gpu.mem_alloc(&q, 1000), 0);
	CHECK_IS(gpu.pointer_attribute(&start, GPU_PTR_RANGE_START, p + 500), 0);
	CHECK(start == p);
	CHECK_IS(gpu.pointer_attribute(&bytes, GPU_PTR_RANGE_SIZE, p + 500), 0);
	CHECK_IS(bytes, 1000);
	CHECK_IS(gpu.copy_to_device(p + 990, host, 64), 1);
	CHECK_IS(gpu.set8(p + 990, 1, 64), 1);
	CHECK_IS(gpu.copy_to_device(0, host, 4), 1);
	CHECK_IS(gpu.copy_to_device((uintptr_t)host, host, 4), 1);
	CHECK_IS(gpu.mem_free(q + 256), 1);
	CHECK_IS(gpu.mem_free(q), 0);
	CHECK_IS(gpu.mem_free(q), 1);
	CHECK_IS(gpu.mem_free(0), 0);
	CHECK_IS(gpu.host_alloc(&pinned, 100, 3), 0);
	CHECK_IS(gpu.host_pointer(&start, pinned, 0), 0);
	CHECK(start == (uintptr_t)pinned);
	CHECK_IS(gpu.pointer_attribute(&type, GPU_PTR_MEMORY_TYPE, (uintptr_t)pinned), 0);
	CHECK_IS(type, 1);
	CHECK_IS(gpu.pointer_attribute(&type, GPU_PTR_MEMORY_TYPE, (uintptr_t)host), 1);
	CHECK_IS(gpu.host_pointer(&start, host, 0), 1);
	CHECK_IS(gpu.host_free(host), 1);
	CHECK_IS(gpu.mem_info(&bytes, &all), 0);
	CHECK_IS(all, UINT64_C(4096) << 20);
	CHECK_IS(all - bytes, 1000);
}

static void memory(void **state)
{
	(void)state;
	kit_child(memory_child, "");
}

/* The host does not see device memory. */
static void host_read_child(void)
{
	gpu_ptr p = 0;
	open_gpu();
	CHECK_IS(gpu.mem_alloc(&p, 4096), 0);
	signal(SIGSEGV, SIG_DFL);
	*(volatile char *)(uintptr_t)p = 1;
	_exit(0);
}

static void host_read(void **state)
{
	(void)state;
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		host_read_child();
	int status = 0;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

/* ---- streams and events */

static void nothing(void *arg)
{
	(void)arg;
}

static void order_child(void)
{
	struct gpu_page page;
	struct err e = {ERR_NONE, ""};
	void *side = NULL, *a = NULL, *b = NULL, *no_time = NULL;
	float ms = -1;
	open_gpu();
	CHECK(gpu_page_open(&page, &gpu, &e));
	CHECK_IS(gpu.stream_create(&side, GPU_STREAM_NON_BLOCKING), 0);
	CHECK_IS(gpu.event_create(&a, 0), 0);
	CHECK_IS(gpu.event_create(&b, 0), 0);
	CHECK_IS(gpu.event_create(&no_time, GPU_EVENT_NO_TIMING), 0);
	CHECK_IS(gpu.event_elapsed(&ms, a, b), 400);
	CHECK_IS(gpu.event_query(a), 0);
	CHECK_IS(gpu.event_sync(a), 0);
	CHECK_IS(gpu.stream_wait32(side, (uintptr_t)&ms, 1, 0), 1);
	CHECK_IS(gpu.stream_wait32(side, page.device + 2, 1, 0), 1);
	CHECK_IS(gpu.stream_wait32(side, 0, 1, 0), 1);
	CHECK_IS(gpu.stream_wait32(GPU_STREAM_LEGACY, page.device, 1, GPU_WAIT_GEQ), 0);
	CHECK_IS(gpu.event_record(a, GPU_STREAM_LEGACY), 0);
	CHECK_IS(gpu.stream_query(GPU_STREAM_LEGACY), 600);
	CHECK_IS(gpu.event_record(b, GPU_STREAM_LEGACY), 0);
	CHECK_IS(gpu.event_elapsed(&ms, a, b), 600);
	CHECK_IS(gpu.stream_query(NULL), 600);
	CHECK_IS(gpu.stream_query(side), 0);
	CHECK_IS(launch(nothing, NULL, side), 0);
	CHECK_IS(gpu.stream_sync(side), 0); /* not held: it does not block on the legacy stream */
	__atomic_store_n((uint32_t *)page.p, 1, __ATOMIC_SEQ_CST);
	CHECK_IS(gpu.ctx_sync(), 0);
	CHECK_IS(gpu.event_elapsed(&ms, a, b), 0);
	CHECK(ms > 0.0006f && ms < 0.0016f);
	CHECK_IS(gpu.event_record(no_time, side), 0);
	CHECK_IS(gpu.ctx_sync(), 0);
	CHECK_IS(gpu.event_elapsed(&ms, a, no_time), 400);
	CHECK_IS(gpu.stream_destroy(side), 0);
	CHECK_IS(gpu.stream_query(side), 400);
}

static void order(void **state)
{
	(void)state;
	kit_child(order_child, "");
}

/* Two blocking streams run beside each other and after the legacy stream; the clock adds up. */
static void add_one(void *arg)
{
	__atomic_add_fetch(*(int **)arg, 1, __ATOMIC_SEQ_CST);
}

static void *counter_of(int *n)
{
	int **arg = malloc(sizeof(n));
	CHECK(arg);
	*arg = n;
	return arg;
}

static void times_child(void)
{
	void *s[2] = {NULL, NULL}, *a = NULL, *b = NULL;
	static int n;
	float ms = 0;
	open_gpu();
	for (int i = 0; i < 2; i++)
		CHECK_IS(gpu.stream_create(&s[i], 0), 0);
	CHECK_IS(gpu.event_create(&a, 0), 0);
	CHECK_IS(gpu.event_create(&b, 0), 0);
	for (int i = 0; i < 10; i++)
		CHECK_IS(launch(add_one, counter_of(&n), NULL), 0);
	CHECK_IS(gpu.event_record(a, NULL), 0);
	for (int i = 0; i < 2; i++)
		CHECK_IS(launch(add_one, counter_of(&n), s[i]), 0);
	CHECK_IS(gpu.event_record(b, NULL), 0);
	CHECK_IS(gpu.event_sync(b), 0);
	CHECK_IS(n, 12);
	CHECK_IS(gpu.event_elapsed(&ms, a, b), 0);
	CHECK(ms >= 0.0022f); /* one warm kernel and an event at least */
}

static void times(void **state)
{
	(void)state;
	kit_child(times_child, "kernel_ns 1000000\n");
}

/* ---- launches, modules, errors that stay */

static void touch_nothing_there(void *arg)
{
	static volatile uintptr_t nowhere = 0x10;
	(void)arg;
	*(volatile int *)nowhere = 1;
}

static void modules(void)
{
	void *module = NULL, *function = NULL;
	struct twin_empty_args args = {0};
	void *params[] = {&args};
	CHECK_IS(gpu.module_load(&module, "not a module", 0, NULL, NULL), 200);
	CHECK_IS(gpu.module_load(&module, gpu_ptx, 0, NULL, NULL), 0);
	CHECK_IS(gpu.module_function(&function, module, "none"), 500);
	CHECK_IS(gpu.module_function(&function, module, "assay_empty"), 0);
	CHECK_IS(gpu.launch(function, 1, 1, 1, 2048, 1, 1, 0, NULL, params, NULL), 1);
	CHECK_IS(gpu.launch(function, 0, 1, 1, 1, 1, 1, 0, NULL, params, NULL), 1);
	CHECK_IS(gpu.launch(function, 1, 1, 1, 0, 1, 1, 0, NULL, params, NULL), 1);
	CHECK_IS(gpu.launch(function, 1, 1, 1, 1, 1, 1, 1 << 20, NULL, params, NULL), 1);
	CHECK_IS(gpu.launch(function, 1, 1, 1, 256, 1, 1, 0, NULL, params, NULL), 0);
}

static void sticky_child(void)
{
	void *ctx = NULL, *event = NULL, *pinned = NULL;
	unsigned flags = 0;
	int active = 0, value = 0;
	size_t bytes = 0;
	gpu_ptr p = 0, q = 0;
	open_gpu();
	modules();
	CHECK_IS(gpu.mem_alloc(&p, 100), 0);
	CHECK_IS(gpu.event_create(&event, 0), 0);
	CHECK_IS(launch(touch_nothing_there, NULL, NULL), 0);
	CHECK_IS(gpu.ctx_sync(), 700);
	CHECK_IS(gpu.ctx_sync(), 700);
	CHECK_IS(launch(nothing, NULL, NULL), 700);
	CHECK_IS(gpu.mem_alloc(&q, 100), 700);
	CHECK_IS(gpu.host_alloc(&pinned, 100, 0), 700);
	CHECK_IS(gpu.event_record(event, NULL), 700);
	CHECK_IS(gpu.event_query(event), 700);
	CHECK_IS(gpu.stream_query(NULL), 700);
	CHECK_IS(gpu.set8(p, 1, 4), 700);
	CHECK_IS(gpu.mem_info(&bytes, &bytes), 700);
	CHECK_IS(gpu.ctx_get(&ctx), 0);
	CHECK_IS(gpu.ctx_state(context.device, &flags, &active), 0);
	CHECK_IS(active, 1);
	CHECK_IS(gpu.pointer_attribute(&q, GPU_PTR_RANGE_START, p), 0);
	CHECK_IS(gpu.device_attribute(&value, 16, context.device), 0);
	CHECK_IS(value, 132);
	CHECK_IS(reset(), 0);
	CHECK_IS(gpu.ctx_retain(&ctx, context.device), 700);
}

static void sticky(void **state)
{
	(void)state;
	kit_child(sticky_child, "");
}

static void reset_child(void)
{
	void *ctx = NULL, *event = NULL;
	unsigned flags = 0;
	int active = 1;
	gpu_ptr p = 0, start = 0, none = 0;
	char c = 0;
	struct gpu_share share;
	struct gpu_page page;
	struct err e = {ERR_NONE, ""};
	open_gpu();
	CHECK(gpu_page_open(&page, &gpu, &e));
	CHECK(gpu_share_create(&share, &context, 100, &e));
	CHECK_IS(gpu.mem_alloc(&p, 1000), 0);
	CHECK_IS(gpu.event_create(&event, 0), 0);
	CHECK_IS(reset(), 0);
	CHECK_IS(gpu.ctx_get(&ctx), 0);
	CHECK(ctx == context.ctx);
	CHECK_IS(gpu.ctx_state(context.device, &flags, &active), 0);
	CHECK_IS(active, 0);
	CHECK_IS(gpu.event_record(event, NULL), 709);
	CHECK_IS(gpu.stream_query(NULL), 709);
	CHECK_IS(gpu.ctx_sync(), 709);
	CHECK_IS(gpu.mem_alloc(&none, 100), 709);
	CHECK_IS(gpu.pointer_attribute(&start, GPU_PTR_RANGE_START, p), 1);
	CHECK_IS(gpu.pointer_attribute(&start, GPU_PTR_RANGE_START, share.p), 0);
	__atomic_store_n((uint32_t *)page.p, 7, __ATOMIC_SEQ_CST); /* a page of ours stays */
	CHECK_IS(gpu.ctx_retain(&ctx, context.device), 0);
	CHECK(ctx == context.ctx);
	CHECK_IS(gpu.ctx_set(ctx), 0);
	CHECK_IS(gpu.pointer_attribute(&start, GPU_PTR_RANGE_START, p), 1);
	CHECK_IS(gpu.copy_to_host(&c, share.p, 1), 0);
	CHECK_IS(gpu.event_record(event, NULL), 201);
}

static void resets(void **state)
{
	(void)state;
	kit_child(reset_child, "");
}

/* ---- faults on request, several devices */

static void failing_child(void)
{
	gpu_ptr p = 0;
	open_gpu();
	CHECK_IS(gpu.mem_alloc(&p, 8), 0);
	CHECK_IS(gpu.mem_alloc(&p, 8), 2);
	CHECK_IS(gpu.mem_alloc(&p, 8), 0);
	CHECK_IS(gpu.set8(p, 1, 8), 801);
	CHECK_IS(gpu.set8(p, 1, 8), 801);
	CHECK_IS(gpu.set32(p, 1, 2), 0); /* meant for keepers */
}

static void failing(void **state)
{
	(void)state;
	kit_child(failing_child,
		  "fail cuMemAlloc_v2 2 2 any\nfail cuMemsetD8_v2 0 801 any\nfail cuMemsetD32_v2 0 801 keeper\n");
}

static void devices_child(void)
{
	struct gpu_facts f;
	struct err e = {ERR_NONE, ""};
	setenv("CUDA_VISIBLE_DEVICES",
	       "GPU-fa4e0000-0000-0000-0000-000000000001,MIG-fa4e0000-0000-0000-0000-000000000200", 1);
	open_gpu();
	int n = 0;
	CHECK_IS(gpu.device_count(&n), 0);
	CHECK_IS(n, 2);
	CHECK(gpu_facts(&f, &gpu, 0, &e));
	CHECK(strcmp(f.uuid, "GPU-fa4e0000-0000-0000-0000-000000000001") == 0);
	CHECK(gpu_facts(&f, &gpu, 1, &e));
	CHECK(strcmp(f.uuid, "MIG-fa4e0000-0000-0000-0000-000000000200") == 0);
	CHECK_IS(f.n_sm, 132);
	CHECK_IS(f.l2_bytes, 1 << 20);
	CHECK(!gpu_facts(&f, &gpu, 2, &e));
}

static void devices(void **state)
{
	(void)state;
	kit_child(devices_child, "gpus 2\nmig 3\n");
}

static void hidden_child(void)
{
	struct err e = {ERR_NONE, ""};
	setenv("CUDA_VISIBLE_DEVICES", "", 1);
	CHECK(gpu_driver_open(&gpu, &e));
	CHECK(!gpu_driver_init(&gpu, &e));
	CHECK_IS(e.code, ERR_ENVIRONMENT);
}

static void hidden(void **state)
{
	(void)state;
	kit_child(hidden_child, "");
}

/* Our kernels through the room's own door: results as the twins give them. */
static void kernels_child(void)
{
	struct gpu_kernels k;
	struct err e = {ERR_NONE, ""};
	gpu_ptr p = 0;
	uint64_t hash = 0;
	unsigned char host[4096];
	open_gpu();
	CHECK(gpu_kernels_load(&k, &context, &e));
	CHECK_IS(gpu.mem_alloc(&p, sizeof(host)), 0);
	struct twin_poison_args poison = {p, sizeof(host), UINT64_C(0x7b7b7b7b7b7b7b7b)};
	CHECK(gpu_poison(&k, &poison, NULL, &e));
	struct twin_hash_args args = {.p = p, .bytes = sizeof(host), .key = 5};
	CHECK(gpu_hash(&hash, &k, &args, NULL, &e));
	memset(host, 0x7b, sizeof(host));
	CHECK(hash == twin_hash(host, sizeof(host), 5));
	struct twin_guard_args guard = {.p = p, .bytes = 4096, .pattern = poison.pattern, .element_bytes = 4};
	struct twin_guard found;
	CHECK_IS(gpu.set8(p + 100, 1, 2), 0);
	CHECK(gpu_guard(&found, &k, &guard, NULL, &e));
	CHECK_IS(found.n_changed, 2);
	CHECK_IS(found.first, 100);
	CHECK_IS(found.n_untouched, 1023);
	gpu_kernels_release(&k);
}

static void our_kernels(void **state)
{
	(void)state;
	kit_child(kernels_child, "");
}

int main(int argc, char **argv)
{
	(void)argc;
	kit_start(argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exports),   cmocka_unit_test(sharing), cmocka_unit_test(memory),
		cmocka_unit_test(host_read), cmocka_unit_test(order),   cmocka_unit_test(times),
		cmocka_unit_test(sticky),    cmocka_unit_test(resets),  cmocka_unit_test(failing),
		cmocka_unit_test(devices),   cmocka_unit_test(hidden),  cmocka_unit_test(our_kernels),
	};
	return kit_end(cmocka_run_group_tests(tests, NULL, NULL));
}
