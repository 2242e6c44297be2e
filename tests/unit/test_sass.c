/* SASS listings: every signature on a kernel that has the mechanism and on kernels that have not, for six architectures;
 * counts, loops and lines; planted names; broken listings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/file.h"
#include "base/proc.h"
#include "facts/mechanism.h"
#include "read/sass/signature.h"

#define PLAIN "plain_HGMMA_float4_LDG_E_128_UTMALDG"

static struct str gz_read(struct arena *a, const char *path)
{
	struct buf b;
	char chunk[65536];
	int n;
	gzFile f = gzopen(path, "rb");
	assert_non_null(f);
	buf_init(&b);
	while ((n = gzread(f, chunk, sizeof chunk)) > 0)
		buf_add(&b, chunk, (size_t)n);
	gzclose(f);
	struct str s = arena_str(a, buf_view(&b));
	buf_release(&b);
	return s;
}

static bool run(const char *const *argv, struct buf *out)
{
	struct err e;
	struct proc_result r;
	struct proc_options o = {.argv = argv, .timeout_ns = 100000000000};
	bool ok = proc_run(&r, &o, &e) && r.exit_status == 0;
	if (ok && out)
		buf_str(out, buf_view(&r.out));
	proc_result_release(&r);
	return ok;
}

/* nvcc and cuobjdump where both are, else the listing recorded with nvcc 13.0 */
static struct str listing_of(struct arena *a, const char *arch)
{
	const char *nvcc = path_which(a, "nvcc", "/usr/local/cuda/bin"),
		   *dump = path_which(a, "cuobjdump", "/usr/local/cuda/bin");
	if (nvcc && dump && !getenv("ASSAY_RECORDED")) {
		char dir[] = "/tmp/assay-sass-XXXXXX";
		struct buf b;
		struct err e;
		assert_non_null(mkdtemp(dir));
		const char *cubin = arena_printf(a, "%s/s.cubin", dir), *target = arena_printf(a, "-arch=sm_%s", arch);
		const char *const compile[] = {nvcc, "-cubin", target, "-o", cubin, "tests/data/sass/signatures.cu",
					       NULL};
		const char *const disassemble[] = {dump, "-sass", cubin, NULL};
		buf_init(&b);
		bool ok = run(compile, NULL) && run(disassemble, &b);
		struct str s = arena_str(a, buf_view(&b));
		buf_release(&b);
		assert_true(file_remove_tree(dir, &e));
		if (ok)
			return s;
		print_message("sm_%s: nvcc could not build the signatures, the recorded listing is used\n", arch);
	}
	return gz_read(a, arena_printf(a, "tests/data/sass/signatures_sm%s.sass.gz", arch));
}

static void read_listing(struct sass_listing *l, struct arena *a, struct str text)
{
	struct err e;
	if (!sass_read(l, a, "listing", text, &e))
		fail_msg("%s", e.text);
}

/* Kernels of signatures.cu that have a mechanism; a key that is not here has the kernel has_<key>. "arch:kernel" limits. */
static const struct {
	const char *key, *kernels;
} owners[] = {
	{"cache_and_readonly", "has_read_only_path"},
	{"ldg_cache_modifier_hint", "has_cache_hint"},
	{"streaming_access", "has_streaming_store"},
	{"wide_shared_access", "has_wide_shared"},
	{"async_pipeline", "has_async_copy"},
	{"transpose_smem", "has_tiling_smem"},
	{"ldmatrix_stmatrix", "has_ldmatrix_trans"},
	{"no_local_memory", "has_loop"},
	{"tensor_core", "has_mma_bf16"},
	{"wgmma_serialization", "has_wgmma"},
	{"tmem", "has_tcgen05"},
	{"block_scaled_precision", "has_block_scaled"},
	{"producer_regdealloc_setmaxnreg", "has_setmaxnreg"},
	{"tma_im2col_implicit_conv", "has_tma_im2col"},
	{"tma_descriptor_tuning", "has_tensormap_prefetch"},
	{"asymmetric_mbarrier_sync", "has_mbarrier"},
	{"distributed_smem", "has_bulk_dsmem"},
	{"cluster_launch_control_scheduler", "has_cluster_launch_control"},
	{"pdl_overlap", "has_pdl_wait"},
	{"warp_shuffle_sync", "has_warp_shuffle"},
	{"smem_atomics", "has_atomic_shared"},
	{"vector_atomics", "has_atomic_vector"},
	{"warp_aggregated_atomics", "has_atomic_aggregated"},
};
/* more positives */
static const struct {
	unsigned sm;
	const char *key, *kernel;
} also[] = {
	{90, "fp8", "has_wgmma_fp8"},
	{90, "tensor_core", "has_wgmma"},
	{100, "tensor_core", "has_tcgen05"},
	{100, "block_scaled_precision", "has_block_scaled_mxf8"},
	{120, "block_scaled_precision", "has_block_scaled_mxf8"},
	{100, "redux", "has_redux_float"},
	{90, "pdl_overlap", "has_pdl_launch"},
	{90, "tma_reduce", "has_bulk_reduce"},
	{90, "tma_prefetch", "has_bulk_prefetch"},
	{100, "int8_tensor", "has_tcgen05_int8"},
	{90, "multi_stage_pipeline", "has_multi_stage_pipeline"},
};

