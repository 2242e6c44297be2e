/* The sandbox: files, processes, limits, report and environment. A layer that this machine does not have is said; one that
 * reports itself active must hold. */
#include "run/sandbox.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/proc.h"
#include "run/sandbox_env.h"
#include "run/watch.h"
#include "unit/sandbox_fixture.h"

/* ---- files ---- */

static int write_outside(struct fixture *f)
{
	return said(open(path_join(&f->a, f->hidden_dir, "new"), O_WRONLY | O_CREAT, 0644) >= 0);
}

static int read_hidden(struct fixture *f)
{
	return said(open(f->hidden_file, O_RDONLY) >= 0);
}

static int list_hidden(struct fixture *f)
{
	return said(open(f->hidden_dir, O_RDONLY | O_DIRECTORY) >= 0);
}

static int truncate_hidden(struct fixture *f)
{
	return said(truncate(f->hidden_file, 0) == 0);
}

static int remove_hidden(struct fixture *f)
{
	return said(unlink(f->hidden_file) == 0);
}

static int link_out(struct fixture *f) /* by a symbolic link in its own folder */
{
	char *link = path_join(&f->a, f->open_dir, "link");
	if (symlink(f->hidden_file, link) != 0)
		return ODD;
	return said(open(link, O_RDONLY) >= 0);
}

static int rename_in(struct fixture *f)
{
	if (rename(f->hidden_file, path_join(&f->a, f->open_dir, "stolen")) == 0)
		return SUCCEEDED;
	return errno == EXDEV || errno == EACCES ? REFUSED : ODD;
}

static int read_home(struct fixture *f)
{
	(void)f;
	return said(open("/root", O_RDONLY | O_DIRECTORY) >= 0 || open("/tmp", O_RDONLY | O_DIRECTORY) >= 0);
}

static int read_shadow(struct fixture *f)
{
	(void)f;
	return said(open("/etc/shadow", O_RDONLY) >= 0);
}

static int parent_memory(struct fixture *f)
{
	return said(open(arena_printf(&f->a, "/proc/%d/mem", (int)getppid()), O_RDONLY) >= 0 ||
		    open(arena_printf(&f->a, "/proc/%d/environ", (int)getppid()), O_RDONLY) >= 0 ||
		    open(arena_printf(&f->a, "/proc/%d/oom_score_adj", (int)getppid()), O_WRONLY) >= 0);
}

static int use_own(struct fixture *f) /* what must work */
{
	char *dir = path_join(&f->a, f->open_dir, "sub"), *file = path_join(&f->a, dir, "a"),
	     *other = path_join(&f->a, f->open_dir, "b");
	struct err e = {0};
	bool ok = mkdir(dir, 0755) == 0 && file_write_str(file, STR("hello"), &e) && rename(file, other) == 0 &&
		  unlink(other) == 0 && rmdir(dir) == 0;
	ok = ok && open("/dev/null", O_RDWR) >= 0 && open("/dev/urandom", O_RDONLY) >= 0 &&
	     open("/proc/self/maps", O_RDONLY) >= 0 && open("/proc/cpuinfo", O_RDONLY) >= 0 &&
	     open("/usr/lib", O_RDONLY) >= 0 && open("/proc/self/exe", O_RDONLY) >= 0;
	ok = ok && dlopen("libm.so.6", RTLD_NOW);
	return ok ? SUCCEEDED : ODD;
}

static void test_files(void **state)
{
	struct fixture *f = *state;
	static attempt *const attempts[] = {write_outside, read_hidden, list_hidden, truncate_hidden, remove_hidden,
					    link_out,      rename_in,   read_home,   read_shadow,     parent_memory};
	static const enum sandbox_kind kinds[] = {SANDBOX_NATIVE, SANDBOX_PYTHON};
	for (size_t k = 0; k < COUNT_OF(kinds); k++) {
		make(f, (struct sandbox_plan){.kind = kinds[k]});
		for (size_t i = 0; i < COUNT_OF(attempts); i++) {
			refused(f, SANDBOX_LAYER_FILES, 0, attempts[i]);
			unlink(path_join(&f->a, f->open_dir, "link"));
		}
		assert_int_equal(inside(f, 0, use_own), SUCCEEDED);
		assert_int_equal(inside(f, SEALED, use_own), SUCCEEDED);
	}
	struct str text;
	assert_true(file_read(&f->a, &text, f->hidden_file, 10, &f->e));
	assert_true(str_is(text, "42"));
}

