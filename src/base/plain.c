/* Regular files that somebody else has named.
 * In: a path, a descriptor. Out: a descriptor that reads without waiting, bytes.
 * Pipes, devices, sockets and folders are refused by what they are, not by what reading them does.
 * Never: waits for the other end of something. */
#include "base/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads to the end; more than `most` bytes is an error at once, so that an endless device ends. */
bool plain_to_buf(struct buf *b, int fd, const char *path, size_t most, struct err *e)
{
	buf_init(b);
	buf_reserve(b, 1 << 16);
	for (;;) {
		buf_reserve(b, 1 << 16);
		ssize_t got = read(fd, b->p + b->n, 1 << 16);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			err_errno(e, ERR_IO, errno, "%s: cannot be read", path);
			break;
		}
		if (got == 0) {
			buf_add(b, "", 0);
			return true;
		}
		b->n += (size_t)got;
		if (b->n > most) {
			err_set(e, ERR_INPUT, "%s: more than %zu bytes, which is the most that is read", path, most);
			break;
		}
	}
	buf_release(b);
	return false;
}

bool plain_check(int fd, const char *path, struct err *e)
{
	struct stat st;
	if (fstat(fd, &st) != 0)
		return err_errno(e, ERR_IO, errno, "%s: cannot be looked at", path);
	const char *what = S_ISDIR(st.st_mode)                            ? "folder"
			   : S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) ? "pipe"
			   : S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)   ? "device"
									  : NULL;
	return !what || err_set(e, ERR_INPUT, "%s: is a %s, a file is wanted", path, what);
}

int plain_open(const char *path, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a pipe without a writer would keep us */
	if (fd < 0) {
		err_errno(e, ERR_INPUT, errno, "%s: cannot be opened", path);
		return -1;
	}
	if (plain_check(fd, path, e))
		return fd;
	close(fd);
	return -1;
}

bool plain_read(struct arena *a, struct str *out, int fd, const char *path, size_t max_bytes, struct err *e)
{
	struct buf b;
	if (!plain_to_buf(&b, fd, path, max_bytes, e))
		return false;
	*out = (struct str){arena_strndup(a, b.p, b.n), b.n};
	buf_release(&b);
	return true;
}
