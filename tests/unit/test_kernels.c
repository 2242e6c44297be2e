/* gpu/kernels on the driver of this machine, a real one or the fake one: every kernel against its twin, and memory that
 * is exported and imported. Skipped with the reason where there is no driver or no GPU.
 * In: the machine's libcuda.so.1 (LD_LIBRARY_PATH names the fake one).
 * Out: cmocka's report.
 * Never: asserts a time. */
#include "gpu/kernels.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { MOST = 1 << 17, BYTES = 8 * MOST + 256 };

static struct gpu_driver gpu;
static struct gpu_context context;
static struct gpu_kernels kernels;
static gpu_ptr device[2];
static uint8_t *host[3];
static bool is_ready;

static bool get_ready(struct err *e)
{
	if (!gpu_driver_open(&gpu, e) || !gpu_driver_init(&gpu, e) || !gpu_context_open(&context, &gpu, 0, e))
		return false;
	for (size_t i = 0; i < COUNT_OF(device); i++)
		if (!gpu_check(&gpu, gpu.mem_alloc(&device[i], BYTES), "cuMemAlloc", e))
			return false;
	return gpu_kernels_load(&kernels, &context, e);
}

static int setup(void **state)
{
	struct err e = {0};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(host); i++)
		host[i] = malloc(BYTES);
	is_ready = get_ready(&e);
	if (!is_ready)
		print_message("skipped: %s\n", e.text);
	/* A machine without a GPU is no failure; one whose driver refuses our module is. */
	return is_ready || e.code == ERR_ENVIRONMENT ? 0 : -1;
}

static void need(void)
{
	if (!is_ready)
		skip();
}

static void put(size_t i, size_t offset, const void *p, size_t n)
{
	assert_int_equal(gpu.copy_to_device(device[i] + offset, p, n), 0);
}

static void fill_one(const struct value_source *s, uint64_t first, size_t n, size_t offset)
{
	size_t bytes = n * dtype_bytes(s->dtype);
	struct twin_fill_args a = {.out = device[0] + offset, .n = n};
	struct err e = {0};
	value_plan(&a.plan, s, first);
	assert_int_equal(gpu.set8(device[0], 0xee, bytes + 128), 0);
	assert_true(gpu_fill(&kernels, &a, NULL, &e));
	assert_int_equal(gpu.copy_to_host(host[0], device[0], bytes + 128), 0);
	memset(host[1], 0xee, bytes + 128);
	value_fill(s, first, n, host[1] + offset);
	assert_memory_equal(host[0], host[1], bytes + 128);
}

static void fill(void **state)
{
	(void)state;
	need();
	static const double bounds[][2] = {{0, 1}, {-3, 70}, {10, 1e5}, {0.1, 0.10001}};
	for (size_t t = 0; t < DTYPE_COUNT; t++) {
		for (size_t k = 0; k < FILL_KINDS; k++) {
			for (size_t j = 0; j < COUNT_OF(bounds); j++) {
				struct value_source s = {.dtype = (enum dtype)t,
							 .fill = {(enum fill_kind)k, bounds[j][0], bounds[j][1]},
							 .seed = UINT64_C(0x100000001) * k,
							 .tensor = (uint32_t)j};
				fill_one(&s, 0, 20000, 32);
				fill_one(&s, (UINT64_C(3) << 33) + 1, 777, 32 + 3 * dtype_bytes(s.dtype));
			}
		}
		struct value_source s = {.dtype = (enum dtype)t, .fill = {FILL_NORMAL, 0, 1}, .seed = 1};
		fill_one(&s, 0, MOST, 0);
	}
}

static void compare_one(struct value_source s, struct value_source se, size_t n, size_t offset)
{
	struct twin_compare got, want;
	struct err e = {0};
	size_t shift = offset * dtype_bytes(s.dtype);
	value_fill(&s, 0, n, host[0]);
	value_fill(&se, 0, n, host[1]);
	put(0, shift, host[0], n * dtype_bytes(s.dtype));
	put(1, 0, host[1], n * dtype_bytes(se.dtype));
	struct twin_compare_args a = {.actual = device[0] + shift,
				      .expected = device[1],
				      .n = n,
				      .dtype = (uint32_t)s.dtype,
				      .dtype_expected = (uint32_t)se.dtype,
				      .atol = 0.005,
				      .rtol = 0.01};
	assert_true(gpu_compare(&got, &kernels, &a, NULL, &e));
	a.actual = (uintptr_t)host[0];
	a.expected = (uintptr_t)host[1];
	twin_compare(&want, &a);
	assert_memory_equal(&got, &want, offsetof(struct twin_compare, sum_abs));
	const double *x = &got.sum_abs, *y = &want.sum_abs;
	for (size_t i = 0; i < 3; i++)
		assert_true(!(fabs(x[i] - y[i]) > 1e-12 * fabs(y[i])));
}

static void compare(void **state)
{
	(void)state;
	need();
	for (size_t t = 0; t < DTYPE_COUNT; t++) {
		for (size_t te = 0; te < DTYPE_COUNT; te++) {
			struct value_source s = {.dtype = (enum dtype)t, .fill = {FILL_NORMAL, 0, 2}, .seed = 5}, r = s;
			r.dtype = (enum dtype)te;
			compare_one(s, r, 10003, te % 2);
			r.fill.lo = 0.01;
			compare_one(s, r, 777, te % 2);
			s.fill.kind = r.fill.kind = FILL_BITS;
			compare_one(s, r, 3001, 0);
			r.seed++;
			compare_one(s, r, 1, 0);
		}
	}
}

