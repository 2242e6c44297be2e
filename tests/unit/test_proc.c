/* Unit tests of base/proc, with /bin/sh as the child.
 * In: small shell scripts.
 * Out: cmocka's report.
 * Never: asserts a time, only an order: who ends whom before a deadline that is far away. */
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"

#define SECOND INT64_C(1000000000)
#define FAR (60 * SECOND)

struct fixture {
	struct arena a;
	struct err e;
	struct proc_result r;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	arena_init(&f->a);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	proc_result_release(&f->r);
	arena_release(&f->a);
	free(f);
	return 0;
}

/* Runs a shell script with the other options given; fails the test when it cannot be started. */
static void run(struct fixture *f, const char *script, struct proc_options o)
{
	const char *const argv[] = {"/bin/sh", "-c", script, NULL};
	o.argv = argv;
	o.timeout_ns = o.timeout_ns ? o.timeout_ns : FAR;
	proc_result_release(&f->r);
	if (!proc_run(&f->r, &o, &f->e))
		fail_msg("%s", f->e.text);
}

static bool is_alive(int pid)
{
	char path[64], text[512];
	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	const char *state = strrchr(text, ')');
	return state && state[2] != 'Z' && state[2] != 'X';
}

static void captures(void **state)
{
	struct fixture *f = *state;
	run(f, "echo out; echo err >&2; exit 7", (struct proc_options){0});
	assert_true(str_is(buf_view(&f->r.out), "out\n"));
	assert_true(str_is(buf_view(&f->r.err), "err\n"));
	assert_int_equal(f->r.exit_status, 7);
	assert_int_equal(f->r.signal, 0);
	assert_true(f->r.wall_ns > 0 && f->r.max_rss_bytes > 0);
	assert_false(f->r.timed_out || f->r.interrupted);
	assert_string_equal(proc_describe(&f->a, &f->r), "exit 7");
	run(f, "echo out; echo err >&2", (struct proc_options){.flags = PROC_MERGE_STDERR});
	assert_true(str_is(buf_view(&f->r.out), "out\nerr\n"));
	assert_int_equal(f->r.err.n, 0);
}

static void signals(void **state)
{
	struct fixture *f = *state;
	run(f, "kill -SEGV $$", (struct proc_options){0});
	assert_int_equal(f->r.signal, SIGSEGV);
	assert_int_equal(f->r.exit_status, -1);
	assert_string_equal(proc_describe(&f->a, &f->r), "signal 11 (SIGSEGV)");
	/* Ignored signals of the parent are not handed down. */
	run(f, "kill -PIPE $$; echo survived", (struct proc_options){0});
	assert_int_equal(f->r.signal, SIGPIPE);
}

static void environment_and_folder(void **state)
{
	struct fixture *f = *state;
	const char *const env[] = {"ONE=1", NULL};
	run(f, "echo $ONE$HOME; pwd", (struct proc_options){.env = env, .cwd = "/usr"});
	assert_true(str_is(buf_view(&f->r.out), "1\n/usr\n"));
}

static void cannot_start(void **state)
{
	struct fixture *f = *state;
	const char *const absent[] = {"/nonexistent/tool", NULL}, *const sh[] = {"/bin/sh", "-c", "exit 0", NULL};
	assert_false(proc_run(&f->r, &(struct proc_options){.argv = absent}, &f->e));
	assert_int_equal(f->e.code, ERR_ENVIRONMENT);
	assert_non_null(strstr(f->e.text, "/nonexistent/tool"));
	assert_non_null(strstr(f->e.text, "No such file"));
	proc_result_release(&f->r);
	assert_false(proc_run(&f->r, &(struct proc_options){.argv = sh, .cwd = "/nonexistent/dir"}, &f->e));
	assert_non_null(strstr(f->e.text, "/nonexistent/dir"));
}

