/* Caches of folders.
 * In: keys (digests of all that decides the content) and files. Out: the files again, or "absent".
 * An entry is a folder: the files and entry.json with their sizes and digests, written last. Its lock is on entry.json.
 * Never: gives out an entry whose bytes are not those that were put in; removes one that is in use. */
#include "store/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "store/cache_inside.h"

#define ENTRY_FILE "entry.json"
#define VALUE_FILE "value"
#define MAX_FILES 1000

/* ---- opening ---- */

static bool key_is_valid(const char *key)
{
	return strlen(key) == SHA256_HEX - 1 && strspn(key, "0123456789abcdef") == SHA256_HEX - 1;
}

static char *root_of(struct arena *a, const char *name, struct err *e)
{
	const char *own = getenv("ASSAY_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (own && *own)
		return path_join(a, path_absolute(a, own), name);
	if (xdg && xdg[0] == '/') /* the XDG rule: a relative one is ignored */
		return arena_printf(a, "%s/assay/%s", xdg, name);
	if (home && *home)
		return arena_printf(a, "%s/.cache/assay/%s", home, name);
	err_set(e, ERR_ENVIRONMENT, "no place for a cache: HOME, XDG_CACHE_HOME and ASSAY_CACHE_DIR are not set");
	return NULL;
}

struct cache *cache_open(const char *name, uint64_t max_bytes, struct err *e)
{
	if (!*name || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != strlen(name)) {
		err_set(e, ERR_INPUT, "cache \"%.60s\": a name of a-z 0-9 - _ is wanted", name);
		return NULL;
	}
	struct cache *c = calloc(1, sizeof(*c));
	if (!c)
		BUG("out of memory");
	arena_init(&c->arena);
	c->max_bytes = max_bytes ? max_bytes : UINT64_C(8) << 30;
	c->root = root_of(&c->arena, name, e);
	if (c->root) {
		c->drafts = path_join(&c->arena, c->root, "drafts");
		c->entries = path_join(&c->arena, c->root, "entries");
		if (file_mkdirs(c->drafts, 0700, e) && file_mkdirs(c->entries, 0700, e))
			return c;
	}
	cache_free(c);
	return NULL;
}

void cache_free(struct cache *c)
{
	if (!c)
		return;
	arena_release(&c->arena);
	free(c);
}

const char *cache_folder(const struct cache *c)
{
	return c->root;
}

/* ---- reading ---- */

int cache_entry_lock(const char *path, int operation)
{
	struct arena a;
	arena_init(&a);
	char *file = path_join(&a, path, ENTRY_FILE);
	struct stat by_name, by_fd;
	int fd = open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	/* The entry may have been replaced or removed between open and lock. */
	if (fd >= 0 && (flock(fd, operation) != 0 || fstat(fd, &by_fd) != 0 || stat(file, &by_name) != 0 ||
			by_name.st_ino != by_fd.st_ino || !S_ISREG(by_fd.st_mode))) {
		close(fd);
		fd = -1;
	}
	arena_release(&a);
	return fd;
}

static bool file_is_whole(struct arena *a, const char *folder, const struct json *row)
{
	struct str name = json_str(row, "name", STR("")), want = json_str(row, "sha256", STR(""));
	char got[SHA256_HEX];
	char *plain = arena_strndup(a, name.p, name.n);
	if (!name.n || strchr(plain, '/') || strlen(plain) != name.n)
		return false;
	char *path = path_join(a, folder, plain);
	return file_size(path) == json_i64(row, "n_bytes", -1) && sha256_file(path, got, NULL) && str_is(want, got);
}

static bool entry_is_whole(const char *path, const char *key, uint64_t *n_bytes)
{
	struct arena a;
	arena_init(&a);
	struct json *j = json_read_file(&a, path_join(&a, path, ENTRY_FILE), JSON_STRICT, NULL);
	const struct json *files = json_get(j, "files");
	bool ok = files && files->type == JSON_ARRAY && str_is(json_str(j, "key", STR("")), key);
	for (size_t i = 0; ok && i < files->n; i++)
		ok = file_is_whole(&a, path, files->items[i]);
	*n_bytes = ok ? (uint64_t)json_i64(j, "n_bytes", 0) : 0;
	arena_release(&a);
	return ok;
}

bool cache_get(struct cache *c, struct arena *a, const char *key, struct cache_entry *out)
{
	*out = (struct cache_entry){.fd = -1};
	if (!key_is_valid(key))
		return false;
	char *path = cache_entry_path(a, c, key);
	int fd = cache_entry_lock(path, LOCK_SH);
	if (fd < 0)
		return false;
	uint64_t n_bytes;
	if (!entry_is_whole(path, key, &n_bytes)) {
		close(fd);
		cache_remove(c, path);
		return false;
	}
	futimens(fd, NULL); /* the time of last use */
	*out = (struct cache_entry){.path = path, .fd = fd, .n_bytes = n_bytes};
	return true;
}

void cache_done(struct cache_entry *entry)
{
	if (entry->fd >= 0)
		close(entry->fd);
	*entry = (struct cache_entry){.fd = -1};
}

void cache_drop(struct cache *c, const char *key)
{
	struct arena a;
	arena_init(&a);
	const char *path = key_is_valid(key) ? cache_entry_path(&a, c, key) : NULL;
	int fd = path ? cache_entry_lock(path, LOCK_EX | LOCK_NB) : -1;
	if (fd >= 0) {
		cache_remove(c, path);
		close(fd);
	}
	arena_release(&a);
}

/* ---- writing ---- */

bool cache_begin(struct cache *c, struct arena *a, const char *key, struct cache_draft *out, struct err *e)
{
	*out = (struct cache_draft){.fd = -1};
	if (!key_is_valid(key))
		return err_set(e, ERR_INPUT, "cache key \"%.70s\": 64 hexadecimal digits are wanted", key);
	char *path = arena_printf(a, "%s/%d-XXXXXX", c->drafts, (int)getpid());
	if (!mkdtemp(path))
		return err_errno(e, ERR_IO, errno, "%s: a folder cannot be made there", c->drafts);
	/* The lock on the folder says that its maker lives; who sweeps looks at it. */
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0) {
		err_errno(e, ERR_IO, errno, "%s: cannot be locked", path);
		if (fd >= 0)
			close(fd);
		return false;
	}
	out->path = path;
	out->fd = fd;
	memcpy(out->key, key, SHA256_HEX);
	return true;
}

