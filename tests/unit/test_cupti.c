/* Decoding of CUPTI records: our layout against bytes laid out by hand, and against the vendor's header where a toolkit
 * is installed (a small program, compiled here, writes records that this test decodes). */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <setjmp.h>
#include <cmocka.h>

#include "gpu/cupti.h"

static void put(uint8_t *p, size_t at, uint64_t v, size_t n)
{
	memcpy(p + at, &v, n);
}

static void kernel_prefix(void **state)
{
	(void)state;
	_Alignas(8) uint8_t r[160] = {0};
	struct gpu_activity a;
	put(r, 0, CUPTI_CONCURRENT_KERNEL, 4);
	put(r, 6, 40, 2);
	put(r, 16, 1000, 8);
	put(r, 24, 3500, 8);
	put(r, 40, 2, 4);
	put(r, 44, 7, 4);
	put(r, 48, 13, 4);
	for (unsigned i = 0; i < 3; i++) {
		put(r, 52 + 4 * i, 100 + i, 4);
		put(r, 64 + 4 * i, 32 + i, 4);
	}
	put(r, 76, 4096, 4);
	put(r, 80, 65536, 4);
	put(r, 84, 16, 4);
	put(r, 92, 99, 4);
	put(r, 104, (uintptr_t) "_Z4kernPf", 8);
	put(r, 144, 5, 8);
	put(r, 156, 6, 4);
	assert_true(gpu_activity_decode(&a, r, sizeof r, 17));
	assert_int_equal(a.kind, GPU_ACTIVITY_KERNEL);
	assert_int_equal(a.raw_kind, CUPTI_CONCURRENT_KERNEL);
	assert_int_equal(a.has, GPU_ACTIVITY_HAS_TIME | GPU_ACTIVITY_HAS_GRAPH_NODE | GPU_ACTIVITY_HAS_GRAPH);
	assert_string_equal(a.name, "_Z4kernPf");
	assert_int_equal(a.end_ns - a.start_ns, 2500);
	assert_int_equal(a.device, 2);
	assert_int_equal(a.context, 7);
	assert_int_equal(a.stream, 13);
	assert_int_equal(a.grid[2], 102);
	assert_int_equal(a.block[0], 32);
	assert_int_equal(a.smem_static_bytes, 4096);
	assert_int_equal(a.smem_dynamic_bytes, 65536);
	assert_int_equal(a.local_bytes, 16);
	assert_int_equal(a.registers, 40);
	assert_int_equal(a.correlation, 99);
	assert_int_equal(a.graph_node, 5);
	assert_int_equal(a.graph, 6);
	/* CUDA 10 and 11.0 lack the later fields: what lies there is not ours to read. */
	assert_true(gpu_activity_decode(&a, r, sizeof r, 12));
	assert_int_equal(a.has, GPU_ACTIVITY_HAS_TIME);
	assert_int_equal(a.graph_node, 0);
	assert_true(gpu_activity_decode(&a, r, sizeof r, 13));
	assert_int_equal(a.has, GPU_ACTIVITY_HAS_TIME | GPU_ACTIVITY_HAS_GRAPH_NODE);
}

static void times_missing(void **state)
{
	(void)state;
	_Alignas(8) uint8_t r[64] = {0};
	struct gpu_activity a;
	put(r, 0, CUPTI_MEMCPY, 4);
	put(r, 16, 500, 8);
	put(r, 24, 400, 8);
	assert_true(gpu_activity_decode(&a, r, sizeof r, 28));
	assert_int_equal(a.has & GPU_ACTIVITY_HAS_TIME, 0);
	assert_int_equal(a.start_ns, 0);
	put(r, 16, 0, 8);
	assert_true(gpu_activity_decode(&a, r, sizeof r, 28));
	assert_int_equal(a.has & GPU_ACTIVITY_HAS_TIME, 0);
	put(r, 16, 400, 8);
	assert_true(gpu_activity_decode(&a, r, sizeof r, 28));
	assert_int_equal(a.has & GPU_ACTIVITY_HAS_TIME, GPU_ACTIVITY_HAS_TIME);
}

