/* For unit tests on the fake driver (tests/fake): the test program starts itself again with LD_LIBRARY_PATH set to a
 * folder for fake.conf and to the fake driver beside it (build/BUILD/fake), so that the loader finds it by its rules. */
#ifndef ASSAY_TESTS_FAKE_KIT_H
#define ASSAY_TESTS_FAKE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static char kit_build[2048];   /* build/BUILD */
static char kit_folder[64];    /* private; conf/ in it holds fake.conf */
static char kit_program[2100]; /* assay */

__attribute__((unused)) static void kit_text(const char *name, const char *text)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", kit_folder, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* For processes that start from now on. */
__attribute__((unused)) static void kit_conf(const char *text)
{
	kit_text("conf/fake.conf", text);
}

__attribute__((unused)) static const char *kit_path(const char *name)
{
	static char path[8][256];
	static unsigned i;
	char *p = path[i++ % 8];
	snprintf(p, sizeof(path[0]), "%s/%s", kit_folder, name);
	return p;
}

/* First thing in main. */
__attribute__((unused)) static void kit_start(char **argv)
{
	ssize_t n = readlink("/proc/self/exe", kit_build, sizeof(kit_build) - 1);
	if (n <= 0)
		exit(1);
	kit_build[n] = 0;
	for (int i = 0; i < 2; i++) /* .../build/BUILD/tests/test_x */
		*strrchr(kit_build, '/') = 0;
	snprintf(kit_program, sizeof(kit_program), "%s/assay", kit_build);
	const char *again = getenv("ASSAY_TEST_KIT");
	if (again) {
		snprintf(kit_folder, sizeof(kit_folder), "%s", again);
		unsetenv("ASSAY_TEST_KIT");
		return;
	}
	char folder[] = "/tmp/assay-kit-XXXXXX", path[4096], conf[64];
	if (!mkdtemp(folder))
		exit(1);
	snprintf(conf, sizeof(conf), "%s/conf", folder);
	snprintf(path, sizeof(path), "%s:%s/fake", conf, kit_build);
	if (mkdir(conf, 0700) != 0 || setenv("LD_LIBRARY_PATH", path, 1) != 0 ||
	    setenv("ASSAY_TEST_KIT", folder, 1) != 0)
		exit(1);
	execv("/proc/self/exe", argv);
	exit(1);
}

/* Last thing in main. */
__attribute__((unused)) static int kit_end(int failed)
{
	char command[128];
	snprintf(command, sizeof(command), "rm -rf %s", kit_folder);
	return system(command) == 0 ? failed : 1;
}

/* Runs fn in a process of its own, so that it may load the driver with a fake.conf of its own. CHECK fails it. */
__attribute__((unused)) static void kit_child(void (*fn)(void), const char *conf)
{
	kit_conf(conf);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		fn();
		fflush(NULL);
		_exit(0);
	}
	int status = -1;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status != 0)
		fail_msg("the child ended with status 0x%x", (unsigned)status);
}
#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                \
			_exit(1);                                                                                      \
		}                                                                                                      \
	} while (0)
#define CHECK_IS(got, want)                                                                                            \
	do {                                                                                                           \
		long long got_ = (long long)(got), want_ = (long long)(want);                                          \
		if (got_ != want_) {                                                                                   \
			fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #got, got_, want_);       \
			_exit(1);                                                                                      \
		}                                                                                                      \
	} while (0)

#endif
