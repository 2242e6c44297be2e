/* Collection commands that can be run again.
 * In: a version whose reports were collected. Out: the files that the commands name, once a run; what the entry says.
 * Versions of a run have the same inputs and the same worker, byte by byte; only one copy takes room.
 * Never: removes what another version names. */
#include "loop/replay.h"

#include <unistd.h>

#include "base/file.h"

static bool is_same(const char *x, const char *y)
{
	struct file_map p, q;
	struct err ignored;
	if (file_size(x) != file_size(y) || !file_map(&p, x, &ignored))
		return false;
	bool is = false;
	if (file_map(&q, y, &ignored)) {
		is = p.n == q.n && memcmp(p.p, q.p, p.n) == 0;
		file_unmap(&q);
	}
	file_unmap(&p);
	return is;
}

/* Where links are not to be had, the copy stays. */
static void share(struct arena *a, const char *path, const char *with)
{
	const char *link_path = arena_printf(a, "%s.link", path);
	if (file_size(path) < 0 || strcmp(path, with) == 0 || !is_same(path, with) || link(with, link_path) != 0)
		return;
	if (rename(link_path, path) != 0)
		(void)unlink(link_path);
}

static bool is_collected(const struct profile *s)
{
	return json_str(s->entry, "full_command", STR("")).n > 0;
}

void replay_keep(struct profile *s, const char *first)
{
	static const char *const names[] = {REPLAY_DATA, REPLAY_GUEST "/probe.so", REPLAY_GUEST "/worker.py",
					    REPLAY_GUEST "/operator.json"};
	struct arena *a = s->arena;
	const char *data = path_join(a, s->folder, REPLAY_DATA), *why = NULL;
	int64_t bytes = file_size(data), most = (int64_t)REPLAY_MOST_MIB << 20;
	if (!is_collected(s))
		why = "no report was collected";
	else if (bytes > most)
		why = arena_printf(a, "its inputs, %lld MiB, were not kept: at most %d MiB are",
				   (long long)(bytes >> 20), REPLAY_MOST_MIB);
	if (why && bytes >= 0)
		(void)unlink(data);
	for (size_t i = 0; i < COUNT_OF(names); i++)
		share(a, path_join(a, s->folder, names[i]), path_join(a, first, names[i]));
	json_set_bool(s->entry, "replayable", !why);
	json_set_cstr(s->entry, "replay_reason", why);
}
