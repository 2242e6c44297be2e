/* compute-sanitizer: text of three generations, XML, cut and hostile input, the fixtures of four tools. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "read/sanitizer/sanitizer.h"

struct fix {
	struct arena a;
	struct sanitizer_report r;
};

static void read_text(struct fix *f, const char *text)
{
	struct err e;
	arena_init(&f->a);
	if (!sanitizer_read(&f->r, &f->a, "log", str_from(text), &e))
		fail_msg("%s", e.text);
}

static const char text[] =
	"some output of the program\n"
	"========= COMPUTE-SANITIZER\n"
	"========= Invalid __global__ write of size 4 bytes\n"
	"=========     at oob(float *, int)+0x90 in /a b/bug.cu:2\n"
	"=========     by thread (100,1,2) in block (3,4,5)\n"
	"program output again\n"
	"=========     Access to 0x7f5d7e800190 is out of bounds\n"
	"=========     and is 1 bytes after the nearest allocation at 0x7f5d7e800000 of size 400 bytes\n"
	"=========     Saved host backtrace up to driver entry point at kernel launch time\n"
	"=========         Host Frame: main [0x92ea] in bug\n"
	"========= \n"
	"========= Invalid __global__ write of size 4 bytes\n"
	"=========     at oob(float *, int)+0x90 in /a b/bug.cu:2\n"
	"=========     by thread (101,1,2) in block (3,4,5)\n"
	"=========     Access to 0x7f5d7e800194 is out of bounds\n"
	"========= \n"
	"========= Invalid __shared__ read of size 8\n"
	"=========     at 0x00000048 in /src/x.cu:31:load(int*, int)\n"
	"=========     by thread (1,0,0) in block (0,0,0)\n"
	"=========     Address 0x00000404 is misaligned\n"
	"========= Invalid __local__ atomic of size 16 bytes\n"
	"=========     at 0xb0 in k(float*)\n"
	"=========     by thread (1,0,0) in block (0,0,0)\n"
	"=========     Address 0x10 is something new\n"
	"========= Error: Race reported between Write access at race(int *)+0xa0 in bug.cu:3\n"
	"=========     and Read access at race(int *)+0xb0 in bug.cu:4 [1,256 hazards]\n"
	"========= Warning: Race reported between Write access at race(int *)+0x10 in bug.cu:9\n"
	"=========     and Write access at race(int *)+0x10 in bug.cu:9 [7 hazards]\n"
	"========= Uninitialized __global__ memory read of size 4 bytes\n"
	"=========     at uninit(const float *, float *)+0x60 in bug.cu:4\n"
	"=========     by thread (0,0,0) in block (0,0,0)\n"
	"=========     Address 0x7fb306800000\n"
	"========= Barrier error detected. Divergent thread(s) in warp.\n"
	"=========     at badsync(int *)+0x60\n"
	"=========     by thread (15,0,0) in block (0,0,0)\n"
	"========= Leaked 1,024 bytes at 0x7f0000\n"
	"=========     Saved host backtrace\n"
	"========= Program hit cudaErrorLaunchFailure (error 719) due to \"unspecified launch failure\" on CUDA API "
	"call to "
	"cudaDeviceSynchronize.\n"
	"========= A message of a version to come\n"
	"========= Target application returned an error\n"
	"========= LEAK SUMMARY: 1,024 bytes leaked in 1 allocations\n"
	"========= ERROR SUMMARY: 1,229 errors\n";

static void check_memcheck(const struct sanitizer_report *r)
{
	const struct sanitizer_finding *f = &r->findings[0];
	assert_true(f->tool == SANITIZER_MEMCHECK && f->kind == SANITIZER_OUT_OF_BOUNDS && !f->is_warning);
	assert_true(str_is(f->space, "global") && str_is(f->at.access, "write"));
	assert_true(str_is(f->at.kernel, "oob(float *, int)") && str_is(f->at.file, "/a b/bug.cu"));
	assert_true(f->at.line == 2 && f->at.pc == 0x90 && f->size == 4 && f->address == 0x7f5d7e800190);
	assert_true(f->thread[0] == 100 && f->thread[2] == 2 && f->block[0] == 3 && f->block[2] == 5);
	assert_int_equal(f->has, SANITIZER_HAS_ADDRESS | SANITIZER_HAS_SIZE | SANITIZER_HAS_THREAD | SANITIZER_HAS_PC);
	assert_true(str_starts(f->note, "1 bytes after the nearest"));
	assert_int_equal(r->sites[0].n, 2);
	f = &r->findings[2];
	assert_true(f->kind == SANITIZER_MISALIGNED && str_is(f->space, "shared") && f->size == 8 &&
		    f->address == 0x404);
	assert_true(str_is(f->at.file, "/src/x.cu") && f->at.line == 31 && str_is(f->at.kernel, "load(int*, int)"));
	f = &r->findings[3];
	assert_true(f->kind == SANITIZER_INVALID_ACCESS && str_is(f->at.access, "atomic") && f->size == 16);
	assert_true(str_is(f->at.kernel, "k(float*)") && f->at.pc == 0xb0 && f->at.line == 0);
}

static void text_form(void **state)
{
	(void)state;
	struct fix f;
	read_text(&f, text);
	assert_int_equal(f.r.n_findings, 11);
	assert_int_equal(f.r.n_errors, 10);
	assert_int_equal(f.r.n_warnings, 1);
	assert_int_equal(f.r.n_sites, 10);
	assert_true(f.r.has_summary && f.r.summary_errors == 1229);
	assert_true(str_is(f.r.problem, "Target application returned an error"));
	check_memcheck(&f.r);
	const struct sanitizer_finding *v = f.r.findings;
	assert_true(v[4].kind == SANITIZER_RACE && v[4].n_hazards == 1256 && !v[4].is_warning);
	assert_true(v[4].at.line == 3 && str_is(v[4].at.access, "write"));
	assert_true(v[4].other.line == 4 && v[4].other.pc == 0xb0 && str_is(v[4].other.access, "read"));
	assert_true(str_is(v[4].other.file, "bug.cu") && str_is(v[4].other.kernel, "race(int *)"));
	assert_true(v[5].is_warning && v[5].n_hazards == 7);
	assert_true(v[6].tool == SANITIZER_INITCHECK && v[6].kind == SANITIZER_UNINITIALIZED && v[6].at.line == 4);
	assert_true(v[7].tool == SANITIZER_SYNCCHECK && v[7].at.pc == 0x60 && v[7].at.line == 0 &&
		    v[7].thread[0] == 15);
	assert_true(str_is(v[7].at.kernel, "badsync(int *)"));
	assert_int_equal(v[8].kind, SANITIZER_LEAK);
	assert_int_equal(v[9].kind, SANITIZER_API_ERROR);
	assert_int_equal(v[10].kind, SANITIZER_OTHER);
	struct json *j = sanitizer_json(&f.r, &f.a);
	assert_int_equal(json_i64(json_path(j, "sites.0"), "n", -1), 2);
	assert_true(str_is(json_str(json_path(j, "sites.3.other"), "access", STR("")), "read"));
	arena_release(&f.a);
}

/* racecheck in hazard mode */
static void hazards(void **state)
{
	(void)state;
	struct fix f;
	read_text(&f, "========= COMPUTE-SANITIZER\n"
		      "========= Error: Potential RAW hazard detected at __shared__ 0x10 in block (2,0,0) :\n"
		      "=========     Write Thread (4,0,0) at race(int *)+0xa0 in bug.cu:3\n"
		      "=========     Read Thread (59,0,0) at race(int *)+0xb0 in bug.cu:4\n"
		      "=========     Current Value : 4\n"
		      "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n");
	assert_int_equal(f.r.n_findings, 1);
	const struct sanitizer_finding *v = f.r.findings;
	assert_true(v->kind == SANITIZER_RACE && v->address == 0x10 && str_is(v->space, "shared"));
	assert_true(v->at.line == 3 && str_is(v->at.access, "write") && v->thread[0] == 4 && v->block[0] == 2);
	assert_true(v->other.line == 4 && str_is(v->other.access, "read") && v->other.pc == 0xb0);
	arena_release(&f.a);
}