static const char *owner(struct arena *a, const char *key, unsigned sm)
{
	if (sm == 90 && strcmp(key, "fp8") == 0)
		return "has_wgmma_fp8";
	for (size_t i = 0; i < COUNT_OF(owners); i++)
		if (strcmp(owners[i].key, key) == 0)
			return owners[i].kernels;
	return arena_printf(a, "has_%s", key);
}

static void expect(const struct sass_listing *l, const char *kernel, const char *key, enum sass_verdict want)
{
	struct sass_finding f;
	const struct sass_kernel *k = sass_find(l, str_from(kernel), (struct str){0});
	if (!k)
		fail_msg("no kernel %s in the listing", kernel);
	sass_judge(&f, l, k, str_from(key));
	if (f.verdict != want)
		fail_msg("%s on %s (sm_%u): %s, expected %s", key, kernel, k->sm, sass_verdict_name(f.verdict),
			 sass_verdict_name(want));
	if (want == SASS_SHOWN && strcmp(key, "no_local_memory") != 0)
		assert_true(f.n_evidence > 0 && f.n_instructions > 0);
}

static void check_arch(const char *arch, unsigned sm)
{
	struct arena a;
	struct sass_listing l;
	const char *key;
	size_t n_covered = 0;
	arena_init(&a);
	read_listing(&l, &a, listing_of(&a, arch));
	assert_int_equal(l.n_unread, 0);
	for (size_t i = 0; (key = sass_signature_key(i)); i++) {
		bool covered = sass_signature_covers(key, sm), local = strcmp(key, "no_local_memory") == 0;
		assert_non_null(mechanism_find(str_from(key)));
		if (covered)
			expect(&l, owner(&a, key, sm), key, SASS_SHOWN);
		expect(&l, local ? "has_local_memory" : PLAIN, key, covered ? SASS_NOT_SHOWN : SASS_NOT_APPLICABLE);
		expect(&l, local ? "has_local_memory" : "has_loop", key,
		       covered ? SASS_NOT_SHOWN : SASS_NOT_APPLICABLE);
		n_covered += covered;
	}
	for (size_t i = 0; i < COUNT_OF(also); i++)
		if (also[i].sm == sm)
			expect(&l, also[i].kernel, also[i].key, SASS_SHOWN);
	assert_true(n_covered > 30);
	arena_release(&a);
}

#define ARCH_TEST(name, arch, sm)                                                                                      \
	static void name(void **state)                                                                                 \
	{                                                                                                              \
		(void)state;                                                                                           \
		check_arch(arch, sm);                                                                                  \
	}
ARCH_TEST(signatures_80, "80", 80)
ARCH_TEST(signatures_86, "86", 86)
ARCH_TEST(signatures_89, "89", 89)
ARCH_TEST(signatures_90a, "90a", 90)
ARCH_TEST(signatures_100a, "100a", 100)
ARCH_TEST(signatures_120a, "120a", 120)

