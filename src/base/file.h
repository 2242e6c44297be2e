/* Files and folders. Every error names the path. */
#ifndef ASSAY_BASE_FILE_H
#define ASSAY_BASE_FILE_H

#include "base/arena.h"
#include "base/err.h"

struct file_map { /* a file mapped read-only, or read (at most 1 GiB) where it cannot be mapped */
	const char *p;
	size_t n;
	bool is_heap;
};

/* For files that nobody else writes: one that shrinks while it is mapped raises SIGBUS. Use file_read for others. */
MUST_USE bool file_map(struct file_map *out, const char *path, struct err *e);
void file_unmap(struct file_map *m);
/* Reads a whole file; more than max_bytes is ERR_INPUT. NUL-terminated beyond n. */
MUST_USE bool file_read(struct arena *a, struct str *out, const char *path, size_t max_bytes, struct err *e);
/* Replaces the file atomically (temporary, fsync, rename, fsync of the folder). Mode: 0666 less the umask, or as given. */
MUST_USE bool file_write(const char *path, const void *p, size_t n, struct err *e);
MUST_USE bool file_write_str(const char *path, struct str s, struct err *e);
MUST_USE bool file_write_mode(const char *path, struct str s, unsigned mode, struct err *e);
MUST_USE bool file_copy(const char *from, const char *to, struct err *e);  /* mode: the source's less the umask */
MUST_USE bool file_mkdirs(const char *path, unsigned mode, struct err *e); /* like mkdir -p */
MUST_USE bool file_fsync_dir(const char *path, struct err *e);
MUST_USE bool file_remove_tree(const char *path, struct err *e); /* no symlink is followed; absent is fine */
MUST_USE bool file_write_all(int fd, const void *p, size_t n, const char *name, struct err *e);
bool file_exists(const char *path);
bool file_is_dir(const char *path);
bool file_is_executable(const char *path);
int64_t file_size(const char *path);     /* -1 when absent */
int64_t file_mtime_ns(const char *path); /* -1 when absent */
/* Names in a folder, sorted bytewise, without . and ..; NULL-terminated. */
MUST_USE char **file_list(struct arena *a, const char *path, size_t *n, struct err *e);
char *path_join(struct arena *a, const char *dir, const char *name); /* absolute name wins */
char *path_dir(struct arena *a, const char *path);                   /* "." for a bare name */
const char *path_base(const char *path);                             /* points into path */
char *path_stem(struct arena *a, const char *path);                  /* base without its last extension */
const char *path_ext(const char *path);                              /* ".cu", or "" */
char *path_absolute(struct arena *a, const char *path);              /* against the working folder; not resolved */
char *path_real(struct arena *a, const char *path);                  /* symlinks resolved; NULL when absent */
/* First executable of that name: an absolute or relative path itself, else in $PATH, else in `extra` (colon list or
 * NULL). Resolved to an absolute path; NULL when absent. */
char *path_which(struct arena *a, const char *name, const char *extra);
/* A memfd with MFD_CLOEXEC, sized; -1 and err on failure. */
MUST_USE int file_memfd(const char *name, uint64_t bytes, struct err *e);

#endif
