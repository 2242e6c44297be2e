/* Leases: exclusion between processes, death of a holder, nesting, hostile folders. */
#include "store/lease.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/proc.h"

static char folder[] = "/tmp/assay-test-lease.XXXXXX";

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	log_level(LOG_QUIET);
	return setenv("ASSAY_LEASE_DIR", folder, 1);
}

static int teardown(void **state)
{
	(void)state;
	struct err e = {0};
	return file_remove_tree(folder, &e) ? 0 : -1;
}

/* Runs fn in a child; its exit status. */
static int in_child(int (*fn)(void))
{
	pid_t pid = fork();
	if (pid == 0)
		_exit(fn());
	int status = 0;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

/* A child that holds `key` until it is killed. */
static pid_t holder_start(const char *key)
{
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct lease *l;
		struct err e = {0};
		char c = lease_take(&l, key, 0, "hold for a test", &e) ? 'y' : 'n';
		(void)!write(fds[1], &c, 1);
		pause();
		_exit(0);
	}
	char c = 0;
	assert_int_equal(read(fds[0], &c, 1), 1);
	assert_int_equal(c, 'y');
	close(fds[0]);
	close(fds[1]);
	return pid;
}

static void holder_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_exclusive(void **state)
{
	(void)state;
	struct err e = {0};
	struct lease *l = NULL;
	pid_t pid = holder_start("cpu");
	assert_false(lease_take(&l, "cpu", 0, NULL, &e));
	assert_null(l);
	assert_int_equal(e.code, ERR_BUSY);
	char want[32];
	snprintf(want, sizeof(want), "pid %d ", (int)pid);
	assert_non_null(strstr(e.text, want));
	assert_non_null(strstr(e.text, "hold for a test"));
	assert_non_null(strstr(e.text, "since 20"));
	/* another key is free */
	assert_true(lease_take(&l, "gpu:GPU-1b2c", 0, NULL, &e));
	assert_false(lease_is_nested(l));
	lease_free(l);
	/* the kernel frees it with the holder */
	holder_kill(pid);
	assert_true(lease_take(&l, "cpu", 0, NULL, &e));
	struct lease *again;
	assert_false(lease_take(&again, "cpu", 0, NULL, &e)); /* not even twice in one process */
	lease_free(l);
	assert_true(lease_take(&l, "cpu", 0, NULL, &e));
	lease_free(l);
	lease_free(NULL);
}

static void test_waits(void **state)
{
	(void)state;
	struct err e = {0};
	struct lease *l;
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	pid_t holder = holder_start("cpu");
	pid_t waiter = fork();
	if (waiter == 0) {
		bool ok = lease_take(&l, "cpu", LEASE_FOREVER, NULL, &e);
		(void)!write(fds[1], ok ? "y" : "n", 1);
		_exit(0);
	}
	assert_int_equal(waitpid(waiter, NULL, WNOHANG), 0);
	holder_kill(holder);
	char c = 0;
	assert_int_equal(read(fds[0], &c, 1), 1);
	assert_int_equal(c, 'y');
	waitpid(waiter, NULL, 0);
	close(fds[0]);
	close(fds[1]);
}

static int wait_for_signal(void)
{
	struct lease *l;
	struct err e = {0};
	sig_install();
	raise(SIGTERM);
	return !lease_take(&l, "cpu", LEASE_FOREVER, NULL, &e) && e.code == ERR_INTERRUPTED ? 0 : 1;
}

static void test_interrupted(void **state)
{
	(void)state;
	pid_t holder = holder_start("cpu");
	assert_int_equal(in_child(wait_for_signal), 0);
	holder_kill(holder);
}

static int take_nested(void)
{
	struct lease *l, *more;
	struct err e = {0};
	if (!lease_take(&l, "cpu", 0, NULL, &e) || !lease_is_nested(l))
		return 1;
	if (lease_take(&more, "cpu", 0, NULL, &e) || e.code != ERR_BUSY) /* siblings exclude each other */
		return 2;
	if (!lease_export(l, &e))
		return 3;
	pid_t pid = fork();
	if (pid == 0) {
		struct lease *deep;
		_exit(lease_take(&deep, "cpu", 0, NULL, &e) && lease_is_nested(deep) ? 0 : 1);
	}
	int status;
	waitpid(pid, &status, 0);
	if (status != 0)
		return 4;
	lease_free(l);
	return 0;
}

static int take_plain(void)
{
	struct lease *l;
	struct err e = {0};
	return lease_take(&l, "cpu", 0, NULL, &e) ? 1 : e.code == ERR_BUSY ? 0 : 2;
}

static void test_nested(void **state)
{
	(void)state;
	struct err e = {0};
	struct lease *l;
	assert_true(lease_take(&l, "cpu", 0, NULL, &e));
	assert_int_equal(in_child(take_plain), 0); /* not offered */
	assert_true(lease_export(l, &e));
	assert_int_equal(in_child(take_nested), 0);
	/* a process that knows the variable and is no descendant gets nothing: double fork, adopted by init */
	unsetenv("ASSAY_LEASE");
	assert_int_equal(in_child(take_plain), 0);
	lease_free(l);
	assert_int_equal(in_child(take_plain), 1);
}

