/* The evidence root: everything about one Target in one folder, laid out as published, readable by a person.
 *   target.json                                   what is optimised, frozen
 *   objects/sha256/DIGEST/{manifest.json,payload/}  frozen folders and files (store/tree.h gives manifest and digest)
 *   experiments/exp-*.json  invocations/inv-*\/  champion/{current.json,selections/}  .locks/
 * A record is written to a temporary, flushed and linked: a reader sees all of it or nothing, and nothing is overwritten but
 * champion/current.json. An object appears by a rename after it was flushed. */
#ifndef ASSAY_PROTOCOL_EVIDENCE_H
#define ASSAY_PROTOCOL_EVIDENCE_H

#include "store/tree.h"

struct protocol;
/* A request that makes no driver call: reads what is frozen, members into `result` (observations, unmodeled, provenance). `folder`
 * is the invocation's. False: p->code is the stop reason. */
typedef bool protocol_reader(struct json *result, struct protocol *p, const struct json *frozen, const char *folder,
			     struct err *e);

struct protocol { /* one request while it is answered */
	struct arena *arena;
	const char *program;   /* this binary, for background processes */
	const char *root;      /* artifact_root, absolute */
	const char *code;      /* published error_code should the step being done fail */
	protocol_reader *read; /* of the room above; NULL: this process starts none */
};
/* Sets p->code; always returns true, so that it chains with &&. */
bool protocol_step(struct protocol *p, const char *code);

/* Freezes a folder or file; *ref: {digest, locator, source_kind, file_count, total_bytes}. There already: checked and used. */
MUST_USE bool evidence_freeze(struct protocol *p, const char *path, const struct tree_limits *limits, struct json **ref,
			      struct err *e);
/* The ref alone. */
MUST_USE bool evidence_digest(struct protocol *p, const char *path, const struct tree_limits *limits, struct json **ref,
			      struct err *e);
/* Makes the folder `path` (below the root, its bytes give `digest`) an object by renaming it. Not flushed: evidence_sync. */
MUST_USE bool evidence_adopt(struct protocol *p, const char *path, const char *digest, struct err *e);
/* Hashes an object again; ERR_CORRUPT when it is not what its name says. */
MUST_USE bool evidence_check_object(struct protocol *p, const char *digest, struct err *e);
MUST_USE bool evidence_sync(struct protocol *p, struct err *e); /* all of the root's file system */
/* Copies the payload to the new folder `to`, hashing what was written; returns the path to give to a driver: the folder, or
 * the file in it where a single file was frozen. NULL and err on failure. */
MUST_USE char *evidence_materialise(struct protocol *p, const char *digest, const char *to, struct err *e);
MUST_USE struct tree_entry *evidence_entries(struct protocol *p, const char *digest, size_t *n, struct err *e);

/* Writes a record once, at most 1 GiB (ERR_NO_SPACE). The same bytes there already: fine; other bytes: ERR_CORRUPT. sha256 is of the file's bytes (may be
 * NULL). */
MUST_USE bool evidence_write(struct protocol *p, const char *name, const struct json *record, char sha256[SHA256_HEX],
			     struct err *e);
/* Reads a record; sha256 (may be NULL) gets that of its bytes. Absent is ERR_INPUT. */
MUST_USE struct json *evidence_record(struct protocol *p, const char *name, char sha256[SHA256_HEX], struct err *e);
char *evidence_path(const struct protocol *p, const char *name); /* below the root */
/* sha256 of the canonical JSON: sorted keys, no blanks, no newline. */
void evidence_canonical(const struct json *j, char sha256[SHA256_HEX]);
/* An exclusive lock that dies with the process: .locks/NAME.lock; -1 and err on failure. close() gives it back. */
MUST_USE int evidence_lock(struct protocol *p, const char *name, struct err *e);

/* Hashes objects, and records that others refer to, again; names what is damaged, unfinished or left over: {root, n_objects, n_records,
 * damage: [{path, what}], unfinished: [id], n_leftovers}. */
MUST_USE struct json *evidence_verify(struct protocol *p, struct err *e);

#endif
