/* The operator as JSON, as records and `check --json` carry it.
 * In: struct operator. Out: one object with sorted keys; what is unknown is left out, what was guessed is marked.
 * Whole numbers stay whole; scalar values are shown in their type.
 * Never: reads a file. */
#include "operator/operator.h"

#include <string.h>

#include "operator/range.h"

static void set_file(struct json *j, const char *key, const struct operator_file *f)
{
	if (!f->path)
		return;
	struct json *o = json_set_object(j, key);
	json_set_cstr(o, "path", f->path);
	json_set_cstr(o, "sha256", f->sha256);
}

static void set_flags(struct json *j, unsigned flags)
{
	static const struct {
		unsigned flag;
		const char *key;
	} keys[] = {
		{PARAM_POINTER, "pointer"},
		{PARAM_CONST, "const"},
		{PARAM_REFERENCE, "reference"},
		{PARAM_UNTYPED, "untyped"},
		{PARAM_RETURNED, "returned"},
		{PARAM_ROLE_GUESSED, "role_guessed"},
		{PARAM_SHAPE_GUESSED, "shape_guessed"},
		{PARAM_FILL_GUESSED, "values_guessed"},
		{PARAM_VALUE_GUESSED, "value_guessed"},
	};
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		if (flags & keys[i].flag)
			json_set(j, keys[i].key, json_new_bool(j->arena, true));
	}
}

static const char *tolerance_name(enum tolerance_source s)
{
	return s == TOLERANCE_FILE ? "operator_file" : s == TOLERANCE_COMMAND ? "command_line" : "default";
}

static void set_range(struct json *j, const struct param *p)
{
	const struct param_range *r = p->range;
	if (!r)
		return;
	struct json *x = json_set_object(j, "range");
	json_set_i64(x, "min", r->min);
	if (r->max != INT64_MAX)
		json_set_i64(x, "max", r->max);
	json_set_i64(x, "multiple_of", r->multiple_of);
}

static struct json *param_json(struct arena *a, const struct param *p)
{
	struct json *j = json_object(a);
	json_set_str(j, "name", p->name);
	if (p->type_text.n)
		json_set_str(j, "type", p->type_text);
	if (!(p->flags & PARAM_UNTYPED)) {
		json_set_cstr(j, "dtype", dtype_name(p->dtype));
		json_set_cstr(j, "role", param_role_name(p->role));
	}
	if (p->line)
		json_set_i64(j, "line", p->line);
	set_flags(j, p->flags);
	if (p->n_dims) {
		struct json *shape = json_set_array(j, "shape");
		for (size_t i = 0; i < p->n_dims; i++)
			json_push_str(shape, p->shape_text[i]);
	}
	if (p->value_text.n)
		json_set_str(j, "value", p->value_text);
	set_range(j, p);
	if (param_is_output(p) && !(p->flags & PARAM_UNTYPED)) {
		json_set_f64(j, "atol", p->atol);
		json_set_f64(j, "rtol", p->rtol);
		json_set_cstr(j, "atol_from", tolerance_name(p->atol_from));
		json_set_cstr(j, "rtol_from", tolerance_name(p->rtol_from));
	}
	return j;
}

static struct json *scalar_json(struct arena *a, enum dtype t, uint64_t bits)
{
	if (dtype_is_float(t))
		return json_new_f64(a, dtype_load(t, &bits));
	if (t == DTYPE_U64)
		return json_new_u64(a, bits);
	if (t == DTYPE_BOOL)
		return json_new_bool(a, bits != 0);
	int64_t v = 0;
	memcpy(&v, &bits, sizeof(v));
	size_t n = dtype_bytes(t) * 8;
	bool is_negative = (t == DTYPE_I8 || t == DTYPE_I16 || t == DTYPE_I32) && (bits >> (n - 1) & 1);
	return json_new_i64(a, is_negative ? v - (INT64_C(1) << n) : v);
}

static struct json *arg_json(struct arena *a, const struct param *p, const struct op_arg *arg)
{
	struct json *j = json_object(a);
	if (!param_is_tensor(p)) {
		json_set(j, "value", scalar_json(a, p->dtype, arg->bits));
		return j;
	}
	struct json *shape = json_set_array(j, "shape");
	for (size_t i = 0; i < arg->n_dims; i++)
		json_push_i64(shape, arg->shape[i]);
	json_set_i64(j, "n_elements", arg->n_elements);
	json_set_i64(j, "bytes", arg->bytes);
	if (p->role == PARAM_OUT)
		return j;
	struct json *fill = json_set_object(j, "fill");
	json_set_cstr(fill, "kind", fill_name(arg->fill.kind));
	json_set_f64(fill, "lo", arg->fill.lo);
	json_set_f64(fill, "hi", arg->fill.hi);
	return j;
}

static struct json *case_json(struct arena *a, const struct operator* op, const struct op_case *c)
{
	struct json *j = json_object(a), *dims = json_set_object(j, "dims");
	json_set_str(j, "name", c->name);
	json_set_u64(j, "seed", c->seed);
	for (size_t i = 0; i < c->n_dims; i++)
		json_set_i64(dims, arena_strndup(a, c->dims[i].name.p, c->dims[i].name.n), c->dims[i].value);
	if (c->flags & OP_CASE_HAS_FLOPS)
		json_set_f64(j, "flops", c->flops);
	if (c->flags & OP_CASE_HAS_BYTES) {
		json_set_f64(j, "bytes", c->bytes);
		json_set_cstr(j, "bytes_from",
			      c->flags & OP_CASE_BYTES_GUESSED  ? "guessed_sizes"
			      : c->flags & OP_CASE_BYTES_SUMMED ? "tensor_sizes"
								: "operator_file");
	}
	if (op->data == DATA_SETUP)
		return j;
	struct json *args = json_set_object(j, "args");
	for (size_t i = 0; i < op->n_params; i++)
		json_set(args, arena_strndup(a, op->params[i].name.p, op->params[i].name.n),
			 arg_json(a, &op->params[i], &c->args[i]));
	return j;
}

struct json *operator_json(struct arena *a, const struct operator* op)
{
	static const char *const linkages[] = {"C", "C++", "Python"};
	struct json *j = json_object(a);
	char digest[SHA256_HEX];
	operator_signature_digest(op, digest);
	set_file(j, "kernel", &op->kernel);
	set_file(j, "operator_file", &op->op_file);
	set_file(j, "reference", &op->reference);
	json_set_cstr(j, "reference_kind", reference_kind_name(op->reference_kind));
	json_set_cstr(j, "backend", backend_name(op->backend));
	json_set_str(j, "entry", op->entry);
	json_set_i64(j, "entry_line", op->entry_line);
	json_set_cstr(j, "linkage", linkages[op->linkage]);
	json_set_cstr(j, "data", operator_data_name(op->data));
	json_set_u64(j, "seed", op->seed);
	if (op->ptr_size)
		json_set_i64(j, "ptr_size", op->ptr_size);
	json_set_cstr(j, "signature_sha256", digest);
	struct json *params = json_set_array(j, "params"), *cases = json_set_array(j, "cases");
	struct json *notes = json_set_array(j, "notes");
	for (size_t i = 0; i < op->n_params; i++)
		json_push(params, param_json(a, &op->params[i]));
	for (size_t i = 0; i < op->n_cases; i++)
		json_push(cases, case_json(a, op, &op->cases[i]));
	for (size_t i = 0; i < op->n_notes; i++)
		json_push_str(notes, str_from(op->notes[i]));
	return j;
}
