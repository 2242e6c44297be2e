/* A run folder and its manifest: run_manifest.json, iter_v0/, iter_v1/, ... One process works in it at a time. */
#ifndef ASSAY_LOOP_RUN_H
#define ASSAY_LOOP_RUN_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

struct run {
	struct arena *arena;
	const char *folder;    /* absolute */
	struct json *manifest; /* assay/run-v1; published keys: iterations[], best_iteration, strategy_memory */
	int lock;              /* descriptor of FOLDER/.lock */
};

/* Makes the folder, or opens it when there is a manifest; takes its lock. ERR_BUSY: another process works there. */
MUST_USE bool run_open(struct run *out, struct arena *a, const char *folder, struct err *e);
void run_close(struct run *r);
const char *run_proposal_path(const struct run *r, size_t i); /* of the proposal in iter_vI */
/* Reference, operator file and the like as v0 froze them: nothing is looked for any more. */
struct operator_input;
void run_frozen_input(const struct run *r, struct operator_input *in);
bool run_is_new(const struct run *r);                 /* no version was evaluated yet */
MUST_USE bool run_save(struct run *r, struct err *e); /* the manifest, atomically */
size_t run_n_iterations(const struct run *r);
struct json *run_iteration(const struct run *r, size_t i);        /* NULL when absent */
void run_put_iteration(struct run *r, size_t i, struct json *it); /* appends or replaces */
/* Undoes run_put_iteration: `before` again, or none. */
void run_take_back(struct run *r, size_t i, struct json *before);
const char *run_iteration_folder(const struct run *r, size_t i);
/* Where version i is to be written: FOLDER/versions/v<i><ext>. */
const char *run_next_path(const struct run *r, size_t i);
/* And its set of configurations: FOLDER/versions/v<i>.set.json. NULL: a kernel in Python has none. */
const char *run_next_set_path(const struct run *r, size_t i);
/* FOLDER/NAME as JSON, pretty. */
MUST_USE bool run_write_json(const struct run *r, const char *name, const struct json *j, struct err *e);

#endif
