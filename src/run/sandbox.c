/* The sandbox of a worker.
 * In: a plan. Out: the layers laid over a child, and a report that says which hold.
 * The parent prepares what needs memory; the child makes system calls only, between fork and exec.
 * Never: gives up silently: a layer that does not hold says why. */
#include "run/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/landlock.h"
#include "run/sandbox_filter.h"
#include "run/sandbox_inside.h"

static const char *const layer_names[] = {
#define SANDBOX_X(id, name, what) name,
	SANDBOX_LAYERS(SANDBOX_X)
#undef SANDBOX_X
};

const char *sandbox_layer_name(enum sandbox_layer_id id)
{
	return layer_names[id];
}

bool sandbox_is_active(const struct sandbox_report *r, enum sandbox_layer_id id)
{
	return r->layer[id].state == SANDBOX_ACTIVE;
}

/* ---- reporting, in the child too: no allocation, no locale ---- */

static void add_text(char *out, size_t cap, const char *text)
{
	size_t n = strlen(out);
	for (; *text && n + 1 < cap; text++)
		out[n++] = *text;
	out[n] = 0;
}

static void layer_set(struct sandbox *s, enum sandbox_layer_id id, enum sandbox_state state, const char *reason)
{
	struct sandbox_layer *l = &s->report->layer[id];
	l->state = state;
	l->reason[0] = 0;
	add_text(l->reason, sizeof(l->reason), reason);
}

static void layer_failed(struct sandbox *s, enum sandbox_layer_id id, const char *what, int code)
{
	layer_set(s, id, SANDBOX_UNAVAILABLE, what);
	struct sandbox_layer *l = &s->report->layer[id];
	const char *why = strerrordesc_np(code);
	add_text(l->reason, sizeof(l->reason), ": ");
	add_text(l->reason, sizeof(l->reason), why ? why : "unknown error");
}

/* ---- layers ---- */

static void apply_session(struct sandbox *s)
{
	if (getsid(0) == getpid() || setsid() >= 0)
		layer_set(s, SANDBOX_LAYER_SESSION, SANDBOX_ACTIVE, "");
	else
		layer_failed(s, SANDBOX_LAYER_SESSION, "setsid", errno);
}

static void apply_rlimits(struct sandbox *s)
{
	const struct {
		enum __rlimit_resource resource;
		const char *name;
		rlim_t value;
	} rows[] = {{RLIMIT_FSIZE, "RLIMIT_FSIZE", s->plan.max_file_bytes},
		    {RLIMIT_CORE, "RLIMIT_CORE", 0},
		    {RLIMIT_NOFILE, "RLIMIT_NOFILE", s->plan.max_open_files}};
	layer_set(s, SANDBOX_LAYER_RLIMITS, SANDBOX_ACTIVE, "");
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct rlimit old, want = {rows[i].value, rows[i].value};
		if (getrlimit(rows[i].resource, &old) == 0 && old.rlim_max < rows[i].value)
			want.rlim_cur = want.rlim_max = old.rlim_max;
		if (setrlimit(rows[i].resource, &want) != 0)
			layer_failed(s, SANDBOX_LAYER_RLIMITS, rows[i].name, errno);
	}
}

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = (ssize_t)strlen(text);
	bool ok = write(fd, text, (size_t)n) == n;
	close(fd);
	return ok;
}

static bool loopback_up(void)
{
	struct ifreq lo = {.ifr_name = "lo"};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	bool ok = ioctl(fd, SIOCGIFFLAGS, &lo) == 0;
	lo.ifr_flags |= IFF_UP;
	ok = ok && ioctl(fd, SIOCSIFFLAGS, &lo) == 0;
	close(fd);
	return ok;
}