static const char nvdisasm_text[] =
	"\t.target\tsm_90a\n"
	"//--------------------- .text.UTMALDG_k   --------------------------\n"
	"\t.section\t.text.UTMALDG_k,\"ax\",@progbits\n"
	"        .global         UTMALDG_k\n"
	".text.UTMALDG_k:\n"
	"\t//## File \"/x/HGMMA.cu\", line 7 inlined at \"/x/b.cu\", line 9\n"
	"\t//## File \"/x/b.cu\", line 9\n"
	"        /*0000*/                   LDG.E.128.CONSTANT R4, desc[UR4][R2.64] ;\n"
	".L_x_0:\n"
	"        /*0010*/                   HFMA2.MMA R7, -RZ, RZ, 0, 1.1920928955078125e-07 ;\n"
	"        /*0020*/              @!P0 LDGSTS.E.BYPASS.128 [R3], desc[UR4][R8.64] ;\n"
	"\t//## File \"/x/b.cu\", line 11\n"
	"        /*0030*/                   HFMA2.MMA R7, R7, R2, R3 ;\n"
	"        /*0040*/              @UP1 ATOMG.E.ADD.64.STRONG.GPU PT, R2, desc[UR4][R2.64], R4 ;\n"
	"        /*0050*/               @P0 BRA `(.L_x_0) ;\n"
	"        /*0060*/                   NOP ;\n"
	"        /*0070*/                   STL.64 [R1], R4 ;\n"
	"        /*0080*/                   EXIT ;\n"
	".L_x_1:\n"
	"        /*0090*/                   BRA `(.L_x_1);\n"
	"        /*00a0*/                   NOP;\n"
	"        /*00b0*/                   NOP;\n"
	".L_x_2:\n"
	"\t.section\t.nv.constant0.UTMALDG_k,\"a\"\n"
	"        /*0000*/                   HGMMA.64x8x16.F32 R24, gdesc[UR8] ;\n";

static const struct sass_opcode *opcode(const struct sass_kernel *k, const char *name, unsigned flags)
{
	for (size_t i = 0; i < k->n_opcodes; i++)
		if (str_is(k->opcodes[i].name, name) && k->opcodes[i].flags == flags)
			return &k->opcodes[i];
	fail_msg("no %s", name);
	return NULL;
}

static void counts(void **state)
{
	(void)state;
	struct arena a;
	struct sass_listing l;
	arena_init(&a);
	read_listing(&l, &a, STR(nvdisasm_text));
	assert_int_equal(l.n_kernels, 1);
	const struct sass_kernel *k = &l.kernels[0];
	assert_true(str_is(k->name, "UTMALDG_k") && str_is(k->arch, "sm_90a") && k->sm == 90);
	assert_int_equal(k->n, 10);
	const struct sass_opcode *o = opcode(k, "LDG.E.128.CONSTANT", 0);
	assert_true(o->class_of == SASS_LOAD && o->space == SASS_GLOBAL && o->width == 16 && o->n == 1);
	assert_true(o->sites[0].pc == 0 && o->sites[0].line == 7 && str_is(l.files[o->sites[0].file], "/x/HGMMA.cu"));
	o = opcode(k, "LDGSTS.E.BYPASS.128", 0);
	assert_true(o->class_of == SASS_ASYNC && o->width == 16 && o->sites[0].pc == 0x20);
	o = opcode(k, "ATOMG.E.ADD.64.STRONG.GPU", 0);
	assert_true(o->class_of == SASS_ATOMIC && o->width == 8 && o->sites[0].line == 11);
	assert_int_equal(opcode(k, "HFMA2.MMA", SASS_AS_MOVE)->n, 1);
	assert_int_equal(opcode(k, "HFMA2.MMA", 0)->n, 1);
	assert_int_equal(opcode(k, "NOP", 0)->n, 1); /* the padding does not count */
	assert_int_equal(opcode(k, "NOP", 0)->sites[0].pc, 0x60);
	assert_int_equal(k->n_class[SASS_BRANCH], 2);
	assert_int_equal(k->n_local, 1);
	assert_int_equal(k->n_loops, 1);
	assert_true(k->loops[0].begin == 0x10 && k->loops[0].end == 0x50 && k->loops[0].line == 11);
	assert_int_equal(k->n_lines, 2);
	assert_true(k->lines[0].line == 11 && k->lines[0].n == 7 && k->lines[1].n == 3);
	/* a file, kernel and section name that say so prove nothing */
	expect(&l, "UTMALDG_k", "tma_load", SASS_NOT_SHOWN);
	expect(&l, "UTMALDG_k", "wgmma", SASS_NOT_SHOWN);
	expect(&l, "UTMALDG_k", "half2", SASS_SHOWN);
	expect(&l, "UTMALDG_k", "vectorized_float4_io", SASS_SHOWN);
	struct json *j = sass_json(&l, &a);
	assert_int_equal(json_i64(json_path(j, "kernels.0.by_class"), "async_copy", -1), 1);
	assert_int_equal(json_i64(json_path(j, "kernels.0"), "instructions", -1), 10);
	assert_true(json_path(sass_findings_json(&l, NULL, &a), "0.verdict") != NULL);
	arena_release(&a);
}