/* libcuda names its threads so, and does not start when it cannot. */
static int name_thread(struct fixture *f)
{
	struct err e = {0};
	int fd =
		open(arena_printf(&f->a, "/proc/self/task/%d/comm", (int)gettid()), O_WRONLY | O_CREAT | O_TRUNC, 0666);
	return fd >= 0 && file_write_all(fd, "cuda", 4, "comm", &e) ? SUCCEEDED : ODD;
}

static int name_in_child(struct fixture *f)
{
	pid_t pid = fork();
	if (pid == 0)
		_exit(name_thread(f));
	int status = 0;
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static int machine_switches(struct fixture *f) /* opened only, never written */
{
	(void)f;
	static const char *const paths[] = {"/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"};
	for (size_t i = 0; i < COUNT_OF(paths); i++) {
		if (open(paths[i], O_WRONLY) >= 0)
			return SUCCEEDED;
		if (errno != EROFS && errno != EACCES && errno != EPERM && errno != ENOENT)
			return ODD;
	}
	return REFUSED;
}

static void test_proc(void **state)
{
	struct fixture *f = *state;
	make(f, (struct sandbox_plan){.kind = SANDBOX_NATIVE});
	assert_int_equal(inside(f, SEALED, name_thread), SUCCEEDED);
	refused(f, SANDBOX_LAYER_FILES, 0, machine_switches);
	/* a tool starts the program that it looks at: that one names its threads too, and even root switches nothing */
	make(f, (struct sandbox_plan){.kind = SANDBOX_TOOL, .flags = SANDBOX_KEEP_CAPABILITIES});
	assert_int_equal(inside(f, 0, name_in_child), SUCCEEDED);
	refused(f, SANDBOX_LAYER_FILES, 0, machine_switches);
	assert_int_equal(sandbox_report(f->s)->layer[SANDBOX_LAYER_CAPABILITIES].state, SANDBOX_NOT_WANTED);
}

/* ---- processes ---- */

static int try_fork(struct fixture *f)
{
	(void)f;
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	return said(pid > 0);
}

static int try_vfork_call(struct fixture *f)
{
	(void)f;
	long pid = syscall(SYS_clone, CLONE_VM | SIGCHLD, NULL, NULL, NULL, NULL); /* shares memory, is a process */
	if (pid == 0)
		syscall(SYS_exit, 0);
	return said(pid > 0);
}

static int try_clone3(struct fixture *f)
{
	(void)f;
	struct {
		uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
	} args = {.exit_signal = SIGCHLD};
	long pid = syscall(SYS_clone3, &args, sizeof(args));
	if (pid == 0)
		syscall(SYS_exit, 0);
	return pid > 0 ? SUCCEEDED : errno == ENOSYS ? REFUSED : ODD;
}

static int try_exec(struct fixture *f)
{
	(void)f;
	execl("/bin/true", "true", (char *)NULL);
	return said(false);
}

static int try_exec_self(struct fixture *f)
{
	(void)f;
	execl("/proc/self/exe", "self", (char *)NULL);
	return said(false);
}

static int try_execveat(struct fixture *f)
{
	(void)f;
	char *argv[] = {NULL};
	int fd = open("/proc/self/exe", O_RDONLY);
	syscall(SYS_execveat, fd, "", argv, argv, AT_EMPTY_PATH);
	return said(false);
}

static void *thread_main(void *arg)
{
	return arg;
}

static int use_threads(struct fixture *f)
{
	pthread_t t;
	void *back = NULL;
	bool ok = pthread_create(&t, NULL, thread_main, f) == 0 && pthread_join(t, &back) == 0 && back == f;
	return ok && raise(0) == 0 && kill(getpid(), 0) == 0 ? SUCCEEDED : ODD;
}

static int run_program(struct fixture *f)
{
	(void)f;
	pid_t pid = fork();
	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	int status = 1;
	waitpid(pid, &status, 0);
	return status == 0 ? SUCCEEDED : ODD;
}

static void test_processes(void **state)
{
	struct fixture *f = *state;
	static attempt *const attempts[] = {try_fork, try_vfork_call, try_clone3,
					    try_exec, try_exec_self,  try_execveat};
	static const enum sandbox_kind kinds[] = {SANDBOX_NATIVE, SANDBOX_PYTHON};
	for (size_t k = 0; k < COUNT_OF(kinds); k++) {
		make(f, (struct sandbox_plan){.kind = kinds[k]});
		for (size_t i = 0; i < COUNT_OF(attempts);
		     i++) /* the seal reports from outside: here it was installed */
			assert_int_equal(inside(f, SEALED, attempts[i]), REFUSED);
		assert_int_equal(inside(f, SEALED, use_threads), SUCCEEDED);
	}
	/* before the seal: a Python worker may run compilers, a native one may not */
	assert_int_equal(inside(f, 0, run_program), SUCCEEDED);
	make(f, (struct sandbox_plan){.kind = SANDBOX_NATIVE});
	refused(f, SANDBOX_LAYER_FILES, 0, try_exec);
}

/* ---- limits ---- */

static int fill_disk(struct fixture *f)
{
	char block[65536] = {0};
	int fd = open(path_join(&f->a, f->open_dir, "big"), O_WRONLY | O_CREAT, 0644);
	for (int i = 0; i < 64; i++) {
		if (write(fd, block, sizeof(block)) < 0)
			return ODD; /* the signal comes first */
	}
	return SUCCEEDED;
}

static int fill_memfd(struct fixture *f)
{
	(void)f;
	signal(SIGXFSZ, SIG_IGN);
	int fd = memfd_create("x", 0);
	return ftruncate(fd, 1 << 22) == 0 ? SUCCEEDED : errno == EFBIG ? REFUSED : ODD;
}

static int look_at_limits(struct fixture *f)
{
	(void)f;
	struct rlimit core, files, space;
	getrlimit(RLIMIT_CORE, &core);
	getrlimit(RLIMIT_NOFILE, &files);
	getrlimit(RLIMIT_AS, &space);
	return core.rlim_max == 0 && files.rlim_max == 64 && space.rlim_cur == RLIM_INFINITY ? SUCCEEDED : ODD;
}

static void test_limits(void **state)
{
	struct fixture *f = *state;
	make(f, (struct sandbox_plan){.kind = SANDBOX_NATIVE, .max_file_bytes = 1 << 20, .max_open_files = 64});
	assert_int_equal(inside(f, 0, fill_disk), 256 + SIGXFSZ);
	assert_int_equal(file_size(path_join(&f->a, f->open_dir, "big")), 1 << 20);
	assert_int_equal(inside(f, 0, fill_memfd), REFUSED);
	assert_int_equal(inside(f, 0, look_at_limits), SUCCEEDED);
	assert_true(active(f, SANDBOX_LAYER_RLIMITS));
}

/* ---- privileges and the report ---- */

/* A child inside the sandbox, sealed or not, that waits. */
static pid_t start_waiting(struct fixture *f, unsigned flags)
{
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct err e = {0};
		bool ok = sandbox_apply(f->s);
		if (flags & SEALED)
			ok = ok && seal_install(fcntl(sandbox_seal_fd(f->s), F_DUPFD, 10), &e);
		(void)!write(fds[1], ok ? "y" : "n", 1);
		for (;;)
			pause();
	}
	char c = 0;
	assert_int_equal(read(fds[0], &c, 1), 1);
	assert_int_equal(c, 'y');
	close(fds[0]);
	close(fds[1]);
	return pid;
}

