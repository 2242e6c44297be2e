/* The MCP server: lines in, lines out.
 * In: stdin. Out: stdout, one JSON-RPC message a line, nothing else.
 * One thread: it polls stdin, stdout and the jobs; no write of a message blocks the others.
 * Never: prints anything but protocol lines on stdout. */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/proc.h"
#include "door/mcp/inside.h"
#include "door/mcp/mcp.h"
#include "verb/mcp.h"

#define READ_BYTES 65536
#define WRITE_BYTES 4096 /* PIPE_BUF: what a pipe takes without blocking once poll says so */
#define OUT_ENOUGH ((size_t)4 << 20)
#define END_GRACE_NS INT64_C(2000000000)

void mcp_send(struct mcp *m, const struct json *message)
{
	json_write(&m->out, message, JSON_COMPACT);
	buf_char(&m->out, '\n');
}

static struct json *envelope(struct arena *a, const struct json *id)
{
	struct json *j = json_object(a);
	json_set_cstr(j, "jsonrpc", "2.0");
	if (!id)
		return j;
	if (id->type == JSON_STRING)
		json_set_str(j, "id", id->text);
	else if (id->type == JSON_UINT)
		json_set_u64(j, "id", id->u);
	else
		json_set_i64(j, "id", id->i);
	return j;
}

void mcp_send_result(struct mcp *m, struct arena *a, const struct json *id, struct json *result)
{
	struct json *j = envelope(a, id);
	json_set(j, "result", result);
	mcp_send(m, j);
}

void mcp_send_error(struct mcp *m, struct arena *a, const struct mcp_request *q)
{
	struct json *j = envelope(a, q->id), *x = json_set_object(j, "error");
	json_set_i64(x, "code", q->code);
	json_set_cstr(x, "message", q->message);
	if (q->data)
		json_set(x, "data", q->data);
	mcp_send(m, j);
}

static void too_long(struct mcp *m)
{
	struct arena a;
	arena_init(&a);
	struct mcp_request q = {.code = MCP_INVALID,
				.message = arena_printf(&a, "a message has at most %zu bytes", MCP_MAX_LINE)};
	mcp_send_error(m, &a, &q);
	arena_release(&a);
}

/* Takes whole lines off `in`. */
static void take_lines(struct mcp *m)
{
	size_t from = 0;
	for (;;) {
		struct str rest = {m->in.p + from, m->in.n - from};
		size_t n = str_find_char(rest, '\n');
		if (n == SIZE_MAX)
			break;
		struct str line = str_trim(str_sub(rest, 0, n));
		if (!m->is_skipping && line.n > 0)
			mcp_take_line(m, line);
		m->is_skipping = false;
		from += n + 1;
	}
	if (from > 0) {
		memmove(m->in.p, m->in.p + from, m->in.n - from);
		m->in.n -= from;
	}
	if (m->in.n > MCP_MAX_LINE && !m->is_skipping) {
		too_long(m);
		m->is_skipping = true;
	}
	if (m->is_skipping)
		m->in.n = 0;
	if (m->in.n == 0 && m->in.cap > (size_t)1 << 20) {
		buf_release(&m->in);
		buf_init(&m->in);
	}
}

static bool read_some(struct mcp *m)
{
	char chunk[READ_BYTES];
	ssize_t got = read(STDIN_FILENO, chunk, sizeof(chunk));
	if (got < 0)
		return errno == EINTR || errno == EAGAIN;
	if (got == 0) {
		m->at_end = true;
		buf_char(&m->in, '\n'); /* a last line without its end is a line */
	}
	buf_add(&m->in, chunk, (size_t)got);
	take_lines(m);
	return true;
}

