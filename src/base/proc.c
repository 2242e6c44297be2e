/* Child processes with a deadline.
 * In: argv, environment, deadline. Out: captured output and how it ended.
 * Each child leads its own process group; the group is killed at the deadline, on an interrupt, and after the leader.
 * Never: runs a shell. */
#include "base/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/progress.h"

/* Between two looks at the flags and the leader; what is read on after the leader's end. */
#define POLL_MS 100
#define GRACE_NS INT64_C(200000000)

static volatile sig_atomic_t sig_seen;

static void on_signal(int number)
{
	sig_seen = number;
}

void sig_install(void)
{
	struct sigaction sa;
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL); /* a closed terminal ends a measurement as tidily as Ctrl-C */
	sa.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &sa, NULL);
}

int sig_pending(void)
{
	return sig_seen;
}

static void child_signals(void)
{
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int s = 1; s < 32; s++)
		signal(s, SIG_DFL);
}

/* What a child that could not be started reports through a close-on-exec pipe. */
struct start_report {
	int code; /* errno */
	bool in_folder;
};

/* In the child; returns what went wrong. fds: stdin, stdout, stderr, all above 2. */
static struct start_report child_exec(const struct proc_options *o, const int fds[3], pid_t parent)
{
	child_signals();
	if (o->flags & PROC_NEW_SESSION)
		setsid();
	else
		setpgid(0, 0);
	if (o->flags & PROC_PDEATHSIG) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(127);
	}
	for (int i = 0; i < 3; i++) {
		if (fds[i] >= 0 && dup2(fds[i], i) < 0)
			return (struct start_report){errno, false};
	}
	for (size_t i = 0; i < o->n_pass_fds; i++)
		fcntl(o->pass_fds[i], F_SETFD, 0);
	if (o->cwd && chdir(o->cwd) != 0)
		return (struct start_report){errno, true};
	if (o->child_setup && !o->child_setup(o->child_arg))
		_exit(126);
	union {
		const char *const *in;
		char *const *out;
	} argv = {o->argv}, env = {o->env};
	if (o->env)
		execve(argv.out[0], argv.out, env.out);
	else
		execv(argv.out[0], argv.out);
	return (struct start_report){errno, false};
}

/* Forks and executes; what fails before the program runs comes back through the report pipe. */
static int start(const struct proc_options *o, const int fds[3], struct err *e)
{
	int report[2];
	if (pipe2(report, O_CLOEXEC) != 0) {
		err_errno(e, ERR_SYSTEM, errno, "%s: pipe", o->argv[0]);
		return -1;
	}
	pid_t parent = getpid();
	pid_t pid = fork();
	if (pid == 0) {
		struct start_report failed = child_exec(o, fds, parent);
		ssize_t put = write(report[1], &failed, sizeof(failed));
		_exit(put < 0 ? 126 : 127);
	}
	close(report[1]);
	struct start_report failed;
	ssize_t got = -1;
	if (pid < 0)
		err_errno(e, ERR_SYSTEM, errno, "%s: fork", o->argv[0]);
	else
		do
			got = read(report[0], &failed, sizeof(failed));
		while (got < 0 && errno == EINTR);
	close(report[0]);
	if (got == (ssize_t)sizeof(failed)) {
		waitpid(pid, NULL, 0);
		if (failed.in_folder)
			err_errno(e, ERR_ENVIRONMENT, failed.code, "%s: cannot be started in %s", o->argv[0], o->cwd);
		else
			err_errno(e, ERR_ENVIRONMENT, failed.code, "%s: cannot be started", o->argv[0]);
		return -1;
	}
	return pid < 0 ? -1 : (int)pid;
}

int proc_spawn(const struct proc_options *o, int out_fd, int err_fd, struct err *e)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null_fd < 0) {
		err_errno(e, ERR_SYSTEM, errno, "/dev/null");
		return -1;
	}
	bool inherit = o->flags & PROC_INHERIT_OUTPUT;
	int fds[3] = {null_fd, out_fd >= 0 ? out_fd : null_fd, err_fd >= 0 ? err_fd : null_fd};
	if (inherit)
		fds[1] = fds[2] = -1;
	int pid = start(o, fds, e);
	close(null_fd);
	return pid;
}

/* /proc/PID/stat behind the name (which may hold anything): " S ppid pgrp ...". NULL when gone. */
static const char *stat_fields(int pid, char text[1024])
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	ssize_t got = read(fd, text, 1023);
	close(fd);
	if (got <= 0)
		return NULL;
	text[got] = 0;
	const char *p = strrchr(text, ')');
	return p ? p + 1 : NULL;
}

