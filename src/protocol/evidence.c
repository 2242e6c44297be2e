/* The evidence root: frozen objects and records.
 * In: paths and JSON. Out: objects named by their digest, records named by their bytes.
 * store/tree.c makes manifests and digests; here they get the published places.
 * Never: overwrites evidence. */
#include "protocol/evidence.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "store/failpoint.h"

#define RECORD_MAX ((size_t)1 << 30) /* as much as json.h reads */

bool protocol_step(struct protocol *p, const char *code)
{
	p->code = code;
	return true;
}

char *evidence_path(const struct protocol *p, const char *name)
{
	return path_join(p->arena, p->root, name);
}

void evidence_canonical(const struct json *j, char sha256[SHA256_HEX])
{
	struct buf b;
	buf_init(&b);
	json_write(&b, j, JSON_COMPACT);
	sha256_of(b.p, b.n, sha256);
	buf_release(&b);
}

/* ---- objects ---- */

static char *object_folder(struct protocol *p, const char *digest)
{
	return arena_printf(p->arena, "%s/objects/sha256/%s", p->root, digest);
}

static struct json *object_ref(struct protocol *p, const struct tree *t, const struct json *manifest)
{
	struct json *j = json_object(p->arena);
	json_set_cstr(j, "digest", t->digest);
	json_set_cstr(j, "locator", arena_printf(p->arena, "objects/sha256/%s", t->digest));
	json_set_str(j, "source_kind", json_str(manifest, "source_kind", STR("directory")));
	json_set_u64(j, "file_count", t->n_files);
	json_set_u64(j, "total_bytes", t->n_bytes);
	return j;
}

struct described {
	struct buf manifest; /* its text */
	struct json *ref;
};

/* Manifest and ref of what lies at `path`; copied into the folder `to` on the way unless that is NULL. */
static bool describe(struct described *out, struct protocol *p, const char *path, const char *to,
		     const struct tree_limits *limits, struct err *e)
{
	struct tree t;
	struct tree_copy copy = {to, &t, &out->manifest};
	buf_init(&out->manifest);
	bool ok = to ? tree_capture(path, limits, &copy, e) : tree_manifest(path, limits, &t, &out->manifest, e);
	struct json *j = ok ? json_parse(p->arena, path, buf_view(&out->manifest), JSON_LARGE, e) : NULL;
	if (j)
		out->ref = object_ref(p, &t, j);
	else
		buf_release(&out->manifest);
	return j != NULL;
}

bool evidence_digest(struct protocol *p, const char *path, const struct tree_limits *limits, struct json **ref,
		     struct err *e)
{
	struct described d;
	if (!describe(&d, p, path, NULL, limits, e))
		return false;
	buf_release(&d.manifest);
	*ref = d.ref;
	return true;
}

/* Path that stands for the payload in `folder`: the folder, or its only file where a file was frozen. */
static char *payload_path(struct arena *a, const char *folder, struct str kind, const struct tree_entry *first)
{
	return str_is(kind, "file") ? path_join(a, folder, first->path) : arena_strdup(a, folder);
}

static bool same_digest(const char *path, const char *digest, struct err *e)
{
	struct tree got;
	struct tree_limits wide = {.max_files = UINT32_MAX};
	if (!tree_digest(path, &wide, &got, e))
		return false;
	return strcmp(got.digest, digest) == 0 ||
	       err_set(e, ERR_CORRUPT, "%s: its bytes hash to %.12s, not to %.12s", path, got.digest, digest);
}

static struct json *manifest_of(struct protocol *p, const char *digest, struct err *e)
{
	struct str text;
	char got[SHA256_HEX];
	char *path = path_join(p->arena, object_folder(p, digest), "manifest.json");
	if (!file_read(p->arena, &text, path, TREE_MAX_MANIFEST + 1, e))
		return NULL;
	sha256_of(text.p, text.n ? text.n - 1 : 0, got);
	if (strcmp(got, digest) != 0) {
		err_set(e, ERR_CORRUPT, "%s: damaged, its bytes give %.12s", path, got);
		return NULL;
	}
	return json_parse(p->arena, path, text, JSON_LARGE, e);
}

static struct tree_entry *entries_of(struct protocol *p, const struct json *manifest, size_t *n, struct err *e)
{
	struct tree_entry *entries = NULL;
	struct buf text;
	buf_init(&text);
	json_write(&text, manifest, JSON_COMPACT);
	bool ok = tree_parse(p->arena, "manifest.json", (struct str){arena_strndup(p->arena, text.p, text.n), text.n},
			     &entries, n, e);
	buf_release(&text);
	return ok ? entries : NULL;
}