static const char xml[] =
	"<?xml version=\"1.0\" "
	"encoding=\"utf-8\"?>\n<ComputeSanitizerOutput>\n<record><kind>Precise</kind><level>Error</level>"
	"<who><threadIdx><x>100</x><y>1</y><z>2</z></threadIdx><blockIdx><x>3</x><y>0</y><z>0</z></blockIdx></who>"
	"<what><text>Invalid __global__ write of size 4 bytes is out of "
	"bounds</text><space>__global__</space><size>4</size>"
	"<direction>write</direction><error>out of bounds</error><address>0x7efddc800190</address></what>"
	"<where><func>f&lt;int&gt; &amp; "
	"&quot;g&quot;</func><path>/home/bug.cu</path><line>2</line><pc>0x90</pc></where>"
	"<hostStack><frame><func>main</func><pc>0x39fb94</pc><line>99</line></frame></hostStack></record>\n"
	"<record><kind>Analysis</kind><level>Warning</level><what><text>Race condition</text><source>"
	"<direction>Write</direction><where><func>race</func><path>a.cu</path><line>3</line><pc>0xa0</pc></where></"
	"source>"
	"<destination><direction>Read</direction><where><func>race</func><path>a.cu</path><line>4</line><pc>0xb0</pc></"
	"where>"
	"<count>256</count></destination></what></record>\n"
	"<record><kind>Synccheck</kind><what><text>Barrier error</text><type>Divergent thread(s) in "
	"warp</type></what></record>"
	"<record><kind>Api</kind><what><text>Program hit cudaErrorX (error "
	"1)</text><api>cudaMalloc</api></what></record>"
	"</ComputeSanitizerOutput>\n";

