/* Guardian and worker.
 * In: a frozen invocation. Out: its result.
 * Leases and the owner's lock are descriptors that both processes hold: they are free when both are gone.
 * Never: two processes on one invocation. */
#include "protocol/evaluate/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/proc.h"
#include "protocol/driver/call.h"
#include "protocol/evaluate/execute.h"
#include "protocol/evaluate/reading.h"
#include "protocol/evaluate/record.h"
#include "store/lease.h"

#define SLICE_NS INT64_C(100000000)

static char *owner_path(struct protocol *p, const char *id)
{
	return arena_printf(p->arena, "%s/invocations/%s/.owner", p->root, id);
}

static bool has_result(struct protocol *p, const char *id)
{
	return file_exists(arena_printf(p->arena, "%s/invocations/%s/result.json", p->root, id));
}

/* The lock of the invocation: -1 when somebody has it. */
static int own(struct protocol *p, const char *id)
{
	int fd = open(owner_path(p, id), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool is_cancelled(const struct execution *x)
{
	return file_exists(path_join(x->p->arena, x->folder, "cancel")) || sig_pending();
}

/* ---- leases ---- */

struct leases {
	struct lease **held;
	size_t n;
};

static const char *take_one(struct execution *x, struct leases *l, const char *key, int64_t until)
{
	struct err why;
	for (;;) {
		if (lease_take(&l->held[l->n], key, 0, x->id, &why)) {
			l->n++;
			return NULL;
		}
		if (is_cancelled(x))
			return "cancelled";
		if (why.code != ERR_BUSY || clock_ns() >= until) {
			x->text = arena_strdup(x->p->arena, why.text);
			return why.code == ERR_BUSY ? "resource_wait_timeout" : "worker_error";
		}
		clock_sleep_ns(SLICE_NS / 5);
	}
}

/* Sorted, so that two that want the same do not block each other. The time here is not the operation's. */
static const char *take_all(struct execution *x, struct leases *l)
{
	const struct json *gpus = json_path(x->frozen, "resources.gpu_uuids");
	size_t n = gpus ? gpus->n : 0;
	int64_t wait = (int64_t)(json_f64(json_get(x->frozen, "limits"), "resource_wait_timeout_seconds", 0) * 1e9);
	int64_t until = clock_ns() + wait;
	const char **keys = ARENA_ARRAY(x->p->arena, n + 2, const char *);
	for (size_t i = 0; i < n; i++)
		keys[i] = arena_printf(x->p->arena, "gpu:%s", gpus->items[i]->text.p);
	keys[n] = "cpu";
	for (size_t i = 1; i < n; i++) {
		for (size_t k = i; k > 0 && strcmp(keys[k - 1], keys[k]) > 0; k--) {
			const char *swap = keys[k];
			keys[k] = keys[k - 1];
			keys[k - 1] = swap;
		}
	}
	l->held = ARENA_ARRAY(x->p->arena, n + 2, struct lease *);
	const char *stop = NULL;
	execution_event(x, "heartbeat", "phase", "resource_wait");
	for (size_t i = 0; !stop && i < (n ? n : 1); i++)
		stop = take_one(x, l, keys[i], until);
	return stop;
}

static void give_all(struct leases *l)
{
	while (l->n > 0)
		lease_free(l->held[--l->n]);
}

/* ---- worker ---- */

static int work(struct execution *x, int parent)
{
	struct err e = {ERR_NONE, ""};
	prctl(PR_SET_NAME, "assay-worker");
	call_adopt_orphans();
	execution_event(x, "worker_started", "worker_pid", arena_printf(x->p->arena, "%d", (int)getpid()));
	(void)parent;
	if (!execution_run(x, &e)) {
		x->stop_reason = "worker_error";
		x->text = arena_strdup(x->p->arena, e.text);
		fprintf(stderr, "assay: %s\n", e.text);
	}
	if (record_publish(x, &e))
		return 0;
	fprintf(stderr, "assay: the result cannot be published: %s\n", e.text);
	execution_event(x, "publish_failed", "diagnostic", e.text);
	return 4;
}

/* ---- what is left ---- */

/* From the disk: the calls that were made, ended by `reason`. */
static bool publish_lost(struct protocol *p, const char *id, const char *reason, struct err *e)
{
	struct execution x;
	if (!execution_open(&x, p, id, e) || !execution_recall(&x, e))
		return false;
	if (reading_is(x.frozen))
		return reading_lost(&x, reason, e);
	const struct json *last = x.calls->n ? x.calls->items[x.calls->n - 1] : NULL;
	struct str said = json_str(last, "stop_reason", STR(""));
	size_t n_steps = json_path(x.frozen, "evidence_plan.steps")->n;
	x.is_clean = call_end_marked(x.token, INT64_C(5000000000));
	if (said.n)
		x.stop_reason = said.p;
	else if (x.calls->n < n_steps && !x.correctness_failed)
		x.stop_reason = is_cancelled(&x) ? "cancelled" : reason;
	x.text = "the process that ran it is gone";
	if (!x.is_clean)
		x.stop_reason = "resource_cleanup_unknown";
	struct err ignored;
	static const char *const leftovers[] = {"workspace", "observer"};
	for (size_t i = 0; i < COUNT_OF(leftovers); i++) {
		if (!file_remove_tree(path_join(p->arena, x.folder, leftovers[i]), &ignored))
			log_note("%s", ignored.text);
	}
	return record_publish(&x, e);
}

bool supervise_recover(struct protocol *p, const char *id, bool *is_alive, struct err *e)
{
	*is_alive = false;
	if (has_result(p, id))
		return true;
	int lock = own(p, id);
	if (lock < 0) {
		*is_alive = true;
		return true;
	}
	bool ok = has_result(p, id) || publish_lost(p, id, "owner_lost", e);
	close(lock);
	return ok;
}

/* ---- guardian ---- */

static void put_owner(struct execution *x)
{
	struct err ignored;
	struct json *j = json_object(x->p->arena);
	struct buf b;
	json_set_i64(j, "guardian_pid", getpid());
	json_set_cstr(j, "guardian_start_token",
		      arena_printf(x->p->arena, "linux:%lld", (long long)proc_start_time(getpid())));
	json_set_f64(j, "started_at_epoch", (double)clock_unix_ns() / 1e9);
	json_set_cstr(j, "call_token", x->token);
	buf_init(&b);
	json_write(&b, j, JSON_COMPACT);
	if (!file_write_str(path_join(x->p->arena, x->folder, "worker.json"), buf_view(&b), &ignored))
		log_note("%s", ignored.text);
	buf_release(&b);
}

static bool run_worker(struct execution *x, struct err *e)
{
	int status = 0;
	pid_t me = getpid(), pid = fork();
	if (pid < 0)
		return err_errno(e, ERR_SYSTEM, errno, "fork");
	if (pid == 0)
		_exit(work(x, (int)me));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
		if (sig_pending())
			kill(pid, SIGTERM);
	}
	execution_event(x, "guardian_finished", "worker_returncode",
			arena_printf(x->p->arena, "%d", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status)));
	return call_end_all(x->token, NULL, INT64_C(10000000000)) ||
	       err_set(e, ERR_SYSTEM, "processes of the driver do not end");
}

