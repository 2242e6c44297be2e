/* The object store: verification and sweeping.
 * In: a store. Out: what is damaged, missing, foreign or left over.
 * Every byte is hashed; trees are read and the objects that they name looked for.
 * Never: repairs or removes anything but leftovers of the dead. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/progress.h"
#include "store/inside.h"
#include "store/tree.h"

struct verify {
	struct store *store;
	struct arena *arena;
	struct store_check *out;
	struct err *e;
};

static void damage(struct verify *v, const char *path, const char *what)
{
	struct store_check *c = v->out;
	if (c->n_damage == c->cap_damage) {
		size_t cap = c->cap_damage ? c->cap_damage * 2 : 16;
		struct store_damage *more = ARENA_ARRAY(v->arena, cap, struct store_damage);
		if (c->n_damage)
			memcpy(more, c->damage, c->n_damage * sizeof(*more));
		c->damage = more;
		c->cap_damage = cap;
	}
	c->damage[c->n_damage++] = (struct store_damage){path, what};
}

static bool is_regular(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool is_folder(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Hashes one file of objects/ or trees/ whose name is a digest. */
static void check_object(struct verify *v, const char *full, const char *digest, bool is_tree)
{
	struct arena_mark mark = arena_mark(v->arena);
	struct file_map m;
	struct err e = {0};
	char got[SHA256_HEX];
	const char *shown = full + strlen(v->store->root) + 1;
	v->out->n_objects++;
	if (!file_map(&m, full, &e)) {
		damage(v, arena_strdup(v->arena, shown), arena_strdup(v->arena, e.text));
		return;
	}
	v->out->n_bytes += m.n;
	progress_count("objects", v->out->n_objects, 0);
	sha256_of(m.p, m.n, got);
	bool ok = strcmp(got, digest) == 0;
	struct tree_entry *entries = NULL;
	size_t n = 0;
	bool readable = true;
	if (ok && is_tree) {
		readable = tree_parse(v->arena, shown, arena_str(v->arena, (struct str){m.p, m.n}), &entries, &n, &e);
	}
	file_unmap(&m);
	if (!ok)
		damage(v, arena_strdup(v->arena, shown), arena_printf(v->arena, "bytes hash to %s", got));
	if (!readable)
		damage(v, arena_strdup(v->arena, shown), arena_strdup(v->arena, e.text));
	bool all_there = true;
	for (size_t i = 0; i < n; i++) {
		if (!entries[i].sha256 || store_has(v->store, entries[i].sha256))
			continue;
		all_there = false;
		damage(v, arena_printf(v->arena, "objects/%.2s/%s", entries[i].sha256, entries[i].sha256 + 2),
		       arena_printf(v->arena, "missing, named by tree %s as %s", digest, entries[i].path));
	}
	if (ok && readable && all_there)
		arena_reset(v->arena, mark);
}

static void check_fan(struct verify *v, const char *area, const char *prefix, bool is_tree)
{
	char *path = path_join(v->arena, area, prefix);
	size_t n = 0;
	struct err e = {0};
	char **names = file_list(v->arena, path, &n, &e);
	if (!names)
		damage(v, path + strlen(v->store->root) + 1, arena_strdup(v->arena, e.text));
	for (size_t i = 0; names && i < n; i++) {
		char *full = path_join(v->arena, path, names[i]);
		char *digest = arena_printf(v->arena, "%s%s", prefix, names[i]);
		if (digest_is_valid(digest) && is_regular(full))
			check_object(v, full, digest, is_tree);
		else
			damage(v, full + strlen(v->store->root) + 1, "foreign: no file that the store makes");
	}
}

static bool check_area(struct verify *v, enum store_area area)
{
	const char *path = v->store->area[area].shown;
	size_t n = 0;
	char **names = file_list(v->arena, path, &n, v->e);
	if (!names)
		return false;
	for (size_t i = 0; i < n; i++) {
		char *full = path_join(v->arena, path, names[i]);
		bool is_fan = strlen(names[i]) == 2 && strspn(names[i], "0123456789abcdef") == 2 && is_folder(full);
		if (is_fan)
			check_fan(v, path, names[i], area == STORE_AREA_TREES);
		else if (strncmp(names[i], DRAFT_PREFIX, strlen(DRAFT_PREFIX)) == 0)
			v->out->n_leftovers++;
		else
			damage(v, full + strlen(v->store->root) + 1, "foreign: no file that the store makes");
	}
	return true;
}

