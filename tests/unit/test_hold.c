/* The queue hold on the fake driver, whose streams really wait: let go by us, by the helper, again and again, and after
 * the context's end. */
#include "fake_kit.h"

#include <dlfcn.h>

#include "base/clock.h"
#include "gpu/context.h"
#include "probe/hold.h"

static struct gpu_driver gpu;
static struct gpu_context context;

static void open_gpu(void)
{
	struct err e = {ERR_NONE, ""};
	CHECK(gpu_driver_open(&gpu, &e));
	CHECK(gpu_driver_init(&gpu, &e));
	CHECK(gpu_context_open(&context, &gpu, 0, &e));
}

static void ours_child(void)
{
	struct err e = {ERR_NONE, ""};
	open_gpu();
	struct hold *h = hold_open(&gpu, &e);
	CHECK(h);
	CHECK(!hold_release(h)); /* nothing is held */
	for (int i = 0; i < 200; i++) {
		CHECK(hold_arm(h, GPU_STREAM_LEGACY));
		hold_release(h);
		CHECK_IS(gpu.ctx_sync(), 0);
		CHECK_IS(gpu.stream_query(NULL), 0);
	}
}

static void ours(void **state)
{
	(void)state;
	kit_child(ours_child, "");
}

/* Nobody lets go: the helper does, and says so. */
static void helper_child(void)
{
	struct err e = {ERR_NONE, ""};
	open_gpu();
	struct hold *h = hold_open(&gpu, &e);
	CHECK(h);
	for (int i = 0; i < 5; i++) {
		CHECK(hold_arm(h, GPU_STREAM_LEGACY));
		CHECK_IS(gpu.stream_query(NULL), 600);
		CHECK_IS(gpu.ctx_sync(), 0); /* inside a call this would wait for ever */
		CHECK(hold_release(h));
	}
	CHECK(hold_arm(h, GPU_STREAM_LEGACY));
	clock_sleep_ns(20000000);
	CHECK_IS(gpu.stream_query(NULL), 0);
	CHECK(hold_release(h));
}

static void helper(void **state)
{
	(void)state;
	kit_child(helper_child, "");
}

/* The context goes while the queue is held: neither we nor the helper touch memory that went with it. */
static void reset_child(void)
{
	struct err e = {ERR_NONE, ""};
	open_gpu();
	struct hold *h = hold_open(&gpu, &e);
	int (*reset)(int);
	void *p = dlsym(gpu.lib, "cuDevicePrimaryCtxReset_v2");
	CHECK(h && p);
	memcpy(&reset, &p, sizeof(reset));
	CHECK(hold_arm(h, GPU_STREAM_LEGACY));
	CHECK_IS(reset(context.device), 0);
	hold_release(h);
	CHECK(!hold_arm(h, GPU_STREAM_LEGACY));
	clock_sleep_ns(2000000);
}

static void after_reset(void **state)
{
	(void)state;
	kit_child(reset_child, "");
}

static void refused_child(void)
{
	struct err e = {ERR_NONE, ""};
	open_gpu();
	struct hold *h = hold_open(&gpu, &e);
	CHECK(h);
	CHECK(!hold_arm(h, GPU_STREAM_LEGACY));
	CHECK_IS(gpu.ctx_sync(), 0);
	CHECK(!hold_release(h));
	struct gpu_driver old = gpu;
	old.stream_wait32 = NULL;
	CHECK(!hold_open(&old, &e));
	CHECK_IS(e.code, ERR_UNSUPPORTED);
}

static void refused(void **state)
{
	(void)state;
	kit_child(refused_child, "fail cuStreamWaitValue32_v2 0 801 any\n");
}

/* Where pages cannot be registered, the driver's own are taken. */
static void pages_child(void)
{
	struct err e = {ERR_NONE, ""};
	struct gpu_page page;
	open_gpu();
	CHECK(gpu_page_open(&page, &gpu, &e));
	CHECK_IS(*(uint32_t *)page.p, 0);
	CHECK_IS(gpu.set32(page.device, 5, 1), 0);
	CHECK_IS(gpu.ctx_sync(), 0);
	CHECK_IS(__atomic_load_n((uint32_t *)page.p, __ATOMIC_SEQ_CST), 5);
}

static void pages(void **state)
{
	(void)state;
	kit_child(pages_child, "");
	kit_child(pages_child, "fail cuMemHostRegister_v2 0 801 any\n");
}

int main(int argc, char **argv)
{
	(void)argc;
	kit_start(argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ours),    cmocka_unit_test(helper), cmocka_unit_test(after_reset),
		cmocka_unit_test(refused), cmocka_unit_test(pages),
	};
	return kit_end(cmocka_run_group_tests(tests, NULL, NULL));
}
