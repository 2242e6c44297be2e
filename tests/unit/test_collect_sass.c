/* Machine code of a version: only of the binary that ran, only of the kernels that it launched; what the tool lacks or
 * prints instead is a reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/scratch.h"
#include "collect/sass.h"

static struct arena a;
static struct scratch folder;
static struct err e;
static char digest[SHA256_HEX];

static const char *path(const char *name)
{
	return path_join(&a, folder.path, name);
}

/* A tool that prints its version and then BODY. */
static const char *tool(const char *body)
{
	const char *text = arena_printf(
		&a, "#!/bin/sh\nif [ $1 = --version ]; then echo 'tools, release 13.0, V13.0.85'; else\n%s\nfi\n",
		body);
	static int n;
	const char *to = path(arena_printf(&a, "tool%d", n++));
	assert_true(file_write_str(to, str_from(text), &e));
	assert_int_equal(chmod(to, 0700), 0);
	return to;
}

static void collect(struct sass_collected *out, const char *cuobjdump, const char *sha256, const char *const *kernels)
{
	struct sass_collect o = {path("binary"), sha256, cuobjdump, kernels};
	if (!sass_collect(out, &a, &o, &e))
		fail_msg("%s", e.text);
}

static const char listing[] = "printf '\\tcode for sm_90\\n\\t\\tFunction : one\\n /*0000*/ EXIT ;\\n"
			      "\\t\\tFunction : two\\n /*0000*/ EXIT ;\\n'";

static void launched(void **state)
{
	(void)state;
	const char *const two[] = {"two", "not_there", NULL}, *const none[] = {"three", NULL};
	struct sass_collected c;
	collect(&c, tool(listing), digest, NULL);
	assert_null(c.reason);
	assert_int_equal(c.listing.n_kernels, 2);
	collect(&c, tool(listing), digest, two);
	assert_null(c.reason);
	assert_int_equal(c.listing.n_kernels, 1);
	assert_true(str_is(c.listing.kernels[0].name, "two"));
	assert_string_equal(c.listing.binary_sha256, digest);
	assert_non_null(strstr(c.version, "13.0"));
	collect(&c, tool(listing), digest, none);
	assert_string_equal(c.reason, "the binary holds none of the kernels that were launched");
}

static void another_binary(void **state)
{
	(void)state;
	char other[SHA256_HEX];
	struct sass_collected c;
	memcpy(other, digest, sizeof(other));
	other[0] = other[0] == '0' ? '1' : '0';
	collect(&c, tool(listing), other, NULL);
	assert_non_null(strstr(c.reason, "is not the binary that ran"));
	struct sass_collect gone = {path("gone"), digest, NULL, NULL};
	assert_false(sass_collect(&c, &a, &gone, &e));
}

static void bad_tools(void **state)
{
	(void)state;
	const struct {
		const char *body, *says;
	} rows[] = {
		{"echo 'cuobjdump fatal : bad' >&2; exit 3", "exit 3: cuobjdump fatal : bad"},
		{"kill -SEGV $$", "signal 11"},
		{"echo hello", "no kernel in this listing"},
		{":", "no kernel in this listing"},
	};
	struct sass_collected c;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		collect(&c, tool(rows[i].body), digest, NULL);
		if (!c.reason || !strstr(c.reason, rows[i].says))
			fail_msg("%s: %s", rows[i].body, c.reason ? c.reason : "no reason");
	}
	collect(&c, "/nonexistent/cuobjdump", digest, NULL);
	assert_string_equal(c.reason, "cuobjdump was not found");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launched),
		cmocka_unit_test(another_binary),
		cmocka_unit_test(bad_tools),
	};
	arena_init(&a);
	if (!scratch_make(&folder, &a, "sass", &e) || !file_write_str(path("binary"), STR("ELF"), &e) ||
	    !sha256_file(path("binary"), digest, &e))
		return 1;
	setenv("ASSAY_CACHE_DIR", path("cache"), 1);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	scratch_remove(&folder);
	arena_release(&a);
	return failed;
}
