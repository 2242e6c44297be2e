/* The operator file.
 * In: JSON text of format assay/operator-v1. Out: parameters, cases, tolerances, expressions as written.
 * Closed: a key that is not in the tables below is refused, with the nearest one named.
 * Never: looks at the kernel, evaluates an expression. */
#include "operator/opfile.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/expr.h"
#include "base/json.h"

enum { MAX_DIMS = 64, MAX_NAME = 128, MAX_OVERLOADS = 64 };

struct reading {
	struct opfile *out;
	struct arena *arena;
	struct err *e;
	char where[320]; /* "params[2] 'x'" */
};

/* "softmax.op.json: params[2] 'x': " before the text. Always false. */
static bool refuse(struct reading *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
static bool refuse(struct reading *r, const char *fmt, ...)
{
	char text[512];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	for (char *c = text; *c; c++)
		*c = (unsigned char)*c < ' ' ? '?' : *c; /* keys of the file may hold anything */
	return err_set(r->e, ERR_INPUT, "%s: %s%s%s", r->out->path, r->where, r->where[0] ? ": " : "", text);
}

static bool check_keys(struct reading *r, const struct json *j, const char *const *keys)
{
	if (!j || j->type != JSON_OBJECT)
		return refuse(r, "must be an object");
	for (size_t i = 0; i < j->n; i++) {
		const char *nearest = keys[0];
		bool ok = false;
		for (const char *const *k = keys; *k; k++) {
			ok = ok || str_is(j->members[i].key, *k);
			if (str_distance(j->members[i].key, str_from(*k)) <
			    str_distance(j->members[i].key, str_from(nearest)))
				nearest = *k;
		}
		if (!ok)
			return refuse(r, "unknown key \"%.*s\"; the nearest known one is \"%s\"",
				      (int)(j->members[i].key.n < 64 ? j->members[i].key.n : 64), j->members[i].key.p,
				      nearest);
	}
	return true;
}

static bool is_name(struct str s)
{
	if (!s.n || s.n > MAX_NAME || (s.p[0] >= '0' && s.p[0] <= '9'))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
			return false;
	}
	return true;
}

/* A string of the object; absent leaves *out alone. */
static bool get_string(struct reading *r, const struct json *j, const char *key, struct str *out)
{
	const struct json *v = json_get(j, key);
	if (!v)
		return true;
	bool ok = v->type == JSON_STRING && v->text.n;
	for (size_t i = 0; ok && i < v->text.n; i++)
		ok = (unsigned char)v->text.p[i] >= ' ';
	if (!ok)
		return refuse(r, "\"%s\" must be a string on one line, and not empty", key);
	*out = v->text;
	return true;
}

/* An expression: a number or a string that parses. Absent leaves *out alone. */
static bool get_expr(struct reading *r, const struct json *v, const char *key, struct str *out)
{
	if (!v)
		return true;
	if (v->type == JSON_BOOL) {
		*out = v->boolean ? STR("1") : STR("0");
		return true;
	}
	if (v->type != JSON_STRING && !json_is_number(v))
		return refuse(r, "\"%s\" must be a number or an expression in quotes", key);
	if (json_is_number(v) && !isfinite(v->real))
		return refuse(r, "\"%s\" is too large", key);
	struct err why = {0};
	if (!expr_parse(r->arena, v->text, &why))
		return refuse(r, "\"%s\": %s", key, why.text);
	*out = v->text;
	return true;
}

/* A number that is finite and not negative. *has gets `bit`. */
static bool get_tolerance(struct reading *r, const struct json *j, const char *key, double *out, unsigned bit,
			  unsigned *has)
{
	const struct json *v = json_get(j, key);
	if (!v)
		return true;
	if (!json_is_number(v) || !isfinite(v->real) || v->real < 0)
		return refuse(r, "\"%s\" must be a number that is 0 or more", key);
	*out = v->real;
	*has |= bit;
	return true;
}

