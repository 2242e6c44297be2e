/* Cases with numbers.
 * In: parameters with roles and expressions, dims of command line and operator file. Out: per case every size and value.
 * Every multiplication is checked; expressions are base/expr's, which fails on overflow.
 * Never: allocates what it sizes. */
#include "operator/sizes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "operator/guess.h"
#include "operator/values.h"

/* The published rule: one length for every pointer, the product of the two largest dims. */
static bool guessed_length(struct values *s, int64_t *n, struct err *e)
{
	struct operator* op = s->op;
	const struct op_dim none = {{"", 0}, 0};
	struct op_dim first = none, second = none;
	for (size_t i = 0; i < op->n_params; i++) {
		struct expr_value v;
		if (op->params[i].role != PARAM_DIM || !values_lookup(s, op->params[i].name, &v))
			continue;
		struct op_dim d = {op->params[i].name, v.i};
		if (d.value > first.value) {
			second = first;
			first = d;
		} else if (d.value > second.value) {
			second = d;
		}
	}
	if (op->ptr_size) {
		*n = op->ptr_size;
		operator_note(op, s->arena, "sizes guessed: every tensor has the %lld elements of --ptr-size",
			      (long long)*n);
		return true;
	}
	if (!first.value)
		return err_set(e, ERR_USAGE,
			       "%s:%u: '%.*s' has no dimension to guess sizes from; give --ptr-size=ELEMENTS or an "
			       "operator file",
			       op->kernel.name, op->entry_line, STR_ARG(op->entry));
	*n = first.value;
	if (second.value && __builtin_mul_overflow(first.value, second.value, n))
		return err_set(e, ERR_USAGE, "%.*s * %.*s = %lld * %lld overflows", STR_ARG(first.name),
			       STR_ARG(second.name), (long long)first.value, (long long)second.value);
	if (second.value)
		operator_note(op, s->arena,
			      "sizes guessed: every tensor has %.*s * %.*s = %lld elements (the two largest "
			      "dimensions)",
			      STR_ARG(first.name), STR_ARG(second.name), (long long)*n);
	else
		operator_note(op, s->arena, "sizes guessed: every tensor has %.*s = %lld elements", STR_ARG(first.name),
			      (long long)*n);
	return true;
}

static bool declared_shape(struct values *s, const struct param *p, struct op_arg *arg, struct err *e)
{
	arg->n_dims = p->n_dims;
	arg->n_elements = 1;
	for (size_t k = 0; k < p->n_dims; k++) {
		if (!expr_int(p->shape_text[k], values_lookup, s, &arg->shape[k], e))
			return err_prefix(e, "%s: shape %zu", values_place(s, p), k + 1);
		if (arg->shape[k] < 1)
			return err_set(e, ERR_INPUT, "%s: shape %zu \"%.*s\" is %lld; a size must be 1 or more",
				       values_place(s, p), k + 1, STR_ARG(p->shape_text[k]), (long long)arg->shape[k]);
		if (__builtin_mul_overflow(arg->n_elements, arg->shape[k], &arg->n_elements))
			return err_set(e, ERR_INPUT, "%s: the product of its sizes overflows", values_place(s, p));
	}
	return true;
}

static bool resolve_tensor(struct values *s, size_t i, int64_t guessed, struct err *e)
{
	const struct param *p = &s->op->params[i];
	struct op_arg *arg = &s->c->args[i];
	if (p->flags & PARAM_SHAPE_GUESSED) {
		arg->shape[0] = arg->n_elements = guessed;
		arg->n_dims = 1;
	} else if (!declared_shape(s, p, arg, e)) {
		return false;
	}
	if (__builtin_mul_overflow(arg->n_elements, (int64_t)dtype_bytes(p->dtype), &arg->bytes) ||
	    arg->bytes > OPERATOR_MAX_BYTES)
		return err_set(e, ERR_INPUT, "%s: %lld elements of %s are more than the limit of 2^40 bytes a tensor",
			       values_place(s, p), (long long)arg->n_elements, dtype_name(p->dtype));
	return true;
}