struct tree_entry *evidence_entries(struct protocol *p, const char *digest, size_t *n, struct err *e)
{
	struct json *m = manifest_of(p, digest, e);
	return m ? entries_of(p, m, n, e) : NULL;
}

bool evidence_check_object(struct protocol *p, const char *digest, struct err *e)
{
	struct json *m = manifest_of(p, digest, e);
	size_t n = 0;
	struct tree_entry *entries = m ? entries_of(p, m, &n, e) : NULL;
	if (!entries)
		return false;
	char *payload = path_join(p->arena, object_folder(p, digest), "payload");
	return same_digest(payload_path(p->arena, payload, json_str(m, "source_kind", STR("")), entries), digest, e);
}

static bool put_manifest(const char *folder, const struct buf *manifest, struct arena *a, struct err *e)
{
	char *path = path_join(a, folder, "manifest.json");
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	if (fd < 0)
		return err_errno(e, ERR_IO, errno, "%s: cannot be made", path);
	bool ok = file_write_all(fd, manifest->p, manifest->n, path, e) && file_write_all(fd, "\n", 1, path, e);
	close(fd);
	return ok;
}

/* The finished folder gets its final name; another writer may have been first. */
static bool publish_folder(struct protocol *p, const char *temp, const char *digest, struct err *e)
{
	char *final = object_folder(p, digest);
	if (failpoint("object.rename"))
		return err_errno(e, ERR_IO, errno, "%s: rename", final);
	if (renameat2(AT_FDCWD, temp, AT_FDCWD, final, RENAME_NOREPLACE) == 0)
		return true;
	if (errno != EEXIST && errno != ENOTEMPTY)
		return err_errno(e, ERR_IO, errno, "%s: cannot be renamed", temp);
	return file_remove_tree(temp, e) && evidence_check_object(p, digest, e);
}

static char *draft_folder_make(struct protocol *p, struct err *e)
{
	char *parent = evidence_path(p, "objects/sha256");
	char *temp = arena_printf(p->arena, "%s/.capture-XXXXXX", parent);
	if (!file_mkdirs(parent, 0755, e))
		return NULL;
	if (!mkdtemp(temp)) {
		err_errno(e, ERR_IO, errno, "%s", temp);
		return NULL;
	}
	return temp;
}

/* The copy that was hashed on its way gets its name. */
static bool publish_capture(struct protocol *p, const char *temp, const struct json *ref, const struct buf *manifest,
			    struct err *e)
{
	const char *digest = json_str(ref, "digest", STR("")).p;
	struct err ignored;
	/* Touched first: a collection that is about to take it sees that somebody uses it. */
	if (utimensat(AT_FDCWD, object_folder(p, digest), NULL, 0) == 0)
		return file_remove_tree(temp, e) && evidence_check_object(p, digest, e);
	if (put_manifest(temp, manifest, p->arena, e) && evidence_sync(p, e) && publish_folder(p, temp, digest, e))
		return true;
	if (!file_remove_tree(temp, &ignored))
		log_note("%s", ignored.text);
	return false;
}

bool evidence_freeze(struct protocol *p, const char *path, const struct tree_limits *limits, struct json **ref,
		     struct err *e)
{
	struct described d;
	struct err ignored;
	char *temp = draft_folder_make(p, e);
	if (!temp)
		return false;
	char *payload = path_join(p->arena, temp, "payload");
	bool ok = mkdir(payload, 0755) == 0 || err_errno(e, ERR_IO, errno, "%s", payload);
	ok = ok && describe(&d, p, path, payload, limits, e);
	if (ok) {
		*ref = d.ref;
		ok = publish_capture(p, temp, d.ref, &d.manifest, e);
		buf_release(&d.manifest);
	} else if (!file_remove_tree(temp, &ignored)) {
		log_note("%s", ignored.text);
	}
	return ok;
}

bool evidence_adopt(struct protocol *p, const char *path, const char *digest, struct err *e)
{
	if (file_is_dir(object_folder(p, digest)))
		return file_remove_tree(path, e);
	struct described d;
	struct tree_limits wide = {.max_files = UINT32_MAX};
	char *temp = NULL;
	if (!describe(&d, p, path, NULL, &wide, e))
		return false;
	bool ok = str_is(json_str(d.ref, "digest", STR("")), digest) ||
		  err_set(e, ERR_CORRUPT, "%s: changed since it was hashed", path);
	ok = ok && (temp = draft_folder_make(p, e)) && put_manifest(temp, &d.manifest, p->arena, e);
	if (ok && rename(path, path_join(p->arena, temp, "payload")) != 0)
		ok = err_errno(e, ERR_IO, errno, "%s: cannot be renamed", path);
	ok = ok && publish_folder(p, temp, digest, e);
	buf_release(&d.manifest);
	return ok;
}

