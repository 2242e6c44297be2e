/* assay.ptx against its CPU twins without a GPU: the twins make cases, tests/tools/ptx.py interprets the PTX on them.
 * In: nothing; python3 (skipped with a reason without it).
 * Out: cmocka's report; the interpreter prints each difference.
 * Never: judges speed, or what ptxas makes of the PTX (tests/unit/test_kernels.c on a real GPU does). */
#include "gpu/twins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "gpu/kernels.h"

enum { REGIONS = 3, REGION_BYTES = 1 << 13, PLACE = 0x100000 };

/* A case: regions of memory, known to the kernel at PLACE * (i + 1). */
struct ptx_case {
	FILE *out;
	_Alignas(32) uint8_t now[REGIONS][REGION_BYTES];
	uint8_t before[REGIONS][REGION_BYTES];
	size_t bytes[REGIONS], n_regions;
};
static struct ptx_case scene;
static char folder[] = "/tmp/test_ptx.XXXXXX";

static void hex(const void *p, size_t n)
{
	fputc('"', scene.out);
	for (size_t i = 0; i < n; i++)
		fprintf(scene.out, "%02x", ((const uint8_t *)p)[i]);
	fputc('"', scene.out);
}

static void begin(size_t n_regions, size_t bytes)
{
	scene.n_regions = n_regions;
	for (size_t i = 0; i < n_regions; i++) {
		scene.bytes[i] = bytes;
		memset(scene.now[i], 0xee, bytes);
	}
}

static uint64_t device(size_t region, size_t offset)
{
	return (uint64_t)PLACE * (region + 1) + offset;
}

static uint64_t host(uint64_t address)
{
	size_t region = (size_t)(address / PLACE) - 1;
	return (uintptr_t)scene.now[region] + address % PLACE;
}

/* Runs the twin and writes the case. `at` are the offsets of the addresses in the argument struct. */
static void finish(enum gpu_kernel k, unsigned n_blocks, const void *args, const size_t *at, size_t n_at)
{
	uint8_t copy[256];
	size_t bytes = twin_args_bytes(k);
	static const char *const names[] = {
#define GPU_KERNEL(id, name, a) name,
#include "gpu/kernels.def"
#undef GPU_KERNEL
	};
	memcpy(scene.before, scene.now, sizeof scene.before);
	memcpy(copy, args, bytes);
	for (size_t i = 0; i < n_at; i++) {
		uint64_t address;
		memcpy(&address, copy + at[i], sizeof address);
		address = host(address);
		memcpy(copy + at[i], &address, sizeof address);
	}
	twin_run(k, 1, copy);
	fprintf(scene.out, "{\"kernel\": \"%s\", \"blocks\": %u, \"threads\": %d, \"close\": %d, \"arg\": ", names[k],
		n_blocks, k == GPU_KERNEL_FILL ? 32 : GPU_BLOCK_THREADS, k == GPU_KERNEL_COMPARE ? 3 : 0);
	hex(args, bytes);
	fputs(", \"memory\": [", scene.out);
	for (size_t i = 0; i < scene.n_regions; i++) {
		fprintf(scene.out, "%s[%d, ", i ? ", " : "", PLACE * ((int)i + 1));
		hex(scene.before[i], scene.bytes[i]);
		fputs(", ", scene.out);
		hex(scene.now[i], scene.bytes[i]);
		fputc(']', scene.out);
	}
	fputs("]}\n", scene.out);
}

/* Enough deviates that a coefficient that is off by one unit in its last place shows. */
static void many_normals(enum dtype t)
{
	static const size_t at[] = {0};
	struct value_source s = {.dtype = t, .fill = {FILL_NORMAL, 0, 1}, .seed = 9};
	struct twin_fill_args a = {.out = device(0, 0), .n = 600};
	value_plan(&a.plan, &s, 0);
	begin(1, 8 * 600);
	finish(GPU_KERNEL_FILL, 1, &a, at, 1);
}

static void fill_case(enum dtype t, enum fill_kind kind, double lo, double hi)
{
	static const size_t at[] = {0}, counts[] = {1, 7, 33}, shifts[] = {0, 1, 3};
	static const uint64_t firsts[] = {0, 3, (UINT64_C(1) << 33) + 1};
	static size_t turn;
	struct value_source s = {.dtype = t, .fill = {kind, lo, hi}, .seed = UINT64_C(0x100000001) * turn, .tensor = 2};
	struct twin_fill_args a = {.n = counts[turn % 3]};
	a.out = device(0, 16 + shifts[turn / 3 % 3] * dtype_bytes(t));
	value_plan(&a.plan, &s, firsts[turn / 9 % 3]);
	turn++;
	begin(1, 8 * 40 + 48);
	if (a.plan.kind != FILL_ZERO && a.plan.kind != FILL_CONST) /* those are a poison */
		finish(GPU_KERNEL_FILL, 1 + turn % 2, &a, at, 1);
}

static void fills(void)
{
	static const struct fill kinds[] = {{FILL_UNIFORM, 0, 1},   {FILL_UNIFORM, -3, 70}, {FILL_NORMAL, 0, 1},
					    {FILL_NORMAL, 10, 1e5}, {FILL_INT, -5, 300},    {FILL_IOTA, 0, 0},
					    {FILL_IOTA, -3, 11},    {FILL_HEAVY, -1, 100},  {FILL_BITS, 0, 0}};
	for (size_t t = 0; t < DTYPE_COUNT; t++)
		for (size_t k = 0; k < COUNT_OF(kinds); k++)
			fill_case((enum dtype)t, kinds[k].kind, kinds[k].lo, kinds[k].hi);
	many_normals(DTYPE_F32);
	many_normals(DTYPE_F64);
}

