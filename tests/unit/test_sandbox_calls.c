/* The sandbox: system calls, sockets, signals. A layer that this machine does not have is said; one that reports itself
 * active must hold. */
#include "run/sandbox.h"

#include <arpa/inet.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "unit/sandbox_fixture.h"

/* ---- system calls ---- */

static int try_ptrace(struct fixture *f)
{
	(void)f;
	return said(ptrace(PTRACE_SEIZE, getppid(), 0, 0) == 0);
}

static int try_process_vm(struct fixture *f)
{
	char byte = 0;
	struct iovec local = {&byte, 1}, remote = {f->folder, 1};
	return said(syscall(SYS_process_vm_readv, getppid(), &local, 1, &remote, 1, 0) == 1);
}

static int try_kill_parent(struct fixture *f)
{
	(void)f;
	return said(kill(getppid(), 0) == 0);
}

static int try_kill_parent_odd(struct fixture *f) /* the kernel ignores the upper half of the register */
{
	(void)f;
	return said(syscall(SYS_kill, (long)getppid() | (1L << 40), 0) == 0);
}

static int try_kill_all(struct fixture *f)
{
	(void)f;
	if (kill(-1, 0) == 0)
		return SUCCEEDED;
	return errno == EPERM ? REFUSED : ODD;
}

static int try_tgkill_parent(struct fixture *f)
{
	(void)f;
	return said(syscall(SYS_tgkill, getppid(), getppid(), 0) == 0);
}

static int try_limit_parent(struct fixture *f)
{
	(void)f;
	struct rlimit now;
	if (prlimit(getppid(), RLIMIT_NOFILE, NULL, &now) != 0 && errno != EPERM)
		return ODD;
	now = (struct rlimit){1000, 1000};
	return said(prlimit(getppid(), RLIMIT_NOFILE, &now, NULL) == 0);
}

static int try_pin_parent(struct fixture *f)
{
	(void)f;
	cpu_set_t set;
	sched_getaffinity(getppid(), sizeof(set), &set);
	return said(sched_setaffinity(getppid(), sizeof(set), &set) == 0);
}

static int try_renice(struct fixture *f)
{
	(void)f;
	if (setpriority(PRIO_PROCESS, (id_t)getppid(), 1) == 0 || setpriority(PRIO_USER, 0, 1) == 0)
		return SUCCEEDED;
	return said(false);
}

static int try_socket(struct fixture *f)
{
	(void)f;
	return said(socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0 ||
		    socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) >= 0 || socket(AF_NETLINK, SOCK_RAW, 0) >= 0 ||
		    socket(AF_INET, SOCK_SEQPACKET, 0) >= 0);
}

/* What libcuda makes when it starts; it must not reach anybody. */
static int try_connect(struct fixture *f)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path_join(&f->a, f->open_dir, "socket"));
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return ODD;
	if (sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)) >= 0)
		return SUCCEEDED;
	return said(connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0);
}

static void test_unix_socket(void **state)
{
	struct fixture *f = *state;
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path_join(&f->a, f->open_dir, "socket"));
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 5), 0);
	assert_int_equal(try_connect(f), SUCCEEDED);
	make(f, (struct sandbox_plan){.kind = SANDBOX_PYTHON});
	refused(f, SANDBOX_LAYER_SYSCALLS, 0, try_connect);
	make(f, (struct sandbox_plan){.kind = SANDBOX_PYTHON, .flags = SANDBOX_ALLOW_UNIX});
	assert_int_equal(inside(f, 0, try_connect), SUCCEEDED); /* a client of the MPS daemon */
	close(fd);
}

static int try_unshare(struct fixture *f)
{
	(void)f;
	if (syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL) >= 0)
		return SUCCEEDED;
	return said(unshare(CLONE_NEWUSER) == 0 || setns(0, 0) == 0);
}

static int try_mount(struct fixture *f)
{
	return said(mount("none", f->open_dir, "tmpfs", 0, NULL) == 0 || umount2("/proc", MNT_DETACH) == 0 ||
		    chroot(f->open_dir) == 0);
}

static int try_rare(struct fixture *f)
{
	(void)f;
	static const long calls[] = {SYS_bpf,
				     SYS_userfaultfd,
				     SYS_keyctl,
				     SYS_kexec_load,
				     SYS_init_module,
				     SYS_reboot,
				     SYS_swapon,
				     SYS_add_key,
				     SYS_acct,
				     425 /* io_uring_setup */,
				     SYS_perf_event_open,
				     438 /* pidfd_getfd */,
				     SYS_open_by_handle_at,
				     SYS_process_vm_writev};
	for (size_t i = 0; i < COUNT_OF(calls); i++) {
		errno = 0;
		if (syscall(calls[i], 0, 0, 0, 0, 0, 0) != -1 || errno != EPERM)
			return (int)i + 1;
	}
	return REFUSED;
}

