/* Attempts.
 * In: a run folder. Out: folders of versions, marked while they are being made.
 * The mark holds the attempt's id, and so does the entry once the attempt is done: else its process has died.
 * Never: removes evidence: what is not finished is moved aside. */
#include "loop/attempt.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "loop/leftover.h"

#define MARK ".attempt"

static const char *mark_of(const struct run *r, size_t i)
{
	return arena_printf(r->arena, "%s/" MARK, run_iteration_folder(r, i));
}

static const char *free_name(struct arena *a, const char *folder, const char *word)
{
	const char *name;
	size_t k = 1;
	do
		name = arena_printf(a, "%s.%s%zu", folder, word, k++);
	while (file_exists(name));
	return name;
}

static bool move(const char *from, const char *to, struct err *e)
{
	return rename(from, to) == 0 || err_errno(e, ERR_IO, errno, "%s: cannot be kept as %s", from, to);
}

const char *attempt_kept(const struct run *r, size_t i)
{
	const char *last = NULL, *folder = run_iteration_folder(r, i);
	for (size_t k = 1;; k++) {
		const char *name = arena_printf(r->arena, "%s.%zu", folder, k);
		if (!file_exists(name))
			return last;
		last = name;
	}
}

bool attempt_begin(struct run *r, size_t i, const char **id, struct err *e)
{
	const char *folder = run_iteration_folder(r, i);
	*id = arena_printf(r->arena, "%llx-%d", (unsigned long long)clock_unix_ns(), (int)getpid());
	if (file_exists(folder) && !move(folder, free_name(r->arena, folder, ""), e))
		return false;
	return file_mkdirs(folder, 0755, e) && file_write_str(mark_of(r, i), str_from(*id), e);
}

bool attempt_end(struct run *r, size_t i, struct err *e)
{
	if (unlink(mark_of(r, i)) != 0 && errno != ENOENT)
		return err_errno(e, ERR_IO, errno, "%s", mark_of(r, i));
	return true;
}

/* Is the attempt that a mark names the one that the manifest holds? */
static bool is_done(struct run *r, size_t i)
{
	struct str id;
	struct err ignored;
	return file_read(r->arena, &id, mark_of(r, i), 4096, &ignored) && id.n &&
	       str_eq(id, json_str(run_iteration(r, i), "attempt", STR("")));
}

static bool recover(struct run *r, size_t i, size_t *n_moved, struct err *e)
{
	const char *folder = run_iteration_folder(r, i);
	bool has_entry = run_iteration(r, i) != NULL;
	if (file_exists(folder)) {
		leftover_sweep(folder);
		/* Without a mark: finished long ago, or made a moment before its process died, then it is empty. */
		bool is_whole = file_exists(path_join(r->arena, folder, "benchmark_result.json"));
		if (has_entry && is_whole && (!file_exists(mark_of(r, i)) || is_done(r, i)))
			return attempt_end(r, i, e);
		if (!move(folder, free_name(r->arena, folder, "partial-"), e))
			return false;
		++*n_moved;
	}
	const char *kept = has_entry ? attempt_kept(r, i) : NULL;
	return !kept || move(kept, folder, e);
}

bool attempt_recover(struct run *r, size_t *n_moved, struct err *e)
{
	size_t n = run_n_iterations(r);
	*n_moved = 0;
	for (size_t i = 0; i <= n; i++) {
		if (!recover(r, i, n_moved, e))
			return false;
	}
	const char *versions = path_join(r->arena, r->folder, "versions");
	if (file_is_dir(versions))
		leftover_sweep(versions);
	return true;
}
