/* Unit tests of build/tool: finding tools, asking their version once, deadlines and failures.
 * In: scripts made here, on a PATH made here.
 * Out: cmocka's report.
 * Never: asks a real tool. */
#include "build/tool.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"

struct kit {
	struct arena a;
	char *folder, *bin;
};

static int begin(void **state)
{
	struct kit *k = calloc(1, sizeof(*k));
	char template[] = "/tmp/test_tool.XXXXXX";
	struct err e;
	arena_init(&k->a);
	k->folder = arena_strdup(&k->a, mkdtemp(template));
	k->bin = path_join(&k->a, k->folder, "bin");
	setenv("ASSAY_CACHE_DIR", path_join(&k->a, k->folder, "cache"), 1);
	setenv("PATH", arena_printf(&k->a, "%s:/usr/bin:/bin", k->bin), 1);
	static const char *const steering[] = {"CUDA_HOME",    "CUDA_PATH",    "CUDA_ROOT",  "CUTLASS_INCLUDE_DIR",
					       "CUTLASS_PATH", "CUTLASS_HOME", "CUTLASS_DIR"};
	for (size_t i = 0; i < COUNT_OF(steering); i++)
		unsetenv(steering[i]);
	*state = k;
	return file_mkdirs(k->bin, 0755, &e) ? 0 : -1;
}

static int end(void **state)
{
	struct kit *k = *state;
	struct err e;
	int rc = file_remove_tree(k->folder, &e) ? 0 : -1;
	arena_release(&k->a);
	free(k);
	return rc;
}

static const char *write_file(struct kit *k, const char *path, const char *text)
{
	struct err e;
	assert_true(file_mkdirs(path_dir(&k->a, path), 0755, &e));
	assert_true(file_write_str(path, str_from(text), &e));
	return path;
}

/* A script in bin/ that counts its calls in NAME.calls. */
static const char *tool(struct kit *k, const char *name, const char *body)
{
	const char *path = path_join(&k->a, k->bin, name);
	write_file(k, path, arena_printf(&k->a, "#!/bin/sh\necho >> %s/%s.calls\n%s\n", k->folder, name, body));
	chmod(path, 0755);
	return path;
}

static int64_t n_calls(struct kit *k, const char *name)
{
	return file_size(arena_printf(&k->a, "%s/%s.calls", k->folder, name));
}

static void numbers(void **state)
{
	(void)state;
	static const struct {
		const char *line, *number;
	} rows[] = {
		{"Cuda compilation tools, release 13.0, V13.0.88", "13.0.88"},
		{"cc (Debian 12.2.0-14) 12.2.0", "12.2.0"},
		{"gcc (GCC) 11.4.1 20230605 (Red Hat 11.4.1-2)", "11.4.1"},
		{"Ubuntu clang version 18.1.3 (1ubuntu1.2)", "18.1.3"},
		{"Version 2025.3.1.0 (build 36398880) (public-release)", "2025.3.1.0"},
		{"NVIDIA Nsight Systems version 2025.3.2.474-253236389321v0", "2025.3.2.474"},
		{"tool 3.", ""},
		{"tool 3", ""},
		{"v1.2rc1", ""},
		{"no number", ""},
		{"", ""},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct str got = tool_number(str_from(rows[i].line));
		assert_true(str_is(got, rows[i].number));
	}
}

static void picks_a_line(void **state)
{
	struct kit *k = *state;
	struct err e;
	const char *line,
		*path = tool(k, "ncu", "echo; echo 'NVIDIA (R) Nsight'; echo ' Version 2025.3.1 (x)'; echo end");
	assert_true(tool_version(&line, &k->a, path, "Version", 0, &e));
	assert_string_equal(line, "Version 2025.3.1 (x)");
	assert_true(tool_version(&line, &k->a, path, NULL, 0, &e));
	assert_string_equal(line, "NVIDIA (R) Nsight");
	assert_true(tool_version(&line, &k->a, path, "nowhere", 0, &e));
	assert_string_equal(line, "NVIDIA (R) Nsight");
	path = tool(k, "chatty", "head -c 200000 /dev/zero | tr '\\0' x; echo 1.2");
	assert_true(tool_version(&line, &k->a, path, NULL, 0, &e));
	assert_int_equal(strlen(line), 200);
	path = tool(k, "stderr", "echo 'tool 4.5' >&2");
	assert_true(tool_version(&line, &k->a, path, NULL, 0, &e));
	assert_string_equal(line, "tool 4.5");
}

static void asks_once(void **state)
{
	struct kit *k = *state;
	struct err e;
	const char *line, *path = tool(k, "t", "echo t 1.0");
	for (int i = 0; i < 3; i++) {
		assert_true(tool_version(&line, &k->a, path, NULL, 0, &e));
		assert_string_equal(line, "t 1.0");
	}
	assert_int_equal(n_calls(k, "t"), 1);
	path = tool(k, "t", "echo t 1.25"); /* another file under the same name: size and mtime differ */
	assert_true(tool_version(&line, &k->a, path, NULL, 0, &e));
	assert_string_equal(line, "t 1.25");
	assert_int_equal(n_calls(k, "t"), 2);
	struct timespec past[2] = {{1000, 0}, {1000, 0}};
	assert_int_equal(utimensat(AT_FDCWD, path, past, 0), 0); /* only the mtime differs */
	assert_true(tool_version(&line, &k->a, path, NULL, 0, &e));
	assert_int_equal(n_calls(k, "t"), 3);
}