static bool read_dims(struct reading *r, const struct json *j, struct op_dim **out, size_t *n)
{
	if (!j)
		return true;
	if (j->type != JSON_OBJECT || j->n > MAX_DIMS)
		return refuse(r, "\"dims\" must be an object of at most %d names", MAX_DIMS);
	*out = ARENA_ARRAY(r->arena, j->n + 1, struct op_dim);
	for (size_t i = 0; i < j->n; i++) {
		const struct json_member *m = &j->members[i];
		if (!is_name(m->key))
			return refuse(r, "\"dims\": \"%.*s\" is no name; use letters, digits and _",
				      (int)(m->key.n < 64 ? m->key.n : 64), m->key.p);
		if (m->value->type != JSON_INT || m->value->i < 1)
			return refuse(r, "\"dims\": %.*s must be a whole number from 1 to 9223372036854775807",
				      STR_ARG(m->key));
		(*out)[(*n)++] = (struct op_dim){m->key, m->value->i};
	}
	return true;
}

static bool read_shape(struct reading *r, const struct json *j, struct opfile_param *p)
{
	if (!j)
		return true;
	if (j->type != JSON_ARRAY || j->n > OPERATOR_MAX_RANK)
		return refuse(r, "\"shape\" must be a list of at most %d sizes", OPERATOR_MAX_RANK);
	for (size_t i = 0; i < j->n; i++) {
		const struct json *v = j->items[i];
		if (v->type != JSON_STRING && (v->type != JSON_INT || v->i < 1))
			return refuse(r,
				      "\"shape\": size %zu must be a whole number above 0 or an expression in quotes",
				      i + 1);
		if (!get_expr(r, v, "shape", &p->p.shape_text[i]))
			return false;
	}
	p->p.n_dims = j->n;
	p->has |= OPFILE_SHAPE;
	return true;
}

/* Keys of the two numbers of a fill, in the order of struct fill. */
static const char *const fill_keys[FILL_KINDS][2] = {
	[FILL_ZERO] = {NULL, NULL},  [FILL_UNIFORM] = {"lo", "hi"}, [FILL_NORMAL] = {"mean", "std"},
	[FILL_INT] = {"lo", "hi"},   [FILL_IOTA] = {"lo", "hi"},    [FILL_CONST] = {"value", NULL},
	[FILL_HEAVY] = {"lo", "hi"}, [FILL_BITS] = {NULL, NULL},
};

static bool read_fill(struct reading *r, const struct json *j, struct opfile_param *p)
{
	if (!j)
		return true;
	static const char *const only_kind[] = {"kind", NULL};
	const char *keys[4] = {"kind"};
	struct str kind = {"", 0};
	if (j->type != JSON_OBJECT)
		return refuse(r, "\"fill\" must be an object, such as {\"kind\": \"uniform\", \"lo\": -1, \"hi\": 1}");
	if (!get_string(r, j, "kind", &kind))
		return false;
	if (!fill_from_name(kind, &p->p.fill_kind))
		return refuse(r,
			      "\"fill\": \"kind\" must be one of zero, uniform, normal, int, iota, const, heavy, bits");
	const char *const *k = fill_keys[p->p.fill_kind];
	size_t n = 1;
	for (size_t i = 0; i < 2 && k[i]; i++)
		keys[n++] = k[i];
	if (!check_keys(r, j, n > 1 ? keys : only_kind))
		return false;
	for (size_t i = 0; i < 2 && k[i]; i++) {
		const struct json *v = json_get(j, k[i]);
		if (!v)
			return refuse(r, "\"fill\": \"%.*s\" needs \"%s\"", STR_ARG(kind), k[i]);
		if (!get_expr(r, v, k[i], i ? &p->p.hi_text : &p->p.lo_text))
			return false;
	}
	p->has |= OPFILE_FILL;
	return true;
}