static void apply_network(struct sandbox *s)
{
	const enum sandbox_layer_id id = SANDBOX_LAYER_NETWORK;
	if (s->plan.network == SANDBOX_NET_HOST) {
		layer_set(s, id, SANDBOX_NOT_WANTED, "the plan keeps the host's network");
		return;
	}
	const char *how = "";
	if (unshare(CLONE_NEWNET) != 0) {
		int code = errno;
		if (!(s->plan.flags & SANDBOX_ALLOW_USERNS)) {
			layer_failed(s, id, "unshare without privilege", code);
			return;
		}
		if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) {
			layer_failed(s, id, "user namespace", errno);
			return;
		}
		(void)!write_text("/proc/self/setgroups", "deny");
		if (!write_text("/proc/self/uid_map", s->uid_map) || !write_text("/proc/self/gid_map", s->gid_map)) {
			layer_failed(s, id, "user namespace: its map", errno);
			return;
		}
		how = "in a user namespace";
	}
	if (s->plan.network == SANDBOX_NET_LOOPBACK && !loopback_up())
		layer_failed(s, id, "loopback", errno);
	else
		layer_set(s, id, SANDBOX_ACTIVE, s->plan.network == SANDBOX_NET_LOOPBACK ? "loopback only" : how);
}

static void apply_capabilities(struct sandbox *s)
{
	const enum sandbox_layer_id id = SANDBOX_LAYER_CAPABILITIES;
	if (s->plan.flags & SANDBOX_KEEP_CAPABILITIES) {
		layer_set(s, id, SANDBOX_NOT_WANTED, "the plan keeps them for the tool");
		return;
	}
	for (int cap = 0; cap < 64; cap++) { /* fails beyond the last one, and without CAP_SETPCAP */
		if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1)
			(void)prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	}
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[2];
	memset(none, 0, sizeof(none));
	if (syscall(SYS_capset, &head, none) == 0)
		layer_set(s, id, SANDBOX_ACTIVE, "");
	else
		layer_failed(s, id, "capset", errno);
}

static void apply_no_new_privs(struct sandbox *s)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		layer_set(s, SANDBOX_LAYER_NO_NEW_PRIVS, SANDBOX_ACTIVE, "");
	else
		layer_failed(s, SANDBOX_LAYER_NO_NEW_PRIVS, "prctl", errno);
}

/* ---- Landlock ---- */

static uint64_t landlock_fs_of(long abi)
{
	uint64_t fs = LL_REFER - 1; /* all of ABI 1 */
	fs |= abi >= 2 ? LL_REFER : 0;
	fs |= abi >= 3 ? LL_TRUNCATE : 0;
	fs |= abi >= 5 ? LL_IOCTL_DEV : 0;
	return fs;
}

/* False: the rule could not be added; a path that is not there is no failure. */
static bool landlock_allow(int rules, const struct sandbox_path *p, uint64_t handled)
{
	int fd = open(p->path, O_PATH | O_CLOEXEC);
	struct stat st;
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == EACCES;
	uint64_t access = 0;
	access |= p->access & SANDBOX_READ ? LL_READ : 0;
	access |= p->access & SANDBOX_WRITE ? LL_WRITE : 0;
	access |= p->access & SANDBOX_EXEC ? LL_EXECUTE : 0;
	bool ok = fstat(fd, &st) == 0;
	if (ok && !S_ISDIR(st.st_mode)) {
		access &= LL_ON_FILES;
		access |= (S_ISCHR(st.st_mode) && p->access & SANDBOX_WRITE) ? LL_IOCTL_DEV : 0;
	}
	struct landlock_path rule = {access & handled, fd};
	ok = ok && (rule.access == 0 || syscall(LANDLOCK_NR_ADD, rules, LANDLOCK_PATH_BENEATH, &rule, 0) == 0);
	close(fd);
	return ok;
}

/* libcuda writes the names of its threads to /proc/self/task/TID/comm and fails when it cannot. For a worker that is
 * allowed below its own folder of /proc; the O_PATH descriptor stays open over the exec, so that the kernel keeps the very
 * inode that the rule names. A tool's child is another process, so a tool may write below /proc, where what belongs to the
 * whole machine cannot be written (guard_proc). */
