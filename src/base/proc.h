/* Child processes: own process group, deadline, captured output, the whole group ended and proved gone. */
#ifndef ASSAY_BASE_PROC_H
#define ASSAY_BASE_PROC_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum proc_flags {
	PROC_MERGE_STDERR = 1, /* stderr into stdout's capture */
	PROC_INHERIT_OUTPUT = 2,
	PROC_NEW_SESSION = 4, /* setsid; else setpgid */
	PROC_PDEATHSIG = 8,   /* SIGKILL when the spawning thread dies: spawn from the main thread only */
};
/* First lines of a script for `python -c`: what lies in the folder that it starts in is none of its modules (a user's json.py). */
#define PROC_PYTHON_ALONE "import sys\nsys.path[:] = [p for p in sys.path if p]\n"
struct proc_options {
	const char *const *argv; /* argv[0] is the path to execute; NULL-terminated */
	const char *const *env;  /* NULL: inherit; else the whole environment, NULL-terminated */
	const char *cwd;         /* NULL: inherit */
	struct str stdin_text;   /* fed to the child; empty: /dev/null */
	int64_t timeout_ns;      /* 0: none; at the deadline the group gets SIGKILL */
	size_t max_output;       /* bytes kept per stream, 0: 16 MiB; the rest is read and counted */
	unsigned flags;
	const int *pass_fds; /* kept open in the child under their own numbers */
	size_t n_pass_fds;
	bool (*child_setup)(void *arg); /* runs in the child before exec; false: exit 126 */
	void *child_arg;
};
struct proc_result {
	struct buf out, err; /* captured */
	uint64_t n_dropped;  /* bytes beyond max_output */
	int exit_status;     /* -1 when it ended by a signal */
	int signal;          /* 0 when it exited */
	bool timed_out;
	bool interrupted; /* a signal of ours arrived (sig_pending) and the group was ended */
	int64_t wall_ns;
	int64_t max_rss_bytes;
};

/* Runs to the end. False only when the program could not be started (err says why); anything that the program did is in
 * the result. Release the result in every case. */
MUST_USE bool proc_run(struct proc_result *out, const struct proc_options *o, struct err *e);
/* proc_run in two halves: between them the program runs on by itself, and what it prints waits in a pipe (64 KiB). The
 * deadline and wall_ns count from proc_end. After a proc_begin that succeeded proc_end must follow. The options must live on. */
struct proc_child {
	const struct proc_options *o;
	int pid, fds[3]; /* our ends: stdin, stdout, stderr; -1: none */
};
MUST_USE bool proc_begin(struct proc_child *out, const struct proc_options *o, struct err *e);
void proc_end(struct proc_result *out, struct proc_child *c);
void proc_result_release(struct proc_result *r);
/* One line for people: "exit 1", "signal 11 (SIGSEGV)", "killed at its deadline of 20 s". */
const char *proc_describe(struct arena *a, const struct proc_result *r);
/* Starts without waiting; returns the pid or -1. Captures nothing: stdin is /dev/null unless flags inherit; stdout and
 * stderr go to out_fd / err_fd (-1: /dev/null). */
MUST_USE int proc_spawn(const struct proc_options *o, int out_fd, int err_fd, struct err *e);
/* SIGKILL to the group, waits for the leader, then until no member of the group is left (at most 2 s). */
bool proc_kill_group(int pid, int *wait_status);
const char *proc_space(struct arena *a);         /* boot and PID namespace: pids of another space say nothing here */
bool proc_is_alive(int pid, int64_t start_time); /* the same process, and no zombie */
int64_t proc_start_time(int pid); /* field 22 of /proc/PID/stat, -1 when gone: tells a reused pid from the old one */

/* SIGINT, SIGTERM and SIGHUP set a flag; everything long looks at it. */
void sig_install(void);
int sig_pending(void); /* 0 or the signal number */

#endif
