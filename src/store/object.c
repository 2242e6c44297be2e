/* The object store: objects.
 * In: bytes, files, digests. Out: objects under their sha256, hashed again when read.
 * What is there already is compared, not trusted.
 * Never: overwrites, deletes (sweep apart: temporaries of the dead), or returns bytes that do not give the name. */
#include "store/object.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/plain.h"
#include "store/draft.h"
#include "store/inside.h"

#define COPY_CHUNK (1u << 20)

static const char *const area_names[STORE_AREA_COUNT] = {"objects", "trees", "records"};

const char *store_default_root(struct arena *a)
{
	const char *root = getenv("ASSAY_STORE"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	if (root && *root)
		return root;
	if (data && *data)
		return arena_printf(a, "%s/assay/store", data);
	return arena_printf(a, "%s/.local/share/assay/store", home && *home ? home : "/tmp");
}

struct store *store_open(const char *root, struct err *e)
{
	struct store *s = calloc(1, sizeof(*s));
	if (!s)
		BUG("out of memory");
	arena_init(&s->arena);
	s->root = path_absolute(&s->arena, root ? root : store_default_root(&s->arena));
	s->root_fd = -1;
	for (size_t i = 0; i < STORE_AREA_COUNT; i++) {
		s->area[i].fd = -1;
		s->area[i].shown = path_join(&s->arena, s->root, area_names[i]);
	}
	bool ok = file_mkdirs(s->root, 0777, e);
	if (ok) {
		s->root_fd = open(s->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		ok = s->root_fd >= 0 || err_errno(e, ERR_IO, errno, "%s: cannot be opened", s->root);
	}
	bool any_new = false;
	for (size_t i = 0; ok && i < STORE_AREA_COUNT; i++) {
		bool is_new;
		s->area[i].fd = draft_folder(s->root_fd, area_names[i], s->root, &is_new, e);
		ok = s->area[i].fd >= 0;
		any_new = any_new || is_new;
	}
	if (ok && any_new)
		ok = draft_sync_folder(s->root_fd, s->root, e);
	if (ok)
		return s;
	store_close(s);
	return NULL;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < STORE_AREA_COUNT; i++) {
		if (s->area[i].fd >= 0)
			close(s->area[i].fd);
	}
	if (s->root_fd >= 0)
		close(s->root_fd);
	arena_release(&s->arena);
	free(s);
}

const char *store_root(const struct store *s)
{
	return s->root;
}

bool digest_is_valid(const char *digest)
{
	for (size_t i = 0; i < SHA256_HEX - 1; i++) {
		char c = digest[i];
		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
			return false;
	}
	return digest[SHA256_HEX - 1] == 0;
}

/* Opens the folder of a digest. `fan_new` collects whether any folder was made. */
static int fan_open(struct store *s, enum store_area area, const char *digest, bool *fan_new, struct err *e)
{
	char prefix[3] = {digest[0], digest[1], 0};
	bool is_new = false;
	int fd = draft_folder(s->area[area].fd, prefix, s->area[area].shown, &is_new, e);
	*fan_new = *fan_new || is_new;
	return fd;
}

bool inside_link(struct store *s, enum store_area area, struct draft *d, const char *digest, struct err *e)
{
	bool fan_new = false;
	int fd = fan_open(s, area, digest, &fan_new, e);
	if (fd < 0) {
		draft_drop(d);
		return false;
	}
	bool ok = draft_link(d, fd, digest + 2, e) && draft_sync_folder(fd, s->area[area].shown, e);
	if (ok && fan_new)
		ok = draft_sync_folder(s->area[area].fd, s->area[area].shown, e);
	close(fd);
	return ok;
}

/* What another process linked may not be flushed yet; who is told "there" may rely on it. */
static bool fan_sync(struct store *s, enum store_area area, const char *digest, struct err *e)
{
	bool fan_new = false;
	int fd = fan_open(s, area, digest, &fan_new, e);
	bool ok = fd >= 0 && draft_sync_folder(fd, s->area[area].shown, e);
	if (fd >= 0)
		close(fd);
	return ok;
}

bool inside_publish(struct store *s, enum store_area area, struct str bytes, char digest[SHA256_HEX], struct err *e)
{
	sha256_of(bytes.p, bytes.n, digest);
	enum inside_state there = inside_compare(s, area, digest, bytes, e);
	if (there != INSIDE_ABSENT)
		return there == INSIDE_SAME && fan_sync(s, area, digest, e);
	struct draft d;
	if (!draft_begin(&d, s->area[area].fd, s->area[area].shown, e))
		return false;
	if (draft_add(&d, bytes.p, bytes.n, e) && draft_sync(&d, e))
		return inside_link(s, area, &d, digest, e);
	draft_drop(&d);
	return false;
}

char *inside_path(struct arena *a, const struct store *s, enum store_area area, const char *digest)
{
	return arena_printf(a, "%s/%.2s/%s", s->area[area].shown, digest, digest + 2);
}

enum inside_state inside_compare(struct store *s, enum store_area area, const char *digest, struct str bytes,
				 struct err *e)
{
	struct arena a;
	arena_init(&a);
	char *path = inside_path(&a, s, area, digest);
	enum inside_state state = INSIDE_ABSENT;
	struct stat st;
	struct file_map m;
	if (lstat(path, &st) == 0) {
		state = INSIDE_OTHER;
		if (S_ISREG(st.st_mode) && file_map(&m, path, e)) {
			if (m.n == bytes.n && (m.n == 0 || memcmp(m.p, bytes.p, m.n) == 0))
				state = INSIDE_SAME;
			file_unmap(&m);
		}
		if (state == INSIDE_OTHER)
			err_set(e, ERR_CORRUPT, "%s: is there with other bytes: it is damaged; remove it and try again",
				path);
	}
	arena_release(&a);
	return state;
}

bool inside_read(struct store *s, enum store_area area, const char *digest, struct file_map *out, struct err *e)
{
	*out = (struct file_map){NULL, 0, false};
	if (!digest_is_valid(digest))
		return err_set(e, ERR_INPUT, "\"%.80s\" is no object name: 64 hexadecimal digits", digest);
	struct arena a;
	arena_init(&a);
	char *path = inside_path(&a, s, area, digest);
	struct stat st;
	bool ok = false;
	char got[SHA256_HEX];
	if (lstat(path, &st) != 0) {
		err_set(e, ERR_INPUT, "%.16s...: not in %s", digest, s->area[area].shown);
	} else if (!S_ISREG(st.st_mode)) {
		err_set(e, ERR_CORRUPT, "%s: is no file", path);
	} else if (file_map(out, path, e)) {
		sha256_of(out->p, out->n, got);
		ok = strcmp(got, digest) == 0;
		if (!ok) {
			file_unmap(out);
			err_set(e, ERR_CORRUPT, "%s: damaged, its bytes hash to %.16s...", path, got);
		}
	}
	arena_release(&a);
	return ok;
}

bool store_publish(struct store *s, const void *p, size_t n, char digest[SHA256_HEX], struct err *e)
{
	char own[SHA256_HEX];
	return inside_publish(s, STORE_AREA_OBJECTS, (struct str){p, n}, digest ? digest : own, e);
}

bool inside_copy(struct draft *d, int fd, const struct inside_source *from, char digest[SHA256_HEX], uint64_t *n,
		 struct err *e)
{
	char *chunk = malloc(COPY_CHUNK);
	if (!chunk)
		BUG("out of memory");
	struct sha256 h;
	sha256_init(&h);
	*n = 0;
	bool ok = true;
	while (ok) {
		ssize_t got = read(fd, chunk, COPY_CHUNK);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			ok = err_errno(e, ERR_IO, errno, "%s: cannot be read", from->name);
		if (got <= 0)
			break;
		*n += (uint64_t)got;
		if (*n > from->max_bytes)
			ok = err_set(e, ERR_INPUT, "%s: more than the allowed %llu bytes", from->name,
				     (unsigned long long)from->max_bytes);
		sha256_add(&h, chunk, (size_t)got);
		ok = ok && (!d || draft_add(d, chunk, (size_t)got, e));
	}
	free(chunk);
	sha256_hex(&h, digest);
	return ok;
}

bool store_publish_fd(struct store *s, int fd, const char *name, uint64_t max_bytes, char digest[SHA256_HEX],
		      struct err *e)
{
	struct store_place *at = &s->area[STORE_AREA_OBJECTS];
	struct draft d;
	uint64_t n;
	if (!draft_begin(&d, at->fd, at->shown, e))
		return false;
	struct inside_source from = {name, max_bytes};
	if (inside_copy(&d, fd, &from, digest, &n, e) && draft_sync(&d, e))
		return inside_link(s, STORE_AREA_OBJECTS, &d, digest, e);
	draft_drop(&d);
	return false;
}

bool store_publish_file(struct store *s, const char *path, uint64_t max_bytes, char digest[SHA256_HEX], struct err *e)
{
	int fd = plain_open(path, e);
	if (fd < 0)
		return false;
	bool ok = store_publish_fd(s, fd, path, max_bytes, digest, e);
	close(fd);
	return ok;
}

bool store_read(struct store *s, const char *digest, struct file_map *out, struct err *e)
{
	return inside_read(s, STORE_AREA_OBJECTS, digest, out, e);
}

bool store_has(struct store *s, const char *digest)
{
	struct arena a;
	arena_init(&a);
	bool has = digest_is_valid(digest) && file_exists(inside_path(&a, s, STORE_AREA_OBJECTS, digest));
	arena_release(&a);
	return has;
}

char *store_path(struct arena *a, const struct store *s, const char *digest)
{
	return inside_path(a, s, STORE_AREA_OBJECTS, digest);
}

bool store_export(struct store *s, const char *digest, const char *path, struct err *e)
{
	struct file_map m;
	if (!store_read(s, digest, &m, e))
		return false;
	bool ok = file_write(path, m.p, m.n, e);
	file_unmap(&m);
	return ok;
}
