/* Reading frozen evidence.
 * In: a frozen request without driver calls. Out: its result, whatever happens.
 * The reader is a process of its own: a file that makes it hang or crash costs a result that says so, nothing else.
 * Never: runs a driver. */
#include "protocol/evaluate/reading.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/proc.h"
#include "protocol/driver/call.h"
#include "protocol/evaluate/budget.h"
#include "store/failpoint.h"

#define PATIENCE_NS INT64_C(5000000000)

bool reading_is(const struct json *frozen)
{
	return json_get(frozen, "evidence_plan") == NULL;
}

static char *result_name(const struct execution *x)
{
	return arena_printf(x->p->arena, "invocations/%s/result.json", x->id);
}

static bool has_result(const struct execution *x)
{
	return file_exists(evidence_path(x->p, result_name(x)));
}

/* ---- the record ---- */

static const char *status_of(const char *reason)
{
	static const char *const late[] = {"operation_timeout", "command_timeout", "absolute_deadline",
					   "resource_wait_timeout"};
	for (size_t i = 0; i < COUNT_OF(late); i++) {
		if (strcmp(reason, late[i]) == 0)
			return "timed_out";
	}
	return strcmp(reason, "cancelled") == 0 ? "cancelled" : "failed";
}

static void put_head(struct json *j, struct execution *x)
{
	static const char *const same[] = {
		"operation",      "target_ref",          "report_ref",   "artifact_ref", "kernel_name_hints",
		"source_binding", "environment_binding", "baseline_ref", "role",         "case_id",
		"experiment_ref", "correctness_ref"};
	double now = (double)clock_unix_ns() / 1e9,
	       elapsed = x->start_ns ? (double)(clock_ns() - x->start_ns) / 1e9 : 0;
	json_set(j, "record_type", json_get(x->frozen, "record_type"));
	json_set(j, "format_version", json_path(x->frozen, "tool_identity.result_contract"));
	for (size_t i = 0; i < COUNT_OF(same); i++) {
		if (json_get(x->frozen, same[i]))
			json_set(j, same[i], json_get(x->frozen, same[i]));
	}
	json_set_f64(j, "started_at_epoch", now - elapsed);
	json_set_f64(j, "finished_at_epoch", now);
	json_set_f64(j, "elapsed_seconds", elapsed);
	json_set_cstr(j, "cleanup_status", x->is_clean ? "confirmed" : "unconfirmed");
}

/* x->stop_reason NULL: `body` holds what was read. */
static bool publish(struct execution *x, struct json *body, struct err *e)
{
	struct json *j = x->stop_reason || !body ? json_object(x->p->arena) : body;
	const char *validity = str_is(json_str(x->frozen, "record_type", STR("")), "profiler_result")
				       ? "measurement_validity"
				       : "evidence_validity";
	put_head(j, x);
	json_set_cstr(j, "execution_status", x->stop_reason ? status_of(x->stop_reason) : "succeeded");
	json_set_cstr(j, validity, x->stop_reason ? "invalid" : "valid");
	json_set_cstr(j, "stop_reason", x->stop_reason ? x->stop_reason : "completed");
	json_set_null(j, "diagnostic");
	if (x->stop_reason) {
		struct json *d = json_set_object(j, "diagnostic");
		json_set_array(j, "observations");
		json_set_array(j, "unmodeled");
		json_set(json_set_object(j, "provenance"), "tool_identity", json_get(x->frozen, "tool_identity"));
		json_set_cstr(d, "error_type", x->stop_reason);
		json_set_cstr(d, "message", x->text ? x->text : "");
	}
	if (json_get(x->frozen, "driver") && !budget_spend(x->p, x->id, json_f64(j, "elapsed_seconds", 0), e))
		return false;
	return evidence_write(x->p, result_name(x), j, NULL, e);
}