/* A whole number of a range, from `least` on. Absent leaves *out alone. */
static bool get_size(struct reading *r, const struct json *j, const char *key, int64_t *out)
{
	const struct json *v = json_get(j, key);
	if (v && (v->type != JSON_INT || v->i < 1))
		return refuse(r, "\"range\": \"%s\" must be a whole number from 1 to 9223372036854775807", key);
	*out = v ? v->i : *out;
	return true;
}

static bool read_range(struct reading *r, const struct json *j, struct opfile_param *p)
{
	static const char *const keys[] = {"min", "max", "multiple_of", NULL};
	struct param_range *x = ARENA_NEW(r->arena, struct param_range);
	if (!j)
		return true;
	p->p.range = x;
	if (p->p.role != PARAM_DIM)
		return refuse(r, "a %s has no \"range\"; a dim has", param_role_name(p->p.role));
	if (j->type != JSON_OBJECT)
		return refuse(r,
			      "\"range\" must be an object, such as {\"min\": 1, \"max\": 8192, \"multiple_of\": 8}");
	*x = (struct param_range){.min = 1, .max = INT64_MAX, .multiple_of = 1};
	if (!check_keys(r, j, keys) || !get_size(r, j, "min", &x->min) || !get_size(r, j, "max", &x->max) ||
	    !get_size(r, j, "multiple_of", &x->multiple_of))
		return false;
	if (x->max / x->multiple_of < (x->min - 1) / x->multiple_of + 1)
		return refuse(r, "\"range\": no size is in it");
	return true;
}

static bool read_role(struct reading *r, const struct json *j, struct opfile_param *p)
{
	struct str role = {"", 0};
	if (!get_string(r, j, "role", &role))
		return false;
	for (enum param_role k = PARAM_IN; k < PARAM_ROLES; k++) {
		if (str_is(role, param_role_name(k))) {
			p->p.role = k;
			return true;
		}
	}
	return refuse(r, "\"role\" must be one of in, out, inout, dim, scalar");
}

static bool check_param(struct reading *r, const struct json *j, const struct opfile_param *p)
{
	bool is_tensor = p->p.role <= PARAM_INOUT;
	if (is_tensor && !(p->has & OPFILE_SHAPE))
		return refuse(r, "a tensor needs \"shape\", such as [\"M\", \"N\"]");
	if (!is_tensor && (p->has & OPFILE_SHAPE))
		return refuse(r, "a %s has no \"shape\"", param_role_name(p->p.role));
	if (is_tensor && json_get(j, "value"))
		return refuse(r, "a tensor has no \"value\"; use \"fill\": {\"kind\": \"const\", \"value\": ...}");
	if (p->p.role != PARAM_IN && p->p.role != PARAM_INOUT && (p->has & OPFILE_FILL))
		return refuse(r, "only in and inout have a \"fill\"");
	if (p->p.role != PARAM_OUT && p->p.role != PARAM_INOUT && (p->has & (OPFILE_ATOL | OPFILE_RTOL)))
		return refuse(r, "only out and inout have a tolerance");
	if ((p->p.flags & PARAM_RETURNED) && p->p.role != PARAM_OUT)
		return refuse(r, "only an out can be \"returned\"");
	return true;
}

