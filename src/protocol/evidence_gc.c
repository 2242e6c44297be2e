/* Garbage of an evidence root.
 * In: the root. Out: what was removed: objects that nothing names, temporaries of dead writers.
 * References are found in the bytes of all records, so that a field that is new here keeps what it names.
 * Never: removes a record, or an object before every record was read. */
#include "protocol/evidence_gc.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/map.h"

#define DIGEST_BYTES 64
#define ASIDE ".gc-"

struct gc {
	struct protocol *p;
	const struct gc_options *o;
	struct map named; /* digests that stand in a record */
	struct json *out;
	int64_t now_ns;
	uint64_t n_objects, n_young, n_leftovers, n_restored, n_bytes;
};

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static void take_digests(struct gc *g, struct str text)
{
	for (size_t i = 0; i + DIGEST_BYTES <= text.n;) {
		size_t n = 0;
		while (i + n < text.n && n < DIGEST_BYTES && is_hex(text.p[i + n]))
			n++;
		if (n == DIGEST_BYTES)
			map_intern(&g->named, str_sub(text, i, DIGEST_BYTES), NULL);
		i += n == DIGEST_BYTES ? 1 : n + 1;
	}
}

/* Every file below the folder, but not what lies in objects or frozen outputs: those are named, they name nothing. */
static bool read_folder(struct gc *g, const char *folder, struct err *e)
{
	size_t n = 0;
	char **names = file_list(g->p->arena, folder, &n, e);
	for (size_t i = 0; names && i < n; i++) {
		struct stat st;
		char *path = path_join(g->p->arena, folder, names[i]);
		bool is_skipped = strcmp(names[i], "objects") == 0 || strcmp(names[i], "frozen-output") == 0 ||
				  strcmp(names[i], "workspace") == 0 || strcmp(names[i], ".index") == 0;
		if (is_skipped || lstat(path, &st) != 0)
			continue;
		if (S_ISDIR(st.st_mode) && !read_folder(g, path, e))
			return false;
		if (!S_ISREG(st.st_mode))
			continue;
		struct file_map m;
		if (!file_map(&m, path, e))
			return false;
		take_digests(g, (struct str){m.p, m.n});
		file_unmap(&m);
	}
	return names != NULL;
}

