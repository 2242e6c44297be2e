/* The operator file laid over the signature.
 * In: parameters as the kernel declares them and as the operator file describes them. Out: one list with roles.
 * The signature decides types and order, the file roles, shapes and values; a contradiction is refused.
 * Never: guesses. */
#include "operator/opfile.h"

#include <string.h>

static bool is_integer(enum dtype t)
{
	return !dtype_is_float(t) && t != DTYPE_BOOL;
}

/* The file's dtype wins over void * and over integer containers of the same size (uint8_t * that holds float8). */
static bool apply_dtype(const struct opfile *f, const struct operator* op, struct param *p,
			const struct opfile_param *d, struct err *e)
{
	bool is_tensor = d->p.role <= PARAM_INOUT;
	if (op->form != OPERATOR_NATIVE) {
		if (!(d->has & OPFILE_DTYPE) && is_tensor)
			return err_set(e, ERR_INPUT, "%s: '%.*s': needs \"dtype\": a .py signature does not tell it",
				       f->path, STR_ARG(p->name));
		p->dtype = d->has & OPFILE_DTYPE ? d->p.dtype : d->p.role == PARAM_DIM ? DTYPE_I64 : DTYPE_F64;
		p->flags &= ~(unsigned)PARAM_UNTYPED;
		return true;
	}
	if (p->flags & PARAM_UNTYPED) {
		if (!(d->has & OPFILE_DTYPE))
			return err_set(e, ERR_INPUT, "%s: '%.*s': needs \"dtype\": %s:%u says only %.*s", f->path,
				       STR_ARG(p->name), op->kernel.name, p->line, STR_ARG(p->type_text));
		p->dtype = d->p.dtype;
		p->flags &= ~(unsigned)PARAM_UNTYPED;
		return true;
	}
	if (!(d->has & OPFILE_DTYPE) || d->p.dtype == p->dtype)
		return true;
	bool is_container = is_tensor && is_integer(p->dtype) && dtype_bytes(p->dtype) == dtype_bytes(d->p.dtype);
	if (!is_container)
		return err_set(e, ERR_INPUT, "%s: '%.*s': dtype %s, but %s:%u says %.*s", f->path, STR_ARG(p->name),
			       dtype_name(d->p.dtype), op->kernel.name, p->line, STR_ARG(p->type_text));
	p->dtype = d->p.dtype;
	return true;
}

static bool apply_role(const struct opfile *f, const struct operator* op, struct param *p, const struct opfile_param *d,
		       struct err *e)
{
	enum param_role role = d->p.role;
	bool is_tensor = role <= PARAM_INOUT, is_native = op->form == OPERATOR_NATIVE;
	const char *why = NULL;
	if (is_native && is_tensor && !(p->flags & PARAM_POINTER))
		why = "is no pointer";
	else if (is_native && !is_tensor && (p->flags & PARAM_POINTER))
		why = "is a pointer";
	else if (is_native && role != PARAM_IN && is_tensor && (p->flags & PARAM_CONST))
		why = "points to const";
	else if (d->p.flags & PARAM_RETURNED)
		why = "is a parameter, so it is not \"returned\"";
	else if (is_native && role == PARAM_DIM && !is_integer(p->dtype))
		why = "is no integer";
	if (why)
		return err_set(e, ERR_INPUT, "%s: '%.*s': role %s, but in %s:%u it %s", f->path, STR_ARG(p->name),
			       param_role_name(role), op->kernel.name, p->line, why);
	p->role = role;
	if (is_tensor)
		p->flags |= PARAM_POINTER;
	return true;
}

