/* Paths below a folder, part by part.
 * In: a folder, a relative path. Out: descriptors.
 * Every part is opened without following links, so that what was looked at is what is used.
 * Never: leaves the folder. */
#include "base/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/plain.h"

static bool is_plain(struct str part)
{
	return part.n > 0 && !str_is(part, ".") && !str_is(part, "..");
}

static int refuse(struct err *e, const char *root, const char *path, const char *what)
{
	err_set(e, ERR_INPUT, "%s/%s: %s", root, path, what);
	return -1;
}

/* Why the part `name` of the folder could not be opened. */
static int refuse_part(struct err *e, int at, const char *name, const char *root, const char *path)
{
	struct stat st;
	int code = errno;
	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode)) {
		err_set(e, ERR_INPUT, "%s/%s: \"%s\" is a symbolic link; here only what lies in %s itself is used",
			root, path, name, root);
		return -1;
	}
	err_errno(e, ERR_INPUT, code, "%s/%s: cannot be opened", root, path);
	return -1;
}

/* The folder that `path` lies in, or that it is: `last` NULL. Closes nothing but its own. */
static int walk(const char *root, const char *path, const char **last, bool makes, struct err *e)
{
	struct arena a;
	struct str rest = str_from(path), part;
	int at = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (at < 0) {
		err_errno(e, ERR_INPUT, errno, "%s: cannot be opened", root);
		return -1;
	}
	arena_init(&a);
	while (at >= 0 && rest.n && str_split(&rest, '/', &part)) {
		const char *name = arena_strndup(&a, part.p, part.n);
		int next = -1;
		if (!is_plain(part)) {
			refuse(e, root, path, "no plain path");
		} else if (last && !rest.n) {
			*last = part.p; /* the path's end is the part's end */
			break;
		} else {
			if (makes && mkdirat(at, name, 0700) != 0 && errno != EEXIST)
				err_errno(e, ERR_IO, errno, "%s/%s: cannot be made", root, path);
			else if ((next = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
				refuse_part(e, at, name, root, path);
		}
		close(at);
		at = next;
	}
	arena_release(&a);
	return at;
}

int beneath_folder(const char *root, const char *path, struct err *e)
{
	return walk(root, path, NULL, true, e);
}

int beneath_open(const char *root, const char *path, struct err *e)
{
	const char *last = NULL;
	int at = walk(root, path, &last, false, e);
	if (at < 0)
		return -1;
	int fd = last ? openat(at, last, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
	if (!last)
		refuse(e, root, path, "no plain path");
	else if (fd < 0)
		refuse_part(e, at, last, root, path);
	else if (!plain_check(fd, path, e)) {
		close(fd);
		fd = -1;
	}
	close(at);
	return fd;
}