static void test_observe(void **state)
{
	struct fixture *f = *state;
	make(f, (struct sandbox_plan){.kind = SANDBOX_NATIVE, .max_memory_bytes = 1 << 30});
	const struct sandbox_report *r = sandbox_report(f->s);
	assert_int_equal(r->layer[SANDBOX_LAYER_FILES].state, SANDBOX_PENDING);
	assert_true(active(f, SANDBOX_LAYER_MEMORY));
	pid_t open = start_waiting(f, 0);
	assert_true(sandbox_observe(f->s, open));
	assert_true(active(f, SANDBOX_LAYER_CAPABILITIES));
	assert_true(active(f, SANDBOX_LAYER_NO_NEW_PRIVS));
	assert_true(active(f, SANDBOX_LAYER_SYSCALLS));
	assert_true(active(f, SANDBOX_LAYER_SESSION));
	assert_int_equal(r->layer[SANDBOX_LAYER_SEAL].state, SANDBOX_PENDING);
	pid_t sealed = start_waiting(f, SEALED);
	assert_true(sandbox_observe(f->s, sealed));
	assert_true(active(f, SANDBOX_LAYER_SEAL));
	/* what a worker is without any layer contradicts the report */
	assert_true(sandbox_observe(f->s, (int)getpid()));
	assert_false(active(f, SANDBOX_LAYER_NO_NEW_PRIVS));
	assert_false(active(f, SANDBOX_LAYER_SYSCALLS));
	kill(open, SIGKILL);
	kill(sealed, SIGKILL);
	waitpid(open, NULL, 0);
	waitpid(sealed, NULL, 0);
	assert_false(sandbox_observe(f->s, sealed));
}

