/* The seccomp filters of the sandbox: what is refused, not what is allowed, which nobody could list for drivers and Python.
 * In: a plan. Out: BPF programs.
 * Refused is EPERM; clone3 is ENOSYS, so that libc falls back to clone, whose flags a filter can see.
 * Never: runs in the child (libseccomp allocates). */
#include "run/sandbox_filter.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"

/* Refused for every kind. A name that this libseccomp does not know is skipped. */
static const char *const refused_always[] = {
	/* mounts and roots */
	"mount",
	"umount",
	"umount2",
	"pivot_root",
	"chroot",
	"move_mount",
	"open_tree",
	"fsopen",
	"fsconfig",
	"fsmount",
	"fspick",
	"mount_setattr",
	"quotactl",
	"quotactl_fd",
	"acct",
	"swapon",
	"swapoff",
	/* namespaces; clone's flags are looked at below */
	"unshare",
	"setns",
	/* the kernel itself */
	"bpf",
	"kexec_load",
	"kexec_file_load",
	"init_module",
	"finit_module",
	"delete_module",
	"reboot",
	"syslog",
	"iopl",
	"ioperm",
	"settimeofday",
	"clock_settime",
	"clock_adjtime",
	"adjtimex",
	"sethostname",
	"setdomainname",
	"vhangup",
	"lookup_dcookie",
	"nfsservctl",
	/* ways around the other rules: calls made by kernel threads, keys, handles instead of paths */
	"io_uring_setup",
	"io_uring_enter",
	"io_uring_register",
	"keyctl",
	"add_key",
	"request_key",
	"userfaultfd",
	"name_to_handle_at",
	"open_by_handle_at",
	"fanotify_init",
};
/* Refused for candidate code, allowed for a tool (debuggers and profilers live from them). */
static const char *const refused_for_code[] = {
	"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease",
	"kcmp",   "pidfd_getfd",      "pidfd_send_signal", "migrate_pages",
};
/* A native worker may open its own counters before it is sealed; a Python one runs candidate code from the start. */
static const char *const refused_for_python[] = {"perf_event_open"};
static const char *const refused_by_seal[] = {"fork", "vfork", "execve", "execveat", "perf_event_open"};

struct maker {
	scmp_filter_ctx ctx;
	int failed; /* first negative result of libseccomp */
};

static void note_result(struct maker *m, int rc)
{
	if (rc < 0 && !m->failed)
		m->failed = rc;
}

static void refuse(struct maker *m, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int nr = seccomp_syscall_resolve_name(names[i]);
		if (nr >= 0)
			note_result(m, seccomp_rule_add(m->ctx, SCMP_ACT_ERRNO(EPERM), nr, 0));
	}
}

/* Refuses a call when one 32-bit argument has this value. The kernel ignores the upper half of such a register, so the
 * filter must too. */
static void refuse_when(struct maker *m, int nr, unsigned i_arg, uint32_t value)
{
	note_result(m, seccomp_rule_add(m->ctx, SCMP_ACT_ERRNO(EPERM), nr, 1,
					SCMP_CMP(i_arg, SCMP_CMP_MASKED_EQ, UINT32_MAX, value)));
}

static void refuse_unless(struct maker *m, int nr, unsigned i_arg, uint64_t value)
{
	note_result(m, seccomp_rule_add(m->ctx, SCMP_ACT_ERRNO(EPERM), nr, 1, SCMP_CMP(i_arg, SCMP_CMP_NE, value)));
}

/* No process but our own: the parent by its number, its group, and everybody at once. */
static void protect(struct maker *m, int pid)
{
	uint32_t parent = (uint32_t)pid, group = (uint32_t)-getpgrp();
	static const int by_first[] = {SCMP_SYS(kill),
				       SCMP_SYS(tkill),
				       SCMP_SYS(tgkill),
				       SCMP_SYS(rt_sigqueueinfo),
				       SCMP_SYS(rt_tgsigqueueinfo),
				       SCMP_SYS(sched_setaffinity),
				       SCMP_SYS(sched_setscheduler),
				       SCMP_SYS(sched_setparam),
				       SCMP_SYS(sched_setattr)};
	for (size_t i = 0; i < COUNT_OF(by_first); i++)
		refuse_when(m, by_first[i], 0, parent);
	refuse_when(m, SCMP_SYS(kill), 0, group);
	refuse_when(m, SCMP_SYS(kill), 0, UINT32_MAX);
	refuse_when(m, SCMP_SYS(setpriority), 1, parent);
	refuse_unless(m, SCMP_SYS(setpriority), 0, PRIO_PROCESS);
	refuse_when(m, SCMP_SYS(ioprio_set), 1, parent);
	refuse_unless(m, SCMP_SYS(ioprio_set), 0, 1 /* IOPRIO_WHO_PROCESS */);
	/* prlimit of another process; reading is allowed */
	note_result(m, seccomp_rule_add(m->ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(prlimit64), 2, SCMP_A0(SCMP_CMP_NE, 0),
					SCMP_A2(SCMP_CMP_NE, 0)));
}

