/* The operator file `<stem>.op.json`, format assay/operator-v1 (docs/FORMATS.md, "Operator file"). */
#ifndef ASSAY_OPERATOR_OPFILE_H
#define ASSAY_OPERATOR_OPFILE_H

#include "operator/operator.h"
#include "operator/range.h"

enum opfile_has {
	OPFILE_DTYPE = 1,
	OPFILE_SHAPE = 2,
	OPFILE_FILL = 4,
	OPFILE_ATOL = 8,
	OPFILE_RTOL = 16,
};
struct opfile_param {
	struct param p; /* name, role, dtype, shape, value, fill, tolerances, PARAM_RETURNED */
	unsigned has;
};
struct opfile_value { /* a dim (whole) or a scalar of a case */
	struct str name;
	struct str text; /* a number or an expression */
};
struct opfile_case {
	struct str name;
	struct op_dim *dims;
	size_t n_dims;
	struct opfile_value *scalars;
	size_t n_scalars;
};
struct opfile {
	const char *path;
	const char *entry;     /* NULL: not named */
	const char *reference; /* NULL: not named; as written, relative to the folder of the file */
	struct opfile_param *params;
	size_t n_params;
	struct op_dim *dims; /* of every case that does not give its own */
	size_t n_dims;
	struct opfile_case *cases;
	size_t n_cases;
	double atol, rtol;
	unsigned has; /* OPFILE_ATOL, OPFILE_RTOL: for every output that does not give its own */
	struct str flops_text, bytes_text;
	struct str *overloads; /* aten overloads that a .py must implement: "add.Tensor" */
	size_t n_overloads;
};

/* Closed: unknown and duplicate keys, wrong types, expressions that do not parse are refused with file and key.
 * `text` is the file's content and must live as long as the arena. */
MUST_USE bool opfile_read(struct opfile *out, struct arena *a, const char *path, struct str text, struct err *e);
/* Lays the file over the parameters of the signature (types, order) in op->params. Every parameter must be in the file
 * and the reverse; roles, dtypes and shapes must fit. Appends returned outputs. `has_kwargs`: a .py entry with **kwargs
 * takes any name. */
MUST_USE bool opfile_apply(const struct opfile *f, struct operator* op, struct arena *a, bool has_kwargs,
			   struct err *e);
struct opfile_param *opfile_param(const struct opfile *f, struct str name);

#endif