void cache_abandon(struct cache_draft *draft)
{
	if (draft->fd < 0)
		return;
	(void)!file_remove_tree(draft->path, NULL);
	close(draft->fd);
	draft->fd = -1;
}

/* Lists the files with sizes and digests, makes them read-only, flushes them. */
static struct json *seal_files(struct arena *a, const char *path, uint64_t *n_bytes, struct err *e)
{
	size_t n;
	char **names = file_list(a, path, &n, e);
	struct json *list = json_array(a);
	*n_bytes = 0;
	if (names && n > MAX_FILES) {
		err_set(e, ERR_INPUT, "%s: %zu files; an entry has at most %d", path, n, MAX_FILES);
		return NULL;
	}
	for (size_t i = 0; names && i < n; i++) {
		char *file = path_join(a, path, names[i]);
		struct stat st;
		char digest[SHA256_HEX];
		int fd = open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
		bool ok = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && strcmp(names[i], ENTRY_FILE) != 0;
		if (!ok)
			err_set(e, ERR_INPUT, "%s: an entry holds plain files only", file);
		else if (fchmod(fd, 0444) != 0 || fsync(fd) != 0)
			ok = err_errno(e, ERR_IO, errno, "%s: cannot be flushed", file);
		if (fd >= 0)
			close(fd);
		if (!ok || !sha256_file(file, digest, e))
			return NULL;
		struct json *row = json_object(a);
		json_set_cstr(row, "name", names[i]);
		json_set_i64(row, "n_bytes", st.st_size);
		json_set_cstr(row, "sha256", digest);
		json_push(list, row);
		*n_bytes += (uint64_t)st.st_size;
	}
	return names ? list : NULL;
}

static bool seal(struct cache *c, struct arena *a, struct cache_draft *draft, uint64_t *n_bytes, struct err *e)
{
	struct json *files = seal_files(a, draft->path, n_bytes, e);
	if (!files)
		return false;
	if (*n_bytes > c->max_bytes)
		return err_set(e, ERR_NO_SPACE, "%s: an entry of %llu bytes; the whole cache has %llu", c->root,
			       (unsigned long long)*n_bytes, (unsigned long long)c->max_bytes);
	struct json *j = json_object(a);
	json_set_cstr(j, "format", "assay/cache-entry-v1");
	json_set_cstr(j, "key", draft->key);
	json_set_u64(j, "n_bytes", *n_bytes);
	json_set(j, "files", files);
	struct buf b;
	buf_init(&b);
	json_write(&b, j, JSON_PRETTY);
	bool ok = file_write_str(path_join(a, draft->path, ENTRY_FILE), buf_view(&b), e);
	buf_release(&b);
	return ok;
}

/* Gives the sealed folder its name. Another process's entry stays; a broken one makes room. */
static bool place(struct cache *c, struct arena *a, struct cache_draft *draft, bool *is_new, struct err *e)
{
	char *path = cache_entry_path(a, c, draft->key);
	if (!file_mkdirs(path_dir(a, path), 0700, e))
		return false;
	for (int i = 0; i < 8; i++) {
		*is_new = rename(draft->path, path) == 0;
		if (*is_new)
			return true;
		if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
			break;
		struct cache_entry there;
		if (cache_get(c, a, draft->key, &there)) { /* removes it when it is broken */
			cache_done(&there);
			return true;
		}
		/* Without an entry.json: left by a removal that was killed. Otherwise someone is removing it right now. */
		if (!file_exists(path_join(a, path, ENTRY_FILE)))
			cache_remove(c, path);
	}
	return err_errno(e, ERR_IO, errno, "%s: the entry cannot be placed", path);
}

bool cache_commit(struct cache *c, struct cache_draft *draft, struct err *e)
{
	struct arena a;
	arena_init(&a);
	uint64_t n_bytes = 0;
	bool is_new = false;
	bool ok = draft->fd >= 0 && seal(c, &a, draft, &n_bytes, e) && place(c, &a, draft, &is_new, e);
	if (is_new) {
		close(draft->fd);
		draft->fd = -1;
		ok = cache_account(c, n_bytes, e);
	} else {
		cache_abandon(draft);
	}
	arena_release(&a);
	return ok;
}

/* ---- small values ---- */

bool cache_get_bytes(struct cache *c, struct arena *a, const char *key, struct str *out)
{
	struct cache_entry entry;
	if (!cache_get(c, a, key, &entry))
		return false;
	bool ok = file_read(a, out, path_join(a, entry.path, VALUE_FILE), UINT32_MAX, NULL);
	cache_done(&entry);
	return ok;
}

bool cache_put_bytes(struct cache *c, const char *key, struct str value, struct err *e)
{
	struct arena a;
	struct cache_draft draft;
	arena_init(&a);
	bool ok = cache_begin(c, &a, key, &draft, e);
	if (ok && !file_write_str(path_join(&a, draft.path, VALUE_FILE), value, e)) {
		cache_abandon(&draft);
		ok = false;
	}
	ok = ok && cache_commit(c, &draft, e);
	arena_release(&a);
	return ok;
}
