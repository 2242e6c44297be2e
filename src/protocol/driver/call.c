/* Running a driver.
 * In: a frozen driver and a request document. Out: how it ended, the ends of its streams.
 * The driver leads a session; children that leave it come to this process when their parents end, and are ended too.
 * Never: interprets what the driver wrote. */
#include "protocol/driver/call.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/proc.h"

#define LOOK_MS 20
#define DRAIN_NS                                                                                                       \
	INT64_C(20000000) /* a stream that somebody else still holds is read no longer than this after the end */

void call_adopt_orphans(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* ---- everything below this process ---- */

static size_t children_of_self(int *pids, size_t most)
{
	char path[64], text[4096];
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0)
		close(fd);
	size_t n = 0;
	if (got < 0)
		return SIZE_MAX;
	text[got] = 0;
	char *at = text;
	while (n < most) {
		char *end;
		long pid = strtol(at, &end, 10);
		if (end == at)
			break;
		pids[n++] = (int)pid;
		at = end;
	}
	return n;
}

static bool environment_holds(int pid, const char *wanted)
{
	char path[64], text[65536];
	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	size_t n = 0;
	ssize_t got;
	while (n < sizeof(text) && (got = read(fd, text + n, sizeof(text) - n)) > 0)
		n += (size_t)got;
	close(fd);
	return memmem(text, n, wanted, strlen(wanted) + 1) != NULL;
}

/* SIGKILL to all with the token; how many there were. */
static size_t kill_marked(const char *token)
{
	char wanted[160];
	size_t n = 0;
	snprintf(wanted, sizeof(wanted), "ASSAY_CALL=%s", token);
	DIR *d = opendir("/proc");
	for (struct dirent *at = d ? readdir(d) : NULL; at; at = readdir(d)) {
		int pid = (int)strtol(at->d_name, NULL, 10);
		if (pid > 0 && pid != getpid() && environment_holds(pid, wanted)) {
			kill(pid, SIGKILL);
			n++;
		}
	}
	if (d)
		closedir(d);
	return n;
}

static bool is_kept(const struct call_keep *keep, int pid)
{
	for (size_t i = 0; keep && i < keep->n; i++) {
		if (keep->pids[i] == pid)
			return true;
	}
	return false;
}

/* SIGKILL to the children that are not kept; how many. */
static size_t kill_children(const struct call_keep *keep)
{
	int pids[256];
	size_t n = children_of_self(pids, COUNT_OF(pids)), n_killed = 0;
	for (size_t i = 0; n != SIZE_MAX && i < n; i++) {
		if (is_kept(keep, pids[i]))
			continue;
		kill(pids[i], SIGKILL);
		n_killed++;
	}
	return n_killed;
}

bool call_end_all(const char *token, const struct call_keep *keep, int64_t patience_ns)
{
	int64_t until = clock_ns() + patience_ns;
	for (;;) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			continue;
		if (kill_children(keep) == 0 && (!token || kill_marked(token) == 0))
			return true;
		if (clock_ns() > until)
			return false;
		clock_sleep_ns(500000);
	}
}

bool call_end_marked(const char *token, int64_t patience_ns)
{
	int64_t until = clock_ns() + patience_ns;
	while (kill_marked(token) > 0) {
		if (clock_ns() > until)
			return false;
		clock_sleep_ns(1000000);
	}
	return true;
}

/* ---- streams ---- */

static void keep(struct call_stream *s, const char *p, size_t n)
{
	s->n_total += n;
	size_t head = s->head.n < CALL_KEEP ? CALL_KEEP - s->head.n : 0;
	if (head > n)
		head = n;
	buf_add(&s->head, p, head);
	p += head;
	n -= head;
	if (n == 0)
		return;
	buf_add(&s->tail, p, n);
	if (s->tail.n > 4 * CALL_KEEP) { /* only its end counts */
		memmove(s->tail.p, s->tail.p + s->tail.n - CALL_KEEP, CALL_KEEP);
		s->tail.n = CALL_KEEP;
	}
}

static void drain(int *fd, struct call_stream *s)
{
	char chunk[65536];
	ssize_t got = read(*fd, chunk, sizeof(chunk));
	if (got > 0) {
		keep(s, chunk, (size_t)got);
		return;
	}
	if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
		close(*fd);
		*fd = -1;
	}
}

/* ---- one call ---- */

