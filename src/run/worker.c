/* A worker or keeper process as the parent sees it.
 * In: options, messages. Out: answers, or how it failed.
 * A worker is one process group on one socket pair; it ends at its deadline, on a bad message, for memory, on interrupt.
 * Never: believes a word of a worker beyond passing it on as said. */
#include "run/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/proc.h"
#include "base/progress.h"
#include "run/ending.h"
#include "run/sandbox.h"
#include "run/sandbox_env.h"
#include "run/watch.h"
#include "wire/link.h"

enum { WORKER_KEEP_OUTPUT = 65536, WORKER_BYE_NS = 2000000000, WORKER_POLL_MS = 100 };
#define WORKER_QUIET_NS INT64_C(1000000000)

struct worker {
	struct arena arena;
	struct link link;
	struct sandbox *sandbox;
	const char *name;
	int pid; /* -1: reaped */
	int out_fd, err_fd;
	const char *folder;
	uint64_t max_memory_bytes, max_disk_bytes;
	struct ending_facts seen;
	struct worker_fault fault;
	int64_t asked_ns;
	int64_t hello_ns; /* most for a HELLO that is still to come; 0: it came */
	bool is_leaving;  /* BYE was sent */
	bool is_frozen;
};

static void set_fault(struct worker *w, const char *word, const char *text, bool is_said)
{
	w->fault = (struct worker_fault){word, text, is_said};
}

static struct str read_output(int fd, struct arena *a)
{
	if (fd < 0)
		return STR("");
	char *p = arena_alloc(a, WORKER_KEEP_OUTPUT + 1);
	ssize_t got = pread(fd, p, WORKER_KEEP_OUTPUT, 0);
	return (struct str){p, got > 0 ? (size_t)got : 0};
}

/* The last line on its stderr, which often says more than how it ended: a claim like all that it writes. */
static struct str last_words(struct worker *w)
{
	struct str text = str_trim(read_output(w->err_fd, &w->arena)), line = STR("");
	while (text.n && str_split(&text, '\n', &line))
		continue;
	return str_sub(str_trim(line), 0, 300);
}

/* Ends what is left of the process and works out how it ended. */
static void end_process(struct worker *w, unsigned why)
{
	w->seen.seen |= why;
	if (w->pid > 0) {
		int status = 0;
		pid_t got = waitpid(w->pid, &status, WNOHANG);
		if (got != w->pid && !why) { /* the link closed first: it is about to end by itself */
			for (int i = 0; i < 200 && got != w->pid; i++) {
				clock_sleep_ns(1000000);
				got = waitpid(w->pid, &status, WNOHANG);
			}
		}
		if (got == w->pid)
			kill(-w->pid, SIGKILL);
		else
			proc_kill_group(w->pid, &status);
		w->seen.wait_status = status;
		w->seen.seen |= ENDING_SEEN_STATUS;
		w->pid = -1;
	}
	struct str words = last_words(w);
	const char *how = ending_describe(&w->arena, &w->seen);
	if (words.n)
		how = arena_printf(&w->arena, "%s; its last words: %.*s", how, STR_ARG(words));
	set_fault(w, ending_word(ending_classify(&w->seen)), how, false);
}

static const char *number_text(struct arena *a, int n)
{
	return arena_printf(a, "%d", n);
}

static bool spawn(struct worker *w, const struct worker_options *o, int child_fd, struct err *e)
{
	size_t n = 0;
	while (o->args[n])
		n++;
	int seal = w->sandbox ? sandbox_seal_fd(w->sandbox) : -1;
	const char **argv = ARENA_ARRAY(&w->arena, n + 6, const char *);
	argv[0] = o->program;
	memcpy(argv + 1, o->args, n * sizeof(*argv));
	argv[n + 1] = "--link";
	argv[n + 2] = number_text(&w->arena, child_fd);
	if (seal >= 0) {
		argv[n + 3] = "--seal";
		argv[n + 4] = number_text(&w->arena, seal);
	}
	struct sandbox_env_options env = {.folder = o->folder, .gpu = o->gpu, .extra = o->env};
	int fds[2] = {child_fd, seal};
	struct proc_options p = {.argv = argv,
				 .env = sandbox_env(&w->arena, &env, e),
				 .cwd = o->folder,
				 .flags = PROC_PDEATHSIG | PROC_NEW_SESSION,
				 .pass_fds = fds,
				 .n_pass_fds = seal >= 0 ? 2 : 1,
				 .child_setup = w->sandbox ? sandbox_apply : NULL,
				 .child_arg = w->sandbox};
	if (!p.env)
		return false;
	w->pid = proc_spawn(&p, w->out_fd, w->err_fd, e);
	return w->pid > 0;
}

static struct worker *new_worker(const struct worker_options *o)
{
	struct arena a;
	arena_init(&a);
	struct worker *w = ARENA_NEW(&a, struct worker);
	w->arena = a;
	w->name = arena_strdup(&w->arena, o->name);
	w->folder = arena_strdup(&w->arena, o->folder);
	w->pid = w->out_fd = w->err_fd = -1;
	link_init(&w->link, -1, w->name);
	set_fault(w, "not_started", "was not started", false);
	return w;
}

