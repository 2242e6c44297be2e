/* Snapshots of folders.
 * In: folders, twice. Out: the paths whose bytes differ.
 * Files up to 1 MiB are hashed both times; of larger ones inode, size, and times of change tell (ctime cannot be set back).
 * Never: follows a symbolic link. */
#include "loop/snapshot.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"

enum { SNAPSHOT_HASHED = 1 << 20 };

struct snapshot_file {
	char digest[SHA256_HEX];
};

void snapshot_init(struct snapshot *s, struct arena *a)
{
	*s = (struct snapshot){.arena = a};
	map_init(&s->files, a);
}

static bool is_left_out(const char *name)
{
	return name[0] == '.' || strcmp(name, "__pycache__") == 0 || strcmp(name, "assay-runs") == 0;
}

static void identity_of(const struct stat *st, char out[SHA256_HEX])
{
	const int64_t x[] = {(int64_t)st->st_ino,          (int64_t)st->st_size,        (int64_t)st->st_mtim.tv_sec,
			     (int64_t)st->st_mtim.tv_nsec, (int64_t)st->st_ctim.tv_sec, (int64_t)st->st_ctim.tv_nsec};
	sha256_of(x, sizeof(x), out);
}

static void add_file(struct snapshot *s, const char *path, const struct stat *st)
{
	struct snapshot_file *f = ARENA_NEW(s->arena, struct snapshot_file);
	struct err gone;
	if (s->files.n >= SNAPSHOT_MAX_FILES) {
		s->is_cut = true;
		return;
	}
	if (S_ISLNK(st->st_mode)) {
		char target[PATH_MAX];
		ssize_t n = readlink(path, target, sizeof(target));
		sha256_of(target, n > 0 ? (size_t)n : 0, f->digest);
		f->digest[0] = 'l'; /* a link is not the file with its target as text */
	} else if (st->st_size > SNAPSHOT_HASHED) {
		identity_of(st, f->digest);
	} else if (!sha256_file(path, f->digest, &gone)) {
		snprintf(f->digest, sizeof(f->digest), "unreadable");
	}
	map_set(&s->files, str_from(path), f);
}

/* A run's own folder, or a strategy memory: other runs write there. */
static bool is_of_others(struct arena *a, const char *folder)
{
	return file_exists(path_join(a, folder, "run_manifest.json")) ||
	       file_exists(path_join(a, folder, "memory.sqlite"));
}

static bool add_folder(struct snapshot *s, const char *folder, int depth, struct err *e)
{
	size_t n = 0;
	char **names = file_list(s->arena, folder, &n, e);
	if (!names)
		return false;
	for (size_t i = 0; i < n && !s->is_cut; i++) {
		const char *path = path_join(s->arena, folder, names[i]);
		struct stat st;
		struct err unreadable;
		if (is_left_out(names[i]) || lstat(path, &st) != 0)
			continue;
		if (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode))
			add_file(s, path, &st);
		else if (S_ISDIR(st.st_mode) && depth < 32 && !is_of_others(s->arena, path))
			(void)!add_folder(s, path, depth + 1, &unreadable); /* no right to look: nothing to compare */
	}
	return true;
}

bool snapshot_add(struct snapshot *s, const char *folder, struct err *e)
{
	return add_folder(s, folder, 0, e);
}

static bool is_allowed(const char *const *allowed, struct str path)
{
	for (size_t i = 0; allowed && allowed[i]; i++) {
		if (str_is(path, allowed[i]))
			return true;
	}
	return false;
}

static int by_path(const void *x, const void *y)
{
	const struct json *const *a = x, *const *b = y;
	return str_cmp((*a)->text, (*b)->text);
}

struct json *snapshot_changes(const struct snapshot *before, const struct snapshot *after, const char *const *allowed,
			      struct arena *a)
{
	struct json *list = json_array(a);
	for (size_t i = 0; i < before->files.n; i++) {
		const struct map_entry *x = &before->files.entries[i];
		const struct snapshot_file *was = x->value, *now = map_get(&after->files, x->key);
		if (!is_allowed(allowed, x->key) && (!now || strcmp(was->digest, now->digest) != 0))
			json_push_str(list, x->key);
	}
	for (size_t i = 0; i < after->files.n && !before->is_cut; i++) {
		const struct map_entry *x = &after->files.entries[i];
		if (!is_allowed(allowed, x->key) && !map_find(&before->files, x->key))
			json_push_str(list, x->key);
	}
	if (list->n)
		qsort(list->items, list->n, sizeof(*list->items), by_path);
	return list;
}