struct watch {
	const struct call_options *o;
	struct call_result *r;
	int fds[2], pid, pidfd;
	int64_t term_ns; /* when SIGTERM was sent, 0: not yet */
};

static const char *const deadline_reasons[] = {"operation_timeout", "command_timeout", "absolute_deadline",
					       "budget_exhausted"};

static void look(struct watch *w)
{
	int64_t now = clock_ns();
	if (w->term_ns) {
		if (now - w->term_ns > w->o->cleanup_ns / 2)
			kill(-w->pid, SIGKILL);
		return;
	}
	const char *reason = w->o->should_stop ? w->o->should_stop(w->o->ctx) : NULL;
	w->r->status = reason ? "cancelled" : w->r->status;
	for (size_t i = 0; !reason && i < COUNT_OF(deadline_reasons); i++) {
		if (w->o->deadlines[i] && now >= w->o->deadlines[i]) {
			reason = deadline_reasons[i];
			w->r->status = "timed_out";
		}
	}
	if (!reason)
		return;
	w->r->stop_reason = reason;
	w->term_ns = now;
	kill(-w->pid, SIGTERM);
}

static int nap_ms(const struct watch *w)
{
	int64_t least = LOOK_MS * INT64_C(1000000), now = clock_ns();
	for (size_t i = 0; i < COUNT_OF(deadline_reasons); i++) {
		if (w->o->deadlines[i] && w->o->deadlines[i] - now < least)
			least = w->o->deadlines[i] > now ? w->o->deadlines[i] - now : 0;
	}
	return (int)((least + 999999) / 1000000);
}

/* Until the leader has ended; then what its streams still hold. */
static void follow(struct watch *w)
{
	int64_t ended_ns = 0;
	for (;;) {
		struct pollfd p[3] = {
			{w->fds[0], POLLIN, 0}, {w->fds[1], POLLIN, 0}, {ended_ns ? -1 : w->pidfd, POLLIN, 0}};
		int ready = poll(p, 3, ended_ns ? 1 : nap_ms(w));
		for (int i = 0; ready > 0 && i < 2; i++) {
			if (p[i].revents)
				drain(&w->fds[i], i == 0 ? &w->r->out : &w->r->err);
		}
		if (ready > 0 && p[2].revents) {
			kill(-w->pid, SIGKILL); /* what it left in its group */
			ended_ns = clock_ns();
		}
		if (!ended_ns)
			look(w);
		if (ended_ns && ((w->fds[0] < 0 && w->fds[1] < 0) || ready == 0 || clock_ns() - ended_ns > DRAIN_NS))
			return;
	}
}

static void finish(struct watch *w)
{
	struct call_result *r = w->r;
	int status = 0;
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	r->driver_s = (double)(clock_ns() - w->o->start_ns) / 1e9;
	r->has_returncode = true;
	r->returncode = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
	if (!r->stop_reason) {
		r->status = r->returncode == 0 ? "completed" : "failed";
		r->stop_reason = r->returncode == 0 ? "completed" : "command_failed";
	}
	r->is_clean = call_end_all(NULL, &w->o->keep, w->o->cleanup_ns);
	if (!r->is_clean)
		r->is_clean = call_end_all(w->o->token, &w->o->keep, INT64_C(1000000000));
	r->elapsed_s = (double)(clock_ns() - w->o->start_ns) / 1e9;
}

static bool is_ours(const char *line)
{
	static const char *const names[] = {"CUDA_VISIBLE_DEVICES=", "ASSAY_CALL=", "ASSAY_LEASE=", "ASSAY_FAILPOINT="};
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (strncmp(line, names[i], strlen(names[i])) == 0)
			return true;
	}
	return false;
}

static const char **environment(struct arena *a, const struct call_options *o)
{
	size_t n = 0, k = 0;
	while (environ[n])
		n++;
	const char **env = ARENA_ARRAY(a, n + 3, const char *);
	for (size_t i = 0; i < n; i++) {
		if (!is_ours(environ[i]))
			env[k++] = environ[i];
	}
	struct buf gpus;
	buf_init(&gpus);
	for (size_t i = 0; o->gpu_uuids && i < o->gpu_uuids->n; i++) {
		buf_puts(&gpus, i ? "," : "");
		buf_str(&gpus, o->gpu_uuids->items[i]->text);
	}
	env[k++] = arena_printf(a, "CUDA_VISIBLE_DEVICES=%.*s", STR_ARG(buf_view(&gpus)));
	env[k++] = arena_printf(a, "ASSAY_CALL=%s", o->token);
	buf_release(&gpus);
	return env;
}