static const char *reason_to_stop(const struct execution *x)
{
	const struct json *limits = json_get(x->frozen, "limits");
	double absolute = json_f64(limits, "absolute_deadline", 0);
	double most = json_f64(limits, "operation_timeout_seconds", 0);
	if (file_exists(path_join(x->p->arena, x->folder, "cancel")) || sig_pending())
		return "cancelled";
	if (absolute > 0 && (double)clock_unix_ns() / 1e9 > absolute)
		return "absolute_deadline";
	return (double)(clock_ns() - x->start_ns) / 1e9 > most ? "operation_timeout" : NULL;
}

/* ---- the reader ---- */

static int work(struct execution *x)
{
	struct err e = {ERR_NONE, ""};
	struct json *body = json_object(x->p->arena);
	prctl(PR_SET_NAME, "assay-reader");
	setenv("ASSAY_CALL", x->token, 1); /* what it starts is found by this */
	execution_event(x, "worker_started", "worker_pid", arena_printf(x->p->arena, "%d", (int)getpid()));
	x->p->code = "worker_error";
	(void)failpoint("reading.read");
	if (!x->p->read || !x->p->read(body, x->p, x->frozen, x->folder, &e)) {
		x->stop_reason = x->p->code;
		x->text = arena_strdup(x->p->arena, e.text);
	} else {
		x->stop_reason = reason_to_stop(x); /* the guardian may not have looked since */
	}
	if (publish(x, body, &e))
		return 0;
	if (e.code == ERR_NO_SPACE && !x->stop_reason) { /* so much that nobody could read it back */
		x->stop_reason = "output_limit_exceeded";
		x->text = arena_strdup(x->p->arena, e.text);
		if (publish(x, NULL, &e))
			return 0;
	}
	fprintf(stderr, "assay: the result cannot be published: %s\n", e.text);
	execution_event(x, "publish_failed", "diagnostic", e.text);
	return 4;
}

/* ---- the guardian ---- */

/* Until it has ended; what ended it early, or NULL. */
static const char *watch(struct execution *x, pid_t pid, int *status)
{
	int64_t nap = 500000;
	for (;;) {
		struct arena_mark mark = arena_mark(x->p->arena);
		pid_t got = waitpid(pid, status, WNOHANG);
		if (got == pid || (got < 0 && errno != EINTR))
			return NULL;
		const char *stop = reason_to_stop(x);
		arena_reset(x->p->arena, mark);
		if (stop) {
			kill(pid, SIGKILL);
			while (waitpid(pid, status, 0) < 0 && errno == EINTR)
				continue;
			return stop;
		}
		clock_sleep_ns(nap);
		nap = nap < 10000000 ? 2 * nap : 10000000;
	}
}

static const char *how_it_ended(struct execution *x, int status)
{
	if (WIFSIGNALED(status))
		return arena_printf(x->p->arena, "the reader ended by signal %d", WTERMSIG(status));
	return arena_printf(x->p->arena, "the reader ended with %d and left no result", WEXITSTATUS(status));
}

bool reading_guard(struct execution *x, struct err *e)
{
	int status = 0;
	x->start_ns = clock_ns();
	if (x->stop_reason) /* too late to start */
		return publish(x, NULL, e);
	pid_t pid = fork();
	if (pid < 0)
		return err_errno(e, ERR_SYSTEM, errno, "fork");
	if (pid == 0)
		_exit(work(x));
	x->stop_reason = watch(x, pid, &status);
	execution_event(x, "guardian_finished", "worker_returncode",
			arena_printf(x->p->arena, "%d", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status)));
	x->is_clean = call_end_all(x->token, NULL, PATIENCE_NS);
	if (has_result(x))
		return true;
	if (!x->stop_reason) {
		x->stop_reason = "worker_error";
		x->text = how_it_ended(x, status);
	}
	return publish(x, NULL, e);
}

bool reading_lost(struct execution *x, const char *reason, struct err *e)
{
	x->is_clean = call_end_marked(x->token, PATIENCE_NS);
	x->stop_reason = x->is_clean ? reason : "resource_cleanup_unknown";
	x->text = "the process that read it is gone";
	return publish(x, NULL, e);
}
