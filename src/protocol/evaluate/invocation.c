/* Invocations from outside.
 * In: a request or an id. Out: the published answers.
 * Its folder appears by one rename with request.json in it; who submits the same twice gets the same.
 * Never: runs a driver. */
#include "protocol/evaluate/invocation.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/proc.h"
#include "protocol/evaluate/budget.h"
#include "protocol/evaluate/plan.h"
#include "protocol/evaluate/reading.h"
#include "protocol/evaluate/supervise.h"
#include "protocol/shape.h"

static char *folder_of(struct protocol *p, const char *id)
{
	return arena_printf(p->arena, "%s/invocations/%s", p->root, id);
}

static bool is_id(const char *id)
{
	return strncmp(id, "inv-", 4) == 0 && strlen(id) < INVOCATION_ID_MAX &&
	       strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(id);
}

/* ---- answers ---- */

static struct json *read_result(struct protocol *p, const char *id, struct json **ref, struct err *e)
{
	char sha256[SHA256_HEX];
	struct json *j = evidence_record(p, arena_printf(p->arena, "invocations/%s/result.json", id), sha256, e);
	if (!j)
		return NULL;
	*ref = json_object(p->arena);
	json_set_cstr(*ref, "invocation_id", id);
	json_set_cstr(*ref, "sha256", sha256);
	return j;
}

static struct json *with_reference(struct json *result, const char *id, struct json *ref)
{
	json_set_cstr(result, "invocation_id", id);
	json_set(result, "result_ref", ref);
	return result;
}

/* The result itself, with its id and reference. */
static bool answer_result(struct json **answer, struct protocol *p, const char *id, struct err *e)
{
	struct json *ref, *j = read_result(p, id, &ref, e);
	if (j)
		*answer = with_reference(j, id, ref);
	return j != NULL;
}

static void put_heartbeat(struct json *j, struct protocol *p, const char *id)
{
	struct str text, line, last = STR("");
	struct err ignored;
	char *path = path_join(p->arena, folder_of(p, id), "events.jsonl");
	if (!file_exists(path) || !file_read(p->arena, &text, path, (size_t)1 << 30, &ignored))
		return;
	while (str_split(&text, '\n', &line)) {
		if (str_find(line, STR("\"heartbeat\"")) != SIZE_MAX)
			last = line;
	}
	struct json *beat = last.n ? json_parse(p->arena, path, last, 0, &ignored) : NULL;
	double at = json_f64(beat, "at_epoch", 0), now = (double)clock_unix_ns() / 1e9;
	if (!beat)
		return;
	json_set_f64(j, "heartbeat_at_epoch", at);
	json_set_str(j, "heartbeat_phase", json_str(beat, "phase", STR("")));
	json_set_bool(j, "unresponsive", now - at > 90);
}

bool invocation_status(struct json **answer, struct protocol *p, const char *id, struct err *e)
{
	bool is_alive;
	protocol_step(p, "invalid_evaluator_input");
	if (!is_id(id) || !file_is_dir(folder_of(p, id)))
		return err_set(e, ERR_INPUT, "invocation %.80s: is not there", id);
	protocol_step(p, "evaluator_error");
	if (!supervise_recover(p, id, &is_alive, e))
		return false;
	struct json *j = *answer = json_object(p->arena);
	json_set_cstr(j, "invocation_id", id);
	if (is_alive) {
		bool started = file_exists(path_join(p->arena, folder_of(p, id), "worker.json"));
		json_set_cstr(j, "query_status", started ? "running" : "starting");
		json_set_cstr(j, "cleanup_status", "pending");
		put_heartbeat(j, p, id);
		return true;
	}
	struct json *ref, *result = read_result(p, id, &ref, e);
	if (!result)
		return false;
	bool is_lost = str_is(json_str(result, "stop_reason", STR("")), "owner_lost");
	json_set_cstr(j, "query_status", is_lost ? "worker_lost" : "completed");
	json_set(j, "cleanup_status", json_get(result, "cleanup_status"));
	json_set(j, "stop_reason", json_get(result, "stop_reason"));
	json_set(j, "result_ref", ref);
	json_set(j, "result", result);
	return true;
}