static double largest(enum dtype t)
{
	switch (t) {
	case DTYPE_F16:
		return 65504;
	case DTYPE_BF16:
		return 0x1.FEp127;
	case DTYPE_F8E4M3:
		return 448;
	case DTYPE_F8E5M2:
		return 57344;
	case DTYPE_F32:
		return FLT_MAX;
	case DTYPE_BOOL:
		return 1;
	case DTYPE_I8:
	case DTYPE_I16:
	case DTYPE_I32:
	case DTYPE_I64:
		return ldexp(1, (int)dtype_bytes(t) * 8 - 1) - 1;
	case DTYPE_U8:
	case DTYPE_U16:
	case DTYPE_U32:
	case DTYPE_U64:
		return ldexp(1, (int)dtype_bytes(t) * 8) - 1;
	case DTYPE_F64:
	case DTYPE_COUNT:
		break;
	}
	return DBL_MAX;
}

static double smallest(enum dtype t)
{
	if (dtype_is_float(t))
		return -largest(t);
	return t == DTYPE_I8 || t == DTYPE_I16 || t == DTYPE_I32 || t == DTYPE_I64 ? -largest(t) - 1 : 0;
}

/* Why this distribution does not fit the type; NULL: it does. */
static const char *fill_fault(const struct fill *f, enum dtype t)
{
	bool is_float = dtype_is_float(t), is_whole = f->lo == floor(f->lo) && f->hi == floor(f->hi);
	bool in_range = f->lo >= smallest(t) && f->lo <= largest(t) && f->hi >= smallest(t) && f->hi <= largest(t);
	switch (f->kind) {
	case FILL_ZERO:
		return NULL;
	case FILL_BITS:
		return t == DTYPE_BOOL ? "bits make no bool; use int from 0 to 1" : NULL;
	case FILL_CONST:
		if (!is_float && !is_whole)
			return "an integer needs a whole \"value\"";
		return f->lo >= smallest(t) && f->lo <= largest(t) ? NULL : "\"value\" does not fit the dtype";
	case FILL_NORMAL:
		if (!is_float)
			return "normal makes fractions; integers take int, iota or const";
		return f->hi > 0 && in_range ? NULL : "\"std\" must be above 0, and both must fit the dtype";
	case FILL_UNIFORM:
	case FILL_HEAVY:
		if (!is_float)
			return "it makes fractions; integers take int, iota or const";
		return f->lo < f->hi && in_range ? NULL : "\"lo\" must be below \"hi\", and both must fit the dtype";
	case FILL_INT:
		return f->lo <= f->hi && is_whole && in_range
			       ? NULL
			       : "\"lo\" and \"hi\" must be whole, ordered, and fit the dtype";
	case FILL_IOTA:
		/* hi itself does not occur */
		return f->lo < f->hi && is_whole && f->lo >= smallest(t) && f->hi - 1 <= largest(t)
			       ? NULL
			       : "\"lo\" must be below \"hi\", both whole, and fit the dtype";
	case FILL_KINDS:
		break;
	}
	return "unknown kind";
}

static int64_t smallest_dim(struct values *s)
{
	int64_t m = INT64_MAX;
	for (size_t i = 0; i < s->op->n_params; i++) {
		struct expr_value v;
		if (s->op->params[i].role == PARAM_DIM && values_lookup(s, s->op->params[i].name, &v) && v.i < m)
			m = v.i;
	}
	return m == INT64_MAX ? 1 : m;
}