static void apply_rest(const struct opfile *f, struct param *p, const struct opfile_param *d)
{
	memcpy(p->shape_text, d->p.shape_text, sizeof(p->shape_text));
	p->n_dims = d->p.n_dims;
	if (d->p.value_text.n)
		p->value_text = d->p.value_text;
	p->range = d->p.range;
	p->fill_kind = d->p.fill_kind;
	p->lo_text = d->p.lo_text;
	p->hi_text = d->p.hi_text;
	if (param_is_tensor(p) && p->role != PARAM_OUT && !(d->has & OPFILE_FILL))
		p->flags |= PARAM_FILL_GUESSED;
	unsigned has = d->has | f->has;
	if (has & OPFILE_ATOL) {
		p->atol = d->has & OPFILE_ATOL ? d->p.atol : f->atol;
		p->atol_from = TOLERANCE_FILE;
	}
	if (has & OPFILE_RTOL) {
		p->rtol = d->has & OPFILE_RTOL ? d->p.rtol : f->rtol;
		p->rtol_from = TOLERANCE_FILE;
	}
}

static bool apply_one(const struct opfile *f, struct operator* op, struct param *p, const struct opfile_param *d,
		      struct err *e)
{
	if (!apply_dtype(f, op, p, d, e) || !apply_role(f, op, p, d, e))
		return false;
	apply_rest(f, p, d);
	return true;
}

/* A parameter of the file that the signature lacks: a returned output, or any name under **kwargs. */
static bool append(const struct opfile *f, struct operator* op, const struct opfile_param *d, bool has_kwargs,
		   struct err *e)
{
	bool is_python = op->form != OPERATOR_NATIVE;
	if ((d->p.flags & PARAM_RETURNED) && !is_python)
		return err_set(e, ERR_INPUT, "%s: '%.*s': a native entry returns no tensor; make it a parameter",
			       f->path, STR_ARG(d->p.name));
	if (!is_python || !((d->p.flags & PARAM_RETURNED) || has_kwargs))
		return err_set(e, ERR_INPUT, "%s: '%.*s': %s:%u: '%.*s' has no such parameter%s", f->path,
			       STR_ARG(d->p.name), op->kernel.name, op->entry_line, STR_ARG(op->entry),
			       is_python ? "; an output that it returns needs \"returned\": true" : "");
	struct param *p = &op->params[op->n_params++];
	memset(p, 0, sizeof(*p));
	p->name = d->p.name;
	p->flags = PARAM_UNTYPED;
	struct opfile_param as_returned = *d; /* apply_role refuses RETURNED for what the signature has */
	as_returned.p.flags &= ~(unsigned)PARAM_RETURNED;
	if (!apply_one(f, op, p, &as_returned, e))
		return false;
	p->flags |= d->p.flags & PARAM_RETURNED ? PARAM_RETURNED : PARAM_KEYWORD;
	return true;
}

bool opfile_apply(const struct opfile *f, struct operator* op, struct arena *a, bool has_kwargs, struct err *e)
{
	struct param *all = ARENA_ARRAY(a, op->n_params + f->n_params + 1, struct param);
	size_t n = 0;
	bool by_keyword = false; /* behind a parameter that is left out */
	for (size_t i = 0; i < op->n_params; i++) {
		const struct opfile_param *d = opfile_param(f, op->params[i].name);
		bool is_optional = op->form != OPERATOR_NATIVE && op->params[i].value_text.n;
		if (!d && is_optional) { /* Python fills in its own default */
			by_keyword = true;
			continue;
		}
		if (!d)
			return err_set(e, ERR_INPUT, "%s: '%.*s' of %s:%u is missing in \"params\"", f->path,
				       STR_ARG(op->params[i].name), op->kernel.name, op->params[i].line);
		all[n] = op->params[i];
		if (!apply_one(f, op, &all[n], d, e))
			return false;
		all[n++].flags |= by_keyword ? PARAM_KEYWORD : 0u;
	}
	struct param *signature = op->params;
	size_t n_signature = op->n_params;
	op->params = all;
	op->n_params = n;
	for (size_t i = 0; i < f->n_params; i++) {
		bool known = false;
		for (size_t k = 0; k < n_signature; k++)
			known = known || str_eq(signature[k].name, f->params[i].p.name);
		if (!known && op->n_params == OPERATOR_MAX_PARAMS)
			return err_set(e, ERR_INPUT, "%s: more than %d parameters", f->path, OPERATOR_MAX_PARAMS);
		if (!known && !append(f, op, &f->params[i], has_kwargs, e))
			return false;
	}
	return true;
}
