/* Files and folders.
 * In: paths. Out: bytes, atomically replaced files, folder listings.
 * A file is replaced by temporary, fsync, rename, fsync of the folder: a crash leaves the old or the new one.
 * Never: follows a symbolic link when it removes a tree. */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/plain.h"

/* What cannot be mapped is read up to here. */
#define HEAP_MOST ((size_t)1 << 30)

bool file_map(struct file_map *out, const char *path, struct err *e)
{
	struct stat st;
	struct buf b;
	int fd = plain_open(path, e);
	if (fd < 0)
		return false;
	void *p = MAP_FAILED;
	if (fstat(fd, &st) == 0 && st.st_size > 0)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	bool ok = true;
	if (p != MAP_FAILED)
		*out = (struct file_map){p, (size_t)st.st_size, false};
	else if ((ok = plain_to_buf(&b, fd, path, HEAP_MOST, e)))
		*out = (struct file_map){b.p, b.n, true};
	close(fd);
	return ok;
}

void file_unmap(struct file_map *m)
{
	union {
		const char *read_only;
		void *p;
	} u = {m->p};
	if (m->is_heap)
		free(u.p);
	else if (m->p)
		munmap(u.p, m->n);
	*m = (struct file_map){NULL, 0, false};
}

/* By read, not by a map: a file that somebody shrinks meanwhile must not end us with SIGBUS. */
bool file_read(struct arena *a, struct str *out, const char *path, size_t max_bytes, struct err *e)
{
	int fd = plain_open(path, e);
	bool ok = fd >= 0 && plain_read(a, out, fd, path, max_bytes, e);
	if (fd >= 0)
		close(fd);
	return ok;
}

bool file_write_all(int fd, const void *p, size_t n, const char *name, struct err *e)
{
	const char *at = p;
	while (n) {
		ssize_t put = write(fd, at, n);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return err_errno(e, ERR_IO, errno, "%s: cannot be written", name);
		at += put;
		n -= (size_t)put;
	}
	return true;
}

bool file_fsync_dir(const char *path, struct err *e)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_errno(e, ERR_IO, errno, "%s: cannot be opened", path);
	bool ok = fsync(fd) == 0 || errno == EINVAL || err_errno(e, ERR_IO, errno, "%s: fsync", path);
	close(fd);
	return ok;
}

/* A new file beside `path`, of which *temp becomes the name. By open and not by mkostemp: so the umask and the folder's
 * default ACL count. -1: errno says why. */