static void contradiction(void **state)
{
	(void)state;
	struct arena a;
	struct sass_listing l;
	struct sass_finding f;
	arena_init(&a);
	read_listing(&l, &a,
		     STR("\tcode for sm_90a\n\t\tFunction : scale\n"
			 "        /*0000*/                   LDG.E R4, desc[UR4][R2.64] ;    /* 0x0000000404047981 */\n"
			 "        /*0010*/                   STG.E desc[UR4][R2.64], R4 ;    /* 0x0000000404047981 */\n"
			 "        /*0020*/                   EXIT ;\n"
			 "\tcode for sm_45\n\t\tFunction : old\n"
			 "        /*0000*/                   LDG.E.128 R4, [R2] ;\n"));
	sass_judge(&f, &l, &l.kernels[0], STR("vectorized-float4-io"));
	assert_true(f.verdict == SASS_NOT_SHOWN && f.contradicts);
	sass_judge(&f, &l, &l.kernels[0], STR("distributed_smem"));
	assert_true(f.verdict == SASS_NOT_SHOWN && !f.contradicts && f.note);
	sass_judge(&f, &l, &l.kernels[0], STR("tcgen05"));
	assert_int_equal(f.verdict, SASS_NOT_APPLICABLE);
	sass_judge(&f, &l, &l.kernels[1], STR("vectorized_access")); /* an architecture that the table lacks */
	assert_int_equal(f.verdict, SASS_NOT_APPLICABLE);
	sass_judge(&f, &l, NULL, STR("memory.vectorized_access"));
	assert_true(f.verdict == SASS_NOT_SHOWN && f.contradicts);
	sass_judge(&f, &l, NULL, STR("loop_unroll"));
	assert_int_equal(f.verdict, SASS_NO_SIGNATURE);
	sass_judge(&f, &l, NULL, STR("made_up_tag"));
	assert_true(f.verdict == SASS_NO_SIGNATURE && !f.key);
	arena_release(&a);
}

static void broken(void **state)
{
	(void)state;
	static const char *const bad[] = {"", "hello\nworld\n", "\tcode for sm_90\n", "/*0000*/ MOV R1, R2 ;\n"};
	struct arena a;
	struct sass_listing l;
	struct err e;
	arena_init(&a);
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		e = (struct err){0};
		assert_false(sass_read(&l, &a, "bad", str_from(bad[i]), &e));
		assert_non_null(strstr(e.text, "no kernel"));
	}
	read_listing(&l, &a,
		     STR("\t\tFunction : k\n        /*0000*/\n        /*0010*/  ;\n        /*00\n        /*0020*/ @P0\n"
			 "        /*0030*/ lower R1 ;\n        /*fffffffff0*/ MOV R1 ;\n        /*0040*/ MOV R1, R2"));
	assert_int_equal(l.kernels[0].n, 1);
	assert_int_equal(l.n_unread, 4);
	assert_true(sass_is_listing(STR(nvdisasm_text)));
	assert_false(sass_is_listing(STR("Function : k")));
	arena_release(&a);
}

