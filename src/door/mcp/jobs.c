/* Jobs of the MCP server, and the requests that wait for them.
 * In: verbs with filled options. Out: children that run, answers when they end, progress while they do.
 * Short verbs run side by side; of the long ones one runs and the others queue, so that measurements do not meet.
 * Never: keeps more finished jobs than MCP_MAX_KEPT. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "door/job.h"
#include "door/mcp/inside.h"

#define TELL_NS INT64_C(1000000000) /* between two progress notifications */
#define FIRST_TELL_NS INT64_C(200000000)
#define KILL_NS INT64_C(3000000000) /* from SIGTERM to SIGKILL */
#define REAP_NS INT64_C(5000000)    /* between two looks where there is no pidfd */
#define PIDFD_OPEN 434              /* SYS_pidfd_open, newer than the oldest headers that we build with */

const char *mcp_job_name(struct arena *a, const struct mcp_job *job)
{
	return arena_printf(a, "j%llu", (unsigned long long)job->number);
}

const char *mcp_state_name(const struct mcp_job *job)
{
	static const char *const names[] = {"queued", "running", "ended", "cancelled"};
	return names[job->state];
}

struct mcp_job *mcp_job_new(struct mcp *m, const struct verb *verb)
{
	struct mcp_job *j = calloc(1, sizeof(*j));
	if (!j)
		BUG("out of memory");
	arena_init(&j->arena);
	j->number = ++m->n_jobs;
	j->verb = verb;
	j->pid = j->pidfd = j->out_fd = j->err_fd = -1;
	j->is_kept = verb->flags & VERB_LONG;
	j->start_ns = clock_ns();
	j->next = m->jobs;
	m->jobs = j;
	return j;
}

struct mcp_job *mcp_job_find(struct mcp *m, struct str name)
{
	uint64_t number;
	if (name.n < 2 || name.p[0] != 'j' || !str_u64(str_sub(name, 1, name.n - 1), &number))
		return NULL;
	for (struct mcp_job *j = m->jobs; j; j = j->next) {
		if (j->number == number && j->is_kept)
			return j;
	}
	return NULL;
}