static bool landlock_allow_proc(struct sandbox *s, int rules, uint64_t handled)
{
	struct sandbox_path own = {"/proc/self", SANDBOX_READ | SANDBOX_WRITE};
	if (s->plan.kind == SANDBOX_TOOL) {
		own.path = "/proc";
		return !s->proc_is_guarded || landlock_allow(rules, &own, handled);
	}
	int pin = open(own.path, O_PATH | O_DIRECTORY); /* not O_CLOEXEC: see above */
	return pin >= 0 && landlock_allow(rules, &own, handled);
}

static bool landlock_allow_all(struct sandbox *s, int rules, uint64_t handled)
{
	size_t n;
	if (!landlock_allow_proc(s, rules, handled))
		return false;
	const struct sandbox_path *system = sandbox_system_paths(s->plan.kind, &n);
	for (size_t i = 0; i < n; i++) {
		if (!landlock_allow(rules, &system[i], handled))
			return false;
	}
	for (size_t i = 0; i < s->n_paths; i++) {
		if (!landlock_allow(rules, &s->paths[i], handled))
			return false;
	}
	return true;
}

static void landlock_report(struct sandbox *s, long abi, const struct landlock_rules *rules)
{
	char detail[] = "Landlock ABI ??";
	detail[13] = (char)('0' + abi / 10 % 10);
	detail[14] = (char)('0' + abi % 10);
	layer_set(s, SANDBOX_LAYER_FILES, SANDBOX_ACTIVE, detail);
	if (s->plan.network != SANDBOX_NET_NONE)
		layer_set(s, SANDBOX_LAYER_TCP, SANDBOX_NOT_WANTED, "the plan allows loopback or the host's network");
	else if (rules->net)
		layer_set(s, SANDBOX_LAYER_TCP, SANDBOX_ACTIVE, detail);
	else
		layer_set(s, SANDBOX_LAYER_TCP, SANDBOX_UNAVAILABLE, "needs Landlock ABI 4");
	if (rules->scoped)
		layer_set(s, SANDBOX_LAYER_SCOPE, SANDBOX_ACTIVE, detail);
	else
		layer_set(s, SANDBOX_LAYER_SCOPE, SANDBOX_UNAVAILABLE, "needs Landlock ABI 6");
}

static void apply_landlock(struct sandbox *s)
{
	static const enum sandbox_layer_id ids[] = {SANDBOX_LAYER_FILES, SANDBOX_LAYER_TCP, SANDBOX_LAYER_SCOPE};
	long abi = syscall(LANDLOCK_NR_CREATE, NULL, 0, LANDLOCK_ASK_VERSION);
	struct landlock_rules attr = {.fs = landlock_fs_of(abi)};
	attr.net = abi >= 4 && s->plan.network == SANDBOX_NET_NONE ? LL_TCP_BIND | LL_TCP_CONNECT : 0;
	attr.scoped = abi >= 6 ? LL_SCOPE_ABSTRACT | LL_SCOPE_SIGNAL : 0;
	size_t size = abi >= 6 ? sizeof(attr) : abi >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
	const char *what = abi < 1 ? "this kernel has no Landlock" : "Landlock rules";
	int rules = abi < 1 ? -1 : (int)syscall(LANDLOCK_NR_CREATE, &attr, size, 0);
	bool ok = rules >= 0 && landlock_allow_all(s, rules, attr.fs) && syscall(LANDLOCK_NR_RESTRICT, rules, 0) == 0;
	int code = errno;
	if (rules >= 0)
		close(rules);
	if (ok) {
		landlock_report(s, abi, &attr);
		return;
	}
	for (size_t i = 0; i < COUNT_OF(ids); i++)
		layer_failed(s, ids[i], what, code);
}