static void stdin_is_fed(void **state)
{
	struct fixture *f = *state;
	size_t n = (size_t)1 << 20; /* more than a pipe holds, both ways */
	char *text = arena_alloc(&f->a, n);
	memset(text, 'x', n);
	run(f, "cat", (struct proc_options){.stdin_text = {text, n}});
	assert_int_equal(f->r.out.n, n);
	assert_memory_equal(f->r.out.p, text, n);
	/* A child that does not read: no SIGPIPE for us, no waiting. */
	run(f, "exec <&-; echo done", (struct proc_options){.stdin_text = {text, n}});
	assert_true(str_is(buf_view(&f->r.out), "done\n"));
	assert_int_equal(f->r.exit_status, 0);
	run(f, "cat; echo end", (struct proc_options){0}); /* /dev/null */
	assert_true(str_is(buf_view(&f->r.out), "end\n"));
}

static void output_is_capped(void **state)
{
	struct fixture *f = *state;
	run(f, "head -c 300000 /dev/zero; head -c 1000 /dev/zero >&2", (struct proc_options){.max_output = 1000});
	assert_int_equal(f->r.out.n, 1000);
	assert_int_equal(f->r.err.n, 1000);
	assert_int_equal(f->r.n_dropped, 299000);
	assert_int_equal(f->r.exit_status, 0);
}

static void deadline_ends_the_group(void **state)
{
	struct fixture *f = *state;
	run(f, "sleep 1000 & echo $!; wait", (struct proc_options){.timeout_ns = SECOND / 5});
	assert_true(f->r.timed_out);
	assert_int_equal(f->r.signal, SIGKILL);
	assert_non_null(strstr(proc_describe(&f->a, &f->r), "deadline"));
	int pid = (int)strtol(f->r.out.p, NULL, 10);
	assert_true(pid > 1);
	assert_false(is_alive(pid));
	/* An endless writer ends at the deadline too. */
	run(f, "yes", (struct proc_options){.timeout_ns = SECOND / 5, .max_output = 10});
	assert_true(f->r.timed_out && f->r.out.n == 10 && f->r.n_dropped > 0);
}

/* A child that forks twice and leaves holds our pipe open: it ends with the leader, long before the deadline. */
static void leader_takes_its_group_along(void **state)
{
	struct fixture *f = *state;
	run(f, "(sleep 1000 & echo $!) ; exit 3", (struct proc_options){0});
	assert_false(f->r.timed_out);
	assert_int_equal(f->r.exit_status, 3);
	int pid = (int)strtol(f->r.out.p, NULL, 10);
	assert_true(pid > 1);
	assert_false(is_alive(pid));
}

/* One in a session of its own is out of the group's reach, but does not hold us up. */
static void escaped_child_does_not_hold_us(void **state)
{
	struct fixture *f = *state;
	run(f, "p=$(setsid sh -c 'echo $$; exec sleep 1000 >/dev/null' &); echo $p", (struct proc_options){0});
	assert_false(f->r.timed_out);
	int pid = (int)strtol(f->r.out.p, NULL, 10);
	assert_true(pid > 1 && is_alive(pid));
	kill(pid, SIGKILL);
}

static bool refuse(void *arg)
{
	return *(bool *)arg;
}

static void setup_runs_in_the_child(void **state)
{
	struct fixture *f = *state;
	bool go = false;
	run(f, "echo ran", (struct proc_options){.child_setup = refuse, .child_arg = &go});
	assert_int_equal(f->r.exit_status, 126);
	assert_int_equal(f->r.out.n, 0);
	go = true;
	run(f, "echo ran", (struct proc_options){.child_setup = refuse, .child_arg = &go});
	assert_true(str_is(buf_view(&f->r.out), "ran\n"));
}

static void groups_and_sessions(void **state)
{
	struct fixture *f = *state;
	run(f, "cut -d' ' -f1,5,6 /proc/self/stat; echo $$", (struct proc_options){0});
	int self, group, session, leader;
	assert_int_equal(sscanf(f->r.out.p, "%d %d %d\n%d", &self, &group, &session, &leader), 4);
	assert_int_equal(group, leader);
	assert_int_equal(session, getsid(0));
	run(f, "cut -d' ' -f6 /proc/self/stat; echo $$", (struct proc_options){.flags = PROC_NEW_SESSION});
	assert_int_equal(sscanf(f->r.out.p, "%d\n%d", &session, &leader), 2);
	assert_int_equal(session, leader);
}

