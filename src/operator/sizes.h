/* Cases with numbers: dims, shapes, element counts, scalar bits, value ranges, flops and bytes. */
#ifndef ASSAY_OPERATOR_SIZES_H
#define ASSAY_OPERATOR_SIZES_H

#include "operator/operator.h"
#include "operator/opfile.h"

/* Fills op->cases. `f` is NULL where there is no operator file. `defaults`: dims that setup() declares with a whole
 * number as default. A dim that is missing, zero, negative, too large for its type, or that no parameter has; a shape
 * below 1; a product that overflows or a tensor above OPERATOR_MAX_BYTES: refused by name and line. */
MUST_USE bool sizes_resolve(struct operator* op, struct arena *a, const struct opfile *f,
			    const struct operator_input *in, const struct opt_dims *defaults, struct err *e);

struct sizes_source {              /* what the cases came from, for as long as the operator */
	const struct opfile *file; /* NULL: none */
	struct operator_input in;
	const struct opt_dims *defaults;
};
/* The dims of the first case that are given and not worked out from others: parameters by index. Returns how many. Where
 * setup() supplies the data there are none. */
size_t sizes_free(const struct operator* op, struct arena *a, size_t i_params[OPERATOR_MAX_PARAMS]);
/* The first case with these dims in place of its own. out->name and out->seed are the caller's. Refused as above. */
MUST_USE bool sizes_beside(struct op_case *out, const struct operator* op, struct arena *a, const struct op_dim *dims,
			   size_t n, struct err *e);

#endif