static void hash_one(size_t n, size_t offset)
{
	uint64_t got = 0;
	struct err e = {0};
	struct twin_hash_args a = {.p = device[0] + offset, .bytes = n, .key = 99};
	assert_true(gpu_hash(&got, &kernels, &a, NULL, &e));
	assert_int_equal(got, twin_hash(host[0] + offset, n, 99));
}

static void guard_one(size_t n, size_t offset, uint32_t element)
{
	struct twin_guard got, want;
	struct err e = {0};
	struct twin_guard_args a = {
		.p = device[1] + offset, .bytes = n, .pattern = UINT64_C(0x8877665544332211), .element_bytes = element};
	assert_true(gpu_guard(&got, &kernels, &a, NULL, &e));
	a.p = (uintptr_t)(host[1] + offset);
	twin_guard(&want, &a);
	assert_memory_equal(&got, &want, sizeof got);
}

static void bytes(void **state)
{
	(void)state;
	need();
	struct value_source s = {.dtype = DTYPE_U8, .fill = {FILL_BITS, 0, 0}, .seed = 5};
	struct err e = {0};
	value_fill(&s, 0, BYTES, host[0]);
	put(0, 0, host[0], BYTES);
	for (size_t n = 0; n < BYTES - 64; n = n * 3 + 1) {
		for (size_t offset = 0; offset < 16; offset++) {
			struct twin_poison_args p = {device[1] + offset, n, UINT64_C(0x8877665544332211)};
			if (offset % 8 == 0)
				hash_one(n, offset);
			memset(host[1], 0xee, n + 64);
			put(1, 0, host[1], n + 64);
			assert_true(gpu_poison(&kernels, &p, NULL, &e));
			twin_poison(host[1] + offset, n, p.pattern);
			assert_int_equal(gpu.copy_to_host(host[2], device[1], n + 64), 0);
			assert_memory_equal(host[2], host[1], n + 64);
			for (uint32_t el = 1; el <= 8; el *= 2)
				if (offset % el == 0)
					guard_one(n, offset, el);
			memset(host[1] + offset + n / 3, 0x13, n / 7);
			put(1, 0, host[1], n + 64);
			guard_one(n, offset, 1);
		}
	}
}

static void flush(void **state)
{
	(void)state;
	need();
	struct twin_flush *clock = NULL;
	void *p = NULL;
	gpu_ptr clock_device = 0;
	struct err e = {0};
	assert_int_equal(gpu.host_alloc(&p, sizeof *clock, GPU_HOST_MAPPED), 0);
	assert_int_equal(gpu.host_pointer(&clock_device, p, 0), 0);
	clock = p;
	memset(clock, 0, sizeof *clock);
	struct twin_flush_args a = {.p = device[0], .bytes = BYTES, .clock = clock_device};
	assert_true(gpu_flush(&kernels, &a, NULL, &e));
	assert_true(gpu_empty(&kernels, NULL, &e));
	assert_int_equal(gpu.ctx_sync(), 0);
	assert_true(clock->ns_end >= clock->ns_start && clock->ns_start > 0);
	assert_true(clock->cycles_end > clock->cycles_start);
	gpu.host_free(p);
}

static void refused(void **state)
{
	(void)state;
	need();
	struct err e = {0};
	struct twin_compare c;
	struct twin_guard g;
	uint64_t h;
	struct twin_compare_args a = {.actual = device[0] + 2, .expected = device[1], .n = 1, .dtype = DTYPE_F32};
	assert_false(gpu_compare(&c, &kernels, &a, NULL, &e));
	assert_int_equal(e.code, ERR_INPUT);
	a.dtype = DTYPE_COUNT;
	assert_false(gpu_compare(&c, &kernels, &a, NULL, &e));
	struct twin_hash_args ha = {.p = device[0] + 4, .bytes = 8};
	assert_false(gpu_hash(&h, &kernels, &ha, NULL, &e));
	struct twin_guard_args ga = {.p = device[0], .bytes = 8, .element_bytes = 3};
	assert_false(gpu_guard(&g, &kernels, &ga, NULL, &e));
	assert_int_equal(gpu.ctx_sync(), 0);
}

/* Exported and imported again: the same bytes under another address. */
static void share(void **state)
{
	(void)state;
	need();
	struct gpu_facts f;
	struct gpu_share s, t;
	struct err e = {0};
	uint64_t pattern = 0;
	assert_true(gpu_facts(&f, &gpu, 0, &e));
	if (f.has_posix_fd != 1) {
		print_message("skipped: the driver exports no descriptors\n");
		skip();
	}
	assert_true(gpu_share_create(&s, &context, 1 << 20, &e));
	int fd = gpu_share_export(&s, &context, &e);
	assert_true(fd >= 0);
	assert_true(gpu_share_import(&t, &context, fd, s.bytes, &e));
	close(fd);
	assert_int_not_equal(s.p, t.p);
	struct twin_poison_args p = {s.p, s.bytes, UINT64_C(0x0102030405060708)};
	assert_true(gpu_poison(&kernels, &p, NULL, &e));
	assert_int_equal(gpu.ctx_sync(), 0);
	assert_int_equal(gpu.copy_to_host(&pattern, t.p + t.bytes - 8, 8), 0);
	assert_int_equal(pattern, p.pattern);
	gpu_share_release(&s, &context); /* the memory lives until the last mapping goes */
	assert_int_equal(gpu.copy_to_host(&pattern, t.p, 8), 0);
	assert_int_equal(pattern, p.pattern);
	gpu_share_release(&t, &context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fill),  cmocka_unit_test(compare), cmocka_unit_test(bytes),
		cmocka_unit_test(flush), cmocka_unit_test(refused), cmocka_unit_test(share),
	};
	return cmocka_run_group_tests(tests, setup, NULL);
}
