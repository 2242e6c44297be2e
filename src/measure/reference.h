/* The reference: the user's trusted answer. Its outputs go into the lab's expected regions and are cached by all that
 * decides them, so that a second run costs no reference. Its own failure is data too. */
#ifndef ASSAY_MEASURE_REFERENCE_H
#define ASSAY_MEASURE_REFERENCE_H

#include "build/build.h"
#include "measure/lab.h"

struct reference_options {
	const char *program, *folder, *nvcc; /* nvcc: for .cu references */
	const char *python;                  /* interpreter, NULL: python3 on the PATH */
	const struct guest *guest;           /* the same when it was asked who it is; NULL: it is asked */
	int64_t timeout_ns;                  /* of one reference run */
	size_t n_warmup, n_repeat;           /* timing of case 0; repeat 0: not timed */
	uint64_t max_cache_bytes;            /* outputs larger than this are not cached; 0: 1 GiB */
	bool no_cache;
};
enum reference_flags { REFERENCE_HAS_ATOL = 1, REFERENCE_HAS_RTOL = 2 };
struct reference {
	const struct operator* op;
	const struct lab_device *device;
	const struct reference_options *options;
	enum reference_kind kind;
	const char *path;
	const char *python;        /* resolved */
	struct artifact built;     /* native ones */
	char identity[SHA256_HEX]; /* source, interpreter or compiler, libraries */
	double call_ns;            /* wall time of one call, roughly; 0: not known */
	double atol, rtol;         /* module-level, .py; known after the first reference_fill */
	unsigned flags;
	/* .py: outputs of cases that one process has answered before they are asked for, [i_case * LAB_SEEDS + i_seed];
	 * -1: none */
	int *ahead;
	struct json *files_read; /* by that process */
	const char *fault;       /* why it cannot be used, or NULL */
	struct json *facts;      /* kind, path, sha256, interpreter, library, device, cached */
	struct json *timing;     /* {"source","samples_ns"} of case 0, or NULL */
};

/* Builds a native reference, identifies an interpreter. A reference that does not build has `fault` set. What is passed
 * must outlive it. */
MUST_USE bool reference_open(struct reference *out, struct arena *a, const struct operator* op,
			     const struct lab_device *d, const struct reference_options *o, struct err *e);
/* Puts the expected outputs of the lab's current case into its expected regions. False with err: assay's trouble;
 * true with r->fault set: the reference failed (text says how). */
MUST_USE bool reference_fill(struct reference *r, struct arena *a, struct lab *l, size_t i_case, struct err *e);
void reference_release(struct reference *r); /* all zero is fine */

#endif