static bool guard(struct execution *x, struct err *e)
{
	struct leases l = {NULL, 0};
	double launch = json_f64(json_get(x->frozen, "limits"), "launch_deadline", 0);
	put_owner(x);
	if (launch > 0 && (double)clock_unix_ns() / 1e9 > launch) {
		x->stop_reason = "absolute_deadline";
		x->text = "launch_deadline had passed before it could start";
	}
	bool reads = reading_is(x->frozen);
	if (!x->stop_reason && (!reads || json_get(x->frozen, "driver"))) /* what runs nothing waits for nobody */
		x->stop_reason = take_all(x, &l);
	bool ok = reads ? reading_guard(x, e) : x->stop_reason ? record_publish(x, e) : run_worker(x, e);
	give_all(&l);
	return ok;
}

bool supervise(struct protocol *p, const char *id, int owner, struct err *e)
{
	struct execution x;
	if (flock(owner, LOCK_EX | LOCK_NB) != 0)
		return err_set(e, ERR_BUSY, "%s: another process runs it", id);
	if (fcntl(owner, F_SETFD, FD_CLOEXEC) != 0) /* what it runs is no owner */
		return err_errno(e, ERR_SYSTEM, errno, "%s: .owner", id);
	call_adopt_orphans();
	bool ok = has_result(p, id) || (execution_open(&x, p, id, e) && guard(&x, e));
	if (ok && !has_result(p, id))
		ok = publish_lost(p, id, "owner_lost", e);
	return ok;
}
