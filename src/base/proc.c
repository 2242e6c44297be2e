/* Child processes with a deadline.
 * In: argv, environment, deadline. Out: captured output and how it ended.
 * Each child leads its own process group; the group is killed at the deadline, on an interrupt, and after the leader.
 * Never: runs a shell. */
#include "base/proc.h"

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

/* In the child. fds: stdin, stdout, stderr, all above 2. */
static void child_exec(const struct proc_options *o, const int fds[3], pid_t parent)
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
			_exit(127);
	}
	for (size_t i = 0; i < o->n_pass_fds; i++)
		fcntl(o->pass_fds[i], F_SETFD, 0);
	if (o->cwd && chdir(o->cwd) != 0)
		_exit(127);
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
}

/* Forks and executes; a failing exec comes back through a close-on-exec pipe as its errno. */
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
		child_exec(o, fds, parent);
		int code = errno;
		ssize_t put = write(report[1], &code, sizeof(code));
		_exit(put < 0 ? 126 : 127);
	}
	close(report[1]);
	int code = 0;
	ssize_t got = -1;
	if (pid < 0)
		err_errno(e, ERR_SYSTEM, errno, "%s: fork", o->argv[0]);
	else
		do
			got = read(report[0], &code, sizeof(code));
		while (got < 0 && errno == EINTR);
	close(report[0]);
	if (got == (ssize_t)sizeof(code)) {
		waitpid(pid, NULL, 0);
		err_errno(e, ERR_ENVIRONMENT, code, "%s: cannot be started", o->argv[0]);
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

bool proc_kill_group(int pid, int *wait_status)
{
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	int status = 0;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (wait_status)
		*wait_status = status;
	int64_t deadline = clock_ns() + 2000000000;
	while (kill(-pid, SIGKILL) == 0 || errno != ESRCH) {
		if (clock_ns() > deadline)
			return false;
		while (waitpid(-pid, NULL, WNOHANG) > 0) /* members that became ours (subreaper) */
			continue;
		clock_sleep_ns(1000000);
	}
	return true;
}

int64_t proc_start_time(int pid)
{
	char path[64], text[1024];
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t got = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got <= 0)
		return -1;
	text[got] = 0;
	const char *p = strrchr(text, ')'); /* the name may hold anything */
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	return p ? strtoll(p, NULL, 10) : -1;
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

static void collect(struct proc_result *r, const struct proc_options *o, struct stream s[3], int64_t deadline)
{
	size_t most = o->max_output ? o->max_output : 16u << 20;
	struct str text = o->stdin_text;
	while (s[1].fd >= 0 || s[2].fd >= 0) {
		struct pollfd p[3] = {{s[0].fd, POLLOUT, 0}, {s[1].fd, POLLIN, 0}, {s[2].fd, POLLIN, 0}};
		int64_t left = deadline ? (deadline - clock_ns()) / 1000000 : 100;
		int ready = poll(p, 3, left > 100 ? 100 : left < 0 ? 0 : (int)left);
		r->interrupted = sig_pending() != 0;
		r->timed_out = deadline && clock_ns() >= deadline;
		if (r->interrupted || r->timed_out)
			return;
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

/* Waits for the leader after its streams closed. */
static int await(struct proc_result *r, int pid, int64_t deadline, struct rusage *usage)
{
	int status = 0;
	while (!r->timed_out && !r->interrupted) {
		pid_t got = wait4(pid, &status, WNOHANG, usage);
		if (got == pid)
			return status;
		r->interrupted = sig_pending() != 0;
		r->timed_out = deadline && clock_ns() >= deadline;
		clock_sleep_ns(200000);
	}
	kill(-pid, SIGKILL);
	while (wait4(pid, &status, 0, usage) < 0 && errno == EINTR)
		continue;
	return status;
}

static void finish(struct proc_result *r, int pid, int status, const struct rusage *usage)
{
	kill(-pid, SIGKILL); /* what the leader left behind */
	r->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	r->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	r->max_rss_bytes = (int64_t)usage->ru_maxrss * 1024;
}

bool proc_run(struct proc_result *out, const struct proc_options *o, struct err *e)
{
	memset(out, 0, sizeof(*out));
	int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
	int64_t begin = clock_ns();
	bool inherit = o->flags & PROC_INHERIT_OUTPUT, merge = o->flags & PROC_MERGE_STDERR, ok = false;
	int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null_fd < 0 || (o->stdin_text.n && pipe2(pipes[0], O_CLOEXEC) != 0) ||
	    (!inherit && (pipe2(pipes[1], O_CLOEXEC) != 0 || (!merge && pipe2(pipes[2], O_CLOEXEC) != 0)))) {
		err_errno(e, ERR_SYSTEM, errno, "%s: pipe", o->argv[0]);
		goto out;
	}
	int fds[3] = {o->stdin_text.n ? pipes[0][0] : null_fd, pipes[1][1], merge ? pipes[1][1] : pipes[2][1]};
	int pid = start(o, fds, e);
	if (pid < 0)
		goto out;
	for (int i = 0; i < 3; i++) { /* the child's ends */
		int k = i == 0 ? 0 : 1;
		if (pipes[i][k] >= 0)
			close(pipes[i][k]);
		pipes[i][k] = -1;
	}
	if (pipes[0][1] >= 0)
		fcntl(pipes[0][1], F_SETFL, O_NONBLOCK);
	struct stream s[3] = {{pipes[0][1], NULL}, {pipes[1][0], &out->out}, {pipes[2][0], &out->err}};
	int64_t deadline = o->timeout_ns ? begin + o->timeout_ns : 0;
	struct rusage usage;
	memset(&usage, 0, sizeof(usage));
	collect(out, o, s, deadline);
	int status = await(out, pid, deadline, &usage);
	finish(out, pid, status, &usage);
	pipes[0][1] = s[0].fd;
	pipes[1][0] = s[1].fd;
	pipes[2][0] = s[2].fd;
	ok = true;
out:
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 2; k++)
			if (pipes[i][k] >= 0)
				close(pipes[i][k]);
	if (null_fd >= 0)
		close(null_fd);
	out->wall_ns = clock_ns() - begin;
	return ok;
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
	if (r->signal)
		return arena_printf(a, "signal %d (%s)", r->signal, strsignal(r->signal));
	return arena_printf(a, "exit %d", r->exit_status);
}
