/* The keeper: a trusted process of ours that owns the tensors. It fills inputs, poisons outputs, checks guard zones,
 * hashes and compares; workers map its memory, answers stay with it. What it says is a fact, not a claim.
 * The parent's side of it is here; the process itself is keeper_main. */
#ifndef ASSAY_RUN_KEEPER_H
#define ASSAY_RUN_KEEPER_H

#include "base/dtype.h"
#include "wire/message.h"

#define KEEPER_MAX_REGIONS 192
#define KEEPER_MAX_LAYOUTS 68 /* OPERATOR_MAX_CASES, and layouts that no case has */

struct wire_region_seed { /* a region that is to hold the data set of this seed */
	uint64_t region, seed;
};
struct wire_pair {
	uint64_t from, to;
};
struct wire_refill { /* the fill of one tensor; is_wanted 0: it is an output only */
	uint64_t is_wanted, dtype, kind;
	double lo, hi;
};
struct keeper;
struct keeper_options {
	const char *program; /* assay's binary */
	const char *folder;  /* private, writable */
	const char *backend; /* "c" or "cuda" */
	const char *gpu;     /* UUID; NULL for backend c */
};
/* Does not wait until it is ready: the first request does, and says what is missing. */
MUST_USE struct keeper *keeper_start(const struct keeper_options *o, struct err *e);
void keeper_free(struct keeper *k); /* NULL is fine */
void keeper_bye(struct keeper *k);  /* tells it to end; keeper_free waits */
/* "host", "exported", or "staged": the GPU's memory cannot be shared, tensors lie in memory files and workers copy them in
 * and out (WIRE_MAP). "" before the first request. */
const char *keeper_memory(const struct keeper *k);
const char *keeper_reason(const struct keeper *k); /* why staged; "" else */

double keeper_l2_bytes(const struct keeper *k); /* of the GPU; 0: not known */

/* Regions made from now on have layout number l->i_case, and keep it. Regions of that number are freed when it is
 * another one than before. l->scalars is not used. */
MUST_USE bool keeper_layout(struct keeper *k, const struct wire_layout *l, struct err *e);
/* Makes region i, anew when it is there. *fd (may be NULL) gets a descriptor for a worker to map; the caller closes it. */
MUST_USE bool keeper_alloc(struct keeper *k, size_t region, int *fd, struct err *e);
MUST_USE bool keeper_drop(struct keeper *k, size_t region, struct err *e);
MUST_USE bool keeper_fill(struct keeper *k, const struct wire_fill *f, struct err *e);
/* Each region gets the data set of its seed, by these fills (one per tensor), its outputs the pattern, its guards anew. */
MUST_USE bool keeper_refresh(struct keeper *k, const struct wire_region_seed *what, size_t n, struct str fills,
			     uint64_t pattern, struct err *e);
/* Whole regions of one layout, with what was poisoned in them. */
MUST_USE bool keeper_copy(struct keeper *k, const struct wire_pair *pairs, size_t n, struct err *e);
/* Outputs of the region get the pattern; with guards the guard zones are written. */
MUST_USE bool keeper_poison(struct keeper *k, size_t region, uint64_t pattern, unsigned guards, struct err *e);
/* Bytes of a region to and from a memory file laid out like the region: `offset` is the position in both. */
MUST_USE bool keeper_read(struct keeper *k, size_t region, uint64_t offset, uint64_t bytes, int fd, struct err *e);
MUST_USE bool keeper_write(struct keeper *k, size_t region, uint64_t offset, uint64_t bytes, int fd, struct err *e);
/* Regions of two layouts may be compared: the tensor has the same type and size in both. */
MUST_USE bool keeper_compare(struct keeper *k, const struct wire_compare *c, struct wire_compared *out, struct err *e);
MUST_USE bool keeper_hash(struct keeper *k, size_t region, size_t i_tensor, uint64_t *out, struct err *e);
MUST_USE bool keeper_guard(struct keeper *k, size_t region, struct wire_guarded *out, struct err *e);

#endif