void worker_observe(struct worker *w)
{
	if (w->sandbox && w->pid > 0)
		sandbox_observe(w->sandbox, w->pid);
}

static enum ask_result greet(struct worker *w, struct err *e)
{
	struct wire_message hello;
	int64_t most_ns = w->hello_ns;
	w->hello_ns = 0;
	enum ask_result r = most_ns ? worker_more(w, WIRE_TYPE_HELLO, &hello, most_ns, e) : ASK_OK;
	if (most_ns)
		worker_observe(w);
	return r;
}

struct worker *worker_start(const struct worker_options *o, struct err *e)
{
	struct worker *w = new_worker(o);
	int pair[2] = {-1, -1};
	struct err hello_err;
	if (o->plan) {
		w->sandbox = sandbox_new(o->plan, e);
		w->max_memory_bytes = o->plan->max_memory_bytes;
		w->max_disk_bytes = o->plan->max_disk_bytes;
		if (!w->sandbox)
			goto fail;
	}
	w->out_fd = file_memfd("stdout", 0, e);
	w->err_fd = w->out_fd < 0 ? -1 : file_memfd("stderr", 0, e);
	if (w->err_fd < 0)
		goto fail;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
		err_errno(e, ERR_SYSTEM, errno, "socket pair for the %s", w->name);
		goto fail;
	}
	w->link.fd = w->link.out_fd = pair[0];
	if (!spawn(w, o, pair[1], e)) {
		close(pair[1]);
		err_prefix(e, "%s", w->name);
		goto fail;
	}
	close(pair[1]);
	w->hello_ns = o->start_timeout_ns ? o->start_timeout_ns : 30000000000;
	if (!o->greets_later && greet(w, &hello_err) == ASK_ERR) {
		*e = hello_err;
		goto fail;
	}
	return w;
fail:
	worker_free(w);
	return NULL;
}

static unsigned look_at_limits(struct worker *w)
{
	struct watch_census c;
	if (w->max_memory_bytes && watch_group(w->pid, &c)) {
		uint64_t files = watch_memory_files(w->pid);
		uint64_t shared = files > c.shared_bytes ? files - c.shared_bytes : 0;
		if (c.memory_bytes + shared > w->max_memory_bytes)
			return ENDING_SEEN_MEMORY;
	}
	if (w->max_disk_bytes && watch_folder_bytes(w->folder) > w->max_disk_bytes)
		return ENDING_SEEN_DISK;
	return 0;
}

/* Waits until the link can be read, watching memory and deadline. */
static enum link_result await_answer(struct worker *w, int64_t deadline)
{
	int64_t begin = clock_ns();
	for (;;) {
		struct pollfd p = {w->link.fd, POLLIN, 0};
		if (sig_pending())
			return LINK_STOPPED;
		if (clock_ns() - begin >
		    WORKER_QUIET_NS) /* calls that are timed take less, and nothing of ours runs then */
			progress_tick();
		if (poll(&p, 1, WORKER_POLL_MS) > 0)
			return LINK_OK;
		if (clock_ns() > deadline)
			return LINK_TIMEOUT;
		w->seen.seen |= look_at_limits(w);
		if (w->seen.seen & (ENDING_SEEN_MEMORY | ENDING_SEEN_DISK))
			return LINK_TIMEOUT;
	}
}

void worker_greet(struct worker *w)
{
	struct err ignored;
	if (w->hello_ns && w->pid > 0 && await_answer(w, clock_ns() + w->hello_ns) == LINK_OK)
		(void)greet(w, &ignored);
}

static enum ask_result take_fault(struct worker *w, enum link_result r, struct err *e)
{
	switch (r) {
	case LINK_STOPPED:
		end_process(w, ENDING_SEEN_INTERRUPT);
		err_set(e, ERR_INTERRUPTED, "interrupted while the %s worked", w->name);
		return ASK_ERR;
	case LINK_TIMEOUT:
		end_process(w, w->seen.seen & (ENDING_SEEN_MEMORY | ENDING_SEEN_DISK) ? w->seen.seen
										      : ENDING_SEEN_DEADLINE);
		return ASK_FAULT;
	case LINK_BROKEN:
		end_process(w, ENDING_SEEN_BAD_MESSAGE);
		return ASK_FAULT;
	case LINK_CLOSED:
	case LINK_OK:
		break;
	}
	end_process(w, 0);
	return ASK_FAULT;
}

bool worker_freeze(struct worker *w)
{
	w->is_frozen = w->is_frozen || (w->pid > 0 && !w->is_leaving && watch_stop(w->pid));
	return w->is_frozen;
}

void worker_thaw(struct worker *w)
{
	if (w->is_frozen && w->pid > 0)
		watch_continue(w->pid);
	w->is_frozen = false;
}

int64_t worker_asked_ns(const struct worker *w)
{
	return w->asked_ns;
}