static void xml_form(void **state)
{
	(void)state;
	struct fix f;
	read_text(&f, xml);
	assert_int_equal(f.r.n_findings, 4);
	assert_true(f.r.has_summary && f.r.n_errors == 3 && f.r.n_warnings == 1);
	const struct sanitizer_finding *v = f.r.findings;
	assert_true(v[0].kind == SANITIZER_OUT_OF_BOUNDS && v[0].size == 4 && v[0].address == 0x7efddc800190);
	assert_true(str_is(v[0].at.kernel, "f<int> & \"g\"") && v[0].at.line == 2 && v[0].at.pc == 0x90);
	assert_true(str_is(v[0].space, "global") && v[0].thread[0] == 100 && v[0].thread[2] == 2 && v[0].block[0] == 3);
	assert_true(v[1].tool == SANITIZER_RACECHECK && v[1].n_hazards == 256 && v[1].is_warning);
	assert_true(v[1].at.line == 3 && v[1].other.line == 4 && str_is(v[1].at.access, "write"));
	assert_true(str_is(v[1].other.access, "read") && v[1].other.pc == 0xb0);
	assert_true(v[2].kind == SANITIZER_BARRIER && str_is(v[2].note, "Divergent thread(s) in warp"));
	assert_true(v[3].tool == SANITIZER_API && v[3].kind == SANITIZER_API_ERROR);
	arena_release(&f.a);
}

