/* Compiler logs: every message form that nvcc 13.0, gcc 12 and clang 14 print, resources, hostile text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/file.h"
#include "read/ptxas/ptxas.h"
#include "read/scan.h"

struct fix {
	struct arena a;
	struct ptxas_log log;
};

static void read_text(struct fix *f, const char *text)
{
	arena_init(&f->a);
	ptxas_read(&f->log, &f->a, str_from(text));
}

static uint64_t value(const struct ptxas_kernel *k, enum resource r)
{
	assert_non_null(k);
	assert_true(resources_has(&k->r, r));
	return k->r.v[r];
}

static void expect_message(const struct ptxas_message *m, const char *want)
{
	struct buf b;
	buf_init(&b);
	ptxas_message_write(&b, m);
	assert_string_equal(b.p, want);
	buf_release(&b);
}

static void resources(void **state)
{
	(void)state;
	struct fix f;
	read_text(&f, "ptxas info    : 0 bytes gmem, 24 bytes cmem[3]\n"
		      "ptxas info    : Compiling entry function '_Z3bigPfi' for 'sm_80'\n"
		      "ptxas info    : Function properties for _Z3bigPfi\n"
		      "    512 bytes stack frame, 940 bytes spill stores, 1024 bytes spill loads\n"
		      "ptxas info    : Used 32 registers, used 1 barriers, 512 bytes cumulative stack size, 4096+16 "
		      "bytes smem, "
		      "364 bytes cmem[0], 8 bytes cmem[2], 4 bytes cmem[3], 2 textures\n"
		      "ptxas info    : Compile time = 16.379 ms\n"
		      "ptxas info    : Function properties for _Z1gfi\n"
		      "    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
		      "[3/8] ptxas info : Compiling entry function '_Z3bigPfi' for 'sm_90a'\r\n"
		      "make: ptxas info : Used 64 registers\r\n"
		      "ptxas info : Function properties for _Z3bigPfi\n"
		      "ptxas info : 16 bytes stack frame, 4 bytes spill stores, 0 bytes spill loads\n"
		      "ptxas info : Compile time = 2.5 s\n");
	assert_int_equal(f.log.n_kernels, 3);
	const struct ptxas_kernel *k = ptxas_find(&f.log, STR("_Z3bigPfi"), STR("sm_80"));
	assert_true(k && k->is_entry);
	assert_int_equal(value(k, RESOURCE_STACK), 512);
	assert_int_equal(value(k, RESOURCE_SPILL_STORES), 940);
	assert_int_equal(value(k, RESOURCE_SPILL_LOADS), 1024);
	assert_int_equal(value(k, RESOURCE_REGISTERS), 32);
	assert_int_equal(value(k, RESOURCE_BARRIERS), 1);
	assert_int_equal(value(k, RESOURCE_SHARED), 4112);
	assert_int_equal(value(k, RESOURCE_STACK_TOTAL), 512);
	assert_int_equal(value(k, RESOURCE_CONST0), 364);
	assert_int_equal(value(k, RESOURCE_CONST_OTHER), 12);
	assert_int_equal(value(k, RESOURCE_TEXTURES), 2);
	assert_int_equal(value(k, RESOURCE_COMPILE_NS), 16379000);
	k = ptxas_find(&f.log, STR("_Z1gfi"), (struct str){0});
	assert_true(k && !k->is_entry);
	assert_int_equal(value(k, RESOURCE_STACK), 8);
	assert_false(resources_has(&k->r, RESOURCE_REGISTERS));
	k = ptxas_find(&f.log, STR("_Z3bigPfi"), STR("sm_90a"));
	assert_int_equal(value(k, RESOURCE_REGISTERS), 64);
	assert_int_equal(value(k, RESOURCE_STACK), 16);
	assert_int_equal(value(k, RESOURCE_COMPILE_NS), 2500000000);
	assert_int_equal(f.log.n_messages, 0);
	struct json *j = ptxas_json(&f.log, &f.a);
	assert_int_equal(json_i64(json_path(j, "kernels.0.resources"), "spill_store_bytes", -1), 940);
	arena_release(&f.a);
}

/* nvlink -v states what the linker made of a kernel: a row of its own, without an architecture */
static void linked(void **state)
{
	(void)state;
	struct fix f;
	read_text(&f, "ptxas info    : Compiling entry function 'k' for 'sm_90'\nptxas info    : Used 24 registers\n"
		      "nvlink info    : 0 bytes gmem\n"
		      "nvlink info    : Function properties for 'k':\n"
		      "nvlink info    : used 46 registers, used 2 barriers, 88 stack, 16 bytes smem, 540 bytes "
		      "cmem[0], 4 bytes lmem\n");
	assert_int_equal(f.log.n_kernels, 2);
	assert_int_equal(value(&f.log.kernels[0], RESOURCE_REGISTERS), 24);
	const struct ptxas_kernel *k = &f.log.kernels[1];
	assert_true(k->is_entry && !k->arch.n && str_is(k->name, "k"));
	assert_int_equal(value(k, RESOURCE_REGISTERS), 46);
	assert_int_equal(value(k, RESOURCE_BARRIERS), 2);
	assert_int_equal(value(k, RESOURCE_STACK_TOTAL), 88);
	assert_int_equal(value(k, RESOURCE_SHARED), 16);
	assert_int_equal(value(k, RESOURCE_LOCAL), 4);
	assert_int_equal(f.log.n_messages, 0);
	arena_release(&f.a);
}

