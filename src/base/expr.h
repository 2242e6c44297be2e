/* The one expression language: shapes, flops, tolerances, filters, conditions, gates.
 * int64 with overflow error, double, + - * / // % ** unary -, comparisons, and or not, parentheses, names with dots,
 * "strings" for == and != only, true, false. `/` divides as doubles; `//` and `%` floor. No calls, except min(a,b),
 * max(a,b), ceil_div(a,b), which shapes cannot do without. Precedence as in Python (-2**2 is -4), but a < b < c is
 * refused, and/or/not take truth values only, and what `and`/`or` decide without their right side is not evaluated.
 * Overflow, division by zero and a double beyond its range are errors. At most 4096 bytes, nested at most 64 deep. */
#ifndef ASSAY_BASE_EXPR_H
#define ASSAY_BASE_EXPR_H

#include "base/arena.h"
#include "base/err.h"

enum expr_type { EXPR_INT, EXPR_REAL, EXPR_BOOL, EXPR_STRING };
struct expr_value {
	enum expr_type type;
	int64_t i;
	double real;
	bool boolean;
	struct str text;
};
struct expr; /* parsed, lives in the arena */

/* Errors show the expression and a column in it. */
MUST_USE struct expr *expr_parse(struct arena *a, struct str text, struct err *e);
/* Looks a name up; false: unknown (the evaluation fails and names it). */
typedef bool expr_lookup(void *ctx, struct str name, struct expr_value *out);
MUST_USE bool expr_eval(const struct expr *x, expr_lookup *lookup, void *ctx, struct expr_value *out, struct err *e);
/* Calls back for each name that occurs. */
void expr_names(const struct expr *x, void (*each)(void *ctx, struct str name), void *ctx);
/* Parse + evaluate to one int64 (a whole double is accepted). */
MUST_USE bool expr_int(struct str text, expr_lookup *lookup, void *ctx, int64_t *out, struct err *e);
MUST_USE bool expr_real(struct str text, expr_lookup *lookup, void *ctx, double *out, struct err *e);

#endif