/* Every cut is read without an error, finds no more than the whole and never claims to be complete. */
static void cuts(void **state)
{
	(void)state;
	static const char *const whole[] = {text, xml};
	for (size_t w = 0; w < 2; w++) {
		size_t most = 0, n_whole = strlen(whole[w]);
		for (size_t n = 0; n < n_whole - 2; n += 3) {
			struct arena a;
			struct sanitizer_report r;
			struct err e;
			arena_init(&a);
			char *copy = malloc(n + 1);
			memcpy(copy, whole[w], n);
			if (sanitizer_read(&r, &a, "cut", (struct str){copy, n}, &e)) {
				assert_true(r.n_findings >= most);
				assert_true(!r.has_summary || n > n_whole - 100);
				most = r.n_findings;
			}
			free(copy);
			arena_release(&a);
		}
		assert_true(most > 3);
	}
}

static void refused(void **state)
{
	(void)state;
	struct fix f;
	struct err e;
	arena_init(&f.a);
	assert_false(sanitizer_read(&f.r, &f.a, "x.txt", STR("hello\n"), &e));
	assert_non_null(strstr(e.text, "x.txt: no line of compute-sanitizer"));
	assert_false(sanitizer_read(&f.r, &f.a, "x.txt", STR("<?xml version=\"1.0\"?><svg/>"), &e));
	arena_release(&f.a);
	read_text(&f, "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n");
	assert_true(f.r.has_summary && f.r.n_findings == 0);
	arena_release(&f.a);
	read_text(&f, "========= Error: No attachable process found. compute-sanitizer timed-out.\n");
	assert_true(str_starts(f.r.problem, "Error: No attachable process"));
	arena_release(&f.a);
}

static void fixture(const char *dir, const char *tool, uint64_t errors, size_t n_sites, struct sanitizer_finding out[2])
{
	static const char *const forms[] = {"txt", "xml"};
	for (size_t i = 0; i < 2; i++) {
		struct fix f;
		struct str s;
		struct err e;
		arena_init(&f.a);
		assert_true(file_read(&f.a, &s, arena_printf(&f.a, "%s/sanitizer/san_%s.%s", dir, tool, forms[i]),
				      1 << 20, &e));
		assert_true(sanitizer_is_output(s));
		assert_true(sanitizer_read(&f.r, &f.a, tool, s, &e));
		assert_int_equal(f.r.n_errors, errors);
		assert_int_equal(f.r.n_sites, n_sites);
		assert_true(f.r.has_summary);
		assert_int_equal(f.r.summary_errors, errors);
		out[i] = f.r.findings[0];
		arena_release(&f.a);
	}
	assert_int_equal(out[0].kind, out[1].kind);
	assert_int_equal(out[0].tool, out[1].tool);
	assert_int_equal(out[0].at.line, out[1].at.line);
	assert_int_equal(out[0].at.pc, out[1].at.pc);
	assert_int_equal(out[0].size, out[1].size);
	assert_memory_equal(out[0].thread, out[1].thread, sizeof out[0].thread);
	assert_int_equal(out[0].n_hazards, out[1].n_hazards);
}

static void fixtures(void **state)
{
	(void)state;
	const char *dir = getenv("ASSAY_FIXTURES") ? getenv("ASSAY_FIXTURES") : "../shared/fixtures";
	char path[4096];
	struct sanitizer_finding f[2];
	snprintf(path, sizeof path, "%s/sanitizer", dir);
	if (!file_is_dir(path))
		skip();
	fixture(dir, "memcheck", 29, 2, f);
	assert_true(f[0].kind == SANITIZER_OUT_OF_BOUNDS && f[0].thread[0] == 100 && f[0].at.line == 2);
	fixture(dir, "racecheck", 1, 1, f);
	assert_true(f[0].n_hazards == 256 && f[0].other.line == 3);
	fixture(dir, "initcheck", 64, 1, f);
	assert_int_equal(f[0].kind, SANITIZER_UNINITIALIZED);
	fixture(dir, "synccheck", 16, 1, f);
	assert_int_equal(f[0].kind, SANITIZER_BARRIER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_form), cmocka_unit_test(hazards), cmocka_unit_test(xml_form),
		cmocka_unit_test(cuts),      cmocka_unit_test(refused), cmocka_unit_test(fixtures),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
