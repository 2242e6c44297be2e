/* Binaries: cubins of three architectures, fatbins with every storage, host objects, and what is broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zstd.h>

#include "base/file.h"
#include "read/elf/elf.h"
#include "read/elf/internal.h"
#include "read/ncu/ncu.h"

struct fix {
	struct arena a;
	struct file_map m;
	struct elf_file f;
	struct err e;
};

static struct str bytes_of(const struct fix *f)
{
	return (struct str){f->m.p, f->m.n};
}

static void open_file(struct fix *f, const char *path)
{
	arena_init(&f->a);
	if (!file_map(&f->m, path, &f->e) || !elf_read(&f->f, &f->a, path, bytes_of(f), &f->e))
		fail_msg("%s", f->e.text);
}

static void close_file(struct fix *f)
{
	file_unmap(&f->m);
	arena_release(&f->a);
}

static uint64_t value(const struct elf_kernel *k, enum resource r)
{
	assert_non_null(k);
	if (!resources_has(&k->r, r))
		fail_msg("%s is not set", resource_name(r));
	return k->r.v[r];
}

static void cubin(void **state)
{
	(void)state;
	struct fix f;
	open_file(&f, "tests/data/elf/tiny_sm80.cubin");
	assert_int_equal(f.f.content, ELF_CONTENT_CUBIN);
	assert_int_equal(f.f.n_images, 1);
	const struct elf_image *i = &f.f.images[0];
	assert_true(str_is(i->arch, "sm_80"));
	assert_int_equal(i->flags, 0);
	assert_int_equal(i->toolkit, 130);
	assert_true(str_is(i->tool, "ptxas, Cuda compilation tools, release 13.0, V13.0.88"));
	assert_true(str_is(i->tool_arguments, "-arch sm_80 -m 64"));
	assert_int_equal(i->global_bytes, 12);
	assert_int_equal(i->constant_bytes, 16 + 8);
	assert_int_equal(i->n_kernels, 2);
	assert_string_equal(i->sha256, f.f.sha256);
	const struct elf_kernel *k = elf_find_kernel(&f.f, STR("scale"), STR("sm_80"));
	assert_true(k->is_entry);
	assert_int_equal(value(k, RESOURCE_REGISTERS), 16);
	assert_int_equal(value(k, RESOURCE_STACK), 32);
	assert_int_equal(value(k, RESOURCE_STACK_TOTAL), 32);
	assert_int_equal(value(k, RESOURCE_SHARED), 48);
	assert_int_equal(value(k, RESOURCE_SHARED_SECTION), 48);
	assert_int_equal(value(k, RESOURCE_LOCAL), 0);
	assert_int_equal(value(k, RESOURCE_BARRIERS), 1);
	assert_int_equal(value(k, RESOURCE_CONST0), 364);
	assert_int_equal(value(k, RESOURCE_PARAMETERS), 12);
	assert_int_equal(value(k, RESOURCE_MAX_THREADS), 256);
	k = elf_find_kernel(&f.f, STR("_Z5plainPd"), (struct str){0});
	assert_int_equal(value(k, RESOURCE_REGISTERS), 8);
	assert_int_equal(value(k, RESOURCE_SHARED), 0);
	assert_int_equal(value(k, RESOURCE_BARRIERS), 0);
	assert_false(resources_has(&k->r, RESOURCE_MAX_THREADS));
	assert_null(elf_find_kernel(&f.f, STR("scale"), STR("sm_90")));
	close_file(&f);
}

static void cubin_sm90a(void **state)
{
	(void)state;
	struct fix f;
	open_file(&f, "tests/data/elf/tiny_sm90a.cubin");
	assert_true(str_is(f.f.images[0].arch, "sm_90a"));
	assert_int_equal(f.f.images[0].flags, ELF_LINE_TABLE);
	const struct elf_kernel *k = elf_find_kernel(&f.f, STR("scale"), STR("sm_90a"));
	assert_int_equal(value(k, RESOURCE_SHARED), 48);
	assert_int_equal(value(k, RESOURCE_SHARED_SECTION), 1072);
	close_file(&f);
}

static void cubin_relocatable(void **state)
{
	(void)state;
	struct fix f;
	open_file(&f, "tests/data/elf/tiny_rdc_sm120a.cubin");
	assert_true(str_is(f.f.images[0].arch, "sm_120a"));
	assert_int_equal(f.f.images[0].flags, ELF_RELOCATABLE);
	assert_int_equal(f.f.images[0].n_kernels, 3);
	const struct elf_kernel *k = elf_find_kernel(&f.f, STR("_Z5twistfi"), (struct str){0});
	assert_false(k->is_entry);
	assert_true(value(k, RESOURCE_STACK) > 0);
	k = elf_find_kernel(&f.f, STR("scale"), (struct str){0});
	assert_true(k->is_entry);
	assert_int_equal(value(k, RESOURCE_SHARED), 48);
	assert_false(resources_has(&k->r, RESOURCE_STACK_TOTAL));
	close_file(&f);
}

static void fatbin_of_nvcc(void **state)
{
	(void)state;
	struct fix f;
	open_file(&f, "tests/data/elf/tiny_zstd.fatbin");
	assert_int_equal(f.f.n_images, 2);
	assert_true(str_is(f.f.images[0].compression, "zstd"));
	assert_int_equal(f.f.images[0].bytes, 6920);
	assert_true(str_is(f.f.images[0].arch, "sm_90a"));
	assert_true(str_is(f.f.images[1].arch, "compute_90a"));
	assert_true(str_is(f.f.images[1].ptx_target, "sm_90a"));
	assert_true(str_is(f.f.images[1].ptx_version, "9.0"));
	assert_int_equal(value(elf_find_kernel(&f.f, STR("scale"), STR("sm_90a")), RESOURCE_REGISTERS), 16);
	const struct elf_kernel *k = elf_find_kernel(&f.f, STR("scale"), STR("compute_90a"));
	assert_int_equal(value(k, RESOURCE_MAX_THREADS), 256);
	assert_int_equal(value(k, RESOURCE_MIN_BLOCKS), 2);
	assert_false(resources_has(&k->r, RESOURCE_REGISTERS));
	close_file(&f);
	open_file(&f, "tests/data/elf/tiny_lz4.fatbin");
	assert_int_equal(f.f.n_images, 2);
	assert_true(str_is(f.f.images[0].compression, "none"));
	assert_true(str_is(f.f.images[1].compression, "lz4"));
	assert_int_equal(f.f.images[1].bytes, 2525); /* less the terminator */
	assert_int_equal(f.f.images[1].problem.n, 0);
	assert_int_equal(f.f.images[1].n_kernels, 2);
	/* the cubin inside is the one that nvcc -cubin wrote */
	struct fix g;
	open_file(&g, "tests/data/elf/tiny_sm80.cubin");
	assert_string_equal(f.f.images[0].sha256, g.f.sha256);
	close_file(&g);
	struct json *j = elf_json(&f.f, &f.a);
	assert_true(str_is(json_str(json_path(j, "images.1"), "arch", STR("")), "compute_80"));
	assert_int_equal(json_i64(json_path(j, "images.0.kernels.1.resources"), "registers", -1) +
				 json_i64(json_path(j, "images.0.kernels.0.resources"), "registers", -1),
			 24);
	close_file(&f);
}