int64_t proc_start_time(int pid)
{
	char text[1024];
	const char *p = stat_fields(pid, text);
	for (int field = 3; p && field <= 22; field++)
		p = strchr(field == 3 ? p : p + 1, ' ');
	return p ? strtoll(p, NULL, 10) : -1;
}

bool proc_is_alive(int pid, int64_t start_time)
{
	char text[1024];
	const char *p = stat_fields(pid, text);
	return p && p[1] != 'Z' && p[1] != 'X' && proc_start_time(pid) == start_time;
}

const char *proc_space(struct arena *a)
{
	char space[64] = "";
	struct str boot = STR("");
	struct err ignored;
	ssize_t n = readlink("/proc/self/ns/pid", space, sizeof(space) - 1);
	(void)!file_read(a, &boot, "/proc/sys/kernel/random/boot_id", 64, &ignored);
	return arena_printf(a, "%.*s %.*s", STR_ARG(str_trim(boot)), n > 0 ? (int)n : 0, space);
}

/* Whether /proc shows a member of the group that still runs. A zombie that its parent never reaps counts as gone. */
static bool group_runs(int group)
{
	DIR *d = opendir("/proc");
	bool runs = !d;
	for (struct dirent *at = d ? readdir(d) : NULL; at && !runs; at = readdir(d)) {
		char text[1024];
		int pid = (int)strtol(at->d_name, NULL, 10);
		const char *p = pid > 0 ? stat_fields(pid, text) : NULL;
		const char *parent = p && strlen(p) > 4 ? p + 3 : NULL; /* " S ppid pgrp" */
		const char *pgrp = parent ? strchr(parent, ' ') : NULL;
		runs = pgrp && strtol(pgrp, NULL, 10) == group && p[1] != 'Z' && p[1] != 'X';
	}
	if (d)
		closedir(d);
	return runs;
}

/* SIGKILL until no member is left, at most 2 s. The leader is reaped already. */
static bool end_group(int group)
{
	int64_t begin = clock_ns();
	while (kill(-group, SIGKILL) == 0 || errno != ESRCH) {
		while (waitpid(-group, NULL, WNOHANG) > 0) /* members that became ours (subreaper) */
			continue;
		int64_t waited = clock_ns() - begin;
		if (waited > 10000000 && !group_runs(group))
			return true;
		if (waited > 2000000000)
			return false;
		clock_sleep_ns(1000000);
	}
	return true;
}

bool proc_kill_group(int pid, int *wait_status)
{
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	int status = 0;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (wait_status)
		*wait_status = status;
	return end_group(pid);
}

struct stream {
	int fd;
	struct buf *to;
};

static bool drain(struct stream *s, struct proc_result *r, size_t most)
{
	char chunk[65536];
	ssize_t got = read(s->fd, chunk, sizeof(chunk));
	if (got < 0)
		return errno == EINTR || errno == EAGAIN;
	size_t keep = s->to->n < most ? most - s->to->n : 0;
	if (keep > (size_t)got)
		keep = (size_t)got;
	buf_add(s->to, chunk, keep);
	r->n_dropped += (uint64_t)got - keep;
	return got > 0;
}

static void feed(struct stream *in, struct str *text)
{
	ssize_t put = write(in->fd, text->p, text->n);
	if (put > 0)
		*text = str_sub(*text, (size_t)put, text->n);
	if (text->n == 0 || (put < 0 && errno != EINTR && errno != EAGAIN)) {
		close(in->fd);
		in->fd = -1;
	}
}

