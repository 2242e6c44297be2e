/* Files that a user names for a result.
 * In: a path, bytes. Out: that file replaced, whole or not at all.
 * Looked at when the program starts to work and again when it writes: a wrong name costs no measurement.
 * Never: replaces a device, a pipe, a socket or a link. */
#include "base/output.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/border.h"
#include "base/file.h"

static bool is_stream(const struct stat *st, int fd)
{
	struct stat s;
	return fstat(fd, &s) == 0 && s.st_dev == st->st_dev && s.st_ino == st->st_ino;
}

static bool check_there(const char *path, const struct stat *st, struct err *e)
{
	const char *what = S_ISDIR(st->st_mode)                             ? "folder"
			   : S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode) ? "pipe"
			   : !S_ISREG(st->st_mode)                          ? "device"
									    : NULL;
	if (what)
		return err_set(e, ERR_INPUT, "%s: is a %s, a file is wanted (--json prints to stdout)", path, what);
	if (is_stream(st, STDOUT_FILENO) || is_stream(st, STDERR_FILENO))
		return err_set(e, ERR_INPUT, "%s: is where the text goes; name another file, or take --json", path);
	return true;
}

char *output_place(struct arena *a, const char *path, struct err *e)
{
	struct stat link, st;
	/* With /. at its end it must be a folder. */
	if (access(path_join(a, path_dir(a, path), "."), W_OK | X_OK) != 0) {
		err_errno(e, ERR_INPUT, errno, "%s: its folder cannot be written", path);
		return NULL;
	}
	if (lstat(path, &link) != 0)
		return arena_strdup(a, path);
	if (stat(path, &st) != 0) {
		err_errno(e, ERR_INPUT, errno, "%s: is a link, and what it leads to cannot be written", path);
		return NULL;
	}
	if (!check_there(path, &st, e))
		return NULL;
	if (!S_ISLNK(link.st_mode))
		return arena_strdup(a, path);
	if (border_root()) {
		err_set(e, ERR_INPUT, "%s: is a link; a file of the workspace is wanted", path);
		return NULL;
	}
	char *real = path_real(a, path);
	if (!real)
		err_errno(e, ERR_INPUT, errno, "%s: where it leads cannot be found", path);
	else if (access(path_dir(a, real), W_OK | X_OK) != 0)
		err_errno(e, ERR_INPUT, errno, "%s: its folder cannot be written", real);
	else
		return real;
	return NULL;
}

bool output_write(const char *path, struct str s, struct err *e)
{
	struct arena a;
	struct stat st;
	arena_init(&a);
	char *place = output_place(&a, path, e);
	bool ok = place && (stat(place, &st) == 0 ? file_write_mode(place, s, st.st_mode & 07777, e)
						  : file_write_str(place, s, e));
	arena_release(&a);
	return ok;
}