static void put(struct buf *b, uint64_t v, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		buf_char(b, (char)(v >> 8 * i));
}

static void put_entry(struct buf *b, unsigned kind, struct str payload, uint64_t flags, uint64_t raw)
{
	size_t padded = (payload.n + 7) & ~(size_t)7;
	put(b, kind | 0x0101u << 16, 4);
	put(b, 64, 4);
	put(b, padded, 8);
	put(b, raw ? payload.n : 0, 4);
	put(b, 0, 4);
	put(b, 0x00010008, 4);
	put(b, 90, 4);
	put(b, 0, 8);
	put(b, flags, 8);
	put(b, 0, 8);
	put(b, raw, 8);
	buf_str(b, payload);
	buf_repeat(b, 0, padded - payload.n);
}

static void put_container(struct buf *b, const struct buf *entries)
{
	put(b, 0xba55ed50, 4);
	put(b, 0x00100001, 4);
	put(b, entries->n, 8);
	buf_str(b, buf_view(entries));
}

static const char ptx[] = "// .version 1.0 .entry comment\n.version 8.5\n.target sm_90a, debug\n.address_size 64\n"
			  "/* .entry hidden() */ .visible .entry _Z1kPf(\n.param .u64 p)\n.maxntid 128, 2, 1\n"
			  ".minnctapersm 3\n{ .loc 1 2 3\n // HGMMA .entry no\n ret; }\n"
			  ".file 1 \"x .entry quoted(\"\n.func (.reg .b32 r) helper() { ret; }\n";