/* Still there to be reaped: until then its number names nobody else. */
static bool has_ended(int pid)
{
	siginfo_t info;
	info.si_pid = 0;
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/* Moves bytes until both streams close, the deadline, an interrupt, or shortly after the leader's end: whoever else
 * holds the streams is ended with the group, and one that left the group does not keep us. */
static void collect(struct proc_result *r, const struct proc_options *o, struct stream s[3], int pid, int64_t deadline)
{
	size_t most = o->max_output ? o->max_output : 16u << 20;
	struct str text = o->stdin_text;
	int64_t ended_ns = 0;
	while (s[1].fd >= 0 || s[2].fd >= 0) {
		struct pollfd p[3] = {{s[0].fd, POLLOUT, 0}, {s[1].fd, POLLIN, 0}, {s[2].fd, POLLIN, 0}};
		int64_t left = deadline ? (deadline - clock_ns()) / 1000000 : POLL_MS;
		int ready = poll(p, 3, left > POLL_MS ? POLL_MS : left < 0 ? 0 : (int)left);
		progress_tick();
		r->interrupted = sig_pending() != 0;
		r->timed_out = deadline && !ended_ns && clock_ns() >= deadline;
		if (r->interrupted || r->timed_out || (ended_ns && clock_ns() - ended_ns > GRACE_NS))
			return;
		if (!ended_ns && has_ended(pid)) {
			kill(-pid, SIGKILL);
			ended_ns = clock_ns();
		}
		if (ready <= 0)
			continue;
		if (p[0].revents)
			feed(&s[0], &text);
		for (int i = 1; i < 3; i++) {
			if (p[i].revents && !drain(&s[i], r, most)) {
				close(s[i].fd);
				s[i].fd = -1;
			}
		}
	}
}

/* Waits for the leader after its streams closed, ends the group, reaps. */
static int await(struct proc_result *r, int pid, int64_t deadline, struct rusage *usage)
{
	int status = 0;
	int64_t nap = 200000; /* grows to 5 ms: a long child is not disturbed by us */
	while (!r->timed_out && !r->interrupted && !has_ended(pid)) {
		progress_tick();
		r->interrupted = sig_pending() != 0;
		r->timed_out = deadline && clock_ns() >= deadline;
		clock_sleep_ns(nap);
		nap = nap < 2500000 ? 2 * nap : 5000000;
	}
	kill(-pid, SIGKILL);
	while (wait4(pid, &status, 0, usage) < 0 && errno == EINTR)
		continue;
	end_group(pid);
	return status;
}

static void finish(struct proc_result *r, int status, const struct rusage *usage)
{
	r->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	r->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	r->max_rss_bytes = (int64_t)usage->ru_maxrss * 1024;
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

bool proc_begin(struct proc_child *out, const struct proc_options *o, struct err *e)
{
	*out = (struct proc_child){.o = o, .pid = -1, .fds = {-1, -1, -1}};
	int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
	bool inherit = o->flags & PROC_INHERIT_OUTPUT, merge = o->flags & PROC_MERGE_STDERR;
	int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null_fd < 0 || (o->stdin_text.n && pipe2(pipes[0], O_CLOEXEC) != 0) ||
	    (!inherit && (pipe2(pipes[1], O_CLOEXEC) != 0 || (!merge && pipe2(pipes[2], O_CLOEXEC) != 0)))) {
		err_errno(e, ERR_SYSTEM, errno, "%s: pipe", o->argv[0]);
	} else {
		int fds[3] = {o->stdin_text.n ? pipes[0][0] : null_fd, pipes[1][1], merge ? pipes[1][1] : pipes[2][1]};
		out->pid = start(o, fds, e);
	}
	for (int i = 0; i < 3; i++) { /* the child's ends */
		close_one(&pipes[i][i == 0 ? 0 : 1]);
		out->fds[i] = pipes[i][i == 0 ? 1 : 0];
		if (out->pid < 0)
			close_one(&out->fds[i]);
	}
	close_one(&null_fd);
	if (out->fds[0] >= 0)
		fcntl(out->fds[0], F_SETFL, O_NONBLOCK);
	return out->pid >= 0;
}

void proc_end(struct proc_result *out, struct proc_child *c)
{
	memset(out, 0, sizeof(*out));
	int64_t begin = clock_ns(), deadline = c->o->timeout_ns ? begin + c->o->timeout_ns : 0;
	struct stream s[3] = {{c->fds[0], NULL}, {c->fds[1], &out->out}, {c->fds[2], &out->err}};
	struct rusage usage;
	memset(&usage, 0, sizeof(usage));
	collect(out, c->o, s, c->pid, deadline);
	int status = await(out, c->pid, deadline, &usage);
	finish(out, status, &usage);
	for (int i = 0; i < 3; i++)
		close_one(&s[i].fd);
	c->pid = -1;
	out->wall_ns = clock_ns() - begin;
}

bool proc_run(struct proc_result *out, const struct proc_options *o, struct err *e)
{
	struct proc_child c;
	memset(out, 0, sizeof(*out));
	if (!proc_begin(&c, o, e))
		return false;
	proc_end(out, &c);
	return true;
}

void proc_result_release(struct proc_result *r)
{
	buf_release(&r->out);
	buf_release(&r->err);
}

const char *proc_describe(struct arena *a, const struct proc_result *r)
{
	if (r->timed_out)
		return arena_printf(a, "killed at its deadline after %.1f s", (double)r->wall_ns / 1e9);
	if (r->interrupted)
		return "interrupted";
	const char *name = sigabbrev_np(r->signal);
	if (r->signal)
		return arena_printf(a, "signal %d (SIG%s)", r->signal, name ? name : "RT");
	return arena_printf(a, "exit %d", r->exit_status);
}
