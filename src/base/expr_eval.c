/* The expression language: a tree to a value.
 * In: a parsed expression and somebody who knows the names.
 * Out: int64, double, truth value or string; or one error with its column.
 * Never: wraps, rounds an integer, or takes a number for a truth value. */
#include "base/expr.h"

#include <math.h>

#include "base/expr_node.h"

struct evaluation {
	struct str text;
	expr_lookup *lookup;
	void *ctx;
	struct err *e;
};

static const char *type_name(enum expr_type t)
{
	static const char *const names[] = {
		[EXPR_INT] = "a whole number",
		[EXPR_REAL] = "a number",
		[EXPR_BOOL] = "a truth value",
		[EXPR_STRING] = "a string",
	};
	return names[t];
}

static bool is_number(const struct expr_value *v)
{
	return v->type == EXPR_INT || v->type == EXPR_REAL;
}

static double as_real(const struct expr_value *v)
{
	return v->type == EXPR_INT ? (double)v->i : v->real;
}

static struct expr_value of_bool(bool v)
{
	return (struct expr_value){.type = EXPR_BOOL, .boolean = v};
}

/* Floor division and its remainder, which has the sign of the divisor; b is neither 0 nor -1. */
static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* b**n by squaring; false on overflow. n >= 0. */
static bool int_pow(int64_t b, int64_t n, int64_t *out)
{
	int64_t r = 1;
	if (b == 0 || b == 1 || b == -1) {
		*out = n == 0 ? 1 : b == -1 && n % 2 == 0 ? 1 : b;
		return true;
	}
	for (;;) {
		if (n & 1 && __builtin_mul_overflow(r, b, &r))
			return false;
		n >>= 1;
		if (n == 0)
			break;
		if (__builtin_mul_overflow(b, b, &b))
			return false;
	}
	*out = r;
	return true;
}

/* Both sides are whole; false on overflow. Divisors are not 0. */
static bool int_op(enum expr_op op, int64_t a, int64_t b, int64_t *out)
{
	if (b == -1 && (op == EXPR_FLOOR_DIV || op == EXPR_CEIL_DIV))
		return !__builtin_sub_overflow((int64_t)0, a, out);
	switch ((int)op) {
	case EXPR_ADD:
		return !__builtin_add_overflow(a, b, out);
	case EXPR_SUB:
		return !__builtin_sub_overflow(a, b, out);
	case EXPR_MUL:
		return !__builtin_mul_overflow(a, b, out);
	case EXPR_FLOOR_DIV:
		*out = floor_div(a, b);
		return true;
	case EXPR_CEIL_DIV:
		*out = floor_div(a, b) + (a % b != 0);
		return true;
	case EXPR_MOD:
		*out = b == -1 ? 0 : a % b;
		*out += *out != 0 && (*out < 0) != (b < 0) ? b : 0;
		return true;
	case EXPR_POW:
		return int_pow(a, b, out);
	default:
		BUG("integer operator");
	}
}

