/* Regular files that somebody else has named: opened without ever waiting for somebody at the other end. Pipes, devices,
 * sockets and folders are ERR_INPUT. */
#ifndef ASSAY_BASE_PLAIN_H
#define ASSAY_BASE_PLAIN_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

MUST_USE int plain_open(const char *path, struct err *e); /* for reading; -1 and err */
MUST_USE bool plain_check(int fd, const char *path, struct err *e);
/* Reads to the end; more than max_bytes is ERR_INPUT. NUL-terminated beyond n. `path` is for messages. */
MUST_USE bool plain_read(struct arena *a, struct str *out, int fd, const char *path, size_t max_bytes, struct err *e);
/* The same into a buffer that it initialises; released when it fails. */
MUST_USE bool plain_to_buf(struct buf *b, int fd, const char *path, size_t max_bytes, struct err *e);

#endif