static int draft_open(struct arena *a, char **temp, const char *path, unsigned mode)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	int fd = -1;
	for (unsigned i = 0; i < 100; i++) {
		unsigned char random[6]; /* as many letters as mkostemp's: loop/leftover.c knows it by that */
		char suffix[sizeof(random) + 1] = {0};
		if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
			return -1;
		for (size_t k = 0; k < sizeof(random); k++)
			suffix[k] = digits[random[k] % (sizeof(digits) - 1)];
		*temp = arena_printf(a, "%s/.%s.%s", path_dir(a, path), path_base(path), suffix);
		fd = open(*temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, (mode_t)mode);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

/* The mode is less the umask, or exact. One that is to be closed to others is so before anything is in it. */
static bool replace(const char *path, struct str s, unsigned mode, bool is_exact, struct err *e)
{
	struct arena a;
	arena_init(&a);
	char *dir = path_dir(&a, path), *temp;
	int fd = draft_open(&a, &temp, path, is_exact ? mode & 0700 : mode);
	bool ok = false;
	if (fd < 0) {
		err_errno(e, ERR_IO, errno, "%s: cannot be created", path);
		goto out;
	}
	ok = file_write_all(fd, s.p, s.n, path, e);
	if (ok && is_exact && fchmod(fd, (mode_t)mode) != 0)
		ok = err_errno(e, ERR_IO, errno, "%s: mode", path);
	if (ok && fsync(fd) != 0)
		ok = err_errno(e, ERR_IO, errno, "%s: fsync", path);
	if (close(fd) != 0 && ok)
		ok = err_errno(e, ERR_IO, errno, "%s: close", path);
	if (ok && rename(temp, path) != 0)
		ok = err_errno(e, ERR_IO, errno, "%s: rename", path);
	if (!ok)
		unlink(temp);
	ok = ok && file_fsync_dir(dir, e);
out:
	arena_release(&a);
	return ok;
}

bool file_write(const char *path, const void *p, size_t n, struct err *e)
{
	return replace(path, (struct str){p, n}, 0666, false, e);
}

bool file_write_str(const char *path, struct str s, struct err *e)
{
	return replace(path, s, 0666, false, e);
}

bool file_write_mode(const char *path, struct str s, unsigned mode, struct err *e)
{
	return replace(path, s, mode, true, e);
}

bool file_copy(const char *from, const char *to, struct err *e)
{
	struct file_map m;
	struct stat st;
	if (!file_map(&m, from, e))
		return false;
	mode_t mode = stat(from, &st) == 0 ? st.st_mode & 0777 : 0644;
	bool ok = replace(to, (struct str){m.p, m.n}, mode, false, e);
	file_unmap(&m);
	return ok;
}

bool file_mkdirs(const char *path, unsigned mode, struct err *e)
{
	struct arena a;
	arena_init(&a);
	char *p = arena_strdup(&a, path);
	bool ok = true;
	for (char *at = p + 1; ok; at++) {
		if (*at != '/' && *at != 0)
			continue;
		char was = *at;
		*at = 0;
		if (mkdir(p, (mode_t)mode) != 0 && errno != EEXIST)
			ok = err_errno(e, ERR_IO, errno, "%s: cannot be made", p);
		*at = was;
		if (was == 0)
			break;
	}
	if (ok && !file_is_dir(path))
		ok = err_set(e, ERR_IO, "%s: exists and is no folder", path);
	arena_release(&a);
	return ok;
}

static bool remove_at(int dir_fd, const char *name, const char *shown, struct err *e)
{
	if (unlinkat(dir_fd, name, 0) == 0 || errno == ENOENT)
		return true;
	if (errno != EISDIR && errno != EPERM)
		return err_errno(e, ERR_IO, errno, "%s: cannot be removed", shown);
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_errno(e, ERR_IO, errno, "%s: cannot be removed", shown);
	DIR *d = fdopendir(fd);
	if (!d) {
		close(fd);
		return err_errno(e, ERR_IO, errno, "%s: cannot be read", shown);
	}
	bool ok = true;
	for (struct dirent *at = readdir(d); ok && at; at = readdir(d)) {
		if (strcmp(at->d_name, ".") != 0 && strcmp(at->d_name, "..") != 0)
			ok = remove_at(fd, at->d_name, shown, e);
	}
	closedir(d);
	if (ok && unlinkat(dir_fd, name, AT_REMOVEDIR) != 0 && errno != ENOENT)
		ok = err_errno(e, ERR_IO, errno, "%s: cannot be removed", shown);
	return ok;
}

bool file_remove_tree(const char *path, struct err *e)
{
	return remove_at(AT_FDCWD, path, path, e);
}

bool file_exists(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0;
}

bool file_is_dir(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool file_is_executable(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

int64_t file_size(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 ? (int64_t)st.st_size : -1;
}

int64_t file_mtime_ns(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 ? (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec : -1;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **file_list(struct arena *a, const char *path, size_t *n, struct err *e)
{
	DIR *d = opendir(path);
	if (!d) {
		err_errno(e, ERR_IO, errno, "%s: cannot be listed", path);
		return NULL;
	}
	size_t count = 0, cap = 16;
	char **names = ARENA_ARRAY(a, cap, char *);
	for (struct dirent *at = readdir(d); at; at = readdir(d)) {
		if (strcmp(at->d_name, ".") == 0 || strcmp(at->d_name, "..") == 0)
			continue;
		if (count + 1 == cap) {
			char **more = ARENA_ARRAY(a, cap * 2, char *);
			memcpy(more, names, count * sizeof(*names));
			names = more;
			cap *= 2;
		}
		names[count++] = arena_strdup(a, at->d_name);
	}
	closedir(d);
	qsort(names, count, sizeof(*names), by_name);
	names[count] = NULL;
	if (n)
		*n = count;
	return names;
}

int file_memfd(const char *name, uint64_t bytes, struct err *e)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	if (fd < 0) {
		err_errno(e, ERR_SYSTEM, errno, "memory file %s", name);
		return -1;
	}
	if (bytes > INT64_MAX || ftruncate(fd, (off_t)bytes) != 0) {
		err_errno(e, ERR_SYSTEM, errno, "memory file %s of %llu bytes", name, (unsigned long long)bytes);
		close(fd);
		return -1;
	}
	return fd;
}