/* Nine entries of every kind of storage and fault, and a second container. */
static void put_storages(struct buf *b)
{
	struct buf entries, literal;
	char packed[4096];
	size_t n = ZSTD_compress(packed, sizeof packed, ptx, sizeof ptx - 1, 3), left = sizeof ptx - 1 - 15;
	buf_init(&entries);
	buf_init(&literal);
	put(&literal, 0xf0, 1); /* literals only: 15, then bytes of 255 */
	for (; left >= 255; left -= 255)
		put(&literal, 255, 1);
	put(&literal, left, 1);
	buf_puts(&literal, ptx);
	put_entry(&entries, 1, STR(ptx), 0x11, 0);
	put_entry(&entries, 1, (struct str){packed, n}, 0x108011, sizeof ptx - 1);
	put_entry(&entries, 1, buf_view(&literal), 0x202011, sizeof ptx - 1);
	put_entry(&entries, 1, STR("xxxxxxxx"), 0x40000011, 100);                   /* a scheme to come */
	put_entry(&entries, 1, STR("(\xb5/\xfd garbage"), 0x8011, 100);             /* damaged */
	put_entry(&entries, 1, (struct str){packed, n}, 0x8011, (uint64_t)1 << 60); /* absurd claim */
	put_entry(&entries, 8, STR("lto code"), 0x18011, 100);
	put_entry(&entries, 77, STR("12345678"), 0x11, 0);
	put_entry(&entries, 2, STR("no ELF at all"), 0x11, 0);
	put_container(b, &entries);
	buf_repeat(b, 0, 8);
	buf_clear(&entries);
	put_entry(&entries, 1, STR(ptx), 0x11, 0);
	put_container(b, &entries);
	buf_release(&entries);
	buf_release(&literal);
}

static void check_ptx(const struct elf_image *image, const char *arch, struct str file)
{
	struct err e;
	struct buf back;
	assert_int_equal(image->problem.n, 0);
	assert_true(str_is(image->ptx_version, "8.5"));
	assert_true(str_is(image->ptx_target, "sm_90a"));
	assert_true(str_is(image->arch, arch));
	assert_int_equal(image->n_kernels, 1);
	assert_true(str_is(image->kernels[0].name, "_Z1kPf"));
	assert_int_equal(value(&image->kernels[0], RESOURCE_MAX_THREADS), 256);
	assert_int_equal(value(&image->kernels[0], RESOURCE_MIN_BLOCKS), 3);
	assert_true(image->flags & ELF_LINE_TABLE);
	buf_init(&back);
	assert_true(elf_image_bytes(&back, image, file, &e));
	assert_memory_equal(back.p, ptx, sizeof ptx - 1);
	buf_release(&back);
}

static void storages(void **state)
{
	(void)state;
	struct buf b;
	struct fix f;
	buf_init(&b);
	put_storages(&b);
	arena_init(&f.a);
	if (!elf_read(&f.f, &f.a, "x.fatbin", buf_view(&b), &f.e))
		fail_msg("%s", f.e.text);
	assert_int_equal(f.f.n_images, 10);
	for (size_t i = 0; i < 3; i++)
		check_ptx(&f.f.images[i], i == 2 ? "compute_90f" : "compute_90a", buf_view(&b));
	assert_true(str_find(f.f.images[3].problem, STR("scheme not known: unknown (flags 0x40000011)")) != SIZE_MAX);
	assert_true(str_find(f.f.images[4].problem, STR("zstd data are damaged")) != SIZE_MAX);
	assert_true(str_find(f.f.images[5].problem, STR("claims")) != SIZE_MAX);
	assert_int_equal(f.f.images[6].kind, ELF_IMAGE_LTO);
	assert_true(str_is(f.f.images[6].arch, "lto_90"));
	assert_true(str_is(f.f.images[7].problem, "kind 77 of fatbin entry is not known"));
	assert_true(str_find(f.f.images[8].problem, STR("ELF")) != SIZE_MAX);
	assert_int_equal(f.f.images[9].n_kernels, 1);
	assert_int_equal(f.f.problem.n, 0);
	arena_release(&f.a);
	buf_release(&b);
}