static void apply_seccomp(struct sandbox *s)
{
	struct sock_fprog prog = {s->start.n, s->start.code};
	/* SPEC_ALLOW: no store bypass mitigation, which would slow what is measured on older kernels. */
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &prog) == 0)
		layer_set(s, SANDBOX_LAYER_SYSCALLS, SANDBOX_ACTIVE, "");
	else
		layer_failed(s, SANDBOX_LAYER_SYSCALLS, "seccomp", errno);
}

/* For a tool run by root: the switches of the whole machine below /proc become read-only in a mount namespace of its own,
 * as containers have it. For anybody else they are read-only anyway. */
static void guard_proc(struct sandbox *s)
{
	static const char *const parts[] = {"/proc/sys",  "/proc/irq",  "/proc/bus",          "/proc/fs",
					    "/proc/acpi", "/proc/scsi", "/proc/sysrq-trigger"};
	static const char *const probes[] = {"/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"};
	const unsigned long read_only = MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
	if (geteuid() == 0 && unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == 0) {
		for (size_t i = 0; i < COUNT_OF(parts); i++) {
			if (mount(parts[i], parts[i], NULL, MS_BIND, NULL) == 0)
				(void)mount(NULL, parts[i], NULL, read_only, NULL);
		}
	}
	s->proc_is_guarded = true;
	for (size_t i = 0; i < COUNT_OF(probes); i++) {
		int fd = open(probes[i], O_WRONLY | O_CLOEXEC);
		s->proc_is_guarded = s->proc_is_guarded && fd < 0;
		if (fd >= 0)
			close(fd);
	}
}

bool sandbox_apply(void *arg)
{
	struct sandbox *s = arg;
	umask(077);
	apply_session(s);
	apply_rlimits(s);
	if (s->plan.kind == SANDBOX_TOOL)
		guard_proc(s);
	apply_network(s); /* while there may be a privilege to do it */
	apply_capabilities(s);
	apply_no_new_privs(s);
	apply_landlock(s);
	apply_seccomp(s);
	for (size_t i = 0; i < SANDBOX_LAYER_COUNT; i++) {
		if (s->plan.required & (1u << i) && i != SANDBOX_LAYER_SEAL &&
		    s->report->layer[i].state == SANDBOX_UNAVAILABLE)
			return false;
	}
	return true;
}

/* ---- the parent's side ---- */

/* The plan's paths, our own program, and the folders of LD_LIBRARY_PATH, which the environment takes over. */
static void gather_paths(struct sandbox *s, const struct sandbox_plan *plan)
{
	size_t cap = plan->n_paths + 130;
	s->paths = ARENA_ARRAY(&s->arena, cap, struct sandbox_path);
	for (size_t i = 0; i < plan->n_paths; i++) {
		struct sandbox_path p = plan->paths[i];
		p.path = arena_strdup(&s->arena, p.path);
		s->paths[s->n_paths++] = p;
	}
	char *self = path_real(&s->arena, "/proc/self/exe");
	if (self)
		s->paths[s->n_paths++] = (struct sandbox_path){self, SANDBOX_READ | SANDBOX_EXEC};
	unsigned access = plan->kind == SANDBOX_NATIVE ? SANDBOX_READ : SANDBOX_READ | SANDBOX_EXEC;
	struct str rest = str_from(getenv("LD_LIBRARY_PATH")), dir;
	while (s->n_paths < cap && str_split(&rest, ':', &dir)) {
		if (dir.n > 1 && dir.p[0] == '/')
			s->paths[s->n_paths++] = (struct sandbox_path){arena_strndup(&s->arena, dir.p, dir.n), access};
	}
}

static int64_t own_filters(void)
{
	struct sandbox_seen seen;
	return sandbox_look(getpid(), &seen) ? seen.n_filters : -1;
}

