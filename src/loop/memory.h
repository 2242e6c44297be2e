/* Strategy memory, global level: one database and one readable mirror in a folder, shared by all runs of a user.
 *
 *   memory.sqlite               entries by scope, fingerprint and outcome; every change is one transaction on the disk
 *   global_strategy_memory.json the same in the published shape, replaced as a whole after every change; the database is
 *                               made again from it when it is absent
 *   .lock                       held while a change and its mirror are written, so that neither overtakes the other
 *
 * An entry (the published members, then ours): tags, first_iteration, last_iteration, count, last_outcome, last_reason,
 * evidence {baseline_iteration, baseline_median_ms, current_median_ms, ...}; closes, why, at. */
#ifndef ASSAY_LOOP_MEMORY_H
#define ASSAY_LOOP_MEMORY_H

#include "base/err.h"
#include "base/json.h"
#include "loop/scope.h"
#include "loop/tags.h"

extern const char *const memory_outcomes[3]; /* "positive", "negative", "rejected": the published buckets */
struct memory;
/* $XDG_DATA_HOME/assay/strategy-memory, else ~/.local/share/assay/strategy-memory. */
const char *memory_default_folder(struct arena *a);
/* Makes folder and database when absent. ERR_CORRUPT: the database is damaged, with what to do. */
MUST_USE struct memory *memory_open(const char *folder, struct err *e);
void memory_close(struct memory *m);
const char *memory_folder(const struct memory *m);

struct memory_event { /* the outcome of one version */
	const char *run_id;
	int64_t sequence; /* of the run's events, from 1: one that is there already is not counted again */
	const struct scope *scope;
	const char *fingerprint;
	const struct json
		*entry; /* as above, with last_outcome and last_iteration; count and first_iteration are kept here */
};
MUST_USE bool memory_record(struct memory *m, const struct memory_event *v, struct err *e);
/* Opens a fingerprint of a scope again: evidence up to now does not block any more. */
MUST_USE bool memory_reopen(struct memory *m, const struct scope *s, const char *fingerprint, const char *because,
			    struct err *e);

/* The whole memory in the mirror's form (format assay/strategy-memory-v1). */
MUST_USE struct json *memory_document(struct memory *m, struct arena *a, struct err *e);
/* Removes entries; NULL matches all of scope or fingerprint, not both NULL. */
MUST_USE bool memory_forget(struct memory *m, const char *scope, const char *fingerprint, size_t *n_removed,
			    struct err *e);
/* Takes the entries of a document in, ours or a published one. Of an entry that is there, the newer evidence is kept and
 * the larger count: a second import changes nothing. */
MUST_USE bool memory_import(struct memory *m, const struct json *document, size_t *n_taken, struct err *e);
/* Is the mirror what the database says? For tests and `assay memory`. */
MUST_USE bool memory_verify(struct memory *m, bool *is_equal, struct err *e);

#endif