/* Through base/proc and a real exec, as a worker is started; the report must outlive the exec. */
static void test_spawn(void **state)
{
	struct fixture *f = *state;
	struct sandbox_path python_like[] = {{f->open_dir, SANDBOX_READ | SANDBOX_WRITE}};
	struct sandbox_plan plan = {.kind = SANDBOX_PYTHON, .paths = python_like, .n_paths = 1};
	f->s = sandbox_new(&plan, &f->e);
	const char *const *env =
		sandbox_env(&f->a, &(struct sandbox_env_options){.folder = f->open_dir, .gpu = "GPU-1"}, &f->e);
	const char *script = "echo $HOME $CUDA_VISIBLE_DEVICES; echo x > $TMPDIR/t && cat $TMPDIR/t; cat \"$0\" 2>&1; "
			     "grep -E '^(CapEff|NoNewPrivs)' /proc/self/status";
	const char *argv[] = {"/bin/sh", "-c", script, f->hidden_file, NULL};
	struct proc_options o = {.argv = argv,
				 .env = env,
				 .timeout_ns = 20000000000,
				 .flags = PROC_NEW_SESSION,
				 .child_setup = sandbox_apply,
				 .child_arg = f->s};
	struct proc_result r;
	assert_true(proc_run(&r, &o, &f->e));
	assert_non_null(strstr(r.out.p, arena_printf(&f->a, "%s/home GPU-1\nx\n", f->open_dir)));
	assert_non_null(strstr(r.out.p, "CapEff:\t0000000000000000"));
	if (active(f, SANDBOX_LAYER_FILES))
		assert_non_null(strstr(r.out.p, "Permission denied"));
	proc_result_release(&r);
	struct json *j = sandbox_report_json(&f->a, sandbox_report(f->s));
	assert_int_equal(j->n, SANDBOX_LAYER_COUNT);
	assert_true(str_is(json_str(json_at(j, 0), "layer", STR("")), "session"));
	assert_true(str_is(json_str(json_at(j, 0), "state", STR("")), "active"));
	assert_true(str_is(json_str(json_at(j, SANDBOX_LAYER_SEAL), "state", STR("")), "pending"));
	/* a layer that the plan requires and that cannot be had: no start */
	sandbox_free(f->s);
	plan.network = SANDBOX_NET_LOOPBACK;
	plan.required = 1u << SANDBOX_LAYER_FILES | 1u << SANDBOX_LAYER_CAPABILITIES;
	f->s = sandbox_new(&plan, &f->e);
	o.child_arg = f->s;
	assert_true(proc_run(&r, &o, &f->e));
	assert_int_equal(r.exit_status, active(f, SANDBOX_LAYER_FILES) ? 0 : 126);
	proc_result_release(&r);
}

