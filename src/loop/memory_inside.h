/* What memory.c and memory_document.c share. */
#ifndef ASSAY_LOOP_MEMORY_INSIDE_H
#define ASSAY_LOOP_MEMORY_INSIDE_H

#include "loop/memory.h"
#include "loop/sql.h"

#define MEMORY_FORMAT "assay/strategy-memory-v1"
#define MEMORY_MIRROR "global_strategy_memory.json"

struct memory {
	struct arena arena; /* as long as the memory is open */
	const char *folder, *mirror;
	struct sql sql;
	int lock;
};

struct memory_key {
	const char *scope, *fingerprint, *outcome;
};
/* NULL without err: there is none. */
MUST_USE bool memory_get(struct memory *m, const struct memory_key *k, struct json **out, struct arena *a,
			 struct err *e);
MUST_USE bool memory_put(struct memory *m, const struct memory_key *k, const struct json *data, struct err *e);
MUST_USE bool memory_put_scope(struct memory *m, const char *key, const struct json *meta, struct err *e);
MUST_USE bool memory_put_run(struct memory *m, const char *run_id, int64_t n_applied, struct err *e);
MUST_USE bool memory_put_reopened(struct memory *m, const char *scope, const char *fingerprint, const struct json *data,
				  struct err *e);
/* The next number of a change, and the time of the last one. Inside a transaction. */
MUST_USE bool memory_next(struct memory *m, int64_t *sequence, const char *at, struct err *e);

/* A change: lock, transaction; then the mirror, and the lock is given back. memory_done with ok false rolls back. */
MUST_USE bool memory_change(struct memory *m, struct err *e);
MUST_USE bool memory_done(struct memory *m, bool ok, struct err *e);
/* Writes the mirror if the database has changed since. The lock is held. */
MUST_USE bool memory_mirror(struct memory *m, struct err *e);
/* As memory_import, inside a change. */
MUST_USE bool memory_take(struct memory *m, const struct json *document, size_t *n_taken, struct err *e);

#endif