static bool read_param(struct reading *r, const struct json *j, struct opfile_param *p)
{
	static const char *const keys[] = {"name", "role", "dtype",    "shape", "fill", "value",
					   "atol", "rtol", "returned", "range", NULL};
	if (!check_keys(r, j, keys) || !get_string(r, j, "name", &p->p.name))
		return false;
	if (!is_name(p->p.name))
		return refuse(r, "\"name\" must be the name of a parameter");
	size_t n = strlen(r->where);
	snprintf(r->where + n, sizeof(r->where) - n, " '%.*s'", STR_ARG(p->p.name));
	if (opfile_param(r->out, p->p.name))
		return refuse(r, "a second parameter of that name");
	struct str dtype = {"", 0};
	if (!read_role(r, j, p) || !get_string(r, j, "dtype", &dtype))
		return false;
	if (dtype.n && !dtype_from_name(dtype, &p->p.dtype))
		return refuse(r,
			      "unknown dtype \"%.*s\"; known are float64, float32, float16, bfloat16, float8_e4m3fn, "
			      "float8_e5m2, int8 to int64, uint8 to uint64, bool",
			      (int)(dtype.n < 64 ? dtype.n : 64), dtype.p);
	p->has |= dtype.n ? OPFILE_DTYPE : 0u;
	const struct json *returned = json_get(j, "returned");
	if (returned && returned->type != JSON_BOOL)
		return refuse(r, "\"returned\" must be true or false");
	p->p.flags |= returned && returned->boolean ? PARAM_RETURNED : 0u;
	return read_shape(r, json_get(j, "shape"), p) && read_fill(r, json_get(j, "fill"), p) &&
	       read_range(r, json_get(j, "range"), p) && get_expr(r, json_get(j, "value"), "value", &p->p.value_text) &&
	       get_tolerance(r, j, "atol", &p->p.atol, OPFILE_ATOL, &p->has) &&
	       get_tolerance(r, j, "rtol", &p->p.rtol, OPFILE_RTOL, &p->has) && check_param(r, j, p);
}

static bool read_params(struct reading *r, const struct json *j)
{
	if (!j)
		return true;
	if (j->type != JSON_ARRAY || !j->n || j->n > OPERATOR_MAX_PARAMS)
		return refuse(r, "\"params\" must be a list of 1 to %d parameters", OPERATOR_MAX_PARAMS);
	r->out->params = ARENA_ARRAY(r->arena, j->n, struct opfile_param);
	for (size_t i = 0; i < j->n; i++) {
		snprintf(r->where, sizeof(r->where), "params[%zu]", i);
		struct opfile_param *p = &r->out->params[i];
		if (!read_param(r, j->items[i], p))
			return false;
		r->out->n_params++;
	}
	r->where[0] = '\0';
	return true;
}

static bool read_case(struct reading *r, const struct json *j, struct opfile_case *c)
{
	static const char *const keys[] = {"name", "dims", "scalars", NULL};
	if (!check_keys(r, j, keys) || !get_string(r, j, "name", &c->name))
		return false;
	if (!c->name.n || c->name.n > MAX_NAME)
		return refuse(r, "needs a \"name\" of at most %d bytes", MAX_NAME);
	size_t n = strlen(r->where);
	snprintf(r->where + n, sizeof(r->where) - n, " '%.*s'", STR_ARG(c->name));
	for (size_t i = 0; i < r->out->n_cases; i++) {
		if (str_eq(r->out->cases[i].name, c->name))
			return refuse(r, "a second case of that name");
	}
	const struct json *s = json_get(j, "scalars");
	if (s && (s->type != JSON_OBJECT || s->n > MAX_DIMS))
		return refuse(r, "\"scalars\" must be an object of at most %d names", MAX_DIMS);
	c->scalars = ARENA_ARRAY(r->arena, (s ? s->n : 0) + 1, struct opfile_value);
	for (size_t i = 0; s && i < s->n; i++) {
		struct opfile_param *p = opfile_param(r->out, s->members[i].key);
		if (!p || p->p.role != PARAM_SCALAR)
			return refuse(r, "\"scalars\": \"%.*s\" is no parameter with role scalar",
				      (int)(s->members[i].key.n < 64 ? s->members[i].key.n : 64), s->members[i].key.p);
		c->scalars[i].name = s->members[i].key;
		if (!get_expr(r, s->members[i].value, "scalars", &c->scalars[i].text))
			return false;
		c->n_scalars++;
	}
	return read_dims(r, json_get(j, "dims"), &c->dims, &c->n_dims);
}