static void faults(void **state)
{
	struct kit *k = *state;
	struct err e;
	const char *line, *path = tool(k, "fails", "echo 1.0; exit 7");
	for (int i = 1; i <= 2; i++) { /* a failure is not remembered */
		assert_false(tool_version(&line, &k->a, path, NULL, 0, &e));
		assert_int_equal(e.code, ERR_ENVIRONMENT);
		assert_string_equal(e.text, arena_printf(&k->a, "%s --version: exit 7", path));
		assert_int_equal(n_calls(k, "fails"), i);
	}
	path = tool(k, "hangs", "sleep 1000 & sleep 1000");
	assert_false(tool_version(&line, &k->a, path, NULL, 200 * 1000000, &e));
	assert_int_equal(e.code, ERR_ENVIRONMENT);
	assert_non_null(strstr(e.text, "hangs --version: killed at its deadline"));
	path = tool(k, "crashes", "kill -SEGV $$");
	assert_false(tool_version(&line, &k->a, path, NULL, 0, &e));
	assert_non_null(strstr(e.text, "crashes --version: signal 11"));
	path = tool(k, "silent", "");
	assert_false(tool_version(&line, &k->a, path, NULL, 0, &e));
	assert_non_null(strstr(e.text, "silent --version: it printed nothing"));
	path = write_file(k, path_join(&k->a, k->bin, "garbage"), "\177ELF but not really");
	chmod(path, 0755);
	assert_false(tool_version(&line, &k->a, path, NULL, 0, &e));
	assert_int_equal(e.code, ERR_ENVIRONMENT);
	assert_string_equal(e.text, arena_printf(&k->a, "%s: cannot be started: Exec format error", path));
}

static void works_without_a_cache(void **state)
{
	struct kit *k = *state;
	struct err e;
	const char *line, *path = tool(k, "t", "echo t 1.0");
	setenv("ASSAY_CACHE_DIR", "/proc/nowhere", 1);
	assert_true(tool_version(&line, &k->a, path, NULL, 0, &e));
	assert_string_equal(line, "t 1.0");
	assert_true(tool_version(&line, &k->a, path, NULL, 0, &e));
	assert_int_equal(n_calls(k, "t"), 2);
}

static void finds(void **state)
{
	struct kit *k = *state;
	const char *home = path_join(&k->a, k->folder, "cuda");
	assert_null(tool_find(&k->a, "assay-no-such-tool", NULL));
	const char *inside = write_file(k, arena_printf(&k->a, "%s/bin/assay-tool", home), "#!/bin/sh\n");
	setenv("CUDA_PATH", home, 1);
	assert_null(tool_find(&k->a, "assay-tool", NULL)); /* no executable */
	chmod(inside, 0755);
	assert_string_equal(tool_find(&k->a, "assay-tool", NULL), inside);
	const char *first = tool(k, "assay-tool", "");
	assert_string_equal(tool_find(&k->a, "assay-tool", NULL), first); /* PATH comes first */
	assert_string_equal(tool_find(&k->a, "assay-tool", inside), inside);
	assert_null(tool_find(&k->a, "assay-tool", "/nowhere/assay-tool")); /* a wanted one is never replaced */
}

static void cutlass(void **state)
{
	struct kit *k = *state;
	const char *version, *home = path_join(&k->a, k->folder, "cutlass");
	const char *include = path_join(&k->a, home, "include");
	write_file(k, path_join(&k->a, include, "cutlass/cutlass.h"), "");
	setenv("CUTLASS_PATH", home, 1);
	assert_string_equal(tool_cutlass(&k->a, &version), include);
	assert_null(version); /* no version.h: not told */
	write_file(k, path_join(&k->a, include, "cutlass/version.h"),
		   "#define CUTLASS_MAJOR 3\n#define CUTLASS_MINOR\t5\n  #define CUTLASS_PATCH 1\n"
		   "#define CUTLASS_VERSION ((CUTLASS_MAJOR)*100)\n#define CUTLASS_MAJOR_X 9\n");
	assert_string_equal(tool_cutlass(&k->a, &version), include);
	assert_string_equal(version, "3.5.1");
	setenv("CUTLASS_INCLUDE_DIR", include, 1); /* the folder itself */
	setenv("CUTLASS_PATH", "/nowhere", 1);
	assert_string_equal(tool_cutlass(&k->a, &version), include);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test_setup_teardown(picks_a_line, begin, end),
		cmocka_unit_test_setup_teardown(asks_once, begin, end),
		cmocka_unit_test_setup_teardown(faults, begin, end),
		cmocka_unit_test_setup_teardown(works_without_a_cache, begin, end),
		cmocka_unit_test_setup_teardown(finds, begin, end),
		cmocka_unit_test_setup_teardown(cutlass, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
