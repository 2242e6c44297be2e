/* Wrappers of an ATen operator against torch's own schemas (seed 000, prerequisites of a Triton kernel). */
#ifndef ASSAY_MEASURE_OVERLOADS_H
#define ASSAY_MEASURE_OVERLOADS_H

#include "operator/check.h"

struct overloads_options {
	const char *op;   /* "aten::add"; NULL: all that the specification lists */
	const char *spec; /* operator_spec.md: interfaces under its heading; NULL: torch's list */
	const char *python;
	const char *gpu; /* UUID; NULL: CPU */
	int64_t timeout_ns;
};
/* Settles the item "overloads" of a check by running the module's wrappers in a sandboxed process; *rows gets one object
 * an overload {overload, wrapper, state, text}. ERR_ENVIRONMENT without torch, ERR_INPUT for a specification that lists
 * nothing or an operator that torch does not have. */
MUST_USE bool overloads_check(struct check *c, struct json **rows, struct arena *a, const struct overloads_options *o,
			      struct err *e);
/* Names ("add.Tensor") of the interfaces that a specification lists under its heading, as a JSON array; NULL with err when
 * there is no such heading or no name below it. */
MUST_USE struct json *overloads_listed(struct arena *a, const char *path, struct str text, struct err *e);

#endif
