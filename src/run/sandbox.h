/* The sandbox of a worker: what it may do, laid over it in layers between fork and exec. Every layer is reported as
 * active, unavailable with its reason, or not wanted by the plan. Linux only; needs no privilege, uses what there is.
 *
 *   parent:  sandbox_new(plan) -> proc_spawn(.child_setup = sandbox_apply, .child_arg = sandbox) -> sandbox_report()
 *   worker:  probe's seal_install(fd) once it is ready and before it loads candidate code (Python: after it compiled)
 *   parent:  sandbox_observe(pid): what the kernel says about the running worker */
#ifndef ASSAY_RUN_SANDBOX_H
#define ASSAY_RUN_SANDBOX_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

enum sandbox_kind {
	SANDBOX_NATIVE, /* our own binary; no fork and no exec once sealed */
	SANDBOX_PYTHON, /* may fork and exec (ptxas, gcc) until sealed */
	SANDBOX_TOOL,   /* ncu, nsys, compute-sanitizer: sockets, ptrace, perf events and exec stay allowed */
};
enum sandbox_network { SANDBOX_NET_NONE, SANDBOX_NET_LOOPBACK, SANDBOX_NET_HOST };
enum sandbox_access {
	SANDBOX_READ = 1,
	SANDBOX_WRITE = 2, /* create, change, remove below it; for a device node: write and ioctl */
	SANDBOX_EXEC = 4,
};
struct sandbox_path {
	const char *path; /* absolute; one that does not exist is skipped */
	unsigned access;
};
enum sandbox_flags {
	SANDBOX_ALLOW_USERNS = 1,      /* unprivileged: a user namespace may be used to empty the network */
	SANDBOX_KEEP_CAPABILITIES = 2, /* counters are for administrators only (TOOL) */
	SANDBOX_ALLOW_UNIX = 4,        /* sockets of AF_UNIX: a client of the MPS daemon needs one */
};
struct sandbox_plan {
	enum sandbox_kind kind;
	enum sandbox_network network;
	const struct sandbox_path *paths; /* beside the system's, see sandbox_system_paths */
	size_t n_paths;
	uint64_t max_file_bytes;   /* RLIMIT_FSIZE; 0: 4 GiB */
	uint64_t max_memory_bytes; /* for the watch; 0: none. Never a limit on address space: CUDA reserves terabytes */
	uint64_t max_disk_bytes;   /* of its private folder, for the watch; 0: none */
	uint32_t max_open_files;   /* 0: 4096 */
	unsigned flags;
	unsigned required; /* bit 1 << SANDBOX_LAYER_X: refuse to start without that layer */
};

/* id, name in the report, what it stops */
#define SANDBOX_LAYERS(X)                                                                                              \
	X(SESSION, "session", "own session and process group: the whole group can be ended")                           \
	X(RLIMITS, "rlimits", "file size, core files, open files")                                                     \
	X(NETWORK, "network_namespace", "no network interface, or loopback only")                                      \
	X(CAPABILITIES, "capabilities", "no privilege of root")                                                        \
	X(NO_NEW_PRIVS, "no_new_privs", "no set-id program gives privileges")                                          \
	X(FILES, "landlock_files", "reads, writes and executes outside the listed paths")                              \
	X(TCP, "landlock_tcp", "TCP bind and connect")                                                                 \
	X(SCOPE, "landlock_scope", "signals and abstract sockets to processes outside")                                \
	X(SYSCALLS, "seccomp", "system calls that a kernel needs not")                                                 \
	X(SEAL, "seccomp_seal", "new processes and programs")                                                          \
	X(SUBREAPER, "subreaper", "orphans come to the parent, which ends them")                                       \
	X(MEMORY, "memory_watch", "memory beyond the limit")
enum sandbox_layer_id {
#define SANDBOX_X(id, name, what) SANDBOX_LAYER_##id,
	SANDBOX_LAYERS(SANDBOX_X)
#undef SANDBOX_X
		SANDBOX_LAYER_COUNT
};
enum sandbox_state { SANDBOX_PENDING, SANDBOX_ACTIVE, SANDBOX_UNAVAILABLE, SANDBOX_NOT_WANTED };
struct sandbox_layer {
	enum sandbox_state state;
	char reason[100]; /* why not, or a detail ("ABI 7") */
};
struct sandbox_report {
	struct sandbox_layer layer[SANDBOX_LAYER_COUNT];
};

struct sandbox;
/* Prepares in the parent all that needs memory: filters, the report (shared with the child until it execs), the seal. */
MUST_USE struct sandbox *sandbox_new(const struct sandbox_plan *plan, struct err *e);
void sandbox_free(struct sandbox *s);
/* In the child, before exec; `arg` is the struct sandbox: the form of proc_options.child_setup. False when a required
 * layer is missing. Allocates nothing. */
bool sandbox_apply(void *arg);
/* The memfd with the seal's filter: in proc_options.pass_fds; the worker is told its number. -1 for TOOL. */
int sandbox_seal_fd(const struct sandbox *s);
const struct sandbox_report *sandbox_report(const struct sandbox *s);
/* What the kernel says about the running worker (/proc/PID/status): corrects layers that it contradicts, and sets SEAL
 * once one more filter is there. That is proof as long as no candidate code has run (native: look before it is loaded); a
 * Python candidate could have installed some other filter. False when the process is gone. */
bool sandbox_observe(struct sandbox *s, int pid);
bool sandbox_is_active(const struct sandbox_report *r, enum sandbox_layer_id id);
const char *sandbox_layer_name(enum sandbox_layer_id id);
struct json *sandbox_report_json(struct arena *a, const struct sandbox_report *r);

/* Paths that every worker of that kind needs: libraries, /proc, /sys, device nodes of the GPU driver. Not: homes, /tmp,
 * /etc beyond what libc, the linker and Python read. */
const struct sandbox_path *sandbox_system_paths(enum sandbox_kind kind, size_t *n);

#endif
