/* The lab: the one place where running and looking alternate. It owns a keeper with the tensors and the workers that map
 * them; it runs calls and has the keeper look at what they left behind. Faults of the candidate are data (struct
 * lab_fault), an err means that assay could not do its job. */
#ifndef ASSAY_MEASURE_LAB_H
#define ASSAY_MEASURE_LAB_H

#include "facts/verdict.h"
#include "measure/device.h"
#include "run/layout.h"
#include "run/worker.h"

#define LAB_MAX_SLOTS 16
#define LAB_SEEDS 2 /* public data sets of a case; slot i holds set i % LAB_SEEDS unless lab_data.h says otherwise */
#define LAB_PATTERN_A UINT64_C(0xffffffffffffffff) /* NaN in every float format, -1 in integers */
#define LAB_PATTERN_B UINT64_C(0x7b7b7b7b7b7b7b7b) /* large and finite in every float format */

struct guest;
struct lab_subject {         /* what is loaded: the candidate, or a native reference */
	const char *name;    /* "candidate", "reference" */
	const char *library; /* shared object */
	const char *symbol;
	bool returns_int;
	const struct guest *guest; /* written in Python: library is its module; NULL: native */
	bool is_trusted;           /* no seal, no sandbox */
	const struct operator*
		op; /* whose parameters the entry takes, where they are passed in another way (references);
				    * NULL: the lab's */
};
struct lab_options {
	const char *program;                    /* assay's binary */
	const char *folder;                     /* private scratch, exists; removed by the caller */
	const char *cupti;                      /* path, or NULL */
	int64_t call_timeout_ns;                /* for one batch */
	uint64_t max_memory_bytes, evict_bytes; /* as in bench_options (measure/bench.h) */
	size_t n_slots;        /* wanted for case 0, the one that is timed; other cases get LAB_SEEDS */
	uint64_t memory_bytes; /* for all regions of a case: fewer slots where they do not fit; 0: no limit */
	/* The caller's inputs, memory files laid out like a region, [i_case * LAB_SEEDS + i_seed]; NULL: the fills. */
	const int *data_files;
	const char *const *data_digests;
	size_t n_captures;   /* of case 0 (lab_data.h); fewer where they do not fit */
	uint64_t keep_bytes; /* expected regions of cases that were left stay while all of them fit in here; 0: none */
};
struct lab_fault {
	enum verdict verdict;
	const char *text;
	const char *witness; /* "parent", "keeper" or "claim" */
	const char *mode;    /* worker mode in which it came up */
};

struct lab;
struct keeper;
MUST_USE struct lab *lab_open(struct arena *a, const struct operator* op, const struct lab_device *d,
			      const struct lab_options *o, struct err *e);
void lab_free(struct lab *l); /* NULL is fine */
const struct layout *lab_layout(const struct lab *l);
struct keeper *lab_keeper(struct lab *l);

/* Lays the memory out for case i: LAB_SEEDS expected regions with inputs filled, and slots with the same inputs,
 * in memory that is allocated anew, with poisoned outputs and guards (LAB_SEEDS .. LAB_MAX_SLOTS, see lab_options). Every worker that is open is told. */
MUST_USE bool lab_case(struct lab *l, size_t i_case, struct err *e);
size_t lab_n_slots(const struct lab *l);
uint64_t lab_seed(const struct op_case *c, size_t i_seed);            /* of a data set */
int lab_data_file(const struct lab *l, size_t i_case, size_t i_seed); /* of lab_options; -1: the operator's fills */
const char *lab_data_digest(const struct lab *l); /* of the current case; "" : the operator's fills */
/* Do the current case's expected regions hold the answers? reference_fill sets it; lab_options.keep_bytes keeps it. */
bool lab_is_filled(const struct lab *l);
void lab_set_filled(struct lab *l);
size_t lab_expected_region(const struct lab *l, size_t set);

/* A worker in a mode ("identity", "time", "event", "plain", "count"). Starting is cheap to overlap: lab_start only starts
 * it, lab_join waits until it is ready (and maps the current case). */
struct lab_worker;
MUST_USE struct lab_worker *lab_start(struct lab *l, const struct lab_subject *s, const char *mode, struct err *e);
/* ASK_FAULT: the candidate's fault is in *fault. */
MUST_USE enum ask_result lab_join(struct lab *l, struct lab_worker *w, struct lab_fault *fault, struct err *e);
void lab_await(struct lab_worker *w); /* waits until it is ready or has failed; lab_join then says which */
void lab_leave(struct lab_worker *w); /* tells it to end and does not wait; lab_end must follow */
void lab_end(struct lab *l, struct lab_worker *w);
struct lab *lab_of(const struct lab_worker *w);
struct worker *lab_process(const struct lab_worker *w);
const char *lab_worker_folder(const struct lab_worker *w); /* its private one: what lies there is a claim */
const struct json *lab_facts(const struct lab_worker *w);  /* what the worker said when it was ready: claims */

struct lab_batch {
	size_t n, first_call, first_slot;
	unsigned flags; /* enum wire_call_flags */
	uint64_t pattern, placement, block, side;
	const int64_t *phases; /* n, or NULL */
};
struct lab_rows {
	struct wire_row *rows;
	size_t n;
	struct wire_launch *launches; /* identity */
	size_t n_launches;
	const char **names; /* kernel and API names by index */
	size_t n_names;
	int64_t begin_ns, wall_ns; /* the parent's clock around the whole batch */
};
MUST_USE enum ask_result lab_run(struct lab *l, struct lab_worker *w, const struct lab_batch *b, struct lab_rows *out,
				 struct lab_fault *fault, struct err *e);
/* After an identity batch: record only what timing needs. */
MUST_USE enum ask_result lab_reduce(struct lab *l, struct lab_worker *w, struct lab_fault *fault, struct err *e);
/* Counters of a "count" worker. */
MUST_USE enum ask_result lab_counters(struct lab *l, struct lab_worker *w, struct json **out, struct lab_fault *fault,
				      struct err *e);
/* Slot i anew with its public data set. */
MUST_USE bool lab_refresh(struct lab *l, size_t slot, uint64_t pattern, struct err *e);

#endif