static void too_short(void **state)
{
	(void)state;
	static const uint32_t kinds[] = {CUPTI_KERNEL, CUPTI_CONCURRENT_KERNEL, CUPTI_MEMCPY, CUPTI_MEMCPY2,
					 CUPTI_MEMSET, CUPTI_SYNCHRONIZATION,   CUPTI_DRIVER, CUPTI_RUNTIME};
	struct gpu_activity a;
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		size_t least = gpu_activity_bytes(kinds[i]);
		assert_true(least >= 40);
		for (size_t n = 0; n <= least; n++) {
			uint8_t *r = calloc(1, n ? n : 1); /* exact size: ASan sees any byte read behind it */
			put(r, 0, kinds[i], n < 4 ? n : 4);
			bool ok = gpu_activity_decode(&a, r, n, 130000);
			free(r);
			assert_int_equal(ok, n == least);
		}
	}
	uint8_t other[4] = {77, 0, 0, 0};
	assert_int_equal(gpu_activity_bytes(77), 0);
	assert_true(gpu_activity_decode(&a, other, sizeof other, 130000));
	assert_int_equal(a.kind, GPU_ACTIVITY_OTHER);
	assert_int_equal(a.raw_kind, 77);
}

/* Writes, per record: its size, then its bytes. Field values are the same numbers that check_vendor expects. */
static const char program[] =
	"#include <stdio.h>\n#include <string.h>\n#include <cuda.h>\n#include <cupti.h>\n"
	"#if CUPTI_API_VERSION >= 130000\n#define K CUpti_ActivityKernel10\n"
	"#elif CUPTI_API_VERSION >= 19\n#define K CUpti_ActivityKernel9\n"
	"#elif CUPTI_API_VERSION >= 18\n#define K CUpti_ActivityKernel8\n"
	"#else\n#define K CUpti_ActivityKernel7\n#endif\n"
	"static void w(const void *p, unsigned n) { fwrite(&n, 4, 1, stdout); fwrite(p, 1, n, stdout); }\n"
	"#define SET(T, ...) do { T r; memset(&r, 0, sizeof r); __VA_ARGS__; w(&r, sizeof r); } while (0)\n"
	"#define COMMON r.start = 1001; r.end = 1002; r.deviceId = 3; r.contextId = 4; r.streamId = 5; "
	"r.correlationId = 6; r.graphNodeId = 7; r.graphId = 8\n"
	"#define KERNEL r.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL; r.registersPerThread = 9; r.gridX = 10; "
	"r.gridY = 11; r.gridZ = 12; r.blockX = 13; r.blockY = 14; r.blockZ = 15; r.staticSharedMemory = 16; "
	"r.dynamicSharedMemory = 17; r.localMemoryPerThread = 18; r.name = (const char *)19\n"
	"int main(void) {\n"
	" unsigned v = CUPTI_API_VERSION; fwrite(&v, 4, 1, stdout);\n"
	" SET(K, COMMON; KERNEL);\n"
	" SET(CUpti_ActivityMemcpy5, COMMON; r.kind = CUPTI_ACTIVITY_KIND_MEMCPY; r.copyKind = 2; r.bytes = 20);\n"
	" SET(CUpti_ActivityMemset4, COMMON; r.kind = CUPTI_ACTIVITY_KIND_MEMSET; r.value = 21; r.bytes = 22);\n"
	" SET(CUpti_ActivityMemcpyPtoP4, COMMON; r.kind = CUPTI_ACTIVITY_KIND_MEMCPY2; r.copyKind = 10; "
	"r.bytes = 23);\n"
	" SET(CUpti_ActivitySynchronization, r.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION; r.type = 3; "
	"r.start = 1001; r.end = 1002; r.contextId = 4; r.streamId = 5; r.correlationId = 6);\n"
	" SET(CUpti_ActivityAPI, r.kind = CUPTI_ACTIVITY_KIND_RUNTIME; r.cbid = 24; r.start = 1001; r.end = 1002; "
	"r.threadId = 25; r.correlationId = 6; r.returnValue = 26);\n"
	" return 0; }\n";

static bool read_record(FILE *f, struct gpu_activity *out, uint32_t version)
{
	_Alignas(8) uint8_t bytes[512];
	uint32_t n = 0;
	if (fread(&n, sizeof n, 1, f) != 1 || n > sizeof bytes || fread(bytes, 1, n, f) != n)
		return false;
	return gpu_activity_decode(out, bytes, n, version);
}

static void check_common(const struct gpu_activity *a, enum gpu_activity_kind kind)
{
	assert_int_equal(a->kind, kind);
	assert_int_equal(a->start_ns, 1001);
	assert_int_equal(a->end_ns, 1002);
	assert_int_equal(a->correlation, 6);
}

