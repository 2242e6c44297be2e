/* Growing arrays of plain records, in memory or, beyond a budget, in an unlinked temporary file.
 * In: room for one more record.
 * Out: its address, valid until the next one is added.
 * Never leaves a file behind, also when the process is killed. */
#include "read/kineto/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int unlinked_file(void)
{
	const char *dir = getenv("TMPDIR");
	if (!dir || !*dir)
		dir = "/tmp";
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	char path[4096];
	size_t n = strlen(dir);
	static const char pattern[] = "/assay-trace-XXXXXX";
	if (n + sizeof pattern > sizeof path)
		return -1;
	memcpy(path, dir, n);
	memcpy(path + n, pattern, sizeof pattern);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		(void)unlink(path);
	return fd;
}

static void *in_file(int fd, size_t bytes)
{
	if (posix_fallocate(fd, 0, (off_t)bytes) != 0) {
		errno = ENOSPC;
		return MAP_FAILED;
	}
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static bool to_file(struct column *c, size_t bytes)
{
	int fd = unlinked_file();
	if (fd < 0)
		return false;
	char *p = in_file(fd, bytes);
	if (p == MAP_FAILED) {
		close(fd);
		return false;
	}
	if (c->n)
		memcpy(p, c->p, c->n * c->size);
	if (c->p)
		(void)munmap(c->p, c->cap * c->size);
	c->p = p;
	c->fd = fd;
	return true;
}

static bool grow(struct column *c, struct column_budget *b)
{
	size_t old = c->cap * c->size, cap = c->cap ? c->cap * 2 : 4096, bytes = cap * c->size;
	char *p;
	if (cap > ((size_t)1 << 46) / c->size) {
		errno = ENOMEM;
		return false;
	}
	if (c->fd < 0 && b->used - old + bytes > b->limit && c->n) {
		if (!to_file(c, bytes))
			return false;
		b->used -= old;
	} else if (c->fd >= 0) {
		p = in_file(c->fd, bytes);
		if (p == MAP_FAILED)
			return false;
		(void)munmap(c->p, old);
		c->p = p;
	} else {
		p = c->p ? mremap(c->p, old, bytes, MREMAP_MAYMOVE)
			 : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			return false;
		c->p = p;
		b->used += bytes - old;
	}
	c->cap = cap;
	return true;
}

void *column_add(struct column *c, struct column_budget *b)
{
	if (c->n == c->cap && !grow(c, b))
		return NULL;
	return c->p + c->size * c->n++;
}

void column_release(struct column *c)
{
	if (c->p)
		(void)munmap(c->p, c->cap * c->size);
	if (c->fd >= 0)
		close(c->fd);
	c->p = NULL;
	c->fd = -1;
}