static void lz4(void **state)
{
	(void)state;
	struct buf b;
	buf_init(&b);
	/* token 0x48 ('H'): 4 literals and a match of 8 + 4 at offset 4; token 0x20 (' '): the last two literals */
	assert_true(lz4_block(&b, STR("Habcd\4\0 xy"), 18));
	assert_string_equal(b.p, "abcdabcdabcdabcdxy");
	buf_clear(&b);
	static const struct {
		const char *in;
		size_t n, bytes;
	} bad[] = {
		{"Habcd\4\0 xy", 10, 17}, /* longer than claimed */
		{"Habcd\4\0 xy", 10, 19}, /* shorter */
		{"Habcd\5\0 xy", 10, 18}, /* a match before the start */
		{"Habcd\0\0 xy", 10, 18}, /* offset 0 */
		{"Habcd\4", 6, 18},       /* cut offset */
		{"\xf0\xff\xff", 3, 18},  /* cut length */
		{"@ab", 3, 4},            /* cut literals */
		{"", 0, 4},
	};
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		assert_false(lz4_block(&b, (struct str){bad[i].in, bad[i].n}, bad[i].bytes));
		buf_clear(&b);
	}
	buf_release(&b);
}

/* Every cut of every container gives whole images and a stated loss, or one error. */
static void cuts(void **state)
{
	(void)state;
	static const char *const paths[] = {"tests/data/elf/tiny_sm90a.cubin", "tests/data/elf/tiny_zstd.fatbin",
					    "tests/data/elf/tiny_lz4.fatbin"};
	for (size_t p = 0; p < COUNT_OF(paths); p++) {
		struct fix f;
		open_file(&f, paths[p]);
		size_t n_ok = 0, n_part = 0;
		for (size_t n = 0; n < f.m.n; n += n < 200 ? 1 : 13) {
			struct arena a;
			struct elf_file cut;
			struct err e = {0};
			arena_init(&a);
			char *copy = malloc(n + 1);
			memcpy(copy, f.m.p, n);
			if (elf_read(&cut, &a, "cut", (struct str){copy, n}, &e)) {
				n_ok++;
				n_part += cut.problem.n != 0;
			} else {
				assert_int_not_equal(e.code, ERR_NONE);
				assert_null(strchr(e.text, '\n'));
			}
			free(copy);
			arena_release(&a);
		}
		if (p == 0)
			assert_int_equal(n_ok, 0); /* the section table stands at the end */
		else
			assert_true(n_ok > 0 && n_part == n_ok);
		close_file(&f);
	}
}

static void refused(void **state)
{
	(void)state;
	static const struct {
		struct str bytes;
		const char *why;
	} bad[] = {
		{{"", 0}, "empty"},
		{{"hello", 5}, "neither an ELF file nor a fatbin nor PTX"},
		{{"\x50\xed\x55\xba", 4}, "cut inside its header"},
		{{"\x50\xed\x55\xba\x01\x00\x10\x00\0\0\0\0\0\0\0\0", 16}, "without an entry"},
		{{"\x50\xed\x55\xba\x01\x00\x10\x00\xff\0\0\0\0\0\0\0", 16}, "255 bytes are missing"},
		{{"\177ELF", 4}, "cut inside its header"},
		{{"// c\n.version 8.5\n", 18}, "PTX without .version or .target"},
	};
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct fix f;
		arena_init(&f.a);
		f.e = (struct err){0};
		if (elf_read(&f.f, &f.a, "bad", bad[i].bytes, &f.e) || !strstr(f.e.text, bad[i].why))
			fail_msg("%zu: %s", i, f.e.text);
		arena_release(&f.a);
	}
}