static void check_record(struct verify *v, const char *folder, char *name)
{
	const char *full = path_join(v->arena, folder, name);
	const char *shown = full + strlen(v->store->root) + 1;
	size_t len = strlen(name), n_kind = 0;
	if (strncmp(name, DRAFT_PREFIX, strlen(DRAFT_PREFIX)) == 0) {
		v->out->n_leftovers++;
		return;
	}
	if (len > 5 && strcmp(name + len - 5, ".json") == 0)
		name[len - 5] = 0;
	const char *kind = path_base(folder);
	if (!record_id_is_valid(name, &n_kind) || n_kind != strlen(kind) || strncmp(name, kind, n_kind) != 0 ||
	    !is_regular(full)) {
		damage(v, shown, "foreign: no file that the store makes");
		return;
	}
	struct err e = {0};
	struct arena scratch;
	arena_init(&scratch);
	v->out->n_records++;
	int64_t size = file_size(full);
	v->out->n_bytes += size > 0 ? (uint64_t)size : 0;
	if (!store_record_read(v->store, &scratch, name, &e))
		damage(v, shown, arena_strdup(v->arena, e.text));
	arena_release(&scratch);
}

static bool check_records(struct verify *v)
{
	const char *path = v->store->area[STORE_AREA_RECORDS].shown;
	size_t n = 0;
	char **kinds = file_list(v->arena, path, &n, v->e);
	if (!kinds)
		return false;
	for (size_t i = 0; i < n; i++) {
		char *folder = path_join(v->arena, path, kinds[i]);
		size_t n_names = 0;
		char **names = is_folder(folder) ? file_list(v->arena, folder, &n_names, NULL) : NULL;
		if (!names)
			damage(v, folder + strlen(v->store->root) + 1, "foreign: no folder that the store makes");
		for (size_t k = 0; names && k < n_names; k++)
			check_record(v, folder, names[k]);
	}
	return true;
}

bool store_verify(struct store *s, struct arena *a, struct store_check *out, struct err *e)
{
	*out = (struct store_check){0};
	struct verify v = {s, a, out, e};
	return check_area(&v, STORE_AREA_OBJECTS) && check_area(&v, STORE_AREA_TREES) && check_records(&v);
}

/* ---- sweeping ---- */

static size_t sweep_folder(int dir_fd, int64_t before_ns)
{
	int copy = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
	if (!d) {
		if (copy >= 0)
			close(copy);
		return 0;
	}
	size_t n = 0;
	for (struct dirent *at = readdir(d); at; at = readdir(d)) {
		struct stat st;
		if (strncmp(at->d_name, DRAFT_PREFIX, strlen(DRAFT_PREFIX)) != 0 ||
		    fstatat(dir_fd, at->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		int64_t age = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
		if (age <= before_ns && unlinkat(dir_fd, at->d_name, 0) == 0)
			n++;
	}
	closedir(d);
	return n;
}

size_t store_sweep(struct store *s, int64_t min_age_ns)
{
	int64_t before = min_age_ns == 0 ? INT64_MAX : clock_unix_ns() - min_age_ns;
	size_t n = sweep_folder(s->area[STORE_AREA_OBJECTS].fd, before) +
		   sweep_folder(s->area[STORE_AREA_TREES].fd, before);
	struct arena a;
	arena_init(&a);
	size_t n_kinds = 0;
	char **kinds = file_list(&a, s->area[STORE_AREA_RECORDS].shown, &n_kinds, NULL);
	for (size_t i = 0; kinds && i < n_kinds; i++) {
		int fd = openat(s->area[STORE_AREA_RECORDS].fd, kinds[i],
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		n += sweep_folder(fd, before);
		close(fd);
	}
	arena_release(&a);
	return n;
}
