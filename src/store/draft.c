/* A file on its way into the store.
 * In: bytes. Out: a file under its final name, or none.
 * The order is what makes a crash harmless: the bytes are on the disk before the name is.
 * Never: overwrites; leaves a name without its bytes. */
#include "store/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "store/failpoint.h"

bool draft_begin(struct draft *d, int dir_fd, const char *shown, struct err *e)
{
	*d = (struct draft){.fd = -1, .dir_fd = dir_fd, .shown = shown};
	for (unsigned i = 0; i < 100; i++) {
		snprintf(d->temp, sizeof(d->temp), DRAFT_PREFIX "%d-%llx-%u", (int)getpid(),
			 (unsigned long long)clock_unix_ns(), i);
		if (!failpoint("draft.create"))
			d->fd = openat(dir_fd, d->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
		if (d->fd >= 0)
			return true;
		if (errno != EEXIST)
			break;
	}
	return err_errno(e, ERR_IO, errno, "%s: no file can be made there", shown);
}

bool draft_add(struct draft *d, const void *p, size_t n, struct err *e)
{
	if (failpoint("draft.write"))
		return err_errno(e, ERR_IO, errno, "%s/%s: cannot be written", d->shown, d->temp);
	return file_write_all(d->fd, p, n, d->shown, e);
}

bool draft_sync(struct draft *d, struct err *e)
{
	if (failpoint("draft.sync") || fsync(d->fd) != 0)
		return err_errno(e, ERR_IO, errno, "%s/%s: fsync", d->shown, d->temp);
	return true;
}

void draft_drop(struct draft *d)
{
	if (d->fd >= 0)
		close(d->fd);
	if (d->temp[0])
		unlinkat(d->dir_fd, d->temp, 0);
	d->fd = -1;
	d->temp[0] = 0;
}

static bool same_bytes(int a, int b)
{
	enum { CHUNK = 1 << 18 };
	struct stat sa, sb;
	if (fstat(a, &sa) != 0 || fstat(b, &sb) != 0 || !S_ISREG(sa.st_mode) || sa.st_size != sb.st_size)
		return false;
	char *buf = malloc((size_t)2 * CHUNK);
	if (!buf)
		BUG("out of memory");
	off_t at = 0;
	while (at < sa.st_size) {
		ssize_t na = pread(a, buf, CHUNK, at);
		ssize_t nb = na > 0 ? pread(b, buf + CHUNK, (size_t)na, at) : -1;
		if (na <= 0 || nb != na || memcmp(buf, buf + CHUNK, (size_t)na) != 0)
			break;
		at += na;
	}
	free(buf);
	return at == sa.st_size;
}

bool draft_link(struct draft *d, int folder_fd, const char *name, struct err *e)
{
	bool ok = true;
	if (failpoint("draft.link") || linkat(d->dir_fd, d->temp, folder_fd, name, 0) != 0) {
		int code = errno;
		int fd = code == EEXIST ? openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) : -1;
		if (code != EEXIST)
			ok = err_errno(e, ERR_IO, code, "%s: %s: link", d->shown, name);
		else if (fd < 0)
			ok = err_errno(e, ERR_IO, errno, "%s: %s: cannot be opened", d->shown, name);
		else if (!same_bytes(fd, d->fd))
			ok = err_set(e, ERR_CORRUPT,
				     "%s: %s is there with other bytes: it is damaged; remove it and try again",
				     d->shown, name);
		if (fd >= 0)
			close(fd);
	}
	if (ok && failpoint("draft.linked"))
		ok = err_errno(e, ERR_IO, errno, "%s: %s", d->shown, name);
	draft_drop(d);
	return ok;
}

int draft_folder(int dir_fd, const char *name, const char *shown, bool *is_new, struct err *e)
{
	bool made = mkdirat(dir_fd, name, 0777) == 0;
	if (!made && errno != EEXIST) {
		err_errno(e, ERR_IO, errno, "%s/%s: cannot be made", shown, name);
		return -1;
	}
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		err_errno(e, ERR_IO, errno, "%s/%s: cannot be opened as a folder", shown, name);
	if (is_new)
		*is_new = made;
	return fd;
}

bool draft_sync_folder(int fd, const char *shown, struct err *e)
{
	/* EINVAL: a file system that cannot flush folders (some network ones); nothing better exists there. */
	if (failpoint("draft.folder") || (fsync(fd) != 0 && errno != EINVAL))
		return err_errno(e, ERR_IO, errno, "%s: fsync of the folder", shown);
	return true;
}