static const struct {
	const char *line, *want;
	enum ptxas_severity severity;
} forms[] = {
	{"bad1.cu(2): error: identifier \"foo\" is undefined", "bad1.cu:2: error: identifier \"foo\" is undefined",
	 PTXAS_ERROR},
	{"a b/x(1).cu(12): warning #177-D: variable \"u\" was declared",
	 "a b/x(1).cu:12: warning: variable \"u\" was declared [177-D]", PTXAS_WARNING},
	{"x.cu(3): catastrophic error: cannot open source file \"y.h\"",
	 "x.cu:3: error: cannot open source file \"y.h\"", PTXAS_ERROR},
	{"ptxas /tmp/k.ptx, line 30; error   : Unknown modifier '.bar'",
	 "/tmp/k.ptx:30: error: Unknown modifier '.bar'", PTXAS_ERROR},
	{"ptxas fatal   : Ptx assembly aborted due to errors", "ptxas: error: Ptx assembly aborted due to errors",
	 PTXAS_ERROR},
	{"ptxas error   : Entry function '_Z1kPf' uses too much shared data (0x13880 bytes, 0xc000 max)",
	 "ptxas: error: Entry function '_Z1kPf' uses too much shared data (0x13880 bytes, 0xc000 max)", PTXAS_ERROR},
	{"ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to x in "
	 "function '_Z1kPf'",
	 "ptxas: info: Potential Performance Loss: wgmma.mma_async instructions are serialized due to x in function "
	 "'_Z1kPf' [C7510]",
	 PTXAS_INFO},
	{"nvlink error   : Undefined reference to '_Z1gf' in '/tmp/b.o'",
	 "nvlink: error: Undefined reference to '_Z1gf' in '/tmp/b.o'", PTXAS_ERROR},
	{"nvcc fatal   : Unsupported gpu architecture 'sm_10'", "nvcc: error: Unsupported gpu architecture 'sm_10'",
	 PTXAS_ERROR},
	{"nvcc warning : Support for offline compilation", "nvcc: warning: Support for offline compilation",
	 PTXAS_WARNING},
	{"bad5.cu:1:10: fatal error: nope.h: No such file or directory",
	 "bad5.cu:1:10: error: nope.h: No such file or directory", PTXAS_ERROR},
	{"bad6.c:3:31: warning: unused variable 'p' [-Wunused-variable]",
	 "bad6.c:3:31: warning: unused variable 'p' [-Wunused-variable]", PTXAS_WARNING},
	{"bad6.c:3: note: here", "bad6.c:3: note: here", PTXAS_NOTE},
	{"cc1plus: fatal error: bad9.cu: No such file or directory", "cc: error: bad9.cu: No such file or directory",
	 PTXAS_ERROR},
	{"collect2: error: ld returned 1 exit status", "cc: error: ld returned 1 exit status", PTXAS_ERROR},
	{"bad7.c:(.text+0x5): undefined reference to `g'", "bad7.c: error: undefined reference to `g'", PTXAS_ERROR},
	{"/usr/bin/ld.bfd: /tmp/p/bad7.c:2: undefined reference to `g'", "/usr/bin/ld.bfd: /tmp/p/bad7.c:2",
	 PTXAS_ERROR},
	{"/tmp/p/bad7.c:2: undefined reference to `g'", "/tmp/p/bad7.c:2: error: undefined reference to `g'",
	 PTXAS_ERROR},
	{"/usr/bin/ld: cannot find -lfoo: No such file or directory",
	 "ld: error: cannot find -lfoo: No such file or directory", PTXAS_ERROR},
};

static void messages(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		struct fix f;
		read_text(&f, forms[i].line);
		assert_int_equal(f.log.n_messages, 1);
		assert_int_equal(f.log.messages[0].severity, forms[i].severity);
		if (!str_starts(str_from(forms[i].line), "/usr/bin/ld.bfd"))
			expect_message(&f.log.messages[0], forms[i].want);
		else
			assert_int_equal(f.log.messages[0].line, 2);
		arena_release(&f.a);
	}
}

static void no_messages(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"",
		"  __attribute__((global)) void k(float*a){ printf(\"error: x\"); }",
		"    1 | #include \"nope.h\"",
		"5 errors detected in the compilation of \"bad1.cu\".",
		"compilation terminated.",
		"In file included from a.c:1:",
		"a.c: In function 'main':",
		"printf(\"a.c:3: error: no\");",
		"1 warning and 1 error generated.",
		"Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"",
		"(2): error: x",
		"error",
		"a.cu(): error: x",
	};
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		struct fix f;
		read_text(&f, lines[i]);
		if (f.log.n_messages)
			fail_msg("taken as a message: %s", lines[i]);
		arena_release(&f.a);
	}
}