/* The outer holder dies while its child still measures: nobody else gets the key before the child is gone. */
static void test_orphaned_nested(void **state)
{
	(void)state;
	struct err e = {0};
	struct lease *l;
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	pid_t outer = fork();
	if (outer == 0) {
		if (!lease_take(&l, "cpu", 0, "outer", &e) || !lease_export(l, &e))
			_exit(1);
		pid_t inner = fork();
		if (inner == 0) {
			struct lease *n;
			for (int fd = 3; fd < 64; fd++) { /* as an exec would: the outer lock goes with its holder */
				if (fd != fds[1])
					close(fd);
			}
			int pid = lease_take(&n, "cpu", 0, "inner", &e) ? (int)getpid() : -1;
			(void)!write(fds[1], &pid, sizeof(pid));
			pause();
			_exit(0);
		}
		pause();
		_exit(0);
	}
	int inner = -1;
	assert_int_equal(read(fds[0], &inner, sizeof(inner)), sizeof(inner));
	assert_true(inner > 0);
	holder_kill(outer);
	assert_false(lease_take(&l, "cpu", 0, NULL, &e));
	assert_int_equal(e.code, ERR_BUSY);
	assert_non_null(strstr(e.text, "inner"));
	kill(inner, SIGKILL);
	assert_true(lease_take(&l, "cpu", 10000000000, NULL, &e));
	lease_free(l);
	close(fds[0]);
	close(fds[1]);
}

static void test_list(void **state)
{
	(void)state;
	struct arena a;
	arena_init(&a);
	struct err e = {0};
	struct lease_holder *held;
	size_t n;
	assert_true(lease_list(&a, &held, &n, &e));
	assert_int_equal(n, 0);
	pid_t one = holder_start("gpu:GPU-aa"), two = holder_start("cpu");
	assert_true(lease_list(&a, &held, &n, &e));
	assert_int_equal(n, 2);
	assert_string_equal(held[0].key, "cpu");
	assert_int_equal(held[0].pid, two);
	assert_string_equal(held[1].key, "gpu:GPU-aa");
	assert_string_equal(held[1].note, "hold for a test");
	struct json *j = lease_holder_json(&a, &held[1]);
	assert_int_equal(json_i64(j, "pid", -1), one);
	assert_non_null(strstr(held[1].command, "test_lease"));
	holder_kill(one);
	holder_kill(two);
	assert_true(lease_list(&a, &held, &n, &e)); /* a dead holder's text does not count */
	assert_int_equal(n, 0);
	arena_release(&a);
}

static void test_hostile(void **state)
{
	(void)state;
	struct arena a;
	arena_init(&a);
	struct err e = {0};
	struct lease *l;
	const char *bad[] = {"", "a/b", "../x", "a@b", ".hidden", "a b"};
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		assert_false(lease_take(&l, bad[i], 0, NULL, &e));
		assert_int_equal(e.code, ERR_INPUT);
	}
	/* a link where the lease's file should be is not followed */
	char *victim = path_join(&a, folder, "victim");
	char *link = path_join(&a, folder, "linked.lock");
	assert_true(file_write_str(victim, STR("keep me"), &e));
	assert_int_equal(symlink(victim, link), 0);
	assert_false(lease_take(&l, "linked", 0, NULL, &e));
	assert_int_equal(e.code, ERR_ENVIRONMENT);
	struct str text;
	assert_true(file_read(&a, &text, victim, 100, &e));
	assert_true(str_is(text, "keep me"));
	/* a fifo neither blocks nor passes for a lease */
	assert_int_equal(mkfifo(path_join(&a, folder, "fifo.lock"), 0666), 0);
	assert_false(lease_take(&l, "fifo", 0, NULL, &e));
	/* garbage in the file of a held lease: still taken, by someone without a name */
	pid_t pid = holder_start("cpu");
	assert_int_equal(truncate(path_join(&a, folder, "cpu.lock"), 0), 0);
	assert_false(lease_take(&l, "cpu", 0, NULL, &e));
	assert_non_null(strstr(e.text, "left no name"));
	holder_kill(pid);
	/* a link as the folder */
	char *alias = path_join(&a, folder, "alias");
	assert_int_equal(symlink("/tmp", alias), 0);
	setenv("ASSAY_LEASE_DIR", alias, 1);
	assert_false(lease_take(&l, "cpu", 0, NULL, &e));
	assert_int_equal(e.code, ERR_ENVIRONMENT);
	setenv("ASSAY_LEASE_DIR", folder, 1);
	struct stat st;
	assert_int_equal(stat(path_join(&a, folder, "cpu.lock"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0666);
	arena_release(&a);
}

/* Many processes fight for one key: a counter file is only ever changed by one of them. */
static void test_contention(void **state)
{
	(void)state;
	struct arena a;
	arena_init(&a);
	struct err e = {0};
	const char *path = path_join(&a, folder, "counter");
	assert_true(file_write_str(path, STR("0"), &e));
	enum { N = 6, ROUNDS = 5 };
	for (int i = 0; i < N; i++) {
		if (fork() != 0)
			continue;
		for (int k = 0; k < ROUNDS; k++) {
			struct lease *l;
			struct str text;
			int64_t v;
			if (!lease_take(&l, "fight", LEASE_FOREVER, NULL, &e) || !file_read(&a, &text, path, 32, &e) ||
			    !str_i64(text, &v))
				_exit(1);
			char *next = arena_printf(&a, "%lld", (long long)v + 1);
			if (!file_write_str(path, str_from(next), &e))
				_exit(2);
			lease_free(l);
		}
		_exit(0);
	}
	for (int i = 0; i < N; i++) {
		int status;
		wait(&status);
		assert_int_equal(status, 0);
	}
	struct str text;
	assert_true(file_read(&a, &text, path, 32, &e));
	assert_true(str_is(text, "30"));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exclusive),       cmocka_unit_test(test_waits),
		cmocka_unit_test(test_interrupted),     cmocka_unit_test(test_nested),
		cmocka_unit_test(test_orphaned_nested), cmocka_unit_test(test_list),
		cmocka_unit_test(test_hostile),         cmocka_unit_test(test_contention),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
