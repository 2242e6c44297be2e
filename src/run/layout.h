/* An operator's case as memory and arguments: where each tensor lies in a region, what the entry is called with. */
#ifndef ASSAY_RUN_LAYOUT_H
#define ASSAY_RUN_LAYOUT_H

#include "operator/operator.h"
#include "wire/message.h"

struct layout {
	struct wire_tensor *tensors; /* one per tensor parameter, in order; offsets grow */
	size_t *i_param;             /* the parameter of each tensor */
	struct fill *fills;          /* of each tensor */
	size_t n_tensors;
	uint64_t bytes;    /* of one region */
	uint64_t *scalars; /* one per argument of the entry; 0 for tensors */
	struct wire_arg *args;
	size_t n_args;
};

/* Tensors start at multiples of 512 bytes with at least WIRE_GUARD_BYTES of guard before and behind each. */
void layout_make(struct layout *out, struct arena *a, const struct operator* op, const struct op_case *c);
/* Tensors at edges of pages, with a whole page before and behind each: where the host's memory protection finds accesses
 * beside a tensor. */
struct layout_edge {
	uint64_t page;  /* bytes */
	uint64_t align; /* is_end: the tensor ends at the edge, rounded up to this, which is the alignment it has */
	bool is_end;    /* else it begins at the edge */
};
void layout_place(struct layout *out, struct arena *a, const struct operator* op, const struct op_case *c,
		  const struct layout_edge *edge); /* NULL: as layout_make */
/* The FILL message for tensor i of a region: the operator's fill with this seed. */
struct wire_fill layout_fill(const struct layout *l, size_t i_tensor, uint64_t seed);
bool layout_is_input(const struct layout *l, size_t i_tensor);  /* in or inout: filled */
bool layout_is_output(const struct layout *l, size_t i_tensor); /* out or inout: compared */

#endif
