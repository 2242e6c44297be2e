/* The object store: bytes whose name is their sha256, and JSON records, under one root:
 *   objects/ab/cdef...   one object a file, mode 0444
 *   trees/ab/cdef...     one manifest a file (store/tree.h)
 *   records/KIND/ID.json one record a file; ID carries the first 32 digits of the sha256 of its bytes
 * Publish = temporary in the same folder, write, fsync, link to the final name, compare on EEXIST, fsync of the folder:
 * nothing is ever overwritten, a crash at any point leaves a store that verifies. Readers hash again.
 * Several processes may use one store at once. */
#ifndef ASSAY_STORE_OBJECT_H
#define ASSAY_STORE_OBJECT_H

#include "base/file.h"
#include "base/json.h"
#include "base/sha256.h"
#include "store/id.h"

struct store;
/* Opens the store at root; makes it when absent. root NULL: $ASSAY_STORE, else $XDG_DATA_HOME/assay/store, else
 * ~/.local/share/assay/store. */
MUST_USE struct store *store_open(const char *root, struct err *e);
void store_close(struct store *s);
const char *store_root(const struct store *s);
const char *store_default_root(struct arena *a); /* where store_open(NULL) goes */

/* Publishes bytes; `digest` gets the name (may be NULL). Already there with the same bytes: success, nothing is written.
 * There with other bytes: ERR_CORRUPT, naming the file. */
MUST_USE bool store_publish(struct store *s, const void *p, size_t n, char digest[SHA256_HEX], struct err *e);
/* Publishes all that can be read from fd from its current position on; more than max_bytes is ERR_INPUT. `name`
 * is for messages. */
MUST_USE bool store_publish_fd(struct store *s, int fd, const char *name, uint64_t max_bytes, char digest[SHA256_HEX],
			       struct err *e);
MUST_USE bool store_publish_file(struct store *s, const char *path, uint64_t max_bytes, char digest[SHA256_HEX],
				 struct err *e);
/* Maps an object after hashing it; absent is ERR_INPUT, damaged is ERR_CORRUPT. Give back with file_unmap. */
MUST_USE bool store_read(struct store *s, const char *digest, struct file_map *out, struct err *e);
bool store_has(struct store *s, const char *digest); /* by name only: not hashed */
/* Path of an object's file, for tools that read files; not hashed. */
char *store_path(struct arena *a, const struct store *s, const char *digest);
/* A hashed copy of the object at `path` (through a temporary; an existing file is replaced). */
MUST_USE bool store_export(struct store *s, const char *digest, const char *path, struct err *e);

/* Records: JSON objects, written pretty with sorted keys. `kind` is a word of [a-z0-9_-]; the id is KIND-<32 hex>. */
MUST_USE bool store_record(struct store *s, const char *kind, const struct json *record, char id[STORE_ID_MAX],
			   struct err *e);
MUST_USE struct json *store_record_read(struct store *s, struct arena *a, const char *id, struct err *e);
/* Ids of a kind, sorted; NULL-terminated. None yet: n = 0. */
MUST_USE char **store_record_list(struct store *s, struct arena *a, const char *kind, size_t *n, struct err *e);

/* What store_verify found. Damaged: an object or record whose bytes do not give its name, or cannot be read; missing: an
 * object that a tree names and that is not there. Leftovers are temporaries of writers that died. */
struct store_damage {
	const char *path; /* below the root */
	const char *what; /* "bytes hash to 12ab...", "missing, named by tree ...", "foreign file" */
};
struct store_check {
	uint64_t n_objects, n_records, n_bytes, n_leftovers;
	struct store_damage *damage;
	size_t n_damage, cap_damage;
};
/* Hashes everything. False only when the store could not be looked at; damage is in the result. */
MUST_USE bool store_verify(struct store *s, struct arena *a, struct store_check *out, struct err *e);
/* Removes leftovers older than min_age_ns (an hour is safe; 0 removes all: only when nobody else uses the store). Returns
 * how many. */
size_t store_sweep(struct store *s, int64_t min_age_ns);

#endif
