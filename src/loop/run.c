/* A run folder and its manifest.
 * In: a path. Out: a locked folder whose manifest is in memory.
 * The manifest is replaced as a whole after every step; the lock dies with its holder.
 * Never: removes evidence. */
#include "loop/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/version.h"
#include "loop/leftover.h"
#include "operator/operator.h"

/* The pid in the lock file; 0: none. */
static int64_t holder_of(int fd)
{
	char text[32];
	int64_t pid = 0;
	ssize_t got = pread(fd, text, sizeof(text), 0);
	return got > 0 && str_i64((struct str){text, (size_t)got}, &pid) ? pid : 0;
}

static bool is_gone(int64_t pid)
{
	return pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

static bool take_lock(struct run *r, struct err *e)
{
	const char *path = path_join(r->arena, r->folder, ".lock");
	r->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (r->lock < 0)
		return err_errno(e, ERR_IO, errno, "%s: the run folder cannot be written", r->folder);
	for (int k = 0; flock(r->lock, LOCK_EX | LOCK_NB) != 0; k++) {
		/* A child that its killed parent had just forked keeps the lock until it execs or dies. */
		int64_t pid = holder_of(r->lock);
		if (!is_gone(pid) || k == 200)
			return err_set(e, ERR_BUSY,
				       "%s: another process with pid %lld works in this run folder; wait for it or use "
				       "another --run-dir",
				       r->folder, (long long)pid);
		clock_sleep_ns(INT64_C(10000000));
	}
	char text[32];
	int n = snprintf(text, sizeof(text), "%d", (int)getpid());
	if (ftruncate(r->lock, 0) != 0 || pwrite(r->lock, text, (size_t)n, 0) != n)
		return err_errno(e, ERR_IO, errno, "%s", path);
	return true;
}

/* Tells runs apart in the strategy memory. */
static const char *new_id(struct arena *a)
{
	uint64_t x[2] = {0, 0};
	if (getrandom(x, sizeof(x), 0) != (ssize_t)sizeof(x))
		x[0] = (uint64_t)clock_unix_ns() ^ ((uint64_t)getpid() << 40);
	return arena_printf(a, "%016llx%016llx", (unsigned long long)x[0], (unsigned long long)x[1]);
}

static struct json *new_manifest(struct arena *a)
{
	struct json *m = json_object(a), *memory = json_set_object(m, "strategy_memory");
	struct json *current = json_set_object(memory, "current_run");
	char now[25];
	clock_utc_iso(now);
	json_set_cstr(m, "format", "assay/run-v1");
	json_set(m, "tool", version_json(a));
	json_set_cstr(m, "created_at", now);
	json_set_cstr(m, "run_id", new_id(a));
	json_set_array(m, "iterations");
	json_set_null(m, "best_iteration");
	json_set_array(m, "confirmations");
	json_set_object(current, "positive");
	json_set_object(current, "negative");
	json_set_object(current, "rejected");
	json_set_array(current, "seen_order");
	json_set_cstr(memory, "fingerprint_algo", "sha1-16");
	json_set_object(memory, "reopened");
	json_set_i64(memory, "n_events", 0);
	json_set_i64(memory, "n_shared", 0);
	return m;
}

bool run_open(struct run *out, struct arena *a, const char *folder, struct err *e)
{
	*out = (struct run){.arena = a, .folder = path_absolute(a, folder), .lock = -1};
	if (!file_mkdirs(out->folder, 0755, e) || !take_lock(out, e)) {
		run_close(out);
		return false;
	}
	const char *path = path_join(a, out->folder, "run_manifest.json");
	leftover_sweep(out->folder);
	if (!file_exists(path)) {
		out->manifest = new_manifest(a);
		return true;
	}
	out->manifest = json_read_file(a, path, JSON_STRICT, e);
	if (out->manifest && !json_get(out->manifest, "iterations"))
		err_set(e, ERR_CORRUPT, "%s: is no run manifest (no iterations)", path);
	else if (out->manifest && !json_path(out->manifest, "strategy_memory.current_run.seen_order"))
		err_set(e, ERR_CORRUPT, "%s: is no run manifest (no strategy memory)", path);
	else if (out->manifest)
		return true;
	run_close(out);
	return false;
}

void run_close(struct run *r)
{
	if (r->lock >= 0)
		close(r->lock);
	r->lock = -1;
}

size_t run_n_iterations(const struct run *r)
{
	const struct json *list = json_get(r->manifest, "iterations");
	return list && list->type == JSON_ARRAY ? list->n : 0;
}

bool run_is_new(const struct run *r)
{
	return run_n_iterations(r) == 0;
}

struct json *run_iteration(const struct run *r, size_t i)
{
	return json_at(json_get(r->manifest, "iterations"), i);
}

void run_put_iteration(struct run *r, size_t i, struct json *it)
{
	struct json *list = json_get(r->manifest, "iterations");
	if (i < list->n)
		list->items[i] = it;
	else
		json_push(list, it);
}

void run_take_back(struct run *r, size_t i, struct json *before)
{
	struct json *list = json_get(r->manifest, "iterations");
	if (before)
		list->items[i] = before;
	else if (i + 1 == list->n)
		list->n--;
}

const char *run_iteration_folder(const struct run *r, size_t i)
{
	return arena_printf(r->arena, "%s/iter_v%zu", r->folder, i);
}

const char *run_proposal_path(const struct run *r, size_t i)
{
	return arena_printf(r->arena, "%s/iter_v%zu/optimization_proposal.md", r->folder, i);
}

void run_frozen_input(const struct run *r, struct operator_input *in)
{
	const struct json *frozen = json_get(r->manifest, "frozen");
	struct str ref = json_str(frozen, "reference", STR("")), op_file = json_str(frozen, "op_file", STR(""));
	in->ref = ref.n ? arena_strndup(r->arena, ref.p, ref.n) : NULL;
	in->op_file = op_file.n ? arena_strndup(r->arena, op_file.p, op_file.n) : NULL;
	in->flags |= OPERATOR_NO_SEARCH;
}

const char *run_next_path(const struct run *r, size_t i)
{
	struct str ext = json_str(r->manifest, "suffix", STR(""));
	return arena_printf(r->arena, "%s/versions/v%zu%.*s", r->folder, i, STR_ARG(ext));
}

const char *run_next_set_path(const struct run *r, size_t i)
{
	bool is_python = str_is(json_str(r->manifest, "suffix", STR("")), ".py");
	return is_python ? NULL : arena_printf(r->arena, "%s/versions/v%zu.set.json", r->folder, i);
}

bool run_write_json(const struct run *r, const char *name, const struct json *j, struct err *e)
{
	struct buf b;
	buf_init(&b);
	json_write(&b, j, JSON_PRETTY);
	bool ok = file_write_str(path_join(r->arena, r->folder, name), buf_view(&b), e);
	buf_release(&b);
	return ok;
}

bool run_save(struct run *r, struct err *e)
{
	char now[25];
	clock_utc_iso(now);
	json_set_cstr(r->manifest, "updated_at", now);
	return run_write_json(r, "run_manifest.json", r->manifest, e);
}