static void poisons(void)
{
	static const size_t sizes[] = {0, 1, 15, 16, 17, 40, 300}, at[] = {0}, guard_at[] = {0, 32};
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		for (size_t offset = 0; offset < 16; offset += 5) {
			begin(1, 400);
			struct twin_poison_args p = {device(0, offset), sizes[i], UINT64_C(0x8877665544332211)};
			finish(GPU_KERNEL_POISON, 1, &p, at, 1);
		}
		for (uint32_t el = i % 2 ? 1 : 2; el <= 8; el *= 4) {
			size_t offset = el * (i % 3);
			struct twin_guard start = {.first = UINT64_MAX};
			begin(2, 400);
			twin_poison(scene.now[0] + offset, sizes[i], 77);
			if (i % 2)
				memset(scene.now[0] + offset + sizes[i] / 3, 1, sizes[i] / 7 + 1);
			memcpy(scene.now[1], &start, sizeof start);
			struct twin_guard_args g = {device(0, offset), sizes[i], 77, el, 0, device(1, 0)};
			finish(GPU_KERNEL_GUARD, 1 + i % 2, &g, guard_at, 2);
		}
	}
}

static void hashes(void)
{
	static const size_t sizes[] = {0, 1, 8, 63, 1000}, at[] = {0, 24};
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct value_source s = {.dtype = DTYPE_U8, .fill = {FILL_BITS, 0, 0}, .seed = i};
		begin(2, 1024);
		value_fill(&s, 0, 1024, scene.now[0]);
		memset(scene.now[1], 0, 8);
		struct twin_hash_args h = {device(0, 8), sizes[i], 99, device(1, 0)};
		finish(GPU_KERNEL_HASH, 2, &h, at, 2);
	}
}

/* Values near each other, and, odd turns, every bit pattern. */
static void compare_case(enum dtype t, enum dtype te, size_t turn)
{
	static const size_t at[] = {0, 8, 48}, counts[] = {0, 1, 5, 37, 300};
	size_t n = counts[turn % 5], shift = turn % 3 == 2 ? 1 : 0;
	bool is_wide = t == DTYPE_I64 || t == DTYPE_U64; /* whose differences are exact */
	enum fill_kind kind = turn % 2 || is_wide ? FILL_BITS : FILL_NORMAL;
	struct value_source s = {.dtype = t, .fill = {kind, 0, 2}, .seed = 5}, se = s;
	se.dtype = te;
	se.fill.lo = turn % 4 ? 0.01 : 0;
	se.seed += is_wide || turn % 4 == 1;
	begin(3, 2432);
	value_fill(&s, 0, n, scene.now[0] + shift * dtype_bytes(t));
	value_fill(&se, 0, n, scene.now[1]);
	scene.bytes[2] = sizeof(struct twin_compare);
	struct twin_compare_args a = {.actual = device(0, shift * dtype_bytes(t)),
				      .expected = device(1, 0),
				      .n = n,
				      .dtype = (uint32_t)t,
				      .dtype_expected = (uint32_t)te,
				      .atol = 0.005,
				      .rtol = 0.01,
				      .partial = device(2, 0)};
	finish(GPU_KERNEL_COMPARE, 1, &a, at, 3);
}

static void compares(void)
{
	size_t turn = 0;
	for (size_t t = 0; t < DTYPE_COUNT; t++) {
		compare_case((enum dtype)t, (enum dtype)t, turn++);
		if (t % 3 == 1)
			compare_case((enum dtype)t, DTYPE_F64, turn++);
	}
}

static void interpret(void (*make)(void))
{
	char path[64], text[256];
	if (system("python3 -c '' 2>/dev/null") != 0) {
		print_message("skipped: no python3\n");
		skip();
	}
	snprintf(path, sizeof path, "%s/assay.ptx", folder);
	FILE *ptx = fopen(path, "w");
	assert_non_null(ptx);
	fputs(gpu_ptx, ptx);
	assert_int_equal(fclose(ptx), 0);
	snprintf(path, sizeof path, "%s/cases", folder);
	scene.out = fopen(path, "w");
	assert_non_null(scene.out);
	make();
	assert_int_equal(fclose(scene.out), 0);
	snprintf(text, sizeof text, "python3 tests/tools/ptx.py %s/assay.ptx %s/cases", folder, folder);
	assert_int_equal(system(text), 0);
}

static void fill(void **state)
{
	(void)state;
	interpret(fills);
}

static void poison_and_guard(void **state)
{
	(void)state;
	interpret(poisons);
}

static void hash(void **state)
{
	(void)state;
	interpret(hashes);
}

static void compare(void **state)
{
	(void)state;
	interpret(compares);
}

static int setup(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	char text[64];
	(void)state;
	snprintf(text, sizeof text, "rm -rf %s", folder);
	return system(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fill),
		cmocka_unit_test(poison_and_guard),
		cmocka_unit_test(hash),
		cmocka_unit_test(compare),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