/* A worker speaks when it is asked. Bytes that wait before the question were made to be taken for its answer. */
static bool spoke_unasked(struct worker *w)
{
	struct pollfd p = {w->link.fd, POLLIN, 0};
	return poll(&p, 1, 0) > 0 && (p.revents & POLLIN) && !(p.revents & POLLHUP);
}

/* Sends the question; a frozen worker gets to know it in the moment in which it thaws. */
static bool put_question(struct worker *w, const struct worker_question *q)
{
	struct err gone;
	if (!q->message)
		return true;
	w->asked_ns = clock_ns();
	bool sent = link_send(&w->link, q->message, q->fd, &gone);
	if (w->is_frozen) {
		w->asked_ns = clock_ns();
		worker_thaw(w);
	}
	return sent;
}

static void close_descriptor(int *fd)
{
	if (fd && *fd >= 0) {
		close(*fd);
		*fd = -1;
	}
}

static void take_said(struct worker *w, const struct wire_fail *f)
{
	set_fault(w, arena_strndup(&w->arena, f->word.p, f->word.n), arena_strndup(&w->arena, f->text.p, f->text.n),
		  true);
}

enum ask_result worker_ask(struct worker *w, const struct worker_question *q, struct wire_message *answer,
			   struct err *e)
{
	if (q->answer_fd)
		*q->answer_fd = -1;
	if (w->pid < 0)
		return ASK_FAULT;
	struct err why = {ERR_NONE, ""};
	enum ask_result greeted = greet(w, e);
	if (greeted != ASK_OK)
		return greeted;
	if (q->message && spoke_unasked(w))
		return take_fault(w, LINK_BROKEN, e);
	if (!put_question(w, q))
		return take_fault(w, LINK_CLOSED, e);
	int64_t deadline = clock_ns() + q->timeout_ns;
	enum link_result r = await_answer(w, deadline);
	if (r == LINK_OK)
		r = link_receive(&w->link, answer, q->answer_fd, deadline, &why);
	if (r != LINK_OK)
		return take_fault(w, r, e);
	if (answer->type == WIRE_TYPE_FAIL) {
		take_said(w, &answer->u.fail);
		return ASK_FAULT;
	}
	if (answer->type != q->expect) {
		close_descriptor(q->answer_fd);
		return take_fault(w, LINK_BROKEN, e);
	}
	if (q->expect == WIRE_TYPE_READY)
		w->seen.seen |= ENDING_SEEN_READY;
	return ASK_OK;
}

void worker_await(struct worker *w, int64_t timeout_ns)
{
	worker_greet(w);
	if (w->pid > 0)
		(void)await_answer(w, clock_ns() + timeout_ns);
}

enum ask_result worker_more(struct worker *w, enum wire_type expect, struct wire_message *answer, int64_t timeout_ns,
			    struct err *e)
{
	struct worker_question q = {.fd = -1, .expect = expect, .timeout_ns = timeout_ns};
	return worker_ask(w, &q, answer, e);
}

bool worker_tell(struct worker *w, const struct wire_message *m, struct err *e)
{
	struct err gone;
	if (w->pid > 0 && !link_send(&w->link, m, -1, &gone) && sig_pending())
		return err_set(e, ERR_INTERRUPTED, "interrupted while the %s was told what to do", w->name);
	return true;
}

int worker_pid(const struct worker *w)
{
	return w->pid;
}

const struct worker_fault *worker_fault(const struct worker *w)
{
	return &w->fault;
}

bool worker_is_alive(const struct worker *w)
{
	return w->pid > 0;
}

struct str worker_stderr(struct worker *w, struct arena *a)
{
	return read_output(w->err_fd, a);
}

struct json *worker_sandbox_json(struct worker *w, struct arena *a)
{
	return w->sandbox ? sandbox_report_json(a, sandbox_report(w->sandbox)) : json_object(a);
}

void worker_leave(struct worker *w)
{
	struct wire_message bye = {.type = WIRE_TYPE_BYE};
	struct err ignored;
	worker_thaw(w);
	w->is_leaving = w->is_leaving || (w->pid > 0 && link_send(&w->link, &bye, -1, &ignored));
}

/* Lets it end by itself; a worker that does not is ended. */
static void say_bye(struct worker *w)
{
	worker_leave(w);
	if (w->is_leaving) {
		int64_t deadline = clock_ns() + WORKER_BYE_NS;
		int status = 0;
		while (clock_ns() < deadline) {
			if (waitpid(w->pid, &status, WNOHANG) == w->pid) {
				kill(-w->pid, SIGKILL);
				w->pid = -1;
				return;
			}
			clock_sleep_ns(200000);
		}
	}
	end_process(w, ENDING_SEEN_PARENT_KILL);
}

void worker_free(struct worker *w)
{
	if (!w)
		return;
	if (w->pid > 0)
		say_bye(w);
	link_release(&w->link);
	if (w->out_fd >= 0)
		close(w->out_fd);
	if (w->err_fd >= 0)
		close(w->err_fd);
	if (w->sandbox)
		sandbox_free(w->sandbox);
	struct arena a = w->arena; /* the worker lives in its own arena */
	arena_release(&a);
}
