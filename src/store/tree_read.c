/* Trees: reading and materialising.
 * In: a manifest, which may be hostile. Out: checked entries; a folder.
 * Paths are relative, clean, unique and in order: each folder before what is in it.
 * Never: writes outside the wanted folder, follows a link in it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "store/inside.h"
#include "store/tree.h"

/* ---- reading ---- */

static bool path_is_clean(struct str p)
{
	struct str part;
	if (p.n == 0 || p.n > 4000 || memchr(p.p, 0, p.n))
		return false;
	while (str_split(&p, '/', &part)) {
		if (part.n == 0 || part.n > 255 || str_is(part, ".") || str_is(part, ".."))
			return false;
	}
	return true;
}

static struct str parent_path(struct str p)
{
	size_t n = p.n;
	while (n && p.p[n - 1] != '/')
		n--;
	return (struct str){p.p, n ? n - 1 : 0};
}

static bool take_entry(struct arena *a, const struct json *j, struct tree_entry *out)
{
	struct str path = json_str(j, "path", STR(""));
	struct str kind = json_str(j, "kind", STR(""));
	struct str digest = json_str(j, "sha256", STR(""));
	int64_t mode = json_i64(j, "mode", -1), size = json_i64(j, "size_bytes", -1);
	*out = (struct tree_entry){.path = arena_strndup(a, path.p, path.n), .is_folder = str_is(kind, "directory")};
	bool is_file = str_is(kind, "file");
	if (!path_is_clean(path) || mode < 0 || mode > 0777 || (!is_file && !out->is_folder))
		return false;
	out->mode = (uint32_t)mode;
	if (out->is_folder)
		return j->n == 3;
	out->sha256 = arena_strndup(a, digest.p, digest.n);
	out->n_bytes = size < 0 ? 0 : (uint64_t)size;
	return j->n == 5 && size >= 0 && digest_is_valid(out->sha256);
}

/* The folder of an entry stands before it; no path stands twice. */
static bool place_entry(struct map *seen, struct tree_entry *at)
{
	struct str path = str_from(at->path), parent = parent_path(path);
	bool is_new;
	if (parent.n) {
		const struct tree_entry *folder = map_get(seen, parent);
		if (!folder || !folder->is_folder)
			return false;
	}
	struct map_entry *slot = map_intern(seen, path, &is_new);
	slot->value = at;
	return is_new;
}

bool tree_parse(struct arena *a, const char *name, struct str text, struct tree_entry **out, size_t *n, struct err *e)
{
	*out = NULL;
	*n = 0;
	if (text.n > TREE_MAX_MANIFEST)
		return err_set(e, ERR_INPUT, "%s: larger than %u bytes", name, TREE_MAX_MANIFEST);
	struct json *j = json_parse(a, name, text, JSON_STRICT, e);
	if (!j)
		return false;
	const struct json *entries = json_get(j, "entries");
	if (!str_is(json_str(j, "format_version", STR("")), TREE_FORMAT) || !entries || entries->type != JSON_ARRAY)
		return err_set(e, ERR_INPUT, "%s: is no %s", name, TREE_FORMAT);
	struct map seen;
	map_init(&seen, a);
	uint64_t n_files = 0, n_bytes = 0;
	*out = ARENA_ARRAY(a, entries->n + 1, struct tree_entry);
	for (size_t i = 0; i < entries->n; i++) {
		struct tree_entry *at = &(*out)[i];
		if (!take_entry(a, entries->items[i], at) || !place_entry(&seen, at) ||
		    __builtin_add_overflow(n_bytes, at->n_bytes, &n_bytes))
			return err_set(e, ERR_INPUT, "%s: entry %zu is not valid", name, i);
		n_files += !at->is_folder;
	}
	if (json_i64(j, "file_count", -1) != (int64_t)n_files || json_i64(j, "total_bytes", -1) != (int64_t)n_bytes)
		return err_set(e, ERR_INPUT, "%s: file_count or total_bytes is not the sum of the entries", name);
	*n = entries->n;
	return true;
}