/* The remainder with the sign of b, and the floor of the exact quotient (floor(a / b) is not: 10 // 0.1 is 99). */
static double real_mod(double a, double b)
{
	double r = fmod(a, b);
	return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static double real_op(enum expr_op op, double a, double b)
{
	switch ((int)op) {
	case EXPR_ADD:
		return a + b;
	case EXPR_SUB:
		return a - b;
	case EXPR_MUL:
		return a * b;
	case EXPR_DIV:
		return a / b;
	case EXPR_FLOOR_DIV:
		return nearbyint((a - real_mod(a, b)) / b);
	case EXPR_MOD:
		return real_mod(a, b);
	case EXPR_POW:
		return pow(a, b);
	default:
		BUG("real operator");
	}
}

/* -1, 0, 1; 2 when unordered. Exact: long double holds every int64. */
static int order(const struct expr_value *a, const struct expr_value *b)
{
	long double x = a->type == EXPR_INT ? (long double)a->i : (long double)a->real;
	long double y = b->type == EXPR_INT ? (long double)b->i : (long double)b->real;
	return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
}

/* One of the two as it is; a NaN does not vanish. */
static struct expr_value choose(enum expr_op op, const struct expr_value *a, const struct expr_value *b)
{
	int o = order(a, b);
	if (o == 2)
		return a->type == EXPR_REAL && isnan(a->real) ? *a : *b;
	return o == (op == EXPR_MIN ? 1 : -1) ? *b : *a;
}

static bool arithmetic(const struct evaluation *v, const struct expr_node *n, const struct expr_value *a,
		       const struct expr_value *b, struct expr_value *out)
{
	bool divides = n->op == EXPR_DIV || n->op == EXPR_FLOOR_DIV || n->op == EXPR_MOD || n->op == EXPR_CEIL_DIV;
	if (!is_number(a) || !is_number(b))
		return expr_fail(v->text, n->at, v->e, "%s where a number is needed",
				 type_name(is_number(a) ? b->type : a->type));
	if (n->op == EXPR_MIN || n->op == EXPR_MAX) {
		*out = choose(n->op, a, b);
		return true;
	}
	if (divides && as_real(b) == 0)
		return expr_fail(v->text, n->at, v->e, "division by zero");
	bool whole = a->type == EXPR_INT && b->type == EXPR_INT;
	if (n->op == EXPR_CEIL_DIV && !whole)
		return expr_fail(v->text, n->at, v->e, "ceil_div takes whole numbers");
	if (whole && n->op != EXPR_DIV && !(n->op == EXPR_POW && b->i < 0)) {
		out->type = EXPR_INT;
		return int_op(n->op, a->i, b->i, &out->i) ||
		       expr_fail(v->text, n->at, v->e, "the result does not fit 64 bits");
	}
	double x = as_real(a), y = as_real(b);
	out->type = EXPR_REAL;
	out->real = real_op(n->op, x, y);
	if (!isfinite(out->real) && isfinite(x) && isfinite(y))
		return expr_fail(v->text, n->at, v->e, "the result is not a finite number");
	return true;
}

static bool compare(const struct evaluation *v, const struct expr_node *n, const struct expr_value *a,
		    const struct expr_value *b, struct expr_value *out)
{
	int o;
	bool equality = n->op == EXPR_EQ || n->op == EXPR_NE;
	if (is_number(a) && is_number(b))
		o = order(a, b);
	else if (a->type != b->type)
		return expr_fail(v->text, n->at, v->e, "%s is compared with %s", type_name(a->type),
				 type_name(b->type));
	else if (!equality)
		return expr_fail(v->text, n->at, v->e, "only == and != compare %ss", type_name(a->type) + 2);
	else if (a->type == EXPR_BOOL)
		o = a->boolean == b->boolean ? 0 : 2;
	else
		o = str_eq(a->text, b->text) ? 0 : 2;
	bool less = o == -1, equal = o == 0, greater = o == 1;
	switch ((int)n->op) {
	case EXPR_EQ:
		*out = of_bool(equal);
		return true;
	case EXPR_NE:
		*out = of_bool(!equal);
		return true;
	case EXPR_LT:
		*out = of_bool(less);
		return true;
	case EXPR_LE:
		*out = of_bool(less || equal);
		return true;
	case EXPR_GT:
		*out = of_bool(greater);
		return true;
	default:
		*out = of_bool(greater || equal);
		return true;
	}
}

static bool negate(const struct evaluation *v, const struct expr_node *n, struct expr_value *out)
{
	if (!is_number(out))
		return expr_fail(v->text, n->at, v->e, "%s where a number is needed", type_name(out->type));
	if (out->type == EXPR_REAL)
		out->real = -out->real;
	else if (__builtin_sub_overflow((int64_t)0, out->i, &out->i))
		return expr_fail(v->text, n->at, v->e, "the result does not fit 64 bits");
	return true;
}

static bool eval(const struct evaluation *v, const struct expr_node *n, struct expr_value *out);

static bool truth(const struct evaluation *v, const struct expr_node *n, struct expr_value *out)
{
	if (!eval(v, n, out))
		return false;
	if (out->type != EXPR_BOOL)
		return expr_fail(v->text, n->at, v->e, "%s where a truth value is needed", type_name(out->type));
	return true;
}

static bool eval(const struct evaluation *v, const struct expr_node *n, struct expr_value *out)
{
	struct expr_value a, b;
	char shown[STR_SHOWN];
	*out = (struct expr_value){0};
	switch ((int)n->op) {
	case EXPR_CONST:
		*out = n->value;
		return true;
	case EXPR_NAME:
		if (v->lookup && v->lookup(v->ctx, n->value.text, out))
			return true;
		return expr_fail(v->text, n->at, v->e, "unknown name %s", str_shown(shown, n->value.text));
	case EXPR_NEG:
		return eval(v, n->left, out) && negate(v, n, out);
	case EXPR_NOT:
		if (!truth(v, n->left, out))
			return false;
		out->boolean = !out->boolean;
		return true;
	case EXPR_AND:
	case EXPR_OR:
		if (!truth(v, n->left, out))
			return false;
		return out->boolean == (n->op == EXPR_OR) || truth(v, n->right, out);
	default:
		if (!eval(v, n->left, &a) || !eval(v, n->right, &b))
			return false;
		if (n->op >= EXPR_EQ && n->op <= EXPR_GE)
			return compare(v, n, &a, &b, out);
		return arithmetic(v, n, &a, &b, out);
	}
}

bool expr_eval(const struct expr *x, expr_lookup *lookup, void *ctx, struct expr_value *out, struct err *e)
{
	struct evaluation v = {x->text, lookup, ctx, e};
	return eval(&v, x->root, out);
}

static void visit(const struct expr_node *n, void (*each)(void *ctx, struct str name), void *ctx)
{
	for (; n; n = n->right) {
		if (n->op == EXPR_NAME)
			each(ctx, n->value.text);
		if (n->left)
			visit(n->left, each, ctx);
	}
}

void expr_names(const struct expr *x, void (*each)(void *ctx, struct str name), void *ctx)
{
	visit(x->root, each, ctx);
}

static bool evaluate_text(struct str text, expr_lookup *lookup, void *ctx, struct expr_value *out, struct err *e)
{
	struct arena scratch;
	arena_init(&scratch);
	struct expr *x = expr_parse(&scratch, text, e);
	bool ok = x && expr_eval(x, lookup, ctx, out, e);
	if (ok && !is_number(out))
		ok = expr_fail(text, 0, e, "it gives %s, not a number", type_name(out->type));
	arena_release(&scratch);
	return ok;
}

bool expr_int(struct str text, expr_lookup *lookup, void *ctx, int64_t *out, struct err *e)
{
	struct expr_value v;
	if (!evaluate_text(text, lookup, ctx, &v, e))
		return false;
	if (v.type == EXPR_REAL) {
		if (!(v.real >= -0x1p63 && v.real < 0x1p63) || v.real != floor(v.real))
			return expr_fail(text, 0, e, "it gives %.17g, not a whole number of 64 bits", v.real);
		v.i = (int64_t)v.real;
	}
	*out = v.i;
	return true;
}

bool expr_real(struct str text, expr_lookup *lookup, void *ctx, double *out, struct err *e)
{
	struct expr_value v;
	if (!evaluate_text(text, lookup, ctx, &v, e))
		return false;
	*out = as_real(&v);
	return true;
}
