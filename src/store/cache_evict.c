/* Caches: bounds.
 * In: what was added. Out: a cache below its limit, least recently used entries gone first.
 * A running total in the file "total" saves looking at every entry at each commit; a full look corrects it.
 * Never: removes an entry that someone has open, or a draft whose maker lives. */
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

#define DRAFT_MIN_AGE_NS INT64_C(60000000000) /* between mkdtemp and its lock a draft has neither */

struct found {
	char *path;
	int64_t used_ns;
	uint64_t n_bytes;
	bool is_broken;
};

char *cache_entry_path(struct arena *a, const struct cache *c, const char *key)
{
	return arena_printf(a, "%s/%.2s/%s", c->entries, key, key + 2);
}

void cache_remove(struct cache *c, const char *path)
{
	struct arena a;
	arena_init(&a);
	char *away = arena_printf(&a, "%s/gone-%d-%llx", c->drafts, (int)getpid(), (unsigned long long)clock_unix_ns());
	if (rename(path, away) == 0)
		(void)!file_remove_tree(away, NULL);
	arena_release(&a);
}

/* ---- the running total ---- */

static int total_lock(struct cache *c, struct err *e)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/total", c->root);
	int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	int failed = fd < 0 ? -1 : 0;
	while (failed == 0 && flock(fd, LOCK_EX) != 0)
		failed = errno == EINTR ? 0 : -1;
	if (failed == 0)
		return fd;
	err_errno(e, ERR_IO, errno, "%s: cannot be locked", path);
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool total_read(int fd, uint64_t *out)
{
	char text[32];
	ssize_t n = pread(fd, text, sizeof(text), 0);
	return n > 0 && str_u64(str_trim((struct str){text, (size_t)n}), out);
}

/* What cannot be written is found by the next full look. */
static void total_write(int fd, uint64_t value)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%llu\n", (unsigned long long)value);
	if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)n, 0) != n)
		(void)!ftruncate(fd, 0);
}

/* ---- a full look ---- */

/* An entry that cannot be read has no size and was never used: it goes first. */
static void look_at(struct arena *a, char *path, struct found *out)
{
	char *file = path_join(a, path, "entry.json");
	struct json *j = file_exists(file) ? json_read_file(a, file, JSON_STRICT, NULL) : NULL;
	int64_t n = json_i64(j, "n_bytes", -1);
	*out = (struct found){.path = path, .is_broken = n < 0, .n_bytes = n < 0 ? 0 : (uint64_t)n};
	out->used_ns = out->is_broken ? -1 : file_mtime_ns(file);
}

static int by_use(const void *pa, const void *pb)
{
	const struct found *a = pa, *b = pb;
	if (a->used_ns != b->used_ns)
		return a->used_ns < b->used_ns ? -1 : 1;
	return strcmp(a->path, b->path);
}

/* All entries, least recently used first; `n_bytes` is their sum. */
static struct found *look(const struct cache *c, struct arena *a, size_t *n, uint64_t *n_bytes, struct err *e)
{
	size_t n_fans = 0, cap = 64;
	char **fans = file_list(a, c->entries, &n_fans, e);
	struct found *all = ARENA_ARRAY(a, cap, struct found);
	*n = 0;
	*n_bytes = 0;
	for (size_t i = 0; fans && i < n_fans; i++) {
		size_t n_names = 0;
		char *fan = path_join(a, c->entries, fans[i]);
		char **names = file_list(a, fan, &n_names, NULL);
		for (size_t k = 0; names && k < n_names; k++) {
			struct found f;
			look_at(a, path_join(a, fan, names[k]), &f);
			if (*n == cap) {
				struct found *more = ARENA_ARRAY(a, cap * 2, struct found);
				memcpy(more, all, cap * sizeof(*all));
				all = more;
				cap *= 2;
			}
			all[(*n)++] = f;
			*n_bytes += f.n_bytes;
		}
	}
	qsort(all, *n, sizeof(*all), by_use);
	return fans ? all : NULL;
}

/* Drafts of makers that died, and entries whose removal was interrupted. */
static void sweep_drafts(struct cache *c, struct arena *a)
{
	size_t n = 0;
	char **names = file_list(a, c->drafts, &n, NULL);
	for (size_t i = 0; names && i < n; i++) {
		char *path = path_join(a, c->drafts, names[i]);
		if (clock_unix_ns() - file_mtime_ns(path) < DRAFT_MIN_AGE_NS)
			continue;
		int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
			(void)!file_remove_tree(path, NULL);
		if (fd >= 0)
			close(fd);
	}
}

/* With the total locked: evicts until at most `want` bytes are left, sparing the n_spared used last and what is in use. */
static bool evict(struct cache *c, int total_fd, uint64_t want, size_t n_spared, struct err *e)
{
	struct arena a;
	size_t n;
	uint64_t n_bytes;
	arena_init(&a);
	sweep_drafts(c, &a);
	struct found *all = look(c, &a, &n, &n_bytes, e);
	for (size_t i = 0; all && i + n_spared < n && (n_bytes > want || all[i].is_broken || want == 0); i++) {
		int fd = all[i].is_broken ? -1 : cache_entry_lock(all[i].path, LOCK_EX | LOCK_NB);
		if (fd < 0 && !all[i].is_broken)
			continue;
		cache_remove(c, all[i].path);
		if (fd >= 0)
			close(fd);
		n_bytes -= all[i].n_bytes;
	}
	if (all)
		total_write(total_fd, n_bytes);
	arena_release(&a);
	return all != NULL;
}

bool cache_account(struct cache *c, uint64_t n_bytes, struct err *e)
{
	int fd = total_lock(c, e);
	if (fd < 0)
		return false;
	uint64_t total;
	bool ok = true;
	if (!total_read(fd, &total) || total > c->max_bytes || n_bytes > c->max_bytes - total)
		ok = evict(c, fd, c->max_bytes - c->max_bytes / 5, 1, e); /* a fifth more: not at every commit */
	else
		total_write(fd, total + n_bytes);
	close(fd);
	return ok;
}

bool cache_trim(struct cache *c, uint64_t max_bytes, struct err *e)
{
	int fd = total_lock(c, e);
	if (fd < 0)
		return false;
	bool ok = evict(c, fd, max_bytes, 0, e);
	close(fd);
	return ok;
}

bool cache_usage(struct cache *c, struct cache_usage *out, struct err *e)
{
	struct arena a;
	size_t n = 0;
	arena_init(&a);
	*out = (struct cache_usage){.max_bytes = c->max_bytes};
	bool ok = look(c, &a, &n, &out->n_bytes, e) != NULL;
	out->n_entries = n;
	arena_release(&a);
	return ok;
}
