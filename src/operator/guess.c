/* The published rules for operators without an operator file.
 * In: parameters with types. Out: roles, tolerances and value ranges, each with a flag and a note that it is a guess.
 * Where the published rule is unsafe (random bytes for indexes) the guess is bounded by the dims.
 * Never: overrides what an operator file or the command line said. */
#include "operator/guess.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"

enum { MAX_NOTES = 256 };

void operator_note(struct operator* op, struct arena *a, const char *fmt, ...)
{
	char text[1024];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (!op->notes)
		op->notes = ARENA_ARRAY(a, MAX_NOTES, const char *);
	if (op->n_notes < MAX_NOTES)
		op->notes[op->n_notes++] = arena_strdup(a, text);
}

bool guess_same_name(struct str x, struct str y)
{
	return x.n == y.n && strncasecmp(x.p, y.p, x.n) == 0;
}

/* Names of the parameters with that role, for a note. */
static const char *list_role(const struct operator* op, struct arena *a, enum param_role role)
{
	struct buf b;
	buf_init(&b);
	for (size_t i = 0; i < op->n_params; i++) {
		if (op->params[i].role == role)
			buf_printf(&b, "%s%.*s", b.n ? ", " : "", STR_ARG(op->params[i].name));
	}
	char *s = arena_strndup(a, b.n ? b.p : "none", b.n ? b.n : 4);
	buf_release(&b);
	return s;
}

static void guess_native(struct operator* op, struct arena *a)
{
	bool has_const = false;
	for (size_t i = 0; i < op->n_params; i++) {
		unsigned f = op->params[i].flags;
		has_const = has_const || ((f & PARAM_POINTER) && (f & PARAM_CONST));
	}
	for (size_t i = 0; i < op->n_params; i++) {
		struct param *p = &op->params[i];
		bool is_integer = !dtype_is_float(p->dtype) && p->dtype != DTYPE_BOOL;
		p->flags |= PARAM_ROLE_GUESSED;
		if (!(p->flags & PARAM_POINTER)) {
			p->role = is_integer ? PARAM_DIM : PARAM_SCALAR;
			continue;
		}
		p->role = p->flags & PARAM_CONST ? PARAM_IN : has_const ? PARAM_OUT : PARAM_INOUT;
		p->flags |= PARAM_SHAPE_GUESSED | (p->role == PARAM_OUT ? 0u : (unsigned)PARAM_FILL_GUESSED);
	}
	if (has_const)
		operator_note(op, a, "roles guessed: const pointers are inputs (%s), the others outputs (%s)",
			      list_role(op, a, PARAM_IN), list_role(op, a, PARAM_OUT));
	else
		operator_note(op, a,
			      "roles guessed: no pointer is const, so each is filled before and compared after (%s)",
			      list_role(op, a, PARAM_INOUT));
}

static bool is_dim_name(const struct opt_dims *dims, struct str name)
{
	for (size_t i = 0; dims && i < dims->n; i++) {
		if (guess_same_name(str_from(dims->items[i].name), name))
			return true;
	}
	return false;
}

static bool is_output_name(struct str s)
{
	return str_is(s, "out") || str_is(s, "output") || str_is(s, "outputs") || str_is(s, "result") ||
	       str_is(s, "dst") || str_starts(s, "out_") || str_starts(s, "output_") || str_ends(s, "_out") ||
	       str_ends(s, "_output");
}

static void guess_python(struct operator* op, struct arena *a, const struct opt_dims *dims)
{
	struct param *last = NULL;
	bool has_output = false;
	for (size_t i = 0; i < op->n_params; i++) {
		struct param *p = &op->params[i];
		bool is_float = str_is(p->type_text, "float"), is_bool = str_is(p->type_text, "bool");
		p->flags = (p->flags & ~(unsigned)PARAM_UNTYPED) | PARAM_ROLE_GUESSED;
		if (is_float || is_bool) {
			p->role = PARAM_SCALAR;
			p->dtype = is_float ? DTYPE_F64 : DTYPE_BOOL;
		} else if (str_is(p->type_text, "int") || is_dim_name(dims, p->name) || p->value_text.n) {
			p->role = PARAM_DIM;
			p->dtype = DTYPE_I64;
		} else {
			p->role = is_output_name(p->name) ? PARAM_OUT : PARAM_IN;
			p->dtype = DTYPE_F32;
			p->flags |= PARAM_POINTER | PARAM_SHAPE_GUESSED | PARAM_FILL_GUESSED;
			has_output = has_output || p->role == PARAM_OUT;
			last = p;
		}
	}
	if (last && !has_output)
		last->role = PARAM_OUT;
	operator_note(op, a, "roles and types guessed: float32 tensors, inputs (%s), outputs (%s)",
		      list_role(op, a, PARAM_IN), list_role(op, a, PARAM_OUT));
}

void guess_roles(struct operator* op, struct arena *a, const struct opt_dims *dims)
{
	if (op->form == OPERATOR_NATIVE)
		guess_native(op, a);
	else
		guess_python(op, a, dims);
}

void guess_tolerances(struct operator* op, const struct operator_input *in)
{
	/* float32 as published with the loop; half and fp8 as KernelBench and KernelBench-Hard; integers exact. */
	static const struct {
		double atol, rtol;
	} by_dtype[DTYPE_COUNT] = {
		[DTYPE_F64] = {1e-8, 1e-6},  [DTYPE_F32] = {1e-4, 1e-3},    [DTYPE_F16] = {1e-2, 1e-2},
		[DTYPE_BF16] = {1e-2, 1e-2}, [DTYPE_F8E4M3] = {1e-1, 1e-1}, [DTYPE_F8E5M2] = {1e-1, 1e-1},
	};
	for (size_t i = 0; i < op->n_params; i++) {
		struct param *p = &op->params[i];
		if (!param_is_output(p))
			continue;
		if (in->flags & OPERATOR_HAS_ATOL) {
			p->atol = in->atol;
			p->atol_from = TOLERANCE_COMMAND;
		} else if (p->atol_from == TOLERANCE_DEFAULT) {
			p->atol = by_dtype[p->dtype].atol;
		}
		if (in->flags & OPERATOR_HAS_RTOL) {
			p->rtol = in->rtol;
			p->rtol_from = TOLERANCE_COMMAND;
		} else if (p->rtol_from == TOLERANCE_DEFAULT) {
			p->rtol = by_dtype[p->dtype].rtol;
		}
	}
}

struct fill guess_fill(enum dtype t, int64_t smallest)
{
	if (dtype_is_float(t))
		return (struct fill){FILL_NORMAL, 0, 1};
	double most = 1; /* bool */
	if (t == DTYPE_I8)
		most = 127;
	else if (t == DTYPE_U8)
		most = 255;
	else if (t == DTYPE_I16 || t == DTYPE_U16)
		most = 1000;
	else if (t != DTYPE_BOOL)
		most = smallest > 1 ? (double)(smallest - 1 < INT32_MAX ? smallest - 1 : INT32_MAX) : 0;
	return (struct fill){FILL_INT, t == DTYPE_I8 ? -most : 0, most};
}
