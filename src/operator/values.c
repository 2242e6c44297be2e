/* Names with values while one case is resolved.
 * In: dims of the command line, of the operator file and of setup(). Out: each dim and scalar as bits and as a name for
 * expressions. What is missing, out of range or unknown is refused by name and line.
 * Never: looks at a shape. */
#include "operator/values.h"

#include <math.h>
#include <string.h>

#include "operator/guess.h"

bool values_lookup(void *ctx, struct str name, struct expr_value *out)
{
	const struct values *s = ctx;
	for (size_t i = 0; i < s->n_items; i++) {
		if (str_eq(s->items[i].name, name)) {
			*out = s->items[i].v;
			return true;
		}
	}
	return false;
}

const char *values_place(const struct values *s, const struct param *p)
{
	if (s->file && s->from)
		return arena_printf(s->arena, "%s: case '%.*s': '%.*s'", s->file->path, STR_ARG(s->from->name),
				    STR_ARG(p->name));
	if (s->file)
		return arena_printf(s->arena, "%s: '%.*s'", s->file->path, STR_ARG(p->name));
	return arena_printf(s->arena, "%s:%u: parameter '%.*s'", s->op->kernel.name, p->line, STR_ARG(p->name));
}

/* Names that a size may be given for, matched against one that was. */
struct match {
	struct str exact, loose; /* n 0: none */
	size_t n_loose;
};

static void offer(struct match *m, struct str wanted, struct str name)
{
	if (str_eq(wanted, name)) {
		m->exact = name;
	} else if (guess_same_name(wanted, name) && !str_eq(m->loose, name)) {
		m->loose = name;
		m->n_loose++;
	}
}

static struct match find_name(const struct values *s, struct str wanted)
{
	struct match m = {0};
	for (size_t i = 0; i < s->op->n_params && s->op->data != DATA_SETUP; i++) {
		if (!param_is_tensor(&s->op->params[i]))
			offer(&m, wanted, s->op->params[i].name);
	}
	for (size_t i = 0; s->defaults && i < s->defaults->n; i++)
		offer(&m, wanted, str_from(s->defaults->items[i].name));
	for (size_t i = 0; s->file && i < s->file->n_dims; i++)
		offer(&m, wanted, s->file->dims[i].name);
	for (size_t k = 0; s->file && k < s->file->n_cases; k++) {
		for (size_t i = 0; i < s->file->cases[k].n_dims; i++)
			offer(&m, wanted, s->file->cases[k].dims[i].name);
	}
	return m;
}

static const char *known_names(const struct values *s)
{
	const char *text = "";
	for (size_t i = 0; i < s->op->n_params; i++) {
		if (!param_is_tensor(&s->op->params[i]))
			text = arena_printf(s->arena, "%s%s%.*s", text, *text ? ", " : "",
					    STR_ARG(s->op->params[i].name));
	}
	return *text ? text : "none";
}

static bool match_one(struct values *s, const struct opt_dim *d, struct str *name, struct err *e)
{
	struct str wanted = str_from(d->name);
	struct match m = find_name(s, wanted);
	*name = m.exact.n ? m.exact : m.loose;
	if (!m.exact.n && m.n_loose > 1)
		return err_set(e, ERR_USAGE, "--%.*s: several names differ from it only in case; use the exact one",
			       STR_ARG(wanted));
	if (!name->n && s->op->data == DATA_SETUP)
		*name = wanted;
	if (!name->n)
		return err_set(e, ERR_USAGE, "--%.*s=%lld: '%.*s' in %s:%u has no size of that name; it has: %s",
			       STR_ARG(wanted), (long long)d->value, STR_ARG(s->op->entry), s->op->kernel.name,
			       s->op->entry_line, known_names(s));
	const struct param *p = operator_param(s->op, *name);
	if (d->value < 1 && !(p && p->role == PARAM_SCALAR))
		return err_set(e, ERR_USAGE, "--%.*s=%lld: a dimension must be 1 or more", STR_ARG(wanted),
			       (long long)d->value);
	return true;
}

bool values_match(struct values *s, struct err *e)
{
	const struct opt_dims *dims = s->in->dims;
	for (size_t i = 0; dims && i < dims->n; i++) {
		struct str name;
		if (!match_one(s, &dims->items[i], &name, e))
			return false;
		for (size_t k = 0; k < s->n_given; k++) {
			if (str_eq(s->given[k].name, name))
				return err_set(e, ERR_USAGE, "--%.*s: given twice", STR_ARG(name));
		}
		if (s->n_given == VALUES_MAX_GIVEN)
			return err_set(e, ERR_USAGE, "more than %d sizes on the command line", VALUES_MAX_GIVEN);
		s->given[s->n_given++] = (struct op_dim){name, dims->items[i].value};
	}
	return true;
}

static void set_value(struct values *s, struct str name, struct expr_value v)
{
	for (size_t i = 0; i < s->n_items; i++) {
		if (str_eq(s->items[i].name, name)) {
			s->items[i].v = v;
			return;
		}
	}
	if (s->n_items == VALUES_MAX)
		BUG("more names than dims, cases and parameters can have");
	s->items[s->n_items++] = (struct value){name, v};
}

static struct expr_value as_int(int64_t i)
{
	return (struct expr_value){.type = EXPR_INT, .i = i, .real = (double)i};
}

static struct expr_value as_real(double v)
{
	return (struct expr_value){.type = EXPR_REAL, .real = v};
}

static void set_dims(struct values *s, const struct op_dim *dims, size_t n)
{
	for (size_t i = 0; i < n; i++)
		set_value(s, dims[i].name, as_int(dims[i].value));
}

