/* Names with values while one case is resolved: dims first, then the parameters that are no tensors. */
#ifndef ASSAY_OPERATOR_VALUES_H
#define ASSAY_OPERATOR_VALUES_H

#include "base/expr.h"
#include "operator/opfile.h"
#include "operator/operator.h"

enum { VALUES_MAX = 256, VALUES_MAX_GIVEN = 64 };

struct value {
	struct str name;
	struct expr_value v;
};
struct values {
	struct operator* op;
	struct arena *arena;
	const struct opfile *file;      /* NULL: no operator file */
	const struct opfile_case *from; /* NULL: no case of the operator file */
	const struct operator_input *in;
	const struct opt_dims *defaults;       /* of setup(); may be NULL */
	struct op_dim given[VALUES_MAX_GIVEN]; /* of the command line, under the parameters' names */
	size_t n_given;
	struct op_case *c; /* the case that is resolved */
	struct value items[VALUES_MAX];
	size_t n_items;
};

/* --NAME=VALUE onto the parameters and the file's dims: the same spelling first, then without regard to case. Where
 * setup() supplies the data, onto its arguments: any name if there is a **kwargs. */
MUST_USE bool values_match(struct values *s, struct err *e);
/* Dims of the case. with_given: setup's defaults < the file's < the case's < the command line's. Else the command line's
 * only fill in what file and case leave open. */
void values_start(struct values *s, bool with_given);
/* Every dim and scalar of the operator into c->args[].bits and items. */
MUST_USE bool values_resolve(struct values *s, struct err *e);
/* expr_lookup over the items; ctx is a struct values. */
bool values_lookup(void *ctx, struct str name, struct expr_value *out);
/* Where a value was written: "softmax.op.json: case 'odd': 'x'" or "softmax.cu:12: parameter 'x'". */
const char *values_place(const struct values *s, const struct param *p);

#endif