/* A candidate's #pragma message cannot state resources. */
static void planted_resources(void **state)
{
	(void)state;
	struct fix f;
	read_text(&f, "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
		      "ptxas info    : Used 200 registers\n"
		      "a.cu:3:9: note: '#pragma message: ptxas info : Used 8 registers'\n"
		      "a.cu(3): warning #1: \"ptxas info : Used 8 registers\"\n");
	assert_int_equal(value(ptxas_find(&f.log, STR("k"), STR("sm_90")), RESOURCE_REGISTERS), 200);
	assert_int_equal(f.log.n_messages, 2);
	arena_release(&f.a);
}

static void first_error(void **state)
{
	(void)state;
	struct fix f;
	read_text(&f, "/usr/bin/ld: /tmp/x.o: in function `main':\n"
		      "nvcc warning : old\n"
		      "collect2: error: ld returned 1 exit status\n"
		      "bad7.c:(.text+0x5): undefined reference to `g'\n"
		      "bad7.c:9: undefined reference to `h'\n"
		      "bad7.c:11: undefined reference to `i'\n");
	assert_int_equal(f.log.n_errors, 4);
	assert_int_equal(f.log.n_warnings, 1);
	expect_message(ptxas_first_error(&f.log), "bad7.c:9: error: undefined reference to `h'");
	arena_release(&f.a);
	read_text(&f, "all is well\n");
	assert_null(ptxas_first_error(&f.log));
	arena_release(&f.a);
}

static void bounds(void **state)
{
	(void)state;
	struct buf b;
	struct fix f;
	buf_init(&b);
	for (int i = 0; i < 5000; i++)
		buf_puts(&b, "a.c:1:2: error: e\n");
	buf_puts(&b, "a.c:1:2: error: ");
	buf_repeat(&b, 'x', 100000);
	buf_puts(&b, "\nptxas info : Used 99999999999999999999999 registers\nptxas info : Compiling entry function 'k");
	read_text(&f, b.p);
	assert_int_equal(f.log.n_messages, 4096);
	assert_int_equal(f.log.n_errors, 5001);
	assert_int_equal(f.log.n_dropped, 906); /* the cut line of ptxas too */
	assert_int_equal(f.log.n_kernels, 0);
	arena_release(&f.a);
	buf_release(&b);
}

static void numbers(void **state)
{
	(void)state;
	struct str s = STR("20.391 ms");
	uint64_t v;
	assert_true(scan_fixed(&s, 1000000, &v));
	assert_int_equal(v, 20391000);
	assert_true(str_is(s, " ms"));
	s = STR("1.0000000019");
	assert_true(scan_fixed(&s, 1000, &v));
	assert_int_equal(v, 1000);
	s = STR("99999999999999999999");
	assert_true(scan_u64(&s, &v));
	assert_true(v == UINT64_MAX);
	s = STR("0xfFg");
	assert_true(scan_hex(&s, &v));
	assert_int_equal(v, 255);
	assert_true(str_is(s, "g"));
	s = STR("0x");
	assert_false(scan_hex(&s, &v));
	assert_true(str_is(s, "0x"));
}

static void fixtures(void **state)
{
	(void)state;
	const char *dir = getenv("ASSAY_FIXTURES") ? getenv("ASSAY_FIXTURES") : "../shared/fixtures";
	struct fix f;
	struct str text;
	struct err e;
	arena_init(&f.a);
	const char *path = arena_printf(&f.a, "%s/compiler/multi_ptxas.txt", dir);
	if (!file_exists(path)) {
		arena_release(&f.a);
		skip();
	}
	assert_true(file_read(&f.a, &text, path, 1 << 20, &e));
	ptxas_read(&f.log, &f.a, text);
	assert_int_equal(f.log.n_kernels, 8);
	assert_int_equal(f.log.n_messages, 0);
	const struct ptxas_kernel *k = ptxas_find(&f.log, STR("_Z5spillPf"), STR("sm_90a"));
	assert_int_equal(value(k, RESOURCE_REGISTERS), 38);
	assert_int_equal(value(k, RESOURCE_STACK_TOTAL), 1024);
	assert_int_equal(value(k, RESOURCE_COMPILE_NS), 193309000);
	k = ptxas_find(&f.log, STR("_Z14transpose_smemPKfPfi"), STR("sm_90a"));
	assert_int_equal(value(k, RESOURCE_SHARED), 4096);
	assert_int_equal(value(k, RESOURCE_BARRIERS), 1);
	arena_release(&f.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resources),
		cmocka_unit_test(linked),
		cmocka_unit_test(messages),
		cmocka_unit_test(no_messages),
		cmocka_unit_test(planted_resources),
		cmocka_unit_test(first_error),
		cmocka_unit_test(bounds),
		cmocka_unit_test(numbers),
		cmocka_unit_test(fixtures),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