static bool is_young_by(const struct gc *g, const struct stat *st)
{
	int64_t changed_ns = (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec;
	return (double)(g->now_ns - changed_ns) < g->o->min_age_s * 1e9;
}

static bool is_young(const struct gc *g, const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && is_young_by(g, &st);
}

static uint64_t bytes_of(struct gc *g, const char *path)
{
	struct tree t = {.n_bytes = 0};
	struct tree_limits wide = {.max_files = UINT32_MAX};
	struct err ignored;
	return tree_digest(path_join(g->p->arena, path, "payload"), &wide, &t, &ignored) ? t.n_bytes : 0;
}

/* Taken out of its place first; who has begun to use it since it was looked at has changed its time, and gets it back. */
static bool remove_object(struct gc *g, const char *path, const struct stat *before, struct err *e)
{
	char *aside = arena_printf(g->p->arena, "%s/" ASIDE "%s", path_dir(g->p->arena, path), path_base(path));
	struct stat after;
	if (rename(path, aside) != 0)
		return errno == ENOENT || err_errno(e, ERR_IO, errno, "%s: cannot be taken away", path);
	bool is_used = lstat(aside, &after) == 0 && (after.st_mtim.tv_sec != before->st_mtim.tv_sec ||
						     after.st_mtim.tv_nsec != before->st_mtim.tv_nsec);
	if (is_used)
		return rename(aside, path) == 0 || err_errno(e, ERR_IO, errno, "%s: cannot be put back", path);
	return file_remove_tree(aside, e);
}

/* What a collection that was ended had taken aside, and what a record names since: whole, it gets its name again. */
static bool put_back(struct gc *g, const char *name, const char *aside)
{
	struct err ignored;
	const char *digest = name + strlen(ASIDE);
	char *path = arena_printf(g->p->arena, "%s/objects/sha256/%s", g->p->root, digest);
	if (!str_starts(str_from(name), ASIDE) || !map_find(&g->named, str_from(digest)) || file_exists(path))
		return false;
	if (g->o->is_dry)
		return true;
	if (rename(aside, path) != 0)
		return false;
	if (evidence_check_object(g->p, digest, &ignored))
		return true;
	if (rename(path, aside) != 0)
		log_note("%s: is not whole", path);
	return false;
}

static bool look_at(struct gc *g, const char *name, struct err *e)
{
	struct stat before;
	char *path = arena_printf(g->p->arena, "%s/objects/sha256/%s", g->p->root, name);
	if (name[0] == '.') {
		if (put_back(g, name, path)) {
			g->n_restored++;
			return true;
		}
		if (is_young(g, path))
			return true;
		g->n_leftovers++;
		return g->o->is_dry || file_remove_tree(path, e);
	}
	g->n_objects++;
	if (map_find(&g->named, str_from(name)))
		return true;
	if (lstat(path, &before) != 0) /* taken away meanwhile */
		return true;
	if (is_young_by(g, &before)) {
		g->n_young++;
		return true;
	}
	struct json *j = json_object(g->p->arena);
	uint64_t n = bytes_of(g, path);
	json_set_cstr(j, "digest", name);
	json_set_u64(j, "bytes", n);
	json_push(json_get(g->out, "removed"), j);
	g->n_bytes += n;
	return g->o->is_dry || remove_object(g, path, &before, e);
}

static bool look_at_objects(struct gc *g, struct err *e)
{
	size_t n = 0;
	char **names = file_list(g->p->arena, evidence_path(g->p, "objects/sha256"), &n, e);
	for (size_t i = 0; names && i < n; i++) {
		if (!look_at(g, names[i], e))
			return false;
	}
	return names != NULL;
}

/* Temporaries of writers that died: records that got no name, staging folders. */
static bool look_at_temporaries(struct gc *g, struct err *e)
{
	static const char *const folders[] = {"experiments", "champion/selections", "falsifications",
					      "drafts",      "reconciliations",     ".staging"};
	for (size_t k = 0; k < COUNT_OF(folders); k++) {
		size_t n = 0;
		char *folder = evidence_path(g->p, folders[k]);
		char **names = file_is_dir(folder) ? file_list(g->p->arena, folder, &n, e) : NULL;
		for (size_t i = 0; names && i < n; i++) {
			char *path = path_join(g->p->arena, folder, names[i]);
			bool is_temporary = names[i][0] == '.' || strcmp(folders[k], ".staging") == 0;
			if (!is_temporary || is_young(g, path))
				continue;
			g->n_leftovers++;
			if (!g->o->is_dry && !file_remove_tree(path, e))
				return false;
		}
	}
	return true;
}

/* What the Target itself names is named: else the records were not read as they are. */
static bool holds_original(struct gc *g, struct err *e)
{
	struct json *t = evidence_record(g->p, "target.json", NULL, e);
	struct str digest = json_str(json_get(t, "original"), "digest", STR(""));
	if (!t)
		return false;
	return map_find(&g->named, digest) != NULL ||
	       err_set(e, ERR_CORRUPT, "%s/target.json: names no original; nothing is removed", g->p->root);
}

/* One collection at a time: what one takes aside, another would put back half removed. */
static int lock_objects(struct protocol *p, struct err *e)
{
	int fd = open(evidence_path(p, "objects/sha256"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	if (fd >= 0 && errno == EWOULDBLOCK)
		err_set(e, ERR_ENVIRONMENT, "%s: another collection works there; try again when it has ended", p->root);
	else
		err_errno(e, ERR_IO, errno, "%s/objects/sha256: cannot be opened", p->root);
	if (fd >= 0)
		close(fd);
	return -1;
}

struct json *evidence_gc(struct protocol *p, const struct gc_options *o, struct err *e)
{
	struct gc g = {.p = p, .o = o, .out = json_object(p->arena), .now_ns = clock_unix_ns()};
	if (!file_exists(evidence_path(p, "target.json"))) {
		err_set(e, ERR_INPUT, "%s: holds no target.json: it is no evidence root", p->root);
		return NULL;
	}
	map_init(&g.named, p->arena);
	json_set_cstr(g.out, "format", "assay/evidence-gc-v1");
	json_set_cstr(g.out, "root", p->root);
	json_set_bool(g.out, "dry_run", o->is_dry);
	json_set_array(g.out, "removed");
	int lock = lock_objects(p, e);
	bool ok = lock >= 0 && read_folder(&g, p->root, e) && holds_original(&g, e) && look_at_objects(&g, e) &&
		  look_at_temporaries(&g, e);
	if (lock >= 0)
		close(lock);
	if (!ok)
		return NULL;
	json_set_u64(g.out, "n_objects", g.n_objects);
	json_set_u64(g.out, "n_young", g.n_young);
	json_set_u64(g.out, "n_referenced", g.n_objects - g.n_young - json_get(g.out, "removed")->n);
	json_set_u64(g.out, "n_bytes", g.n_bytes);
	json_set_u64(g.out, "n_leftovers", g.n_leftovers);
	json_set_u64(g.out, "n_restored", g.n_restored);
	return g.out;
}