static void only_passed_files_stay_open(void **state)
{
	struct fixture *f = *state;
	int fd = file_memfd("passed", 0, &f->e), other = file_memfd("kept", 0, &f->e);
	assert_true(fd > 2 && other > 2);
	const int pass[] = {fd};
	const char *script = arena_printf(&f->a, "echo text >&%d; echo x >&%d || echo closed", fd, other);
	run(f, script, (struct proc_options){.pass_fds = pass, .n_pass_fds = 1});
	assert_true(str_is(buf_view(&f->r.out), "closed\n"));
	char text[8] = {0};
	assert_int_equal(pread(fd, text, 7, 0), 5);
	assert_string_equal(text, "text\n");
	close(fd);
	close(other);
}

static void spawn_and_kill(void **state)
{
	struct fixture *f = *state;
	int out[2], status = 0;
	const char *const argv[] = {"/bin/sh", "-c", "sleep 1000 & echo $!; exec sleep 1000", NULL};
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	int pid = proc_spawn(&(struct proc_options){.argv = argv}, out[1], -1, &f->e);
	assert_true(pid > 1);
	close(out[1]);
	char text[32] = {0};
	assert_true(read(out[0], text, sizeof text - 1) > 0);
	int inner = (int)strtol(text, NULL, 10);
	assert_true(is_alive(pid) && is_alive(inner));
	assert_true(proc_start_time(pid) > 0);
	assert_true(proc_start_time(inner) >= proc_start_time(pid));
	assert_true(proc_kill_group(pid, &status));
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_false(is_alive(pid) || is_alive(inner));
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1); /* reaped */
	assert_int_equal(proc_start_time(pid), -1);
	close(out[0]);
}

/* Leaves a process outside the group whose child is inside and will never be reaped. */
static bool leave_negligent_parent(void *arg)
{
	volatile int *pids = arg; /* the parent, its child */
	if (fork() != 0) {
		while (pids[0] == 0)
			usleep(1000);
		return true;
	}
	close_range(3, ~0U, 0); /* proc_spawn waits for the end of one of them */
	pid_t inside = fork();
	if (inside == 0) {
		for (;;)
			pause();
	}
	setsid();
	pids[1] = inside;
	pids[0] = getpid();
	for (;;)
		pause();
}

static void zombies_count_as_gone(void **state)
{
	struct fixture *f = *state;
	int *pids = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(pids != MAP_FAILED);
	const char *const argv[] = {"/bin/sleep", "1000", NULL};
	struct proc_options o = {.argv = argv, .child_setup = leave_negligent_parent, .child_arg = pids};
	int pid = proc_spawn(&o, -1, -1, &f->e);
	assert_true(pid > 1);
	bool gone = proc_kill_group(pid, NULL);
	bool lives = is_alive(pids[1]);
	bool is_there = kill(pids[1], 0) == 0; /* the zombie */
	kill(pids[0], SIGKILL);
	assert_true(gone && !lives && is_there);
	munmap(pids, 4096);
}

/* Last: the flag stays. */
static void interrupt_ends_the_group(void **state)
{
	struct fixture *f = *state;
	const char *script = arena_printf(&f->a, "echo $$; kill -INT %d; exec sleep 1000", getpid());
	run(f, script, (struct proc_options){0});
	assert_true(f->r.interrupted && !f->r.timed_out);
	assert_int_equal(sig_pending(), SIGINT);
	assert_int_equal(f->r.signal, SIGKILL);
	assert_string_equal(proc_describe(&f->a, &f->r), "interrupted");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(captures),
		TEST(signals),
		TEST(environment_and_folder),
		TEST(cannot_start),
		TEST(stdin_is_fed),
		TEST(output_is_capped),
		TEST(deadline_ends_the_group),
		TEST(leader_takes_its_group_along),
		TEST(escaped_child_does_not_hold_us),
		TEST(setup_runs_in_the_child),
		TEST(groups_and_sessions),
		TEST(only_passed_files_stay_open),
		TEST(spawn_and_kill),
		TEST(zombies_count_as_gone),
		TEST(interrupt_ends_the_group),
	};
	sig_install();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
