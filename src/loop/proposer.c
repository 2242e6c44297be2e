/* The proposer.
 * In: the state as JSON on its stdin. Out: next version and proposal, both there and changed.
 * What it prints goes to iter_vI/proposer.log.
 * Never: judges what it wrote; the next evaluation does. */
#include "loop/proposer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/proc.h"
#include "base/sha256.h"
#include "loop/snapshot.h"

struct written { /* a file that the proposer must write */
	const char *path;
	char before[SHA256_HEX];
};

static void remember(struct written *w, const char *path)
{
	struct err absent;
	w->path = path;
	if (!sha256_file(path, w->before, &absent))
		w->before[0] = 0;
}

static bool has_changed(const struct written *w, struct err *e)
{
	char now[SHA256_HEX];
	struct err absent;
	if (!sha256_file(w->path, now, &absent))
		return err_set(e, ERR_INPUT, "the proposer ended with 0 but wrote no %s", w->path);
	if (strcmp(now, w->before) == 0)
		return err_set(e, ERR_INPUT, "the proposer ended with 0 but left %s unchanged", w->path);
	return true;
}

static bool keep_log(struct run *r, const struct json *state, const struct proc_result *p, struct err *e)
{
	size_t i = (size_t)json_i64(state, "iteration", 0);
	const char *path = arena_printf(r->arena, "%s/proposer.log", run_iteration_folder(r, i));
	return file_write_str(path, buf_view(&p->out), e);
}

/* Everything that it may not touch. The kernel's folder is that of v0 as the user named it. */
static bool look(struct snapshot *s, struct arena *a, const struct run *r, struct err *e)
{
	const struct json *frozen = json_get(r->manifest, "frozen");
	const struct str files[] = {json_str(r->manifest, "source_file", STR("")),
				    json_str(frozen, "reference", STR("")), json_str(frozen, "op_file", STR(""))};
	bool ok = true;
	snapshot_init(s, a);
	for (size_t i = 0; ok && i < COUNT_OF(files); i++) {
		const char *folder = path_dir(a, arena_strndup(a, files[i].n ? files[i].p : "", files[i].n));
		ok = !files[i].n || !file_is_dir(folder) || snapshot_add(s, folder, e);
	}
	return ok && snapshot_add(s, r->folder, e);
}

/* Held by the proposer and whatever it starts: a call that goes on after one that was killed waits for what still writes. */
static int take_turn(struct run *r)
{
	int fd = open(path_join(r->arena, r->folder, ".proposer"), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	for (int k = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0; k++) {
		if (k == 0)
			log_note("%s: waits for the proposer of a call that was killed", r->folder);
		if (k == 100 || sig_pending())
			break; /* something that it left in the background */
		clock_sleep_ns(INT64_C(100000000));
	}
	return fd;
}

static bool start(struct run *r, const struct json *state, const struct loop_options *o, struct err *e)
{
	struct buf text;
	struct proc_result p;
	int turn = take_turn(r);
	buf_init(&text);
	json_write(&text, state, JSON_PRETTY);
	const char *argv[] = {"/bin/sh", "-c", o->proposer, NULL};
	struct proc_options options = {.argv = argv,
				       .stdin_text = buf_view(&text),
				       .timeout_ns = (int64_t)(o->proposer_timeout_s * 1e9),
				       .pass_fds = &turn,
				       .n_pass_fds = turn >= 0,
				       .flags = PROC_MERGE_STDERR | PROC_PDEATHSIG};
	bool ok = proc_run(&p, &options, e);
	buf_release(&text);
	if (turn >= 0)
		close(turn);
	ok = ok && keep_log(r, state, &p, e);
	if (ok && p.interrupted)
		ok = err_set(e, ERR_INTERRUPTED, "interrupted while the proposer ran; --run-dir=%s goes on from here",
			     r->folder);
	if (ok && (p.exit_status != 0 || p.timed_out))
		ok = err_set(e, ERR_INPUT, "the proposer `%s` failed: %s: %.*s", o->proposer,
			     proc_describe(r->arena, &p), (int)(p.out.n > 300 ? 300 : p.out.n), p.out.p ? p.out.p : "");
	proc_result_release(&p);
	return ok;
}

bool proposer_run(struct json **touched, struct run *r, const struct json *state, const struct loop_options *o,
		  struct err *e)
{
	struct str next = json_str(state, "next_path", STR("")), proposal = json_str(state, "proposal_path", STR(""));
	struct written files[2];
	struct snapshot before, after;
	struct arena a;
	*touched = json_array(r->arena);
	remember(&files[0], arena_strndup(r->arena, next.p, next.n));
	remember(&files[1], arena_strndup(r->arena, proposal.p, proposal.n));
	if (!file_mkdirs(path_dir(r->arena, files[0].path), 0755, e))
		return false;
	arena_init(&a);
	const char *log = arena_printf(r->arena, "%s/proposer.log",
				       run_iteration_folder(r, (size_t)json_i64(state, "iteration", 0)));
	struct str set = json_str(state, "next_set_path", STR(""));
	const char *allowed[] = {files[0].path, files[1].path, log,
				 set.n ? arena_strndup(r->arena, set.p, set.n) : NULL, NULL};
	bool ok = look(&before, &a, r, e);
	bool has_run = ok && start(r, state, o, e);
	struct err look_err;
	if (ok && look(&after, &a, r, has_run ? e : &look_err))
		*touched = snapshot_changes(&before, &after, allowed, r->arena);
	else
		has_run = false;
	arena_release(&a);
	return has_run && (has_changed(&files[0], e) && has_changed(&files[1], e));
}

static bool move_aside(struct arena *a, const char *path, struct err *e)
{
	const char *name;
	size_t k = 1;
	if (!file_exists(path))
		return true;
	do
		name = arena_printf(a, "%s.partial-%zu", path, k++);
	while (file_exists(name));
	return rename(path, name) == 0 || err_errno(e, ERR_IO, errno, "%s: cannot be kept as %s", path, name);
}

void proposer_settle(struct run *r)
{
	int fd = take_turn(r);
	if (fd >= 0)
		close(fd);
}

bool proposer_clear(struct run *r, size_t i, struct err *e)
{
	const char *set = run_next_set_path(r, i);
	return move_aside(r->arena, run_next_path(r, i), e) && (!set || move_aside(r->arena, set, e)) &&
	       move_aside(r->arena, run_proposal_path(r, i - 1), e);
}
