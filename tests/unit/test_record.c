/* The recorder on the fake CUPTI: records of kernels, copies, memsets and API calls in order of their start, in more than
 * one buffer; what is not asked for stays out; refusals and losses are told. */
#include "fake_kit.h"

#include <dlfcn.h>

#include "gpu/kernels.h"
#include "probe/record.h"

#include "fake/include/fake_cuda.h"

static struct gpu_driver gpu;
static struct gpu_context context;
static struct gpu_kernels kernels;
static struct recorder *recorder;
static struct arena arena;

static void open_all(bool with_api)
{
	struct err e = {ERR_NONE, ""};
	arena_init(&arena);
	recorder = recorder_open(NULL, with_api, &e);
	if (!recorder)
		fprintf(stderr, "%s\n", e.text);
	CHECK(recorder);
	CHECK(gpu_driver_open(&gpu, &e) && gpu_driver_init(&gpu, &e) && gpu_context_open(&context, &gpu, 0, &e) &&
	      gpu_kernels_load(&kernels, &context, &e));
}

static struct gpu_activity *take(size_t *n)
{
	struct err e = {ERR_NONE, ""};
	size_t dropped = 99;
	CHECK_IS(gpu.ctx_sync(), 0);
	struct gpu_activity *x = recorder_take(recorder, &arena, n, &dropped, &e);
	CHECK(x);
	CHECK_IS(dropped, 0);
	for (size_t i = 1; i < *n; i++)
		CHECK(x[i].start_ns >= x[i - 1].start_ns);
	return x;
}

static size_t count(const struct gpu_activity *x, size_t n, enum gpu_activity_kind kind)
{
	size_t found = 0;
	for (size_t i = 0; i < n; i++)
		found += x[i].kind == kind;
	return found;
}

static void kinds_child(void)
{
	struct err e = {ERR_NONE, ""};
	size_t n = 0;
	gpu_ptr p = 0;
	char host[256] = "";
	open_all(false);
	take(&n);
	CHECK_IS(gpu.mem_alloc(&p, 4096), 0);
	uint64_t begin = recorder_now(recorder);
	CHECK(gpu_empty(&kernels, NULL, &e));
	CHECK_IS(gpu.copy_to_device_async(p, host, 256, NULL), 0);
	CHECK_IS(gpu.set32_async(p, 7, 64, NULL), 0);
	CHECK_IS(gpu.copy_on_device_async(p + 1024, p, 256, NULL), 0);
	const struct gpu_activity *x = take(&n);
	uint64_t end = recorder_now(recorder);
	CHECK_IS(n, 4);
	static const enum gpu_activity_kind want[] = {GPU_ACTIVITY_KERNEL, GPU_ACTIVITY_MEMCPY, GPU_ACTIVITY_MEMSET,
						      GPU_ACTIVITY_MEMCPY};
	for (size_t i = 0; i < n; i++) {
		CHECK_IS(x[i].kind, want[i]);
		CHECK(x[i].has & GPU_ACTIVITY_HAS_TIME);
		CHECK(x[i].start_ns >= begin && x[i].end_ns <= end && x[i].end_ns > x[i].start_ns);
		CHECK_IS(x[i].start_ns % 32, 0);
		CHECK_IS(x[i].stream, 7);
	}
	CHECK(strcmp(x[0].name, "assay_empty") == 0);
	CHECK_IS(x[0].grid[0], 1);
	CHECK_IS(x[0].block[0], GPU_BLOCK_THREADS);
	CHECK_IS(x[1].bytes, 256);
	CHECK_IS(x[1].detail, 1);
	CHECK_IS(x[2].detail, 7);
	CHECK_IS(x[2].bytes, 256);
	CHECK_IS(x[3].detail, 8);
	take(&n);
	CHECK_IS(n, 0); /* each record once */
}

static void kinds(void **state)
{
	(void)state;
	kit_child(kinds_child, "");
}

/* As the runtime reports a call. */
static void runtime_call(unsigned id)
{
	unsigned long long (*begin)(void);
	void (*end)(unsigned, unsigned long long, int);
	void *p = dlsym(gpu.lib, "fakeApiBegin"), *q = dlsym(gpu.lib, "fakeApiEnd");
	memcpy(&begin, &p, sizeof(begin));
	memcpy(&end, &q, sizeof(end));
	end(id, begin(), 2);
}