static bool resolve_fill(struct values *s, size_t i, struct err *e)
{
	const struct param *p = &s->op->params[i];
	struct fill *f = &s->c->args[i].fill;
	if (p->role == PARAM_OUT)
		return true;
	if (p->flags & PARAM_FILL_GUESSED) {
		*f = guess_fill(p->dtype, smallest_dim(s));
		if (s->c != s->op->cases)
			return true;
		if (f->kind == FILL_INT)
			operator_note(s->op, s->arena, "values guessed: %.*s holds whole numbers from %g to %g",
				      STR_ARG(p->name), f->lo, f->hi);
		else
			operator_note(s->op, s->arena, "values guessed: %.*s is normal(%g, %g)", STR_ARG(p->name),
				      f->lo, f->hi);
		return true;
	}
	f->kind = p->fill_kind;
	struct str text[2] = {p->lo_text, p->hi_text};
	for (size_t k = 0; k < 2; k++) {
		double *to = k ? &f->hi : &f->lo;
		if (text[k].n && !expr_real(text[k], values_lookup, s, to, e))
			return err_prefix(e, "%s: fill", values_place(s, p));
		if (!isfinite(*to))
			return err_set(e, ERR_INPUT, "%s: fill \"%.*s\" is not finite", values_place(s, p),
				       STR_ARG(text[k]));
	}
	const char *fault = fill_fault(f, p->dtype);
	return !fault || err_set(e, ERR_INPUT, "%s: fill %s for %s: %s", values_place(s, p), fill_name(f->kind),
				 dtype_name(p->dtype), fault);
}

/* flops or bytes of one call. */
static bool resolve_work(struct values *s, struct str text, const char *key, double *out, struct err *e)
{
	if (!expr_real(text, values_lookup, s, out, e))
		return err_prefix(e, "%s: \"%s\"", s->file->path, key);
	if (!isfinite(*out) || *out < 0)
		return err_set(e, ERR_INPUT, "%s: \"%s\" is %g; it must be 0 or more", s->file->path, key, *out);
	return true;
}

static bool resolve_all_work(struct values *s, struct err *e)
{
	struct operator* op = s->op;
	struct op_case *c = s->c;
	if (op->flops_text.n) {
		if (!resolve_work(s, op->flops_text, "flops", &c->flops, e))
			return false;
		c->flags |= OP_CASE_HAS_FLOPS;
	}
	if (op->bytes_text.n) {
		if (!resolve_work(s, op->bytes_text, "bytes", &c->bytes, e))
			return false;
		c->flags |= OP_CASE_HAS_BYTES;
		return true;
	}
	if (op->data == DATA_SETUP)
		return true;
	for (size_t i = 0; i < op->n_params; i++) {
		const struct param *p = &op->params[i];
		c->bytes += (double)c->args[i].bytes * (p->role == PARAM_INOUT ? 2 : 1);
		if (param_is_tensor(p) && (p->flags & PARAM_SHAPE_GUESSED))
			c->flags |= OP_CASE_BYTES_GUESSED;
	}
	c->flags |= OP_CASE_HAS_BYTES | OP_CASE_BYTES_SUMMED;
	return true;
}

/* The dims as the record shows them: every whole number that has a name. */
static void store_dims(struct values *s)
{
	struct op_case *c = s->c;
	c->dims = ARENA_ARRAY(s->arena, s->n_items + 1, struct op_dim);
	for (size_t i = 0; i < s->n_items; i++) {
		const struct param *p = operator_param(s->op, s->items[i].name);
		bool is_scalar = p && p->role == PARAM_SCALAR && s->op->data != DATA_SETUP;
		if (s->items[i].v.type == EXPR_INT && !is_scalar)
			c->dims[c->n_dims++] = (struct op_dim){s->items[i].name, s->items[i].v.i};
	}
}

static bool resolve_case(struct values *s, struct err *e)
{
	struct operator* op = s->op;
	s->c->args = ARENA_ARRAY(s->arena, op->n_params + 1, struct op_arg);
	if (op->data != DATA_SETUP && !values_resolve(s, e))
		return false;
	store_dims(s);
	bool is_guessed = false;
	int64_t length = 0;
	for (size_t i = 0; i < op->n_params && op->data != DATA_SETUP; i++) {
		if (!param_is_tensor(&op->params[i]))
			continue;
		if ((op->params[i].flags & PARAM_SHAPE_GUESSED) && !is_guessed) {
			if (!guessed_length(s, &length, e))
				return false;
			is_guessed = true;
		}
		if (!resolve_tensor(s, i, length, e) || !resolve_fill(s, i, e))
			return false;
	}
	return resolve_all_work(s, e);
}