static void check_device(const struct gpu_activity *a)
{
	assert_int_equal(a->device, 3);
	assert_int_equal(a->context, 4);
	assert_int_equal(a->stream, 5);
	assert_int_equal(a->graph_node, 7);
	assert_int_equal(a->graph, 8);
}

static void check_vendor(FILE *f, uint32_t version)
{
	struct gpu_activity a;
	assert_true(read_record(f, &a, version));
	check_common(&a, GPU_ACTIVITY_KERNEL);
	check_device(&a);
	assert_int_equal(a.registers, 9);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(a.grid[i], 10 + i);
		assert_int_equal(a.block[i], 13 + i);
	}
	assert_int_equal(a.smem_static_bytes, 16);
	assert_int_equal(a.smem_dynamic_bytes, 17);
	assert_int_equal(a.local_bytes, 18);
	assert_int_equal((uintptr_t)a.name, 19);
	assert_true(read_record(f, &a, version));
	check_common(&a, GPU_ACTIVITY_MEMCPY);
	check_device(&a);
	assert_int_equal(a.detail, 2);
	assert_int_equal(a.bytes, 20);
	assert_true(read_record(f, &a, version));
	check_common(&a, GPU_ACTIVITY_MEMSET);
	check_device(&a);
	assert_int_equal(a.detail, 21);
	assert_int_equal(a.bytes, 22);
	assert_true(read_record(f, &a, version));
	check_common(&a, GPU_ACTIVITY_MEMCPY);
	check_device(&a);
	assert_int_equal(a.raw_kind, CUPTI_MEMCPY2);
	assert_int_equal(a.bytes, 23);
	assert_true(read_record(f, &a, version));
	check_common(&a, GPU_ACTIVITY_SYNC);
	assert_int_equal(a.detail, 3);
	assert_int_equal(a.context, 4);
	assert_int_equal(a.stream, 5);
	assert_true(read_record(f, &a, version));
	check_common(&a, GPU_ACTIVITY_RUNTIME);
	assert_int_equal(a.detail, 24);
	assert_int_equal(a.thread, 25);
	assert_int_equal(a.result, 26);
}

static void vendor_header(void **state)
{
	(void)state;
	static const char *const folders[] = {"/usr/local/cuda/extras/CUPTI/include", "/usr/local/cuda/include"};
	const char *folder = NULL;
	char dir[] = "/tmp/test_cupti.XXXXXX", text[1024], header[128];
	for (size_t i = 0; i < COUNT_OF(folders) && !folder; i++) {
		snprintf(header, sizeof header, "%s/cupti.h", folders[i]);
		if (access(header, R_OK) == 0)
			folder = folders[i];
	}
	if (!folder) {
		print_message("skipped: no cupti.h under /usr/local/cuda\n");
		skip();
	}
	assert_non_null(mkdtemp(dir));
	snprintf(text, sizeof text, "%s/a.c", dir);
	FILE *f = fopen(text, "w");
	assert_non_null(f);
	fputs(program, f);
	assert_int_equal(fclose(f), 0);
	snprintf(text, sizeof text,
		 "cc -w -I%s -I/usr/local/cuda/include -o %s/a %s/a.c && %s/a > %s/out; r=$?; exit $r", folder, dir,
		 dir, dir, dir);
	assert_int_equal(system(text), 0);
	snprintf(text, sizeof text, "%s/out", dir);
	f = fopen(text, "rb");
	assert_non_null(f);
	uint32_t version = 0;
	assert_int_equal(fread(&version, sizeof version, 1, f), 1);
	check_vendor(f, version);
	fclose(f);
	snprintf(text, sizeof text, "rm -rf %s", dir);
	assert_int_equal(system(text), 0);
}

static void bad_path(void **state)
{
	(void)state;
	struct cupti c;
	struct err e = {0};
	assert_false(cupti_open(&c, "/nonexistent/libcupti.so.99", &e));
	assert_int_equal(e.code, ERR_ENVIRONMENT);
	assert_non_null(strstr(e.text, "/nonexistent/libcupti.so.99"));
	/* A library without the symbols: the error names the first one. */
	assert_false(cupti_open(&c, "libm.so.6", &e));
	assert_int_equal(e.code, ERR_ENVIRONMENT);
	assert_non_null(strstr(e.text, "cuptiGetVersion"));
	assert_null(c.lib);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_prefix), cmocka_unit_test(times_missing), cmocka_unit_test(too_short),
		cmocka_unit_test(vendor_header), cmocka_unit_test(bad_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
