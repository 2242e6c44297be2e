/* Caches: folders under $XDG_CACHE_HOME/assay/NAME (else ~/.cache/assay/NAME; $ASSAY_CACHE_DIR/NAME overrides), one entry
 * a key, bounded in bytes, least recently used out first. Safe under concurrent processes. Everything in a cache can be
 * thrown away: a damaged entry counts as absent and is removed. Key = sha256 of all that decides the content. */
#ifndef ASSAY_STORE_CACHE_H
#define ASSAY_STORE_CACHE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/sha256.h"

struct cache;
struct cache_entry { /* an entry in use: it is not evicted before cache_done */
	char *path;  /* the folder with the entry's files, read-only by agreement */
	int fd;      /* holds the shared lock */
	uint64_t n_bytes;
};
struct cache_draft { /* an entry being made */
	char *path;  /* a private folder: put files there (no folders, no symlinks) */
	int fd;
	char key[SHA256_HEX];
};

/* max_bytes 0: 8 GiB. */
MUST_USE struct cache *cache_open(const char *name, uint64_t max_bytes, struct err *e);
void cache_free(struct cache *c);
const char *cache_folder(const struct cache *c);

/* Looks the key up; hashes the entry's files. False: absent (not an error). */
MUST_USE bool cache_get(struct cache *c, struct arena *a, const char *key, struct cache_entry *out);
void cache_done(struct cache_entry *entry);
/* For entries that also depend on files that were found while they were made (included headers, modules that were imported):
 * the first of up to 8 variants of the key for which `holds` says that those files are as they were. False: none; then
 * `vacant` is the key for a new entry, "" when all variants are in use. */
typedef bool cache_holds(void *ctx, const struct cache_entry *entry);
struct cache_check {
	cache_holds *holds;
	void *ctx;
};
MUST_USE bool cache_get_checked(struct cache *c, struct arena *a, const char *key, const struct cache_check *check,
				struct cache_entry *out, char vacant[SHA256_HEX]);
/* Removes an entry whose content turned out to be of the past, unless somebody uses it. */
void cache_drop(struct cache *c, const char *key);
/* A new entry: begin, write files into draft.path, commit. Commit seals the files (mode 0444, sizes and digests in
 * entry.json) and evicts what is too much; when another process was first, its entry stays and ours is dropped.
 * An entry larger than the whole cache is dropped: ERR_NO_SPACE. */
MUST_USE bool cache_begin(struct cache *c, struct arena *a, const char *key, struct cache_draft *out, struct err *e);
MUST_USE bool cache_commit(struct cache *c, struct cache_draft *draft, struct err *e);
void cache_abandon(struct cache_draft *draft);

/* Small values in one call each. */
MUST_USE bool cache_get_bytes(struct cache *c, struct arena *a, const char *key, struct str *out);
MUST_USE bool cache_put_bytes(struct cache *c, const char *key, struct str value, struct err *e);

struct cache_usage {
	uint64_t n_entries, n_bytes, max_bytes;
};
MUST_USE bool cache_usage(struct cache *c, struct cache_usage *out, struct err *e);
/* Evicts down to max_bytes (0: everything that is not in use). */
MUST_USE bool cache_trim(struct cache *c, uint64_t max_bytes, struct err *e);

#endif