static bool read_cases(struct reading *r, const struct json *j)
{
	if (!j)
		return true;
	if (j->type != JSON_ARRAY || !j->n || j->n > OPERATOR_MAX_CASES)
		return refuse(r, "\"cases\" must be a list of 1 to %d cases", OPERATOR_MAX_CASES);
	r->out->cases = ARENA_ARRAY(r->arena, j->n, struct opfile_case);
	for (size_t i = 0; i < j->n; i++) {
		snprintf(r->where, sizeof(r->where), "cases[%zu]", i);
		if (!read_case(r, j->items[i], &r->out->cases[i]))
			return false;
		r->out->n_cases++;
	}
	r->where[0] = '\0';
	return true;
}

static bool read_overloads(struct reading *r, const struct json *j)
{
	if (!j)
		return true;
	if (j->type != JSON_ARRAY || !j->n || j->n > MAX_OVERLOADS)
		return refuse(r, "\"overloads\" must be a list of 1 to %d names such as \"add.Tensor\"", MAX_OVERLOADS);
	r->out->overloads = ARENA_ARRAY(r->arena, j->n, struct str);
	for (size_t i = 0; i < j->n; i++) {
		struct str s = j->items[i]->type == JSON_STRING ? j->items[i]->text : (struct str){"", 0};
		struct str head = {"", 0}, rest = s;
		bool ok = s.n > 0;
		while (ok && str_split(&rest, '.', &head))
			ok = is_name(head);
		if (!ok)
			return refuse(r, "\"overloads\": item %zu must be a name such as \"add.Tensor\"", i + 1);
		r->out->overloads[r->out->n_overloads++] = s;
	}
	return true;
}

static bool read_document(struct reading *r, const struct json *j)
{
	static const char *const keys[] = {"format", "description", "entry", "reference", "params",    "dims", "cases",
					   "atol",   "rtol",        "flops", "bytes",     "overloads", NULL};
	struct opfile *out = r->out;
	struct str format = {"", 0}, text = {"", 0}, entry = {"", 0}, reference = {"", 0};
	if (!j || j->type != JSON_OBJECT)
		return refuse(r, "must be a JSON object");
	if (!get_string(r, j, "format", &format))
		return false;
	if (!str_is(format, "assay/operator-v1"))
		return refuse(r, "\"format\" must be \"assay/operator-v1\"");
	if (!check_keys(r, j, keys) || !get_string(r, j, "description", &text) || !get_string(r, j, "entry", &entry) ||
	    !get_string(r, j, "reference", &reference))
		return false;
	if (entry.n && !is_name(entry))
		return refuse(r, "\"entry\" must be the name of a function");
	out->entry = entry.n ? arena_strndup(r->arena, entry.p, entry.n) : NULL;
	out->reference = reference.n ? arena_strndup(r->arena, reference.p, reference.n) : NULL;
	return read_params(r, json_get(j, "params")) && read_dims(r, json_get(j, "dims"), &out->dims, &out->n_dims) &&
	       read_cases(r, json_get(j, "cases")) && get_tolerance(r, j, "atol", &out->atol, OPFILE_ATOL, &out->has) &&
	       get_tolerance(r, j, "rtol", &out->rtol, OPFILE_RTOL, &out->has) &&
	       get_expr(r, json_get(j, "flops"), "flops", &out->flops_text) &&
	       get_expr(r, json_get(j, "bytes"), "bytes", &out->bytes_text) &&
	       read_overloads(r, json_get(j, "overloads"));
}

bool opfile_read(struct opfile *out, struct arena *a, const char *path, struct str text, struct err *e)
{
	memset(out, 0, sizeof(*out));
	out->path = path;
	struct reading r = {.out = out, .arena = a, .e = e};
	struct json *j = json_parse(a, path, text, JSON_STRICT, e);
	return j && read_document(&r, j);
}

struct opfile_param *opfile_param(const struct opfile *f, struct str name)
{
	for (size_t i = 0; i < f->n_params; i++) {
		if (str_eq(f->params[i].p.name, name))
			return &f->params[i];
	}
	return NULL;
}
