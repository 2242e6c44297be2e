/* Two builds: what changed in resources, opcodes and mechanisms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "read/sass/diff.h"

static void listing(struct sass_listing *l, struct arena *a, const char *text)
{
	struct err e;
	if (!sass_read(l, a, "listing", str_from(text), &e))
		fail_msg("%s", e.text);
}

#define ROW(pc, text) "        /*" pc "*/                   " text " ;\n"

static void sass(void **state)
{
	(void)state;
	struct arena a;
	struct sass_listing x, y;
	struct diff d;
	arena_init(&a);
	listing(&x, &a,
		"\tcode for sm_90\n\t\tFunction : k\n" ROW("0000", "LDG.E R1, desc[UR4][R2.64]")
			ROW("0010", "LDG.E R1, desc[UR4][R2.64]") ROW("0020", "STL [R1], R2")
				ROW("0030", "EXIT") "\t\tFunction : same\n" ROW(
					"0000", "EXIT") "\t\tFunction : gone\n" ROW("0000", "EXIT"));
	listing(&y, &a,
		"\tcode for sm_90a\n\t\tFunction : k\n" ROW("0000", "LDG.E.128 R1, desc[UR4][R2.64]")
			ROW("0010", "EXIT") "\t\tFunction : same\n" ROW("0000", "EXIT") "\t\tFunction : new\n" ROW(
				"0000", "REDUX.SUM UR4, R2"));
	diff_sass(&d, &a, &x, &y);
	assert_true(d.n == 4 && d.n_same == 1);
	const struct diff_kernel *k = &d.v[0];
	assert_true(str_is(k->name, "k") && k->state == DIFF_CHANGED && k->n_before == 4 && k->n_after == 2);
	assert_int_equal(k->n_counts, 3);
	assert_true(str_is(k->counts[0].name, "LDG.E") && k->counts[0].before == 2 && k->counts[0].after == 0);
	assert_true(k->n_gained == 2 && k->n_lost == 0); /* no local memory any more, wide loads */
	assert_string_equal(k->gained[0], "vectorized_access");
	assert_string_equal(k->gained[1], "no_local_memory");
	assert_true(d.v[1].state == DIFF_SAME && d.v[2].state == DIFF_REMOVED && d.v[3].state == DIFF_ADDED);
	struct json *j = diff_json(&d, &a);
	assert_true(str_is(json_str(json_path(j, "kernels.3"), "state", STR("")), "added"));
	arena_release(&a);
}

static void binaries(void **state)
{
	(void)state;
	struct arena a;
	struct err e;
	struct str s[2];
	struct elf_file f[2];
	struct diff d;
	arena_init(&a);
	assert_true(file_read(&a, &s[0], "tests/data/elf/tiny_sm80.cubin", 1 << 20, &e));
	assert_true(file_read(&a, &s[1], "tests/data/elf/tiny_lz4.fatbin", 1 << 20, &e));
	for (size_t i = 0; i < 2; i++)
		assert_true(elf_read(&f[i], &a, "f", s[i], &e));
	diff_elf(&d, &a, &f[0], &f[1]); /* the same cubin in a container; its PTX does not count */
	assert_true(d.n == 2 && d.n_same == 2);
	f[1].images[0].kernels[0].r.v[RESOURCE_REGISTERS] += 8;
	diff_elf(&d, &a, &f[0], &f[1]);
	assert_true(d.n_same == 1 && d.v[0].n_counts == 1 && str_is(d.v[0].counts[0].name, "registers"));
	assert_true(d.v[0].counts[0].after == d.v[0].counts[0].before + 8 && str_is(d.v[0].arch, "sm_80"));
	assert_true(file_read(&a, &s[1], "tests/data/elf/tiny_sm90a.cubin", 1 << 20, &e));
	assert_true(elf_read(&f[1], &a, "f", s[1], &e));
	diff_elf(&d, &a, &f[0], &f[1]);
	assert_true(d.n == 4 && d.v[0].state == DIFF_REMOVED && d.v[3].state == DIFF_ADDED);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sass),
		cmocka_unit_test(binaries),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