static void api_child(void)
{
	struct err e = {ERR_NONE, ""};
	size_t n = 0;
	open_all(true);
	take(&n);
	runtime_call(FAKE_CALL_cudaMalloc);
	const struct gpu_activity *x = take(&n);
	CHECK_IS(count(x, n, GPU_ACTIVITY_RUNTIME), 1);
	CHECK_IS(count(x, n, GPU_ACTIVITY_SYNC), 1); /* take waits */
	CHECK(strcmp(recorder_api_name(recorder, &x[0]), "cudaMalloc_v3020") == 0);
	CHECK_IS(x[0].result, 2);
	struct gpu_activity unknown = {.kind = GPU_ACTIVITY_RUNTIME, .detail = 9999};
	CHECK(recorder_api_name(recorder, &unknown) == NULL);
	CHECK(recorder_reduce(recorder, &e));
	runtime_call(FAKE_CALL_cudaMalloc);
	CHECK(gpu_empty(&kernels, NULL, &e));
	x = take(&n);
	CHECK_IS(n, 1);
	CHECK_IS(x[0].kind, GPU_ACTIVITY_KERNEL);
}

static void api(void **state)
{
	(void)state;
	kit_child(api_child, "");
}

/* More than one buffer of 1 MiB. */
static void many_child(void)
{
	struct err e = {ERR_NONE, ""};
	size_t n = 0;
	open_all(false);
	take(&n);
	for (int i = 0; i < 12000; i++)
		CHECK(gpu_empty(&kernels, NULL, &e));
	const struct gpu_activity *x = take(&n);
	CHECK_IS(n, 12000);
	for (size_t i = 1; i < n; i++)
		CHECK(x[i].start_ns >= x[i - 1].end_ns);
}

static void many(void **state)
{
	(void)state;
	kit_child(many_child, "");
}

static void refused_child(void)
{
	struct err e = {ERR_NONE, ""};
	CHECK(!recorder_open(NULL, true, &e));
	CHECK_IS(e.code, ERR_ENVIRONMENT);
	CHECK(strcmp(e.text, "recording kernels: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (CUPTI 35)") == 0);
}

static void silent_child(void)
{
	struct err e = {ERR_NONE, ""};
	size_t n = 9;
	open_all(true);
	CHECK(gpu_empty(&kernels, NULL, &e));
	take(&n);
	CHECK_IS(n, 0);
}

static void lossy_child(void)
{
	struct err e = {ERR_NONE, ""};
	size_t n = 0, dropped = 0;
	open_all(false);
	CHECK_IS(gpu.ctx_sync(), 0);
	CHECK(recorder_take(recorder, &arena, &n, &dropped, &e));
	CHECK_IS(dropped, 5);
}

static void stuck_child(void)
{
	struct err e = {ERR_NONE, ""};
	size_t n = 0, dropped = 0;
	open_all(false);
	CHECK(!recorder_take(recorder, &arena, &n, &dropped, &e));
	CHECK(strstr(e.text, "fetching CUPTI records"));
}

static void absent_child(void)
{
	struct err e = {ERR_NONE, ""};
	CHECK(!recorder_open("/nonexistent/libcupti.so.13", false, &e));
	CHECK_IS(e.code, ERR_ENVIRONMENT);
	CHECK(strstr(e.text, "/nonexistent/libcupti.so.13"));
}

static void troubles(void **state)
{
	(void)state;
	kit_child(refused_child, "cupti_refuses 35\n");
	kit_child(silent_child, "cupti_silent 1\n");
	kit_child(lossy_child, "cupti_drops 5\n");
	kit_child(stuck_child, "fail cuptiActivityFlushAll 0 1 any\n");
	kit_child(absent_child, "");
}

/* A buffer that somebody spoilt: the record that runs over its end is told, not followed. */
static struct gpu_activity *spoilt(struct err *e)
{
	size_t n = 0, dropped = 0;
	return recorder_take(recorder, &arena, &n, &dropped, e);
}

static void spoilt_child(void)
{
	struct err e = {ERR_NONE, ""};
	open_all(false);
	CHECK(gpu_empty(&kernels, NULL, &e));
	CHECK_IS(gpu.ctx_sync(), 0);
	CHECK(!spoilt(&e));
	CHECK_IS(e.code, ERR_CORRUPT);
	CHECK(strcmp(e.text, "a CUPTI record runs over its buffer") == 0);
}

static void spoilt_buffer(void **state)
{
	(void)state;
	kit_child(spoilt_child, "cupti_cuts 1\n");
}

int main(int argc, char **argv)
{
	(void)argc;
	kit_start(argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),    cmocka_unit_test(api),           cmocka_unit_test(many),
		cmocka_unit_test(troubles), cmocka_unit_test(spoilt_buffer),
	};
	return kit_end(cmocka_run_group_tests(tests, NULL, NULL));
}
