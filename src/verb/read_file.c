/* Chrome JSON of timelines, written beside and moved into place.
 * In: open traces.
 * Out: a file that carries the mark of a derived trace.
 * Never: leaves half a file under the final name. */
#include "verb/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output.h"
#include "base/sha256.h"
#include "base/version.h"
#include "timeline/chrome.h"

struct json *read_mark(struct arena *a, const char *kind, const char *source_path, struct err *e)
{
	char hex[SHA256_HEX];
	struct json *mark = json_object(a);
	if (!sha256_file(source_path, hex, e))
		return NULL;
	json_set_cstr(mark, "kind", kind);
	json_set_str(mark, "source_sha256", arena_str(a, str_from(hex)));
	json_set(mark, "tool", version_json(a));
	return mark;
}

struct target {
	int fd;
	const char *path;
};

static bool write_piece(void *ctx, const struct buf *b, struct err *e)
{
	const struct target *t = ctx;
	return file_write_all(t->fd, b->p, b->n, t->path, e);
}

bool read_write_chrome(const char *path, const struct read_job *jobs, size_t n, const struct ranks *ranks,
		       struct err *e)
{
	struct arena *a = jobs[0].a;
	struct chrome_track *tracks = ARENA_ARRAY(a, n, struct chrome_track);
	struct json *mark = read_mark(a, "exported", jobs[0].path, e);
	const char *place = output_place(a, path, e);
	struct target t = {.path = place ? arena_printf(a, "%s.tmp-%d", place, (int)getpid()) : NULL};
	if (!mark || !place)
		return false;
	t.fd = open(t.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (t.fd < 0)
		return err_errno(e, ERR_SYSTEM, errno, "%s", t.path);
	for (size_t i = 0; i < n; i++)
		tracks[i] = (struct chrome_track){&jobs[i].trace, &jobs[i].timeline.path,
						  ranks ? ranks->v[i].offset_ns : 0};
	struct chrome_sink sink = {write_piece, &t};
	bool ok = chrome_write(tracks, n, mark, &sink, e);
	if (close(t.fd) != 0 && ok)
		ok = err_errno(e, ERR_SYSTEM, errno, "%s", t.path);
	if (ok && rename(t.path, place) != 0)
		ok = err_errno(e, ERR_SYSTEM, errno, "%s", path);
	if (!ok)
		(void)unlink(t.path);
	return ok;
}
