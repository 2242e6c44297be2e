/* What reference.c and reference_cache.c share, and answers to fresh data. */
#ifndef ASSAY_MEASURE_REFERENCE_INSIDE_H
#define ASSAY_MEASURE_REFERENCE_INSIDE_H

#include "measure/lab_data.h"
#include "measure/reference.h"

struct cache;
struct fill_job { /* answers of some data sets of one case */
	struct reference *r;
	struct arena *arena;
	struct lab *lab;
	const struct operator* op;
	const struct lab_device *device;
	const struct reference_options *options;
	size_t i_case;
	size_t sets[LAB_SETS]; /* n of them */
	int files[LAB_SETS];   /* memory files laid out like a region, one a set */
	size_t n;
	struct json *files_read; /* a Python reference: what it opened, with digests */
};

struct reference_captures {
	const size_t *i_capture;
	bool *is_valid; /* set: the answer is finite */
	size_t n;
};
/* The answers of these captures of the current case, never from the cache. A native reference works in the lab's slots: no
 * candidate's worker may be left. */
MUST_USE bool reference_fresh(struct reference *r, struct arena *a, struct lab *l, const struct reference_captures *c,
			      struct err *e);
/* The region of a case that need not be laid out in the lab, in a memory file: the same values, made on the host, outputs
 * poisoned. */
struct python_case;
MUST_USE bool reference_given(struct lab *l, const struct operator* op, const struct python_case *pc, size_t i_seed,
			      int fd, struct err *e);
void reference_cache_key(const struct fill_job *j, char key[SHA256_HEX]);
/* A miss leaves the key for a new entry in `key`. */
bool reference_fetch(struct fill_job *j, struct cache *c, char key[SHA256_HEX]);
void reference_keep(struct fill_job *j, struct cache *c, const char *key);
uint64_t reference_output_bytes(const struct layout *y);
/* [{"path","sha256"}]: what the module read beside itself. */
struct json *reference_digest_files(struct arena *a, const struct json *paths);

#endif