static int seal_memfd(struct err *e)
{
	struct sandbox_filter f;
	if (!sandbox_filter_seal(&f, e))
		return -1;
	int fd = file_memfd("seal", 0, e);
	if (fd >= 0 && !file_write_all(fd, f.code, (size_t)f.n * sizeof(struct sock_filter), "seal", e)) {
		close(fd);
		fd = -1;
	}
	sandbox_filter_release(&f);
	return fd;
}

static void report_start(struct sandbox *s)
{
	int reaper = 0;
	for (size_t i = 0; i < SANDBOX_LAYER_COUNT; i++)
		layer_set(s, (enum sandbox_layer_id)i, SANDBOX_PENDING, "");
	if (prctl(PR_GET_CHILD_SUBREAPER, &reaper, 0, 0, 0) == 0 && reaper)
		layer_set(s, SANDBOX_LAYER_SUBREAPER, SANDBOX_ACTIVE, "");
	else
		layer_set(s, SANDBOX_LAYER_SUBREAPER, SANDBOX_UNAVAILABLE, "the parent has not asked for orphans");
	if (s->plan.max_memory_bytes)
		layer_set(s, SANDBOX_LAYER_MEMORY, SANDBOX_ACTIVE, "watched by the parent");
	else
		layer_set(s, SANDBOX_LAYER_MEMORY, SANDBOX_NOT_WANTED, "no limit given");
	if (s->plan.kind == SANDBOX_TOOL)
		layer_set(s, SANDBOX_LAYER_SEAL, SANDBOX_NOT_WANTED, "a tool starts processes");
	else if (s->n_filters < 0)
		layer_set(s, SANDBOX_LAYER_SEAL, SANDBOX_UNAVAILABLE,
			  "this kernel does not say how many filters there are");
}

struct sandbox *sandbox_new(const struct sandbox_plan *plan, struct err *e)
{
	struct sandbox *s = calloc(1, sizeof(*s));
	if (!s)
		BUG("out of memory");
	arena_init(&s->arena);
	s->seal_fd = -1;
	s->plan = *plan;
	s->plan.max_file_bytes = plan->max_file_bytes ? plan->max_file_bytes : UINT64_C(4) << 30;
	s->plan.max_open_files = plan->max_open_files ? plan->max_open_files : 4096;
	gather_paths(s, plan);
	snprintf(s->uid_map, sizeof(s->uid_map), "%u %u 1", (unsigned)getuid(), (unsigned)getuid());
	snprintf(s->gid_map, sizeof(s->gid_map), "%u %u 1", (unsigned)getgid(), (unsigned)getgid());
	/* Shared until the child execs: then its side of the map is gone, and no candidate can write to it. */
	void *map = mmap(NULL, sizeof(*s->report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool ok = map != MAP_FAILED || err_errno(e, ERR_SYSTEM, errno, "memory for the sandbox's report");
	if (ok) {
		s->report = map;
		s->n_filters = own_filters();
		report_start(s);
		ok = sandbox_filter_start(&s->start, &s->plan, getpid(), e);
	}
	if (ok && plan->kind != SANDBOX_TOOL) {
		s->seal_fd = seal_memfd(e);
		ok = s->seal_fd >= 0;
	}
	if (ok)
		return s;
	sandbox_free(s);
	return NULL;
}

void sandbox_free(struct sandbox *s)
{
	if (!s)
		return;
	if (s->report)
		munmap(s->report, sizeof(*s->report));
	if (s->seal_fd >= 0)
		close(s->seal_fd);
	sandbox_filter_release(&s->start);
	arena_release(&s->arena);
	free(s);
}

int sandbox_seal_fd(const struct sandbox *s)
{
	return s->seal_fd;
}

const struct sandbox_report *sandbox_report(const struct sandbox *s)
{
	return s->report;
}

void sandbox_contradict(struct sandbox *s, enum sandbox_layer_id id, enum sandbox_state state, const char *reason)
{
	layer_set(s, id, state, reason);
}