/* exported by -rdynamic */
__attribute__((visibility("default"), used)) void test_elf_solve(void)
{
}

static void host(void **state)
{
	(void)state;
	struct fix f;
	struct str mangled;
	open_file(&f, "/proc/self/exe");
	assert_int_equal(f.f.content, ELF_CONTENT_HOST);
	bool libc = false;
	for (size_t i = 0; i < f.f.n_needed; i++)
		libc |= str_starts(f.f.needed[i], "libc.so");
	assert_true(libc);
	assert_true(elf_find_entry(&f.a, "/proc/self/exe", "test_elf_solve", &mangled, &f.e));
	assert_true(str_is(mangled, "test_elf_solve"));
	assert_false(elf_find_entry(&f.a, "/proc/self/exe", "no_such_entry", &mangled, &f.e));
	assert_non_null(strstr(f.e.text, "no exported function no_such_entry"));
	assert_false(elf_find_entry(&f.a, "tests/data/elf/tiny.cu", "x", &mangled, &f.e));
	close_file(&f);
}

static void entries(void **state)
{
	(void)state;
	struct err e;
	struct str out;
	const struct str names[] = {STR("_Z5solvePKfPfi"), STR("_Z6solve2v"),    STR("_ZN1a5solveEv"),
				    STR("_Z5solve"),       STR("_ZN5solve1fEv"), STR("run"),
				    STR("_Z3runi"),        STR("_Z3twof"),       STR("_Z3twoi")};
	assert_true(elf_entry_among(names, COUNT_OF(names), "solve", &out, &e));
	assert_true(str_is(out, "_Z5solvePKfPfi"));
	assert_true(elf_entry_among(names, COUNT_OF(names), "run", &out, &e));
	assert_true(str_is(out, "run"));
	assert_false(elf_entry_among(names, COUNT_OF(names), "two", &out, &e));
	assert_non_null(strstr(e.text, "_Z3twof, _Z3twoi"));
	assert_false(elf_entry_among(names, 0, "two", &out, &e));
	assert_non_null(strstr(e.text, "none"));
}

static const char *fixtures_dir(void)
{
	return getenv("ASSAY_FIXTURES") ? getenv("ASSAY_FIXTURES") : "../shared/fixtures";
}

/* the numbers of `cuobjdump -res-usage` */
static void check_listing(struct fix *f, struct str listing)
{
	struct str line;
	const struct elf_kernel *k = NULL;
	size_t n = 0;
	while (str_split(&listing, '\n', &line)) {
		line = str_trim(line);
		if (str_starts(line, "Function ")) {
			k = elf_find_kernel(&f->f, str_sub(line, 9, line.n - 10), (struct str){0});
			assert_non_null(k);
			n++;
		} else if (str_starts(line, "REG:")) {
			char text[256];
			unsigned long long reg, stack, shared, local, c0;
			snprintf(text, sizeof text, "%.*s", STR_ARG(line));
			assert_int_equal(sscanf(text, "REG:%llu STACK:%llu SHARED:%llu LOCAL:%llu CONSTANT[0]:%llu",
						&reg, &stack, &shared, &local, &c0),
					 5);
			assert_int_equal(value(k, RESOURCE_REGISTERS), reg);
			assert_int_equal(value(k, RESOURCE_STACK_TOTAL), stack);
			assert_int_equal(value(k, RESOURCE_LOCAL), local);
			assert_int_equal(value(k, RESOURCE_CONST0), c0);
			if (shared)
				assert_int_equal(value(k, RESOURCE_SHARED_SECTION), shared);
			else
				assert_int_equal(value(k, RESOURCE_SHARED), 0);
		}
	}
	assert_int_equal(n, f->f.images[0].n_kernels);
}