bool tree_read(struct store *s, struct arena *a, const char *digest, struct tree_entry **out, size_t *n, struct err *e)
{
	struct file_map m;
	*out = NULL;
	*n = 0;
	if (!inside_read(s, STORE_AREA_TREES, digest, &m, e))
		return false;
	char name[32];
	memcpy(name, "tree ", 5);
	memcpy(name + 5, digest, 16);
	name[21] = 0;
	bool ok = tree_parse(a, name, arena_str(a, (struct str){m.p, m.n}), out, n, e);
	file_unmap(&m);
	return ok;
}

/* ---- materialising ---- */

/* Opens the folder that `path` is in, component by component, following nothing. */
static int open_parent(int root_fd, const char *path)
{
	int fd = fcntl(root_fd, F_DUPFD_CLOEXEC, 3);
	struct str rest = parent_path(str_from(path)), part;
	while (fd >= 0 && rest.n && str_split(&rest, '/', &part)) {
		char name[256];
		memcpy(name, part.p, part.n); /* at most 255: path_is_clean */
		name[part.n] = 0;
		int next = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int code = errno;
		close(fd);
		errno = code;
		fd = next;
	}
	return fd;
}

static bool write_file(struct store *s, int dir_fd, const struct tree_entry *at, struct err *e)
{
	struct file_map m;
	if (!store_read(s, at->sha256, &m, e))
		return false;
	bool ok = m.n == at->n_bytes || err_set(e, ERR_CORRUPT, "%s: %zu bytes, the tree says %llu", at->path, m.n,
						(unsigned long long)at->n_bytes);
	int fd = -1;
	if (ok) {
		fd = openat(dir_fd, path_base(at->path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		ok = fd >= 0 || err_errno(e, ERR_IO, errno, "%s: cannot be made", at->path);
	}
	ok = ok && file_write_all(fd, m.p, m.n, at->path, e);
	if (ok && fchmod(fd, at->mode) != 0)
		ok = err_errno(e, ERR_IO, errno, "%s: mode", at->path);
	if (fd >= 0 && close(fd) != 0 && ok)
		ok = err_errno(e, ERR_IO, errno, "%s: close", at->path);
	file_unmap(&m);
	return ok;
}

static bool write_entry(struct store *s, int root_fd, const struct tree_entry *at, struct err *e)
{
	int dir_fd = open_parent(root_fd, at->path);
	if (dir_fd < 0)
		return err_errno(e, ERR_IO, errno, "%s: its folder cannot be opened", at->path);
	bool ok = true;
	if (!at->is_folder)
		ok = write_file(s, dir_fd, at, e);
	else if (mkdirat(dir_fd, path_base(at->path), 0700) != 0)
		ok = err_errno(e, ERR_IO, errno, "%s: cannot be made", at->path);
	close(dir_fd);
	return ok;
}

/* Folders get their own mode last and from the inside out: one may be read-only. */
static bool set_folder_mode(int root_fd, const struct tree_entry *at, struct err *e)
{
	int dir_fd = open_parent(root_fd, at->path);
	bool ok = dir_fd >= 0 && fchmodat(dir_fd, path_base(at->path), at->mode, 0) == 0;
	if (!ok)
		err_errno(e, ERR_IO, errno, "%s: mode", at->path);
	if (dir_fd >= 0)
		close(dir_fd);
	return ok;
}

static int open_empty(struct arena *a, const char *path, struct err *e)
{
	size_t n = 0;
	if (!file_mkdirs(path, 0777, e) || !file_list(a, path, &n, e))
		return -1;
	if (n) {
		err_set(e, ERR_INPUT, "%s: is not empty", path);
		return -1;
	}
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		err_errno(e, ERR_IO, errno, "%s: cannot be opened", path);
	return fd;
}

bool tree_materialise(struct store *s, const char *digest, const char *path, struct err *e)
{
	struct arena a;
	arena_init(&a);
	struct tree_entry *entries;
	size_t n;
	bool ok = tree_read(s, &a, digest, &entries, &n, e);
	int root_fd = ok ? open_empty(&a, path, e) : -1;
	ok = root_fd >= 0;
	for (size_t i = 0; ok && i < n; i++)
		ok = write_entry(s, root_fd, &entries[i], e);
	for (size_t i = n; ok && i-- > 0;) {
		if (entries[i].is_folder)
			ok = set_folder_mode(root_fd, &entries[i], e);
	}
	if (root_fd >= 0)
		close(root_fd);
	arena_release(&a);
	return ok;
}