static void test_environment(void **state)
{
	struct fixture *f = *state;
	setenv("LD_PRELOAD", "", 1);
	setenv("CUDA_INJECTION64_PATH", "/x", 1);
	setenv("ASSAY_LEASE", "cpu=1:2", 1);
	setenv("SECRET_TOKEN", "s", 1);
	setenv("PYTHONPATH", "/x", 1);
	setenv("CUDA_MODULE_LOADING", "EAGER", 1);
	static const char *const extra[] = {"OMP_NUM_THREADS=4", "HOME=/elsewhere", NULL};
	const char *const *env =
		sandbox_env(&f->a, &(struct sandbox_env_options){.folder = f->open_dir, .extra = extra}, &f->e);
	assert_non_null(env);
	int n_seen = 0;
	for (size_t i = 0; env[i]; i++) {
		static const char *const bad[] = {"LD_PRELOAD=", "CUDA_INJ",   "ASSAY_",
						  "SECRET",      "PYTHONPATH", "CUDA_VIS"};
		for (size_t k = 0; k < COUNT_OF(bad); k++)
			assert_false(str_starts(str_from(env[i]), bad[k]));
		static const char *const good[] = {"OMP_NUM_THREADS=4", "HOME=/elsewhere", "CUDA_MODULE_LOADING=EAGER"};
		for (size_t k = 0; k < COUNT_OF(good); k++)
			n_seen += strcmp(env[i], good[k]) == 0;
	}
	assert_int_equal(n_seen, 3);
	assert_true(file_is_dir(path_join(&f->a, f->open_dir, "triton")));
	static const char *const odd[] = {"=x", NULL};
	assert_null(sandbox_env(&f->a, &(struct sandbox_env_options){.folder = f->open_dir, .extra = odd}, &f->e));
	assert_null(sandbox_env(&f->a, &(struct sandbox_env_options){.folder = "/proc/none"}, &f->e));
	unsetenv("CUDA_INJECTION64_PATH");
}

/* ---- the way out ---- */

static int escape(struct fixture *f) /* double fork and setsid; the deep one reports its number */
{
	if (fork() == 0) {
		setsid();
		if (fork() == 0) {
			char *path = path_join(&f->a, f->open_dir, "deep");
			char *text = arena_printf(&f->a, "%d", (int)getpid());
			struct err e = {0};
			(void)!file_write_str(path, str_from(text), &e);
			for (;;)
				pause();
		}
		for (;;)
			pause();
	}
	while (!file_exists(path_join(&f->a, f->open_dir, "deep")))
		usleep(1000);
	return SUCCEEDED;
}

static void test_escape(void **state)
{
	struct fixture *f = *state;
	assert_true(watch_become_subreaper());
	make(f, (struct sandbox_plan){.kind = SANDBOX_PYTHON});
	assert_true(active(f, SANDBOX_LAYER_SUBREAPER));
	assert_int_equal(inside(f, 0, escape), SUCCEEDED);
	struct str text;
	int64_t deep;
	assert_true(file_read(&f->a, &text, path_join(&f->a, f->open_dir, "deep"), 20, &f->e));
	assert_true(str_i64(text, &deep));
	assert_int_equal(kill((pid_t)deep, 0), 0);
	assert_true(watch_end_strays(NULL, 0) >= 2);
	assert_int_equal(kill((pid_t)deep, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_proc, setup, teardown),
		cmocka_unit_test_setup_teardown(test_processes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_observe, setup, teardown),
		cmocka_unit_test_setup_teardown(test_spawn, setup, teardown),
		cmocka_unit_test_setup_teardown(test_environment, setup, teardown),
		cmocka_unit_test_setup_teardown(test_escape, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