bool evidence_sync(struct protocol *p, struct err *e)
{
	int fd = open(p->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = fd >= 0 && syncfs(fd) == 0;
	int code = errno;
	if (fd >= 0)
		close(fd);
	return ok || err_errno(e, ERR_IO, code, "%s: syncfs", p->root);
}

char *evidence_materialise(struct protocol *p, const char *digest, const char *to, struct err *e)
{
	struct json *m = manifest_of(p, digest, e);
	size_t n = 0;
	struct tree_entry *entries = m ? entries_of(p, m, &n, e) : NULL;
	if (!entries)
		return NULL;
	char *payload = path_join(p->arena, object_folder(p, digest), "payload");
	struct str kind = json_str(m, "source_kind", STR(""));
	struct tree got;
	struct tree_limits wide = {.max_files = UINT32_MAX};
	struct tree_copy copy = {to, &got, NULL};
	if (mkdir(to, 0755) != 0) {
		err_errno(e, ERR_IO, errno, "%s", to);
		return NULL;
	}
	if (!tree_capture(payload_path(p->arena, payload, kind, entries), &wide, &copy, e))
		return NULL;
	if (strcmp(got.digest, digest) == 0)
		return payload_path(p->arena, to, kind, entries);
	err_set(e, ERR_CORRUPT, "%s: its bytes hash to %.12s, not to %.12s", payload, got.digest, digest);
	return NULL;
}

/* ---- records ---- */

static bool same_bytes(struct protocol *p, const char *path, const struct buf *b, struct err *e)
{
	struct str there;
	if (!file_read(p->arena, &there, path, (size_t)1 << 30, e))
		return false;
	return str_eq(there, buf_view(b)) || err_set(e, ERR_CORRUPT, "%s: is there with other content", path);
}

static bool link_record(struct protocol *p, const char *path, const struct buf *b, struct err *e)
{
	char *folder = path_dir(p->arena, path);
	char *temp = arena_printf(p->arena, "%s/.tmp-XXXXXX", folder);
	if (!file_mkdirs(folder, 0755, e))
		return false;
	int fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return err_errno(e, ERR_IO, errno, "%s: cannot be made", temp);
	bool ok = file_write_all(fd, b->p, b->n, path, e);
	if (ok && (failpoint("record.sync") || fchmod(fd, 0444) != 0 || fsync(fd) != 0))
		ok = err_errno(e, ERR_IO, errno, "%s: fsync", path);
	close(fd);
	if (ok && (failpoint("record.link") || link(temp, path) != 0))
		ok = errno == EEXIST ? same_bytes(p, path, b, e) : err_errno(e, ERR_IO, errno, "%s: link", path);
	unlink(temp);
	return ok && file_fsync_dir(folder, e);
}

bool evidence_write(struct protocol *p, const char *name, const struct json *record, char sha256[SHA256_HEX],
		    struct err *e)
{
	struct buf b;
	buf_init(&b);
	json_write(&b, record, JSON_PRETTY);
	if (sha256)
		sha256_of(b.p, b.n, sha256);
	bool fits = b.n <= RECORD_MAX && !failpoint("record.size");
	bool ok = fits ? link_record(p, evidence_path(p, name), &b, e)
		       : err_set(e, ERR_NO_SPACE, "%s: %zu bytes; a record has at most 1 GiB", name, b.n);
	buf_release(&b);
	return ok;
}

struct json *evidence_record(struct protocol *p, const char *name, char sha256[SHA256_HEX], struct err *e)
{
	char *path = evidence_path(p, name);
	struct file_map m;
	if (!file_exists(path)) {
		err_set(e, ERR_INPUT, "%s: is not there", path);
		return NULL;
	}
	if (!file_map(&m, path, e))
		return NULL;
	if (sha256)
		sha256_of(m.p, m.n, sha256);
	struct json *j = json_parse(p->arena, path, (struct str){m.p, m.n}, JSON_LARGE, e);
	file_unmap(&m);
	return j;
}

int evidence_lock(struct protocol *p, const char *name, struct err *e)
{
	char *folder = evidence_path(p, ".locks");
	char *path = arena_printf(p->arena, "%s/%s.lock", folder, name);
	if (!file_mkdirs(folder, 0755, e))
		return -1;
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0) {
		err_errno(e, ERR_IO, errno, "%s: cannot be opened", path);
		return -1;
	}
	while (flock(fd, LOCK_EX) != 0) {
		if (errno == EINTR)
			continue;
		err_errno(e, ERR_IO, errno, "%s: cannot be locked", path);
		close(fd);
		return -1;
	}
	return fd;
}