static void fixtures(void **state)
{
	(void)state;
	static const char *const archs[] = {"80", "90a", "120"};
	struct arena a;
	arena_init(&a);
	if (!file_is_dir(arena_printf(&a, "%s/compiler", fixtures_dir()))) {
		arena_release(&a);
		skip();
	}
	for (size_t i = 0; i < COUNT_OF(archs); i++) {
		struct fix f;
		struct str listing;
		open_file(&f, arena_printf(&a, "%s/compiler/multi_sm%s.cubin", fixtures_dir(), archs[i]));
		assert_true(file_read(&a, &listing,
				      arena_printf(&a, "%s/compiler/multi_sm%s.res.txt", fixtures_dir(), archs[i]),
				      1 << 20, &f.e));
		check_listing(&f, listing);
		assert_true(str_is(f.f.images[0].arch, arena_printf(&a, "sm_%s", archs[i])));
		close_file(&f);
	}
	struct fix f;
	open_file(&f, arena_printf(&a, "%s/compiler/multi.ptx", fixtures_dir()));
	assert_int_equal(f.f.content, ELF_CONTENT_PTX);
	assert_int_equal(f.f.images[0].n_kernels, 8);
	close_file(&f);
	arena_release(&a);
}

/* Cubins inside Nsight Compute reports of 2020 to 2025: registers and shared memory as the profiler measured them. */
static size_t check_report(const char *path, const char *name)
{
	struct ncu_report r;
	struct err e;
	size_t n = 0;
	struct arena a;
	arena_init(&a);
	if (!ncu_open(&r, path, &e))
		fail_msg("%s", e.text);
	for (size_t i = 0; i < r.n_sources; i++) {
		struct elf_file f;
		if (!r.sources[i].cubin.n)
			continue;
		if (!elf_read(&f, &a, name, r.sources[i].cubin, &e))
			fail_msg("%s", e.text);
		for (size_t k = 0; k < r.n_results; k++) {
			const struct ncu_result *res = &r.results[k];
			const struct elf_kernel *kernel = elf_find_kernel(&f, res->mangled, (struct str){0});
			const struct ncu_metric *regs = ncu_metric(&r, res, "launch__registers_per_thread");
			const struct ncu_metric *shared = ncu_metric(&r, res, "launch__shared_mem_per_block_static");
			double v;
			if (!kernel || !kernel->is_entry || res->kind != NCU_KERNEL)
				continue;
			n++;
			/* ncu counts what is allocated: units of 8, at least 16 */
			uint64_t own = value(kernel, RESOURCE_REGISTERS), allocated = own < 16 ? 16 : (own + 7) / 8 * 8;
			if (regs && ncu_number(regs, &v) && own != (uint64_t)v && allocated != (uint64_t)v)
				fail_msg("%s: %.*s has %llu registers, profiler says %g", name, STR_ARG(res->mangled),
					 (unsigned long long)own, v);
			if (shared && ncu_number(shared, &v) && value(kernel, RESOURCE_SHARED) != (uint64_t)v)
				fail_msg("%s: %.*s has %llu bytes shared, profiler says %g", name,
					 STR_ARG(res->mangled), (unsigned long long)value(kernel, RESOURCE_SHARED), v);
		}
	}
	ncu_release(&r);
	arena_release(&a);
	return n;
}

static void profiler_agrees(void **state)
{
	(void)state;
	static const char *const folders[] = {"ncu", "ncu/public"};
	struct arena a;
	struct err e;
	size_t n = 0;
	arena_init(&a);
	for (size_t i = 0; i < COUNT_OF(folders); i++) {
		size_t n_names;
		const char *folder = arena_printf(&a, "%s/%s", fixtures_dir(), folders[i]);
		char **names = file_is_dir(folder) ? file_list(&a, folder, &n_names, &e) : NULL;
		for (size_t k = 0; names && names[k]; k++)
			if (str_ends(str_from(names[k]), ".ncu-rep"))
				n += check_report(path_join(&a, folder, names[k]), names[k]);
	}
	arena_release(&a);
	if (!n)
		skip();
	print_message("%zu launches agree\n", n);
	assert_true(n > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cubin),          cmocka_unit_test(cubin_sm90a), cmocka_unit_test(cubin_relocatable),
		cmocka_unit_test(fatbin_of_nvcc), cmocka_unit_test(storages),    cmocka_unit_test(lz4),
		cmocka_unit_test(cuts),           cmocka_unit_test(refused),     cmocka_unit_test(host),
		cmocka_unit_test(entries),        cmocka_unit_test(fixtures),    cmocka_unit_test(profiler_agrees),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
