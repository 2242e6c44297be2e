/* Trees: freezing folders.
 * In: a folder or file. Out: its files as objects and a manifest whose digest is the tree's name.
 * Small files go through memory, large ones through a temporary; all are flushed together before any gets its name.
 * Never: follows a link, publishes a manifest before its files. */
#include "store/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/utf8.h"
#include "store/failpoint.h"
#include "store/inside.h"

#define SMALL_FILE (1u << 20)
#define LARGE_CHUNK ((size_t)2 << 20) /* stays in the cache between the two */
#define FLUSH_TOGETHER 8              /* from so many new files on one syncfs is cheaper than an fsync each */

struct pending {
	struct pending *next;
	char temp[sizeof(((struct draft *)0)->temp)];
	char digest[SHA256_HEX];
};
struct made { /* a folder of the copy */
	struct made *next;
	const char *path;
	mode_t mode;
};
struct freeze {
	struct store *store; /* NULL: digest only */
	int to;              /* folder that a copy goes to; -1: none */
	struct made *made;   /* its folders, the last one first */
	struct tree_limits limits;
	struct arena arena; /* entries, paths */
	struct json *entries;
	struct pending *pending;
	size_t n_pending;
	struct tree *out;
	struct buf *manifest; /* NULL: not wanted */
	char *chunk;          /* SMALL_FILE + 1 bytes */
	struct err *e;
};

static bool too_much(struct freeze *f, const char *path)
{
	const struct tree *t = f->out;
	if (t->n_files > f->limits.max_files)
		return err_set(f->e, ERR_INPUT, "%s: more than the allowed %llu files", path,
			       (unsigned long long)f->limits.max_files);
	if (t->n_bytes > f->limits.max_bytes)
		return err_set(f->e, ERR_INPUT, "%s: more than the allowed %llu bytes in all", path,
			       (unsigned long long)f->limits.max_bytes);
	return true;
}

static void add_entry(struct freeze *f, const char *path, const struct stat *st, const char *digest)
{
	struct json *j = json_object(&f->arena);
	json_set_cstr(j, "path", path);
	json_set_cstr(j, "kind", digest ? "file" : "directory");
	json_set_i64(j, "mode", st->st_mode & 0777);
	if (digest) {
		json_set_i64(j, "size_bytes", st->st_size);
		json_set_cstr(j, "sha256", digest);
	}
	json_push(f->entries, j);
}

/* ---- files ---- */

static void keep_pending(struct freeze *f, struct draft *d, const char *digest)
{
	struct pending *p = ARENA_NEW(&f->arena, struct pending);
	memcpy(p->temp, d->temp, sizeof(p->temp));
	memcpy(p->digest, digest, SHA256_HEX);
	p->next = f->pending;
	f->pending = p;
	f->n_pending++;
	close(d->fd);
}

/* A file that fits in memory: hashed first, written only when its object is not there. */
static bool freeze_small(struct freeze *f, struct str bytes, char digest[SHA256_HEX])
{
	sha256_of(bytes.p, bytes.n, digest);
	if (!f->store)
		return true;
	enum inside_state there = inside_compare(f->store, STORE_AREA_OBJECTS, digest, bytes, f->e);
	if (there != INSIDE_ABSENT)
		return there == INSIDE_SAME;
	struct store_place *at = &f->store->area[STORE_AREA_OBJECTS];
	struct draft d;
	if (!draft_begin(&d, at->fd, at->shown, f->e))
		return false;
	if (!draft_add(&d, bytes.p, bytes.n, f->e)) {
		draft_drop(&d);
		return false;
	}
	keep_pending(f, &d, digest);
	return true;
}

struct stage { /* one chunk, hashed and written side by side */
	struct sha256 hash;
	const char *p, *path;
	size_t n;
	int to;
	bool is_written;
	struct err e;
};

