/* Compiler stages: which one, digest, structure, functions, Triton's attributes and metadata. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "read/elf/stage.h"

static const char ttgir[] =
	"#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>\n"
	"module attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 4 : i32, ttg.shared = 8192 : i32, "
	"ttg.target = "
	"\"cuda:90\", \"ttg.threads-per-warp\" = 32 : i32} {\n"
	"  tt.func public @add_kernel(%arg0: !tt.ptr<f32>) attributes {noinline = false} {\n"
	"    %c = \"tt.func private @not_me(\" // HGMMA\n    tt.return\n  }\n  tt.func private @\"helper fn\"() {\n  "
	"}\n}\n";
static const char ttir[] = "module {\n  tt.func public @k(%a: i32) {\n    tt.return\n  }\n}\n";
static const char llir[] =
	"; ModuleID = 'x'\nsource_filename = \"x\"\ntarget triple = \"nvptx64-nvidia-cuda\"\n"
	"define ptx_kernel void @add_kernel(ptr addrspace(1) %0) {\n  ret void\n}\ndeclare i32 @llvm.tid()\n";
static const char ptx[] =
	"//\n.version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry add_kernel(\n)\n{ ret; }";

static void read_stage(struct stage_facts *f, struct arena *a, const char *text, enum stage want)
{
	assert_int_equal(stage_of_text(str_from(text)), want);
	stage_read(f, a, want, str_from(text));
	assert_true(f->is_whole && f->is_text && f->is_ascii);
	assert_int_equal(f->bytes, strlen(text));
}

static void stages(void **state)
{
	(void)state;
	struct arena a;
	struct stage_facts f;
	arena_init(&a);
	read_stage(&f, &a, ttgir, STAGE_TTGIR);
	assert_true(f.num_warps == 4 && f.num_ctas == 1 && f.shared_bytes == 8192 && f.threads_per_warp == 32);
	assert_true(str_is(f.target, "cuda:90"));
	assert_int_equal(f.n_functions, 2); /* the one in a string is none */
	assert_true(str_is(f.functions[0], "add_kernel") && str_is(f.functions[1], "helper fn"));
	assert_true(f.ends_with_newline && f.n_lines == 9);
	read_stage(&f, &a, ttir, STAGE_TTIR);
	assert_true(f.n_functions == 1 && f.num_warps == -1);
	read_stage(&f, &a, llir, STAGE_LLVM_IR);
	assert_true(f.n_functions == 1 && str_is(f.functions[0], "add_kernel") &&
		    str_is(f.triple, "nvptx64-nvidia-cuda"));
	read_stage(&f, &a, ptx, STAGE_PTX);
	assert_true(f.n_functions == 1 && str_is(f.target, "sm_90a") && !f.ends_with_newline && f.n_lines == 7);
	struct json *j = stage_json(&f, &a);
	assert_int_equal(json_i64(json_get(j, "structural_markers"), ".version", -1), 1);
	assert_int_equal(json_i64(j, "line_count", -1), 7);
	read_stage(&f, &a, "\tcode for sm_90a\n\t.target\tsm_90a\n\t\tFunction : k\n        /*0000*/  EXIT ;\n",
		   STAGE_SASS);
	assert_true(f.n_functions == 1 && str_is(f.target, "sm_90a"));
	stage_read(&f, &a, STAGE_TTIR, STR("no module here"));
	assert_false(f.is_whole);
	stage_read(&f, &a, STAGE_PTX, STR("a\0b"));
	assert_false(f.is_text || f.is_whole);
	assert_int_equal(stage_of_text(STR("int main(void) {}")), STAGE_COUNT);
	arena_release(&a);
}

static void paths(void **state)
{
	(void)state;
	struct arena a;
	struct str s;
	struct err e;
	struct stage_facts f;
	assert_int_equal(stage_of_path("/x/k.ttgir"), STAGE_TTGIR);
	assert_int_equal(stage_of_path("k.llir"), STAGE_LLVM_IR);
	assert_int_equal(stage_of_path("k.cubin"), STAGE_BINARY);
	assert_int_equal(stage_of_path("k.py"), STAGE_SOURCE);
	assert_int_equal(stage_of_path("k"), STAGE_COUNT);
	arena_init(&a);
	assert_true(file_read(&a, &s, "tests/data/elf/tiny_sm80.cubin", 1 << 20, &e));
	assert_int_equal(stage_of_text(s), STAGE_BINARY);
	stage_read(&f, &a, STAGE_BINARY, s);
	assert_true(f.is_whole && !f.is_text && strlen(f.sha256) == 64);
	arena_release(&a);
}

static void triton(void **state)
{
	(void)state;
	struct arena a;
	struct err e;
	struct stage_triton t;
	arena_init(&a);
	assert_true(stage_triton_read(
		&t, &a, "k.json",
		STR("{\"hash\": \"ab\", \"target\": {\"backend\": \"cuda\", \"arch\": 90, \"warp_size\": 32}, "
		    "\"num_warps\": 8, \"num_stages\": 3, \"shared\": 98304, \"name\": \"add_kernel\"}"),
		&e));
	assert_true(t.num_warps == 8 && t.num_stages == 3 && t.shared_bytes == 98304 && t.arch == 90 &&
		    t.num_ctas == -1);
	assert_true(str_is(t.name, "add_kernel") && str_is(t.backend, "cuda"));
	assert_false(stage_triton_read(&t, &a, "k.json", STR("{\"a\": 1}"), &e));
	assert_non_null(strstr(e.text, "num_warps"));
	assert_false(stage_triton_read(&t, &a, "k.json", STR("["), &e));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stages),
		cmocka_unit_test(paths),
		cmocka_unit_test(triton),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