static void mechanisms(void **state)
{
	(void)state;
	const char *alias, *key;
	for (size_t i = 0; mechanism_at(i); i++) {
		assert_ptr_equal(mechanism_find(str_from(mechanism_at(i)->key)), mechanism_at(i));
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(mechanism_at(i)->key, mechanism_at(j)->key);
	}
	for (size_t i = 0; mechanism_alias(i, &alias, &key); i++) {
		assert_non_null(mechanism_find(str_from(alias)));
		assert_string_equal(mechanism_find(str_from(alias))->key, key);
		assert_null(strpbrk(alias, "ABCDEFGHIJKLMNOPQRSTUVWXYZ -."));
	}
	assert_string_equal(mechanism_find(STR("Double-Buffering"))->key, "multi_stage_pipeline");
	assert_string_equal(mechanism_find(STR("latency.pdl_overlap"))->key, "pdl_overlap");
	assert_null(mechanism_find(STR("memory.pdl_overlap")));
	assert_null(mechanism_find(STR("")));
}

/* Counts of the fixture listings against a plain second reading of the text. */
static void fixtures(void **state)
{
	(void)state;
	static const char *const names[] = {"multi_sm80.sass", "multi_sm90a.sass", "multi_sm120.sass",
					    "multi_sm90a.nvdisasm"};
	struct arena a;
	const char *dir = getenv("ASSAY_FIXTURES") ? getenv("ASSAY_FIXTURES") : "../shared/fixtures";
	arena_init(&a);
	if (!file_is_dir(arena_printf(&a, "%s/compiler", dir))) {
		arena_release(&a);
		skip();
	}
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct sass_listing l;
		uint64_t n = 0, n_ldg = 0, n_rows = 0, n_pads = 0;
		struct str text = gz_read(&a, arena_printf(&a, "%s/compiler/%s.txt.gz", dir, names[i])), line;
		read_listing(&l, &a, text);
		assert_int_equal(l.n_kernels, 8);
		assert_int_equal(l.n_unread, 0);
		for (size_t k = 0; k < l.n_kernels; k++) {
			n += l.kernels[k].n;
			for (size_t o = 0; o < l.kernels[k].n_opcodes; o++) {
				if (str_starts(l.kernels[k].opcodes[o].name, "LDG."))
					n_ldg += l.kernels[k].opcodes[o].n;
				else if (str_is(l.kernels[k].opcodes[o].name, "NOP"))
					n -= l.kernels[k].opcodes[o].n;
			}
		}
		while (str_split(&text, '\n', &line)) {
			line = str_trim(line);
			bool row = str_starts(line, "/*") && line.n > 8 && line.p[2] != ' ';
			n_rows += row;
			n_pads += row && str_find(line, STR(" NOP")) != SIZE_MAX;
			n_ldg -= row && str_find(line, STR(" LDG.")) != SIZE_MAX;
		}
		assert_int_equal(n_ldg, 0);
		assert_int_equal(n, n_rows - n_pads);
		assert_int_equal(sass_find(&l, STR("_Z8fma_loopPfi"), (struct str){0})->n_loops > 0, 1);
		expect(&l, "_Z5copy4PK6float4PS_m", "vectorized_access", SASS_SHOWN);
		expect(&l, "_Z9wmma_gemmPK6__halfS1_Pfi", "wmma", SASS_SHOWN);
		expect(&l, "_Z5spillPf", "no_local_memory", SASS_NOT_SHOWN);
		expect(&l, "_Z14transpose_smemPKfPfi", "tiling_smem", SASS_SHOWN);
		expect(&l, "_Z7stridedPKfPfmi", "tiling_smem", SASS_NOT_SHOWN);
	}
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),          cmocka_unit_test(contradiction),  cmocka_unit_test(broken),
		cmocka_unit_test(mechanisms),      cmocka_unit_test(signatures_80),  cmocka_unit_test(signatures_86),
		cmocka_unit_test(signatures_89),   cmocka_unit_test(signatures_90a), cmocka_unit_test(signatures_100a),
		cmocka_unit_test(signatures_120a), cmocka_unit_test(fixtures),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
