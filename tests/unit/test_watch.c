/* Watching: memory and counts of a group, strays that left group and session. */
#include "run/watch.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1024u * 1024u)

/* A child in its own group that touched n bytes, and tells so. */
static pid_t start_eater(size_t n, int sharing)
{
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);
		memset(p, 1, n);
		(void)!write(fds[1], "x", 1);
		pause();
		_exit(0);
	}
	char c;
	assert_int_equal(read(fds[0], &c, 1), 1);
	close(fds[0]);
	close(fds[1]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_memory(void **state)
{
	(void)state;
	struct watch_census c;
	pid_t small = start_eater(MIB, MAP_PRIVATE), big = start_eater(64 * MIB, MAP_PRIVATE),
	      shared = start_eater(64 * MIB, MAP_SHARED);
	assert_true(watch_process(small, &c));
	assert_true(c.memory_bytes < 32 * MIB);
	assert_int_equal(c.n_threads, 1);
	assert_true(watch_process(big, &c));
	assert_true(c.memory_bytes >= 64 * MIB && c.memory_bytes < 96 * MIB);
	assert_true(watch_process(shared, &c)); /* shared memory counts: it is not free either */
	assert_true(c.memory_bytes >= 64 * MIB);
	assert_true(watch_group(big, &c));
	assert_int_equal(c.n_processes, 1);
	end(small);
	end(big);
	end(shared);
	assert_false(watch_process(big, &c));
	assert_false(watch_group(big, &c));
	assert_true(watch_memory_available() > 0);
}

/* A group of three, one of which moved to another group but not to another session. */
static void test_group(void **state)
{
	(void)state;
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	pid_t leader = fork();
	if (leader == 0) {
		setsid();
		for (int i = 0; i < 2; i++) {
			if (fork() == 0) {
				if (i == 1)
					setpgid(0, 0);
				(void)!write(fds[1], "x", 1);
				pause();
			}
		}
		pause();
	}
	char text[2];
	size_t n = 0;
	while (n < 2) {
		ssize_t got = read(fds[0], text, 2 - n);
		assert_true(got > 0);
		n += (size_t)got;
	}
	struct watch_census c;
	assert_true(watch_group(leader, &c));
	assert_int_equal(c.n_processes, 3);
	assert_true(watch_become_subreaper());
	kill(-leader, SIGKILL);
	waitpid(leader, NULL, 0);
	watch_end_strays(NULL, 0);
	assert_false(watch_group(leader, &c));
	close(fds[0]);
	close(fds[1]);
}

/* Double fork and setsid: the way out of a group, a session and the line of parents. */
static void test_strays(void **state)
{
	(void)state;
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	assert_true(watch_become_subreaper());
	pid_t kept = start_eater(4096, MAP_PRIVATE);
	pid_t worker = fork();
	if (worker == 0) {
		if (fork() == 0) {
			setsid();
			if (fork() == 0) { /* its own child comes to us only when it is gone */
				setsid();
				int pid = (int)getpid();
				(void)!write(fds[1], &pid, sizeof(pid));
				for (;;)
					pause();
			}
			for (;;)
				pause();
		}
		_exit(0);
	}
	waitpid(worker, NULL, 0);
	int deep = 0;
	assert_int_equal(read(fds[0], &deep, sizeof(deep)), sizeof(deep));
	assert_int_equal(watch_end_strays(&(int){kept}, 1), 2);
	assert_int_equal(kill(deep, 0), -1);
	assert_int_equal(kill(kept, 0), 0);
	assert_int_equal(waitpid(kept, NULL, WNOHANG), 0);
	end(kept);
	assert_int_equal(watch_end_strays(NULL, 0), 0);
	close(fds[0]);
	close(fds[1]);
}

/* Against the same counter read in another way. */
static void test_oom_counter(void **state)
{
	(void)state;
	FILE *file = fopen("/proc/vmstat", "r");
	char name[64];
	unsigned long long value, whole = 0;
	bool found = false;
	while (file && fscanf(file, "%63s %llu", name, &value) == 2) {
		if (strcmp(name, "oom_kill") == 0) {
			whole = value;
			found = true;
		}
	}
	if (file)
		fclose(file);
	if (found)
		assert_true(watch_oom_kills() <= whole); /* of a group: not more than of the machine */
	else
		assert_true(watch_oom_kills() == UINT64_MAX || watch_oom_kills() < UINT32_MAX);
}

static void test_busy_threads(void **state)
{
	(void)state;
	static struct watch_threads before = {4, {{10, 1000}, {11, 500}, {12, 0}, {13, 7}}},
				    after = {5, {{13, 7}, {10, 101000}, {12, 9000}, {14, 10000}, {11, 500}}};
	assert_int_equal(watch_busy_threads(&before, &after), 2); /* 10, and 14, which is new; 12 ran too little */
	assert_int_equal(watch_busy_threads(&after, &after), 0);
	watch_threads(&before, getpid());
	for (volatile int i = 0; i < 100000000; i++)
		;
	watch_threads(&after, getpid());
	assert_true(before.n >= 1);
	assert_int_equal(watch_busy_threads(&before, &after), 1);
	watch_threads(&after, 0x7fffffff);
	assert_int_equal(after.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory), cmocka_unit_test(test_group),
					   cmocka_unit_test(test_strays), cmocka_unit_test(test_busy_threads),
					   cmocka_unit_test(test_oom_counter)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