bool invocation_cancel(struct json **answer, struct protocol *p, const char *id, struct err *e)
{
	if (!is_id(id) || !file_is_dir(folder_of(p, id))) {
		protocol_step(p, "invalid_evaluator_input");
		return err_set(e, ERR_INPUT, "invocation %.80s: is not there", id);
	}
	protocol_step(p, "evaluator_error");
	if (!file_exists(path_join(p->arena, folder_of(p, id), "result.json"))) {
		int fd = open(path_join(p->arena, folder_of(p, id), "cancel"), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		if (fd < 0)
			return err_errno(e, ERR_IO, errno, "%s: cannot be cancelled", id);
		close(fd);
	}
	return invocation_status(answer, p, id, e);
}

/* ---- starting ---- */

/* The folder with the request in it; *owner is its locked .owner file. */
static bool place_request(struct protocol *p, const char *id, const struct json *frozen, int *owner, struct err *e)
{
	char *staging = evidence_path(p, ".staging"), *temp = arena_printf(p->arena, "%s/invocation-XXXXXX", staging);
	if (!file_mkdirs(staging, 0755, e) || !file_mkdirs(evidence_path(p, "invocations"), 0755, e))
		return false;
	if (!mkdtemp(temp))
		return err_errno(e, ERR_IO, errno, "%s", temp);
	const char *name = temp + strlen(p->root) + 1;
	*owner = open(path_join(p->arena, temp, ".owner"), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (*owner < 0 || flock(*owner, LOCK_EX | LOCK_NB) != 0)
		return err_errno(e, ERR_IO, errno, "%s/.owner", temp);
	bool ok = evidence_write(p, arena_printf(p->arena, "%s/request.json", name), frozen, NULL, e);
	if (ok && renameat2(AT_FDCWD, temp, AT_FDCWD, folder_of(p, id), RENAME_NOREPLACE) != 0 && errno != EEXIST)
		ok = err_errno(e, ERR_IO, errno, "%s", folder_of(p, id));
	struct err ignored;
	if (file_exists(temp) && !file_remove_tree(temp, &ignored))
		log_note("%s", ignored.text);
	return ok && file_fsync_dir(evidence_path(p, "invocations"), e);
}

static bool index_it(struct protocol *p, const char *id, const struct json *frozen, struct err *e)
{
	const struct json *candidate = json_at(json_get(frozen, "variant_refs"), 1),
			  *experiment = json_get(frozen, "experiment_ref");
	return (!experiment || plan_index_add(p, json_str(experiment, "id", STR("")).p, id, e)) &&
	       (!candidate || plan_index_add(p, json_str(candidate, "digest", STR("")).p, id, e));
}

/* The guardian: a process of its own session, so that neither the caller's end nor a closed terminal reaches it. */
static bool start_guardian(struct protocol *p, const char *id, int owner, struct err *e)
{
	char *log = path_join(p->arena, folder_of(p, id), "guardian.log");
	const char *number = arena_printf(p->arena, "%d", owner);
	const char *argv[] = {p->program, "supervise", "--root", p->root, "--invocation", id, "--owner", number, NULL};
	int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_errno(e, ERR_IO, errno, "%s", log);
	struct proc_options o = {
		.argv = argv, .cwd = p->root, .flags = PROC_NEW_SESSION, .pass_fds = &owner, .n_pass_fds = 1};
	int pid = proc_spawn(&o, fd, fd, e);
	close(fd);
	return pid > 0;
}

static bool run_here(struct protocol *p, const char *id, int owner, struct err *e)
{
	log_note("%s runs in the foreground: what started this process may end what outlives it", id);
	return supervise(p, id, owner, e);
}

/* Until the result is there; a signal to us leaves the invocation running. */
static bool wait_for(struct json **answer, struct protocol *p, const char *id, struct err *e)
{
	int64_t nap = 1000000, begin = clock_ns();
	for (;;) {
		if (file_exists(path_join(p->arena, folder_of(p, id), "result.json")))
			return answer_result(answer, p, id, e);
		if (sig_pending())
			return err_set(e, ERR_INTERRUPTED, "%s runs on; assay status tells when it has ended", id);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			continue;
		bool is_alive; /* not without a look: who ran it may be gone */
		if (!supervise_recover(p, id, &is_alive, e))
			return false;
		log_progress("%s: %.0f s", id, (double)(clock_ns() - begin) / 1e9);
		clock_sleep_ns(nap);
		nap = nap < 10000000 ? 2 * nap : 20000000;
	}
}

/* ---- submitting ---- */

static bool is_success(const struct json *r)
{
	struct str validity = json_str(r, "measurement_validity", json_str(r, "evidence_validity", STR("")));
	return str_is(json_str(r, "execution_status", STR("")), "succeeded") && str_is(validity, "valid");
}

/* retry_of names one that ended without a valid measurement and left nothing behind. */
static bool retry_id(struct protocol *p, const struct json *request, const char *base, char id[INVOCATION_ID_MAX],
		     struct err *e)
{
	const char *of = json_str(request, "retry_of", STR("")).p;
	bool is_alive;
	uint32_t number;
	if (!is_id(of) || strncmp(of, base, strlen(base)) != 0 || !file_is_dir(folder_of(p, of)))
		return err_set(e, ERR_INPUT, "retry_of: %.80s is no invocation of this request", of);
	if (!supervise_recover(p, of, &is_alive, e))
		return false;
	if (is_alive)
		return err_set(e, ERR_INPUT, "retry_of: %s still runs", of);
	struct json *ref, *before = read_result(p, of, &ref, e);
	if (!before)
		return false;
	if (is_success(before))
		return err_set(e, ERR_INPUT, "retry_of: %s ended with a valid measurement", of);
	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return err_errno(e, ERR_SYSTEM, errno, "random number");
	snprintf(id, INVOCATION_ID_MAX, "%.40s-retry-%08x", base, number);
	return true;
}

static struct json *join_answer(struct protocol *p, const char *id, bool already)
{
	struct json *j = json_object(p->arena);
	json_set_cstr(j, "invocation_id", id);
	json_set_cstr(j, "status", already ? "already_running" : "started");
	json_set_bool(j, "already_running", already);
	return j;
}

/* Takes `owner`. */
static bool start(struct json **answer, struct protocol *p, const char *id, int owner, unsigned flags, struct err *e)
{
	bool here = flags & INVOCATION_FOREGROUND;
	bool ok = here ? run_here(p, id, owner, e) : start_guardian(p, id, owner, e);
	close(owner);
	if (!ok)
		return false;
	if (here)
		return answer_result(answer, p, id, e);
	if (flags & INVOCATION_WAIT)
		return wait_for(answer, p, id, e);
	*answer = join_answer(p, id, false);
	return true;
}

/* There already: done, running, or failed. */
static bool join(struct json **answer, struct protocol *p, const char *id, unsigned flags, struct err *e)
{
	bool is_alive;
	if (!supervise_recover(p, id, &is_alive, e))
		return false;
	if (is_alive && flags & INVOCATION_WAIT)
		return wait_for(answer, p, id, e);
	if (is_alive) {
		*answer = join_answer(p, id, true);
		return true;
	}
	struct json *ref, *r = read_result(p, id, &ref, e); /* once: it may be large */
	if (!r)
		return false;
	if (is_success(r)) {
		*answer = with_reference(r, id, ref);
		return true;
	}
	protocol_step(p, "invalid_evaluator_input");
	return err_set(e, ERR_INPUT,
		       "%s ended without a valid measurement: a failed invocation requires explicit retry_of", id);
}

static bool has_budget(struct protocol *p, const struct json *request, struct err *e)
{
	struct target t;
	double left;
	if (!target_load(&t, p, json_get(request, "target_ref"), e) || !budget_left(&left, p, &t, e))
		return false;
	if (left > 0)
		return protocol_step(p, "evaluator_error");
	protocol_step(p, "budget_exhausted");
	return err_set(e, ERR_INPUT, "the Target's budget is used up: %.0f s over", -left);
}

bool invocation_begin(struct json **answer, struct protocol *p, const struct json *request, const struct json *frozen,
		      unsigned flags, struct err *e)
{
	char id[INVOCATION_ID_MAX], base[INVOCATION_ID_MAX];
	plan_invocation_id(frozen, base);
	memcpy(id, base, sizeof(id));
	int lock = evidence_lock(p, base, e);
	if (lock < 0 || (json_get(request, "retry_of") && !retry_id(p, request, base, id, e))) {
		if (lock >= 0)
			close(lock);
		return false;
	}
	protocol_step(p, "evaluator_error");
	bool is_there = file_is_dir(folder_of(p, id));
	int owner = -1;
	bool ok = is_there ||
		  (((reading_is(frozen) && !json_get(frozen, "driver")) || has_budget(p, request, e)) &&
		   place_request(p, id, frozen, &owner, e) && (reading_is(frozen) || index_it(p, id, frozen, e)));
	close(lock);
	if (!ok)
		return false;
	return is_there ? join(answer, p, id, flags, e) : start(answer, p, id, owner, flags, e);
}

bool invocation_submit(struct json **answer, struct protocol *p, const struct json *request, unsigned flags,
		       struct err *e)
{
	struct json *frozen;
	return plan_freeze(&frozen, p, request, e) && invocation_begin(answer, p, request, frozen, flags, e);
}

/* ---- explaining ---- */

static void put_expected(struct json *j, struct protocol *p, const struct json *frozen)
{
	struct err ignored;
	const struct json *ref = json_get(frozen, "baseline_ref"),
			  *calls = json_path(frozen, "evidence_plan.driver_calls");
	json_set_null(j, "expected_seconds");
	if (!ref)
		return;
	struct json *r = evidence_record(
		p, arena_printf(p->arena, "invocations/%s/result.json", json_str(ref, "invocation_id", STR("")).p),
		NULL, &ignored);
	double n = (double)json_i64(r, "completed_driver_calls", 0), s = json_f64(r, "elapsed_seconds", 0);
	if (n < 1)
		return;
	struct json *x = json_set_object(j, "expected_seconds");
	json_set_f64(x, "p50", s / n * calls->real);
	json_set_f64(x, "p90", 1.3 * s / n * calls->real);
	json_set_cstr(x, "basis", "seconds a call of the baseline, with the sampling that it had");
}

bool invocation_explain(struct json **answer, struct protocol *p, const struct json *request, struct err *e)
{
	struct json *frozen, *j = json_object(p->arena);
	char id[INVOCATION_ID_MAX];
	if (!plan_freeze(&frozen, p, request, e))
		return false;
	plan_invocation_id(frozen, id);
	json_set_cstr(j, "status", "explained");
	json_set_cstr(j, "invocation_id", id);
	json_set(j, "driver_calls", json_path(frozen, "evidence_plan.driver_calls"));
	json_set(j, "full_lifecycle_starts", json_path(frozen, "evidence_plan.full_lifecycle_starts"));
	json_set(j, "gpu_uuids", json_path(frozen, "resources.gpu_uuids"));
	put_expected(j, p, frozen);
	*answer = j;
	return true;
}