bool mcp_job_is_over(const struct mcp_job *job)
{
	return job->state == MCP_ENDED || (job->state == MCP_CANCELLED && job->pid < 0);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void job_free(struct mcp_job *j)
{
	if (j->pid > 0) {
		kill(-j->pid, SIGKILL);
		kill(j->pid, SIGKILL);
		waitpid(j->pid, NULL, 0);
	}
	close_fd(&j->pidfd);
	close_fd(&j->out_fd);
	close_fd(&j->err_fd);
	arena_release(&j->arena);
	free(j);
}

static bool is_awaited(const struct mcp *m, const struct mcp_job *j)
{
	for (const struct mcp_waiter *w = m->waiters; w; w = w->next) {
		if (w->job == j)
			return true;
	}
	return false;
}

static void waiter_free(struct mcp_waiter *w)
{
	arena_release(&w->arena);
	free(w);
}

void mcp_jobs_free(struct mcp *m, bool only_unused)
{
	size_t n_kept = 0;
	for (struct mcp_waiter *w = m->waiters, *next; w && !only_unused; w = next) {
		next = w->next;
		waiter_free(w);
	}
	if (!only_unused)
		m->waiters = NULL;
	for (struct mcp_job **at = &m->jobs; *at;) {
		struct mcp_job *j = *at;
		bool is_over = mcp_job_is_over(j) && !is_awaited(m, j);
		n_kept += is_over && j->is_kept;
		if (only_unused && (!is_over || (j->is_kept && n_kept <= MCP_MAX_KEPT))) {
			at = &j->next;
			continue;
		}
		*at = j->next;
		job_free(j);
	}
}

void mcp_job_cancel(struct mcp_job *job)
{
	if (mcp_job_is_over(job) || job->state == MCP_CANCELLED)
		return;
	job->state = MCP_CANCELLED;
	job->end_ns = clock_ns();
	if (job->pid > 0) {
		kill(job->pid, SIGTERM); /* the verb tidies up and ends as interrupted */
		job->kill_ns = clock_ns() + KILL_NS;
	}
}

static const struct json *copy_scalar(struct arena *a, const struct json *j)
{
	if (!j)
		return NULL;
	return j->type == JSON_STRING ? json_new_str(a, arena_str(a, j->text))
	       : j->type == JSON_UINT ? json_new_u64(a, j->u)
				      : json_new_i64(a, j->i);
}

void mcp_job_wait(struct mcp_request *q, struct mcp_job *job, double wait_s, bool owns_job)
{
	struct mcp_waiter *w = calloc(1, sizeof(*w));
	if (!w)
		BUG("out of memory");
	arena_init(&w->arena);
	w->id = copy_scalar(&w->arena, q->id);
	w->token = copy_scalar(&w->arena, q->token);
	w->version = q->version;
	w->job = job;
	w->owns_job = owns_job;
	w->start_ns = clock_ns();
	w->told_ns = w->start_ns - TELL_NS + FIRST_TELL_NS;
	w->deadline_ns = wait_s > 1e8 ? INT64_MAX : w->start_ns + (int64_t)(wait_s * 1e9);
	w->next = q->m->waiters;
	q->m->waiters = w;
	q->is_deferred = true;
}

static bool same_id(const struct json *a, const struct json *b)
{
	if (!a || !b || a->type != b->type)
		return false;
	return a->type == JSON_STRING ? str_eq(a->text, b->text) : a->type == JSON_UINT ? a->u == b->u : a->i == b->i;
}

bool mcp_is_waiting(const struct mcp *m, const struct json *id)
{
	for (const struct mcp_waiter *w = m->waiters; w; w = w->next) {
		if (same_id(w->id, id))
			return true;
	}
	return false;
}

void mcp_cancel_request(struct mcp *m, const struct json *id)
{
	for (struct mcp_waiter **at = &m->waiters; *at; at = &(*at)->next) {
		struct mcp_waiter *w = *at;
		if (!same_id(w->id, id))
			continue;
		*at = w->next;
		if (w->owns_job)
			mcp_job_cancel(w->job);
		waiter_free(w);
		return;
	}
}

/* ---- the children ---- */

/* Tables only: no child. */
static bool run_here(struct mcp_job *j, const struct job_options *o, struct err *e)
{
	struct buf out;
	buf_init(&out);
	j->exit_status = job_run_here(o, &out);
	bool ok = file_write_all(j->out_fd, out.p, out.n, "memfd", e);
	buf_release(&out);
	j->state = MCP_ENDED;
	j->end_ns = clock_ns();
	return ok;
}

static bool start(struct mcp *m, struct mcp_job *j, struct err *e)
{
	int fds[2];
	if (!mcp_places(m, e))
		return false;
	j->out_fd = file_memfd("assay-mcp", 0, e);
	if (j->out_fd < 0)
		return false;
	struct job_options o = {.verb = j->verb,
				.options = j->options,
				.command = j->command,
				.program = m->call->program,
				.root = m->root,
				.private = m->private,
				.out_fd = j->out_fd};
	if (j->verb->flags & VERB_QUICK)
		return run_here(j, &o, e);
	if (pipe2(fds, O_CLOEXEC) != 0)
		return err_errno(e, ERR_SYSTEM, errno, "mcp: pipe");
	o.err_fd = fds[1];
	j->pid = job_start(&o, e);
	close(fds[1]);
	j->err_fd = fds[0];
	fcntl(j->err_fd, F_SETFL, O_NONBLOCK);
	if (j->pid < 0)
		return false;
	j->pidfd = (int)syscall(PIDFD_OPEN, j->pid, 0);
	j->state = MCP_RUNNING;
	return true;
}

static void start_or_fail(struct mcp *m, struct mcp_job *j)
{
	struct err e = {ERR_NONE, ""};
	if (start(m, j, &e))
		return;
	snprintf(j->said, sizeof(j->said), "%.*s", (int)sizeof(j->said) - 1, e.text);
	j->state = MCP_ENDED;
	j->exit_status = err_exit(e.code);
	j->end_ns = clock_ns();
}

/* Oldest first, within the two limits. */
static void start_queued(struct mcp *m)
{
	size_t n_short = 0, n_long = 0;
	for (const struct mcp_job *j = m->jobs; j; j = j->next) {
		bool runs = j->pid > 0;
		n_long += runs && (j->verb->flags & VERB_LONG);
		n_short += runs && !(j->verb->flags & VERB_LONG);
	}
	for (;;) {
		struct mcp_job *first = NULL;
		for (struct mcp_job *j = m->jobs; j; j = j->next) {
			bool fits = j->verb->flags & VERB_LONG ? n_long < 1 : n_short < MCP_MAX_RUNNING;
			if (j->state == MCP_QUEUED && fits)
				first = j;
		}
		if (!first)
			return;
		n_long += first->verb->flags & VERB_LONG ? 1 : 0;
		n_short += first->verb->flags & VERB_LONG ? 0 : 1;
		start_or_fail(m, first);
	}
}

/* The last whole line that the child said; carriage returns are line ends too. */
static void hear(struct mcp_job *j)
{
	char chunk[4096];
	ssize_t got = 0;
	while (j->err_fd >= 0 && (got = read(j->err_fd, chunk, sizeof(chunk))) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			if (chunk[i] == '\n' || chunk[i] == '\r') {
				j->is_line_done = true;
				continue;
			}
			if (j->is_line_done)
				j->n_said = 0;
			j->is_line_done = false;
			if (j->n_said + 1 < sizeof(j->said))
				j->said[j->n_said++] = chunk[i];
			j->said[j->n_said] = 0;
		}
	}
	if (got == 0)
		close_fd(&j->err_fd);
}