static bool set_up(void *arg)
{
	(void)arg;
	/* No descriptor of ours reaches the driver, whatever it was opened with. Close-on-exec, not close: the pipe that
	 * reports a failed start must live until then. */
	return syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */) == 0 || errno == ENOSYS ||
	       errno == EINVAL;
}

static const char **arguments(struct arena *a, const struct call_options *o)
{
	const struct json *command = json_get(o->driver, "command");
	size_t n_wrapper = 0, n = 0;
	while (o->wrapper && o->wrapper[n_wrapper])
		n_wrapper++;
	const char **argv = ARENA_ARRAY(a, n_wrapper + command->n + 3, const char *);
	for (; n < n_wrapper; n++)
		argv[n] = o->wrapper[n];
	for (size_t i = 0; i < command->n; i++)
		argv[n++] = command->items[i]->text.p;
	argv[n++] = json_str(o->driver, "request_argument", STR("")).p;
	argv[n] = o->request;
	return argv;
}

bool call_run(struct call_result *out, struct protocol *p, const struct call_options *o, struct err *e)
{
	int pipes[2][2] = {{-1, -1}, {-1, -1}};
	*out = (struct call_result){.status = "failed"};
	if (pipe2(pipes[0], O_CLOEXEC) != 0 || pipe2(pipes[1], O_CLOEXEC) != 0)
		return err_errno(e, ERR_SYSTEM, errno, "pipe");
	struct proc_options po = {
		.argv = arguments(p->arena, o),
		.env = environment(p->arena, o),
		.cwd = o->folder,
		.flags = PROC_NEW_SESSION | PROC_PDEATHSIG,
		.child_setup = set_up,
	};
	struct watch w = {.o = o, .r = out, .fds = {pipes[0][0], pipes[1][0]}};
	w.pid = proc_spawn(&po, pipes[0][1], pipes[1][1], e);
	close(pipes[0][1]);
	close(pipes[1][1]);
	if (w.pid > 0) {
		for (int i = 0; i < 2; i++)
			fcntl(w.fds[i], F_SETFL, O_NONBLOCK);
		w.pidfd = (int)syscall(SYS_pidfd_open, w.pid, 0);
		follow(&w);
		finish(&w);
		if (w.pidfd >= 0)
			close(w.pidfd);
	}
	for (int i = 0; i < 2; i++) {
		if (w.fds[i] >= 0)
			close(w.fds[i]);
	}
	return w.pid > 0;
}

void call_release(struct call_result *r)
{
	struct call_stream *s[2] = {&r->out, &r->err};
	for (int i = 0; i < 2; i++) {
		buf_release(&s[i]->head);
		buf_release(&s[i]->tail);
	}
}

/* Beginning and end, with what lies between them counted. */
static void put_stream(struct json *j, const char *key, const struct call_stream *s)
{
	struct buf b;
	size_t n_tail = s->tail.n > CALL_KEEP ? CALL_KEEP : s->tail.n;
	buf_init(&b);
	buf_str(&b, buf_view(&s->head));
	if (s->n_total > s->head.n + n_tail)
		buf_printf(&b, "\n[output truncated: %llu bytes left out]\n",
			   (unsigned long long)(s->n_total - s->head.n - n_tail));
	buf_add(&b, s->tail.p ? s->tail.p + s->tail.n - n_tail : "", n_tail);
	json_set_str(j, key, arena_str(j->arena, buf_view(&b)));
	buf_release(&b);
}

struct json *call_json(struct arena *a, const struct call_result *r)
{
	struct json *j = json_object(a);
	json_set_cstr(j, "status", r->status);
	json_set_cstr(j, "stop_reason", r->stop_reason);
	json_set_null(j, "returncode");
	if (r->has_returncode)
		json_set_i64(j, "returncode", r->returncode);
	json_set_f64(j, "elapsed_seconds", r->elapsed_s);
	json_set_cstr(j, "cleanup_status", r->is_clean ? "confirmed" : "unconfirmed");
	put_stream(j, "stdout", &r->out);
	put_stream(j, "stderr", &r->err);
	return j;
}