static void do_stage(void *ctx, size_t i)
{
	struct stage *s = ctx;
	if (i == 0)
		sha256_add(&s->hash, s->p, s->n);
	else
		s->is_written = !failpoint("draft.write") && file_write_all(s->to, s->p, s->n, s->path, &s->e);
}

/* Hashing and writing take about as long as each other. */
static bool copy_large(struct freeze *f, int fd, int to, const char *path, char digest[SHA256_HEX])
{
	struct stage s = {.path = path, .to = to, .is_written = true, .e = {ERR_IO, "the copy cannot be written"}};
	char *chunk = malloc(LARGE_CHUNK);
	bool ok = true;
	if (!chunk)
		BUG("out of memory");
	sha256_init(&s.hash);
	while (ok) {
		ssize_t got = read(fd, chunk, LARGE_CHUNK);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			ok = err_errno(f->e, ERR_IO, errno, "%s: cannot be read", path);
		if (got <= 0)
			break;
		s.p = chunk;
		s.n = (size_t)got;
		pool_for(2, 2, do_stage, &s);
		ok = s.is_written || err_set(f->e, s.e.code, "%s", s.e.text);
	}
	free(chunk);
	sha256_hex(&s.hash, digest);
	return ok;
}

static bool freeze_large(struct freeze *f, int fd, int copy, const char *path, char digest[SHA256_HEX])
{
	uint64_t n;
	struct inside_source from = {path, UINT64_MAX};
	if (copy >= 0)
		return copy_large(f, fd, copy, path, digest);
	if (!f->store)
		return inside_copy(NULL, fd, &from, digest, &n, f->e);
	struct store_place *at = &f->store->area[STORE_AREA_OBJECTS];
	struct draft d;
	if (!draft_begin(&d, at->fd, at->shown, f->e))
		return false;
	if (!inside_copy(&d, fd, &from, digest, &n, f->e)) {
		draft_drop(&d);
		return false;
	}
	keep_pending(f, &d, digest);
	return true;
}

/* Up to SMALL_FILE + 1 bytes into the chunk; SIZE_MAX on failure. */
static size_t read_small(struct freeze *f, int fd, const char *path)
{
	size_t n = 0;
	while (n <= SMALL_FILE) {
		ssize_t got = read(fd, f->chunk + n, SMALL_FILE + 1 - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			err_errno(f->e, ERR_IO, errno, "%s: cannot be read", path);
			return SIZE_MAX;
		}
		if (got == 0)
			break;
		n += (size_t)got;
	}
	return n;
}

/* The bytes of a file hashed, and kept where that is wanted. copy: -1, or a new file. */
static bool take_bytes(struct freeze *f, int fd, int copy, const char *path, const struct stat *st,
		       char digest[SHA256_HEX])
{
	if (st->st_size > SMALL_FILE)
		return freeze_large(f, fd, copy, path, digest);
	size_t n = read_small(f, fd, path);
	if (n == SIZE_MAX || !freeze_small(f, (struct str){f->chunk, n}, digest))
		return false;
	if (n != (size_t)st->st_size)
		return err_set(f->e, ERR_INPUT, "%s: changed while it was read", path);
	return copy < 0 || file_write_all(copy, f->chunk, n, path, f->e);
}