static void reap(struct mcp_job *j)
{
	int status;
	if (j->kill_ns && clock_ns() >= j->kill_ns) {
		kill(-j->pid, SIGKILL);
		j->kill_ns = 0;
	}
	if (waitpid(j->pid, &status, WNOHANG) != j->pid)
		return;
	hear(j);
	kill(-j->pid, SIGKILL); /* what it left in its group */
	j->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 4;
	j->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	j->pid = -1;
	j->kill_ns = 0;
	j->end_ns = clock_ns();
	if (j->state == MCP_RUNNING)
		j->state = MCP_ENDED;
	close_fd(&j->pidfd);
	close_fd(&j->err_fd);
}

/* ---- the answers ---- */

static void tell(struct mcp *m, struct mcp_waiter *w, int64_t now)
{
	if (!w->token || now - w->told_ns < TELL_NS)
		return;
	struct arena a;
	arena_init(&a);
	struct json *j = json_object(&a), *p = json_set_object(j, "params");
	json_set_cstr(j, "jsonrpc", "2.0");
	json_set_cstr(j, "method", "notifications/progress");
	if (w->token->type == JSON_STRING)
		json_set_str(p, "progressToken", w->token->text);
	else
		json_set_i64(p, "progressToken", w->token->i);
	json_set_f64(p, "progress", (double)(now - w->start_ns) / 1e9);
	char shown[STR_SHOWN];
	const char *said = w->job->state == MCP_QUEUED ? "queued" : str_shown(shown, str_from(w->job->said));
	json_set_cstr(p, "message", *said ? said : "running");
	mcp_send(m, j);
	w->told_ns = now;
	arena_release(&a);
}

static void answer(struct mcp *m)
{
	int64_t now = clock_ns();
	for (struct mcp_waiter **at = &m->waiters; *at;) {
		struct mcp_waiter *w = *at;
		if (!mcp_job_is_over(w->job) && now < w->deadline_ns) {
			tell(m, w, now);
			at = &w->next;
			continue;
		}
		if (!mcp_job_is_over(w->job))
			w->job->is_kept = true;
		*at = w->next;
		mcp_send_result(m, &w->arena, w->id, mcp_job_answer(&w->arena, w->job, w->version));
		waiter_free(w);
	}
}

void mcp_jobs_advance(struct mcp *m)
{
	for (struct mcp_job *j = m->jobs; j; j = j->next) {
		if (j->pid > 0) {
			hear(j);
			reap(j);
		}
	}
	start_queued(m);
	answer(m);
	mcp_jobs_free(m, true);
}

int64_t mcp_jobs_next_ns(const struct mcp *m)
{
	int64_t next = INT64_MAX, now = clock_ns();
	for (const struct mcp_job *j = m->jobs; j; j = j->next) {
		int64_t at = j->pid > 0 && j->pidfd < 0 ? now + REAP_NS : INT64_MAX;
		at = j->kill_ns && j->kill_ns < at ? j->kill_ns : at;
		next = at < next ? at : next;
	}
	for (const struct mcp_waiter *w = m->waiters; w; w = w->next) {
		int64_t at = mcp_job_is_over(w->job) ? now : w->deadline_ns;
		at = w->token && w->told_ns + TELL_NS < at ? w->told_ns + TELL_NS : at;
		next = at < next ? at : next;
	}
	return next;
}