static int use_pairs(struct fixture *f)
{
	(void)f;
	int fds[2];
	char c = 0;
	bool ok =
		socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0 && write(fds[0], "x", 1) == 1 && read(fds[1], &c, 1) == 1;
	struct rlimit now;
	ok = ok && getrlimit(RLIMIT_NOFILE, &now) == 0 && setrlimit(RLIMIT_NOFILE, &now) == 0;
	ok = ok && memfd_create("x", 0) >= 0 && sched_yield() == 0 && nice(1) != -1;
	return ok ? SUCCEEDED : ODD;
}

static void test_system_calls(void **state)
{
	struct fixture *f = *state;
	static attempt *const attempts[] = {
		try_ptrace,        try_process_vm,   try_kill_parent, try_kill_parent_odd, try_kill_all,
		try_tgkill_parent, try_limit_parent, try_pin_parent,  try_renice,          try_socket,
		try_unshare,       try_mount,        try_rare,
	};
	make(f, (struct sandbox_plan){.kind = SANDBOX_PYTHON});
	for (size_t i = 0; i < COUNT_OF(attempts); i++)
		refused(f, SANDBOX_LAYER_SYSCALLS, 0, attempts[i]);
	assert_int_equal(inside(f, 0, use_pairs), SUCCEEDED);
	assert_int_equal(inside(f, SEALED, use_pairs), SUCCEEDED);
}

/* A native worker may open its own counters until it is sealed. */
static int use_perf(struct fixture *f)
{
	(void)f;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_TASK_CLOCK};
	attr.exclude_kernel = 1;
	return said(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) >= 0);
}

static void test_perf(void **state)
{
	struct fixture *f = *state;
	make(f, (struct sandbox_plan){.kind = SANDBOX_NATIVE});
	assert_int_equal(inside(f, SEALED, use_perf), REFUSED);
	int outside = use_perf(f);
	if (outside == SUCCEEDED && inside(f, 0, use_perf) != SUCCEEDED) {
		int paranoid = -1;
		FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
		assert_non_null(file);
		assert_int_equal(fscanf(file, "%d", &paranoid), 1);
		fclose(file);
		assert_true(paranoid > 2); /* then only the capability that was dropped allowed it */
	}
}

/* ---- network ---- */

static int connect_loopback(struct fixture *f)
{
	(void)f;
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0)
		return said(false);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
		return SUCCEEDED;
	return errno == ENETUNREACH || errno == EACCES ? REFUSED : errno == ECONNREFUSED ? SUCCEEDED : ODD;
}

static int talk_loopback(struct fixture *f)
{
	(void)f;
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof(at);
	int a = socket(AF_INET, SOCK_STREAM, 0), b = socket(AF_INET, SOCK_STREAM, 0);
	bool ok = a >= 0 && b >= 0 && bind(a, (struct sockaddr *)&at, n) == 0 && listen(a, 1) == 0 &&
		  getsockname(a, (struct sockaddr *)&at, &n) == 0 && connect(b, (struct sockaddr *)&at, n) == 0;
	return ok ? SUCCEEDED : ODD;
}

/* A listener outside: a namespace of its own does not reach it. */
static int listener_port;

static int connect_outside(struct fixture *f)
{
	(void)f;
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	to.sin_port = htons((uint16_t)listener_port);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	return fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 ? SUCCEEDED : REFUSED;
}

static void test_network(void **state)
{
	struct fixture *f = *state;
	make(f, (struct sandbox_plan){.kind = SANDBOX_NATIVE});
	refused(f, SANDBOX_LAYER_SYSCALLS, 0, connect_loopback);
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, n), 0);
	assert_int_equal(listen(fd, 5), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
	listener_port = ntohs(at.sin_port);
	make(f, (struct sandbox_plan){.kind = SANDBOX_TOOL, .network = SANDBOX_NET_HOST});
	assert_int_equal(inside(f, 0, connect_outside), SUCCEEDED);
	assert_int_equal(sandbox_report(f->s)->layer[SANDBOX_LAYER_NETWORK].state, SANDBOX_NOT_WANTED);
	make(f, (struct sandbox_plan){
			.kind = SANDBOX_TOOL, .network = SANDBOX_NET_LOOPBACK, .flags = SANDBOX_ALLOW_USERNS});
	refused(f, SANDBOX_LAYER_NETWORK, 0, connect_outside);
	if (active(f, SANDBOX_LAYER_NETWORK))
		assert_int_equal(inside(f, 0, talk_loopback), SUCCEEDED);
	close(fd);
}

/* Another process of ours, not the parent: only Landlock's scope covers it. */
static pid_t bystander;

static int signal_bystander(struct fixture *f)
{
	(void)f;
	return said(kill(bystander, SIGTERM) == 0);
}

static void test_scope(void **state)
{
	struct fixture *f = *state;
	bystander = fork();
	if (bystander == 0) {
		for (;;)
			pause();
	}
	make(f, (struct sandbox_plan){.kind = SANDBOX_NATIVE});
	refused(f, SANDBOX_LAYER_SCOPE, SEALED, signal_bystander);
	kill(bystander, SIGKILL);
	waitpid(bystander, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_system_calls, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unix_socket, setup, teardown),
		cmocka_unit_test_setup_teardown(test_perf, setup, teardown),
		cmocka_unit_test_setup_teardown(test_network, setup, teardown),
		cmocka_unit_test_setup_teardown(test_scope, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