static bool write_some(struct mcp *m)
{
	size_t left = m->out.n - m->n_sent;
	ssize_t put = write(STDOUT_FILENO, m->out.p + m->n_sent, left < WRITE_BYTES ? left : WRITE_BYTES);
	if (put < 0)
		return errno == EINTR || errno == EAGAIN;
	m->n_sent += (size_t)put;
	if (m->n_sent < m->out.n)
		return true;
	m->n_sent = 0;
	buf_clear(&m->out);
	if (m->out.cap > (size_t)1 << 20) {
		buf_release(&m->out);
		buf_init(&m->out);
	}
	return true;
}

#define MAX_POLLS (4 + 2 * (MCP_MAX_RUNNING + 2))
/* Descriptors of jobs behind the two of ours. */
static size_t job_polls(const struct mcp *m, struct pollfd *p, size_t n)
{
	for (const struct mcp_job *j = m->jobs; j; j = j->next) {
		if (j->state != MCP_RUNNING && !(j->state == MCP_CANCELLED && j->pid > 0))
			continue;
		if (j->err_fd >= 0 && n < MAX_POLLS)
			p[n++] = (struct pollfd){j->err_fd, POLLIN, 0};
		if (j->pidfd >= 0 && n < MAX_POLLS)
			p[n++] = (struct pollfd){j->pidfd, POLLIN, 0};
	}
	return n;
}

/* One turn of the loop; false when a side is gone. */
static bool turn(struct mcp *m)
{
	struct pollfd p[MAX_POLLS];
	bool is_full = m->out.n - m->n_sent > OUT_ENOUGH;
	p[0] = (struct pollfd){m->at_end || is_full ? -1 : STDIN_FILENO, POLLIN, 0};
	p[1] = (struct pollfd){m->out.n > m->n_sent ? STDOUT_FILENO : -1, POLLOUT, 0};
	size_t n = job_polls(m, p, 2);
	int64_t next = mcp_jobs_next_ns(m), now = clock_ns();
	int wait_ms = next == INT64_MAX ? -1 : next <= now ? 0 : (int)((next - now) / 1000000 + 1);
	if (wait_ms < 0 && m->at_end)
		wait_ms = 100;
	if (poll(p, n, wait_ms) < 0)
		return errno == EINTR;
	if (p[0].revents && !read_some(m))
		return false;
	if (p[1].revents && !write_some(m))
		return false;
	mcp_jobs_advance(m);
	return true;
}

static bool is_done(const struct mcp *m, int64_t end_ns)
{
	bool is_idle = m->out.n == m->n_sent && !m->waiters;
	return m->at_end && (is_idle || (end_ns && clock_ns() > end_ns));
}

static bool open_workspace(struct mcp *m, const struct mcp_options *o, struct err *e)
{
	struct arena *a = m->call->arena;
	m->root = path_real(a, o->root ? o->root : ".");
	if (!m->root || !file_is_dir(m->root))
		return err_set(e, ERR_INPUT, "--root: %s is no folder", o->root ? o->root : ".");
	m->private = path_join(a, m->root, MCP_PRIVATE);
	return mcp_places(m, e);
}

bool mcp_serve(const void *options, struct verb_call *call, struct err *e)
{
	struct mcp m = {.call = call, .version = MCP_2025_11_25};
	int64_t end_ns = 0;
	if (!open_workspace(&m, options, e))
		return false;
	verb_can_confine(m.unconfined);
	/* The server itself too: it writes nothing outside. */
	if (!*m.unconfined && !verb_confine(&m.root, 1))
		snprintf(m.unconfined, sizeof(m.unconfined), "%s", strerror(errno));
	if (*m.unconfined)
		log_note("mcp: writes outside %s are refused by path only: %s", m.root, m.unconfined);
	buf_init(&m.in);
	buf_init(&m.out);
	while (!sig_pending() && !is_done(&m, end_ns)) {
		if (m.at_end && end_ns == 0)
			end_ns = clock_ns() + END_GRACE_NS;
		if (!turn(&m))
			break;
	}
	mcp_jobs_free(&m, false);
	buf_release(&m.in);
	buf_release(&m.out);
	call->status = 0;
	return true;
}
