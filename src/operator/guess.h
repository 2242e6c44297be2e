/* What is filled in where no operator file speaks: the published rules. Everything here leaves a note. */
#ifndef ASSAY_OPERATOR_GUESS_H
#define ASSAY_OPERATOR_GUESS_H

#include "operator/operator.h"

/* Native: const pointers are inputs, others outputs; where no pointer is const all are in place. Integers are dims, other
 * values scalars. .py: a parameter named by a dim or annotated int is a dim, float or bool a scalar, the rest float32
 * tensors; outputs are those named out, output, result or the like, else the last one. */
void guess_roles(struct operator* op, struct arena *a, const struct opt_dims *dims);
/* Tolerances of outputs that have none yet, by dtype (docs/FORMATS.md, "Tolerances"). */
void guess_tolerances(struct operator* op, const struct operator_input *in);
/* Values for an input of that dtype: normal(0, 1) for floats, whole numbers that may serve as an index for integers:
 * 0..smallest - 1, where smallest is the smallest dim of the case. */
struct fill guess_fill(enum dtype t, int64_t smallest);
#define GUESS_SCALAR 0.5 /* exact in every float type, and a factor that is left out shows */

void operator_note(struct operator* op, struct arena *a, const char *fmt, ...) PRINTF_LIKE(3, 4);
bool guess_same_name(struct str x, struct str y); /* without regard to case (ASCII) */

#endif