static void refuse_namespaces(struct maker *m)
{
	static const uint32_t bits[] = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
					CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};
	for (size_t i = 0; i < COUNT_OF(bits); i++)
		note_result(m, seccomp_rule_add(m->ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
						SCMP_A0(SCMP_CMP_MASKED_EQ, bits[i], bits[i])));
	note_result(m, seccomp_rule_add(m->ctx, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0));
}

/* libcuda makes one AF_UNIX socket of type SEQPACKET while it starts and fails without it (seen with driver 580). Such a
 * socket talks to nobody unless it is connected, and that is refused: Landlock does not look at sockets in the file system. */
static void refuse_sockets(struct maker *m, const struct sandbox_plan *plan)
{
	static const uint32_t foreign[] = {AF_NETLINK, AF_PACKET, AF_ALG, AF_VSOCK, AF_XDP, AF_BLUETOOTH, AF_CAN};
	static const uint32_t types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_RDM, 6 /* DCCP */, 10 /* PACKET */};
	refuse_unless(m, SCMP_SYS(socketpair), 0, AF_UNIX);
	if (plan->network != SANDBOX_NET_NONE) {
		for (size_t i = 0; i < COUNT_OF(foreign); i++)
			refuse_when(m, SCMP_SYS(socket), 0, foreign[i]);
		return;
	}
	refuse_unless(m, SCMP_SYS(socket), 0, AF_UNIX);
	if (plan->flags & SANDBOX_ALLOW_UNIX)
		return;
	for (size_t i = 0; i < COUNT_OF(types); i++)
		note_result(m, seccomp_rule_add(m->ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), 1,
						SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, types[i])));
	note_result(m, seccomp_rule_add(m->ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(connect), 0));
}

static bool maker_init(struct maker *m, struct err *e)
{
	*m = (struct maker){.ctx = seccomp_init(SCMP_ACT_ALLOW)};
	if (!m->ctx)
		return err_set(e, ERR_SYSTEM, "libseccomp cannot start a filter");
	/* A call by another ABI (int 0x80, x32) would be read with the wrong numbers. */
	note_result(m, seccomp_attr_set(m->ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
	(void)seccomp_attr_set(m->ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* a tree: the calls of a kernel stay cheap */
	return true;
}

static bool maker_finish(struct maker *m, struct sandbox_filter *out, struct err *e)
{
	int fd = m->failed ? -1 : file_memfd("filter", 0, e);
	off_t n = 0;
	bool ok = fd >= 0;
	if (m->failed)
		err_errno(e, ERR_SYSTEM, -m->failed, "libseccomp refuses a rule");
	if (ok) {
		int rc = seccomp_export_bpf(m->ctx, fd);
		n = lseek(fd, 0, SEEK_END);
		ok = rc == 0 && n > 0 && n % 8 == 0 && n / 8 <= SANDBOX_MAX_FILTER;
		if (!ok)
			err_errno(e, ERR_SYSTEM, rc < 0 ? -rc : E2BIG, "libseccomp cannot write the filter");
	}
	if (ok) {
		out->code = malloc((size_t)n);
		if (!out->code)
			BUG("out of memory");
		out->n = (unsigned short)(n / 8);
		ok = pread(fd, out->code, (size_t)n, 0) == n ||
		     err_errno(e, ERR_SYSTEM, errno, "the filter's memory file");
	}
	if (fd >= 0)
		close(fd);
	seccomp_release(m->ctx);
	return ok;
}

bool sandbox_filter_start(struct sandbox_filter *out, const struct sandbox_plan *plan, int protect_pid, struct err *e)
{
	struct maker m;
	*out = (struct sandbox_filter){0};
	if (!maker_init(&m, e))
		return false;
	refuse(&m, refused_always, COUNT_OF(refused_always));
	refuse_namespaces(&m);
	protect(&m, protect_pid);
	if (plan->kind != SANDBOX_TOOL) {
		refuse(&m, refused_for_code, COUNT_OF(refused_for_code));
		refuse_sockets(&m, plan);
		refuse_when(&m, SCMP_SYS(ioctl), 1, TIOCSTI); /* typing into the caller's terminal */
		refuse_when(&m, SCMP_SYS(ioctl), 1, 0x541c /* TIOCLINUX */);
	}
	if (plan->kind == SANDBOX_PYTHON)
		refuse(&m, refused_for_python, COUNT_OF(refused_for_python));
	return maker_finish(&m, out, e);
}

bool sandbox_filter_seal(struct sandbox_filter *out, struct err *e)
{
	struct maker m;
	*out = (struct sandbox_filter){0};
	if (!maker_init(&m, e))
		return false;
	refuse(&m, refused_by_seal, COUNT_OF(refused_by_seal));
	/* It would take a disk between two looks of the watch; libc writes instead where it is not supported. */
	note_result(&m, seccomp_rule_add(m.ctx, SCMP_ACT_ERRNO(EOPNOTSUPP), SCMP_SYS(fallocate), 0));
	/* Threads only: what shares no thread group is a process. */
	note_result(&m, seccomp_rule_add(m.ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
					 SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)));
	note_result(&m, seccomp_rule_add(m.ctx, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0));
	return maker_finish(&m, out, e);
}

void sandbox_filter_release(struct sandbox_filter *f)
{
	free(f->code);
	*f = (struct sandbox_filter){0};
}