static bool take_file(struct freeze *f, int fd, const char *path, const struct stat *st, char digest[SHA256_HEX])
{
	if (f->to < 0)
		return take_bytes(f, fd, -1, path, st, digest);
	int copy = openat(f->to, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (copy < 0)
		return err_errno(f->e, ERR_IO, errno, "%s: the copy cannot be made", path);
	bool ok = take_bytes(f, fd, copy, path, st, digest);
	if (ok && fchmod(copy, st->st_mode & 0777) != 0)
		ok = err_errno(f->e, ERR_IO, errno, "%s: mode of the copy", path);
	if (close(copy) != 0 && ok)
		ok = err_errno(f->e, ERR_IO, errno, "%s: the copy", path);
	return ok;
}

static bool freeze_file(struct freeze *f, int fd, const char *path)
{
	struct stat before, after;
	char digest[SHA256_HEX];
	if (fstat(fd, &before) != 0)
		return err_errno(f->e, ERR_IO, errno, "%s: cannot be looked at", path);
	f->out->n_files++;
	f->out->n_bytes += (uint64_t)before.st_size;
	if (!too_much(f, path) || !take_file(f, fd, path, &before, digest))
		return false;
	if (fstat(fd, &after) != 0 || after.st_size != before.st_size ||
	    after.st_mtim.tv_sec != before.st_mtim.tv_sec || after.st_mtim.tv_nsec != before.st_mtim.tv_nsec)
		return err_set(f->e, ERR_INPUT, "%s: changed while it was read", path);
	add_entry(f, path, &before, digest);
	return true;
}

/* ---- folders ---- */

static bool is_ignored(const struct freeze *f, const char *name)
{
	for (const char *const *at = f->limits.ignore; at && *at; at++) {
		if (strcmp(*at, name) == 0)
			return true;
	}
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of the folder behind fd, sorted; takes fd. */
static char **list_folder(struct freeze *f, int fd, const char *path, size_t *n)
{
	DIR *d = fdopendir(fd);
	if (!d) {
		err_errno(f->e, ERR_IO, errno, "%s: cannot be listed", path);
		close(fd);
		return NULL;
	}
	size_t cap = 16;
	char **names = ARENA_ARRAY(&f->arena, cap, char *);
	*n = 0;
	for (struct dirent *at = readdir(d); at; at = readdir(d)) {
		if (strcmp(at->d_name, ".") == 0 || strcmp(at->d_name, "..") == 0 || is_ignored(f, at->d_name))
			continue;
		if (*n == cap) {
			char **more = ARENA_ARRAY(&f->arena, cap * 2, char *);
			memcpy(more, names, cap * sizeof(*names));
			names = more;
			cap *= 2;
		}
		names[(*n)++] = arena_strdup(&f->arena, at->d_name);
	}
	closedir(d);
	qsort(names, *n, sizeof(*names), by_name);
	return names;
}

static bool freeze_folder(struct freeze *f, int fd, const char *path, uint32_t depth);

static bool copy_folder(struct freeze *f, const char *path, mode_t mode)
{
	if (f->to < 0)
		return true;
	struct made *m = ARENA_NEW(&f->arena, struct made);
	*m = (struct made){f->made, path, mode & 0777};
	f->made = m;
	return mkdirat(f->to, path, 0700) == 0 || err_errno(f->e, ERR_IO, errno, "%s: the copy cannot be made", path);
}

/* Modes of folders come last, the inner ones first: one without write permission is filled before. */
static bool set_modes(struct freeze *f)
{
	for (struct made *m = f->made; m; m = m->next) {
		if (fchmodat(f->to, m->path, m->mode, 0) != 0)
			return err_errno(f->e, ERR_IO, errno, "%s: mode of the copy", m->path);
	}
	return true;
}

static bool freeze_name(struct freeze *f, int dir_fd, const char *path, uint32_t depth)
{
	const char *name = path_base(path);
	if (!utf8_is_valid(str_from(name)))
		return err_set(f->e, ERR_INPUT, "%s: the name is not UTF-8", path);
	int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && errno == ELOOP)
		return err_set(f->e, ERR_INPUT, "%s: is a symbolic link; only files and folders can be frozen", path);
	if (fd < 0 && errno == ENXIO)
		return err_set(f->e, ERR_INPUT, "%s: is a socket or device; only files and folders can be frozen",
			       path);
	if (fd < 0)
		return err_errno(f->e, ERR_INPUT, errno, "%s: cannot be opened", path);
	struct stat st;
	bool ok = false;
	if (fstat(fd, &st) != 0) {
		err_errno(f->e, ERR_IO, errno, "%s: cannot be looked at", path);
	} else if (S_ISREG(st.st_mode)) {
		ok = freeze_file(f, fd, path);
	} else if (S_ISDIR(st.st_mode)) {
		add_entry(f, path, &st, NULL);
		if (copy_folder(f, path, st.st_mode))
			return freeze_folder(f, fd, path, depth + 1);
	} else {
		err_set(f->e, ERR_INPUT, "%s: is no file and no folder", path);
	}
	close(fd);
	return ok;
}

/* Takes fd. `path` is relative to the root of the tree, "" for the root. */
static bool freeze_folder(struct freeze *f, int fd, const char *path, uint32_t depth)
{
	if (depth > f->limits.max_depth) {
		close(fd);
		return err_set(f->e, ERR_INPUT, "%s: more than %u folders deep", path, f->limits.max_depth);
	}
	int keep = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	size_t n = 0;
	char **names = list_folder(f, fd, path, &n);
	bool ok = names && keep >= 0;
	for (size_t i = 0; ok && i < n; i++) {
		const char *child = *path ? arena_printf(&f->arena, "%s/%s", path, names[i]) : names[i];
		ok = freeze_name(f, keep, child, depth);
	}
	if (keep >= 0)
		close(keep);
	return ok;
}

/* ---- publishing ---- */

static bool flush_pending(struct freeze *f)
{
	struct store_place *at = &f->store->area[STORE_AREA_OBJECTS];
	if (f->n_pending >= FLUSH_TOGETHER) {
		if (failpoint("tree.flush") || syncfs(at->fd) != 0)
			return err_errno(f->e, ERR_IO, errno, "%s: syncfs", at->shown);
		return true;
	}
	for (struct pending *p = f->pending; p; p = p->next) {
		int fd = openat(at->fd, p->temp, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		bool ok = fd >= 0 && !failpoint("tree.flush") && fsync(fd) == 0;
		int code = errno;
		if (fd >= 0)
			close(fd);
		if (!ok)
			return err_errno(f->e, ERR_IO, code, "%s/%s: fsync", at->shown, p->temp);
	}
	return true;
}

/* Links everything, then flushes each folder that got a name once. */
static bool link_pending(struct freeze *f)
{
	struct store_place *at = &f->store->area[STORE_AREA_OBJECTS];
	int fan[256];
	bool ok = true;
	memset(fan, 0xff, sizeof(fan));
	for (struct pending *p = f->pending; ok && p; p = p->next) {
		char prefix[3] = {p->digest[0], p->digest[1], 0};
		size_t i = (size_t)strtoul(prefix, NULL, 16);
		if (fan[i] < 0)
			fan[i] = draft_folder(at->fd, prefix, at->shown, NULL, f->e);
		struct draft d = {.dir_fd = at->fd, .shown = at->shown};
		memcpy(d.temp, p->temp, sizeof(d.temp));
		d.fd = fan[i] >= 0 ? openat(at->fd, p->temp, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
		ok = d.fd >= 0 && draft_link(&d, fan[i], p->digest + 2, f->e);
		if (ok)
			p->temp[0] = 0;
	}
	for (size_t i = 0; i < COUNT_OF(fan); i++) {
		if (fan[i] < 0)
			continue;
		ok = ok && draft_sync_folder(fan[i], at->shown, f->e);
		close(fan[i]);
	}
	return ok && draft_sync_folder(at->fd, at->shown, f->e);
}

static void drop_pending(struct freeze *f)
{
	for (struct pending *p = f->pending; p; p = p->next) {
		if (p->temp[0])
			unlinkat(f->store->area[STORE_AREA_OBJECTS].fd, p->temp, 0);
	}
}

static bool publish_manifest(struct freeze *f, const char *source_kind)
{
	struct json *j = json_object(&f->arena);
	json_set_cstr(j, "format_version", TREE_FORMAT);
	json_set_cstr(j, "source_kind", source_kind);
	json_set(j, "entries", f->entries);
	json_set_u64(j, "file_count", f->out->n_files);
	json_set_u64(j, "total_bytes", f->out->n_bytes);
	struct buf b;
	buf_init(&b);
	json_write(&b, j, JSON_COMPACT);
	bool ok = b.n <= TREE_MAX_MANIFEST || err_set(f->e, ERR_INPUT, "the list of %llu files is larger than %u bytes",
						      (unsigned long long)f->out->n_files, TREE_MAX_MANIFEST);
	if (ok && f->store)
		ok = inside_publish(f->store, STORE_AREA_TREES, buf_view(&b), f->out->digest, f->e);
	else if (ok)
		sha256_of(b.p, b.n, f->out->digest);
	if (f->manifest)
		buf_str(f->manifest, buf_view(&b));
	buf_release(&b);
	return ok;
}

static bool freeze_root(struct freeze *f, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) != 0) {
		err_errno(f->e, ERR_INPUT, errno, "%s: cannot be opened", path);
		if (fd >= 0)
			close(fd);
		return false;
	}
	bool is_folder = S_ISDIR(st.st_mode);
	bool ok = false;
	if (is_folder)
		return freeze_folder(f, fd, "", 0) && set_modes(f) &&
		       (!f->store || (flush_pending(f) && link_pending(f))) && publish_manifest(f, "directory");
	if (S_ISREG(st.st_mode) && utf8_is_valid(str_from(path_base(path))))
		ok = freeze_file(f, fd, path_base(path)) && (!f->store || (flush_pending(f) && link_pending(f))) &&
		     publish_manifest(f, "file");
	else
		err_set(f->e, ERR_INPUT, "%s: is no file and no folder, or its name is not UTF-8", path);
	close(fd);
	return ok;
}

/* f: store, out, manifest and e are set. */
static bool freeze_any(struct freeze *f, const char *path, const struct tree_limits *limits)
{
	*f->out = (struct tree){0};
	if (limits)
		f->limits = *limits;
	if (!f->limits.max_files)
		f->limits.max_files = 100000;
	if (!f->limits.max_bytes)
		f->limits.max_bytes = UINT64_C(1) << 40;
	if (!f->limits.max_depth)
		f->limits.max_depth = 64;
	arena_init(&f->arena);
	f->entries = json_array(&f->arena);
	f->chunk = malloc(SMALL_FILE + 1);
	if (!f->chunk)
		BUG("out of memory");
	bool ok = freeze_root(f, path);
	if (f->store)
		drop_pending(f);
	free(f->chunk);
	arena_release(&f->arena);
	return ok;
}

bool tree_freeze(struct store *s, const char *path, const struct tree_limits *limits, struct tree *out, struct err *e)
{
	struct freeze f = {.store = s, .to = -1, .out = out, .e = e};
	return freeze_any(&f, path, limits);
}

bool tree_digest(const char *path, const struct tree_limits *limits, struct tree *out, struct err *e)
{
	struct freeze f = {.to = -1, .out = out, .e = e};
	return freeze_any(&f, path, limits);
}

bool tree_manifest(const char *path, const struct tree_limits *limits, struct tree *out, struct buf *manifest,
		   struct err *e)
{
	struct freeze f = {.to = -1, .out = out, .manifest = manifest, .e = e};
	return freeze_any(&f, path, limits);
}

bool tree_capture(const char *path, const struct tree_limits *limits, const struct tree_copy *copy, struct err *e)
{
	struct freeze f = {.out = copy->out, .manifest = copy->manifest, .e = e};
	f.to = open(copy->to, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (f.to < 0)
		return err_errno(e, ERR_IO, errno, "%s: cannot be opened", copy->to);
	bool ok = freeze_any(&f, path, limits);
	close(f.to);
	return ok;
}
