/* The keeper: a trusted process of ours that owns the tensors. It fills inputs, poisons outputs, checks guard zones,
 * hashes and compares; workers map its memory, answers stay with it. What it says is a fact, not a claim.
 * The parent's side of it is here; the process itself is keeper_main. */
#ifndef ASSAY_RUN_KEEPER_H
#define ASSAY_RUN_KEEPER_H

#include "base/dtype.h"
#include "base/json.h"
#include "wire/message.h"

#define KEEPER_MAX_REGIONS 160
#define KEEPER_MAX_LAYOUTS 64 /* OPERATOR_MAX_CASES */

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

/* Regions made from now on have layout number l->i_case, and keep it. Regions of that number are freed when it is
 * another one than before. l->scalars is not used. */
MUST_USE bool keeper_layout(struct keeper *k, const struct wire_layout *l, struct err *e);
/* Makes region i, anew when it is there. *fd (may be NULL) gets a descriptor for a worker to map; the caller closes it. */
MUST_USE bool keeper_alloc(struct keeper *k, size_t region, int *fd, struct err *e);
MUST_USE bool keeper_drop(struct keeper *k, size_t region, struct err *e);
MUST_USE bool keeper_fill(struct keeper *k, const struct wire_fill *f, struct err *e);
/* Outputs of the region get the pattern; with guards the guard zones are written. */
MUST_USE bool keeper_poison(struct keeper *k, size_t region, uint64_t pattern, unsigned guards, struct err *e);
/* Bytes of a region to and from a memory file laid out like the region: `offset` is the position in both. */
MUST_USE bool keeper_read(struct keeper *k, size_t region, uint64_t offset, uint64_t bytes, int fd, struct err *e);
MUST_USE bool keeper_write(struct keeper *k, size_t region, uint64_t offset, uint64_t bytes, int fd, struct err *e);
MUST_USE bool keeper_compare(struct keeper *k, const struct wire_compare *c, struct wire_compared *out, struct err *e);
MUST_USE bool keeper_hash(struct keeper *k, size_t region, size_t i_tensor, uint64_t *out, struct err *e);
MUST_USE bool keeper_guard(struct keeper *k, size_t region, struct wire_guarded *out, struct err *e);

/* The process: serves the parent on link_fd until BYE. Returns the exit status. */
int keeper_main(int link_fd);

#endif