/* Whether the command line changes this case at all. */
static bool differs(const struct values *s, const struct opfile_case *from)
{
	for (size_t i = 0; i < s->n_given; i++) {
		const struct op_dim *d = NULL;
		for (size_t k = 0; k < s->file->n_dims; k++) {
			if (str_eq(s->file->dims[k].name, s->given[i].name))
				d = &s->file->dims[k];
		}
		for (size_t k = 0; k < from->n_dims; k++) {
			if (str_eq(from->dims[k].name, s->given[i].name))
				d = &from->dims[k];
		}
		if (!d || d->value != s->given[i].value)
			return true;
	}
	return false;
}

static struct op_case *next_case(struct values *s, struct str name, unsigned flags)
{
	struct operator* op = s->op;
	s->c = &op->cases[op->n_cases];
	s->c->name = name;
	s->c->flags = flags;
	s->c->seed = op->seed + op->n_cases++;
	return s->c;
}

bool sizes_resolve(struct operator* op, struct arena *a, const struct opfile *f, const struct operator_input *in,
		   const struct opt_dims *defaults, struct err *e)
{
	struct values s = {.op = op, .arena = a, .file = f, .in = in, .defaults = defaults};
	if (in->ptr_size < 0 || in->ptr_size > OPERATOR_MAX_BYTES)
		return err_set(e, ERR_USAGE, "--ptr-size=%lld: must be 1 to 2^40 elements", (long long)in->ptr_size);
	if (!values_match(&s, e))
		return false;
	struct sizes_source *source = ARENA_NEW(a, struct sizes_source);
	*source = (struct sizes_source){f, *in, defaults};
	op->source = source;
	size_t n_file = f ? f->n_cases : 0;
	op->cases = ARENA_ARRAY(a, n_file + 1, struct op_case);
	bool is_own = !n_file || (s.n_given && differs(&s, &f->cases[0]));
	if (is_own) {
		s.from = n_file ? &f->cases[0] : NULL; /* what the command line does not say is the first case's */
		next_case(&s, s.n_given ? STR("command_line") : STR("default"), s.n_given ? OP_CASE_COMMAND_LINE : 0u);
		values_start(&s, true);
		if (!resolve_case(&s, e))
			return false;
	}
	for (size_t i = 0; i < n_file; i++) {
		s.from = &f->cases[i];
		next_case(&s, f->cases[i].name, 0);
		values_start(&s, false);
		if (!resolve_case(&s, e))
			return false;
	}
	return true;
}

/* Where the first case begins: its dims, before anything is worked out from them. False: the command line does not fit,
 * which sizes_resolve has refused. */
static bool start_first(struct values *s, struct operator* op, struct arena *a, struct err *e)
{
	const struct sizes_source *from = op->source;
	*s = (struct values){.op = op, .arena = a, .file = from->file, .in = &from->in, .defaults = from->defaults};
	s->from = from->file && from->file->n_cases ? &from->file->cases[0] : NULL;
	return values_match(s, e);
}

size_t sizes_free(const struct operator* op, struct arena *a, size_t i_params[OPERATOR_MAX_PARAMS])
{
	struct operator copy = * op;
	struct values s;
	struct err ignored;
	size_t n = 0;
	if (op->data == DATA_SETUP || !start_first(&s, &copy, a, &ignored))
		return 0;
	values_start(&s, true);
	for (size_t i = 0; i < op->n_params; i++) {
		struct expr_value v;
		if (op->params[i].role == PARAM_DIM && values_lookup(&s, op->params[i].name, &v))
			i_params[n++] = i;
	}
	return n;
}

bool sizes_beside(struct op_case *out, const struct operator* op, struct arena *a, const struct op_dim *dims, size_t n,
		  struct err *e)
{
	struct operator copy = * op; /* its notes are of no interest */
	struct values s;
	if (!start_first(&s, &copy, a, e))
		return false;
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		while (k < s.n_given && !str_eq(s.given[k].name, dims[i].name))
			k++;
		if (k == VALUES_MAX_GIVEN)
			BUG("more sizes than parameters");
		s.given[k] = dims[i];
		s.n_given += k == s.n_given;
	}
	*out = (struct op_case){.name = out->name, .seed = out->seed};
	s.c = out;
	values_start(&s, true);
	return resolve_case(&s, e);
}