void values_start(struct values *s, bool with_given)
{
	s->n_items = 0;
	for (size_t i = 0; s->defaults && i < s->defaults->n; i++)
		set_value(s, str_from(s->defaults->items[i].name), as_int(s->defaults->items[i].value));
	if (!with_given)
		set_dims(s, s->given, s->n_given);
	if (s->file)
		set_dims(s, s->file->dims, s->file->n_dims);
	if (s->from)
		set_dims(s, s->from->dims, s->from->n_dims);
	if (with_given)
		set_dims(s, s->given, s->n_given);
}

/* Bytes of an integer value; false: out of the type's range. */
static bool int_bits(enum dtype t, int64_t v, uint64_t *bits)
{
	size_t n = t == DTYPE_BOOL ? 1 : dtype_bytes(t) * 8;
	bool is_signed = t == DTYPE_I8 || t == DTYPE_I16 || t == DTYPE_I32 || t == DTYPE_I64;
	if (!is_signed && (v < 0 || (n < 64 && (uint64_t)v >> n)))
		return false;
	if (is_signed && n < 64 && (v < -(INT64_C(1) << (n - 1)) || v >= INT64_C(1) << (n - 1)))
		return false;
	*bits = 0;
	memcpy(bits, &v, dtype_bytes(t));
	return true;
}

/* What is written for a dim or scalar; n 0: nothing. */
static struct str text_of(const struct values *s, const struct param *p)
{
	struct str text = p->value_text;
	for (size_t i = 0; s->from && i < s->from->n_scalars; i++) {
		if (str_eq(s->from->scalars[i].name, p->name))
			text = s->from->scalars[i].text;
	}
	if (str_is(text, "True"))
		return STR("1");
	return str_is(text, "False") ? STR("0") : text;
}

static bool evaluate(struct values *s, const struct param *p, struct str text, struct expr_value *out, struct err *e)
{
	bool is_float = dtype_is_float(p->dtype);
	double real = 0;
	int64_t i = 0;
	bool ok = is_float ? expr_real(text, values_lookup, s, &real, e) : expr_int(text, values_lookup, s, &i, e);
	*out = is_float ? as_real(real) : as_int(i);
	return ok || err_prefix(e, "%s: value", values_place(s, p));
}

static bool guess_value(struct values *s, struct param *p, struct expr_value *out, struct err *e)
{
	if (p->role == PARAM_SCALAR && dtype_is_float(p->dtype) && !s->file) {
		*out = as_real(GUESS_SCALAR);
		if (!(p->flags & PARAM_VALUE_GUESSED))
			operator_note(s->op, s->arena, "value guessed: %.*s = %g", STR_ARG(p->name), GUESS_SCALAR);
		p->flags |= PARAM_VALUE_GUESSED;
		return true;
	}
	if (s->in->flags & OPERATOR_ANY_SIZE) {
		*out = as_int(1);
		return true;
	}
	return err_set(e, ERR_USAGE, "%s:%u: %s '%.*s' has no value; give --%.*s=VALUE%s", s->op->kernel.name, p->line,
		       p->role == PARAM_DIM ? "dimension" : "scalar", STR_ARG(p->name), STR_ARG(p->name),
		       s->file ? " or put it into the operator file" : "");
}

static bool take_value(struct values *s, size_t i_param, struct expr_value v, struct err *e)
{
	const struct param *p = &s->op->params[i_param];
	bool is_float = dtype_is_float(p->dtype), ok;
	uint64_t bits = 0;
	if (p->role == PARAM_DIM && v.i < 1)
		return err_set(e, ERR_INPUT, "%s is %lld; a dimension must be 1 or more", values_place(s, p),
			       (long long)v.i);
	if (is_float) {
		v.real = v.type == EXPR_INT ? (double)v.i : v.real;
		dtype_store(p->dtype, &bits, v.real);
		ok = isfinite(v.real) && isfinite(dtype_load(p->dtype, &bits));
	} else {
		ok = int_bits(p->dtype, v.i, &bits);
	}
	if (!ok && is_float)
		return err_set(e, ERR_INPUT, "%s is %g, which %s cannot hold", values_place(s, p), v.real,
			       dtype_name(p->dtype));
	if (!ok)
		return err_set(e, ERR_INPUT, "%s is %lld, which %s cannot hold", values_place(s, p), (long long)v.i,
			       dtype_name(p->dtype));
	s->c->args[i_param].bits = bits;
	set_value(s, p->name, v);
	return true;
}

/* 1: resolved, 0: not yet (its expression needs another name; *why says which), -1: refused. */
static int resolve_one(struct values *s, size_t i, struct err *why, struct err *e)
{
	struct param *p = &s->op->params[i];
	struct expr_value v;
	struct str text = text_of(s, p);
	if (!values_lookup(s, p->name, &v)) {
		if (text.n && !evaluate(s, p, text, &v, why))
			return 0;
		if (!text.n && !guess_value(s, p, &v, e))
			return -1;
	}
	return take_value(s, i, v, e) ? 1 : -1;
}

bool values_resolve(struct values *s, struct err *e)
{
	bool done[OPERATOR_MAX_PARAMS] = {false};
	struct err why = {0};
	size_t n_left = 0, n_before;
	for (size_t i = 0; i < s->op->n_params; i++) {
		done[i] = param_is_tensor(&s->op->params[i]);
		n_left += !done[i];
	}
	do { /* values may be computed from one another, in any order */
		n_before = n_left;
		for (size_t i = 0; i < s->op->n_params; i++) {
			int r = done[i] ? 0 : resolve_one(s, i, &why, e);
			if (r < 0)
				return false;
			done[i] = done[i] || r > 0;
			n_left -= r > 0;
		}
	} while (n_left && n_left < n_before);
	if (n_left && e)
		*e = why;
	return n_left == 0;
}
