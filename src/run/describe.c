/* setup() of a Python module, run in a process of its own.
 * In: module, dims and seeds of every case. Out: parameters, and values in memory files laid out like a region.
 * The process is sandboxed like a worker: the module is candidate code. Every byte that it gives is checked.
 * Never: lets a later version's values in; they are only compared. */
#include "run/describe.h"

#include <math.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "operator/guess.h"
#include "run/layout.h"

extern const char guest_describe[], guest_describe_end[];

void described_release(struct described *d)
{
	for (size_t i = 0; d->files && i < d->n_cases * DESCRIBE_SEEDS; i++) {
		if (d->files[i] >= 0)
			close(d->files[i]);
	}
	d->files = NULL;
}

static struct json *job_of(struct described *d, struct arena *a, const struct operator* op,
			   const struct describe_options *o)
{
	struct json *job = json_object(a), *cases = json_set_array(job, "cases");
	json_set_cstr(job, "module", o->module);
	json_set_str(job, "entry", op->form == OPERATOR_NATIVE ? STR("") : op->entry);
	json_set_bool(job, "is_own", strcmp(o->module, op->kernel.path) == 0);
	json_set_bool(job, "is_gpu", o->gpu != NULL);
	json_set_bool(job, "is_native", op->form == OPERATOR_NATIVE);
	json_set_bool(job, "calls_entry", o->calls_entry && op->form != OPERATOR_NATIVE);
	json_set(job, "path", o->guest->import_path);
	for (size_t i = 0; i < op->n_cases; i++) {
		const struct op_case *c = &op->cases[i];
		struct json *x = json_object(a), *dims = json_set_object(x, "dims");
		struct json *seeds = json_set_array(x, "seeds"), *files = json_set_array(x, "files");
		for (size_t k = 0; k < c->n_dims; k++)
			json_set_i64(dims, arena_strndup(a, c->dims[k].name.p, c->dims[k].name.n), c->dims[k].value);
		for (size_t k = 0; k < DESCRIBE_SEEDS; k++) {
			/* numpy takes 32 bits; the first one is the user's own where it fits */
			json_push_i64(seeds, (int64_t)((c->seed + 0x9e3779b97f4a7c15u * k) & 0x7fffffffu));
			json_push_i64(files, d->files[i * DESCRIBE_SEEDS + k]);
		}
		json_push(cases, x);
	}
	return job;
}

static const char *digest_of(struct arena *a, const int *files)
{
	struct sha256 h;
	char hex[SHA256_HEX];
	sha256_init(&h);
	for (size_t i = 0; i < DESCRIBE_SEEDS; i++) {
		struct stat st;
		if (fstat(files[i], &st) != 0 || st.st_size <= 0)
			continue;
		void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, files[i], 0);
		if (p == MAP_FAILED)
			continue;
		sha256_add(&h, p, (size_t)st.st_size);
		munmap(p, (size_t)st.st_size);
	}
	sha256_hex(&h, hex);
	return arena_strdup(a, hex);
}

static void judge(struct described *out, struct arena *a, const char *how, const struct json *result)
{
	if (result && json_bool(result, "ok", false)) {
		out->cases = json_get(result, "cases");
		if (out->cases && out->cases->type == JSON_ARRAY && out->cases->n == out->n_cases) {
			for (size_t i = 0; i < out->n_cases; i++)
				out->digests[i] = digest_of(a, out->files + i * DESCRIBE_SEEDS);
			return;
		}
	}
	struct str text = result ? json_str(result, "text", STR("")) : STR("");
	out->word = text.n ? arena_str(a, json_str(result, "word", STR(""))).p : "exited_early";
	out->text = text.n ? arena_printf(a, "setup: %.*s", STR_ARG(text))
			   : arena_printf(a, "the process that runs setup() ended without an answer: %s", how);
}

static bool open_files(struct described *out, struct arena *a, size_t n_cases, struct err *e)
{
	out->n_cases = n_cases;
	out->files = ARENA_ARRAY(a, n_cases * DESCRIBE_SEEDS, int);
	out->digests = ARENA_ARRAY(a, n_cases, const char *);
	for (size_t i = 0; i < n_cases * DESCRIBE_SEEDS; i++)
		out->files[i] = -1;
	for (size_t i = 0; i < n_cases * DESCRIBE_SEEDS; i++) {
		out->files[i] = file_memfd("setup", 0, e);
		if (out->files[i] < 0)
			return false;
	}
	return true;
}

bool describe_begin(struct described *out, struct arena *a, const struct operator* op, const struct describe_options *o,
		    struct err *e)
{
	*out = (struct described){.text = ""};
	if (!open_files(out, a, op->n_cases, e))
		return false;
	struct guest_call call = {.guest = o->guest,
				  .script = str_upto(guest_describe, guest_describe_end),
				  .job = job_of(out, a, op, o),
				  .module = o->module,
				  .folder = o->folder,
				  .gpu = o->gpu,
				  .fds = out->files,
				  .n_fds = out->n_cases * DESCRIBE_SEEDS,
				  .timeout_ns = o->timeout_ns};
	out->running = guest_begin(a, &call, e);
	return out->running != NULL;
}

bool describe_end(struct described *out, struct arena *a, struct err *e)
{
	struct json *result = NULL;
	const char *how = "";
	struct guest_running *running = out->running;
	out->running = NULL;
	if (!guest_end(&result, &how, a, running, e))
		return false;
	judge(out, a, how, result);
	return true;
}

/* ---- into the operator */

static bool bad_answer(struct err *e, const char *what)
{
	return err_set(e, ERR_INPUT, "setup(): its description makes no sense (%s)", what);
}

static bool takes(const struct param *p, bool is_tensor, enum dtype t)
{
	bool is_integer = !dtype_is_float(p->dtype) && p->dtype != DTYPE_BOOL;
	if (!is_tensor) /* a whole number may be passed where a fraction is wanted */
		return dtype_is_float(p->dtype) || (t == DTYPE_BOOL ? p->dtype == DTYPE_BOOL || is_integer
								    : !dtype_is_float(t) && p->dtype != DTYPE_BOOL);
	/* Small floats travel in integers of their size; signed and unsigned are not told apart. */
	bool is_alike = !dtype_is_float(t) || dtype_bytes(t) <= 2;
	bool is_container = is_integer && is_alike && dtype_bytes(p->dtype) == dtype_bytes(t);
	return (p->flags & PARAM_UNTYPED) || p->dtype == t || is_container;
}

/* What a native entry declares in this place decides how it is passed; the data must fit. */
static bool bind_native(struct param *p, const struct param *own, size_t i, const struct operator* op, struct err *e)
{
	bool is_tensor = param_is_tensor(p), is_pointer = (own->flags & PARAM_POINTER) != 0;
	bool is_written = is_tensor && param_is_output(p) && (own->flags & PARAM_CONST);
	if (is_tensor != is_pointer || is_written || !takes(own, is_tensor, p->dtype))
		return err_set(
			e, ERR_INPUT,
			"%s:%u: parameter %zu '%.*s' of '%.*s' is %.*s; the problem passes %s '%.*s' of %s there%s",
			op->kernel.name, own->line, i + 1, STR_ARG(own->name), STR_ARG(op->entry),
			STR_ARG(own->type_text),
			!is_tensor           ? "the number"
			: param_is_output(p) ? "the output"
					     : "the tensor",
			STR_ARG(p->name), dtype_name(p->dtype), is_written ? ", which it must be able to write" : "");
	p->type_text = own->type_text;
	p->flags = own->flags & (PARAM_POINTER | PARAM_CONST | PARAM_REFERENCE);
	p->dtype = is_tensor ? p->dtype : own->dtype;
	return true;
}

static bool take_param(struct param *p, const struct json *x, const struct operator* old, struct err *e)
{
	struct str name = json_str(x, "name", STR("")), role = json_str(x, "role", STR(""));
	const struct param *same = operator_param(old, name);
	*p = (struct param){.name = name, .role = PARAM_ROLES};
	for (enum param_role r = PARAM_IN; r < PARAM_ROLES; r++) {
		if (str_is(role, param_role_name(r)))
			p->role = r;
	}
	if (!name.n || p->role == PARAM_ROLES || !dtype_from_name(json_str(x, "dtype", STR("")), &p->dtype))
		return bad_answer(e, "a parameter");
	if (json_bool(x, "tensor", false) != param_is_tensor(p))
		return bad_answer(e, "a role");
	p->flags = param_is_tensor(p) ? PARAM_POINTER : 0u;
	if (json_bool(x, "returned", false))
		p->flags |= PARAM_RETURNED;
	if (json_bool(x, "either", false))
		p->flags |= PARAM_EITHER;
	if (same) {
		p->line = same->line;
		p->atol = same->atol;
		p->rtol = same->rtol;
		p->atol_from = same->atol_from;
		p->rtol_from = same->rtol_from;
	}
	return true;
}

/* A whole number in the bytes of its type; false: it does not fit. */
static bool store_whole(enum dtype t, uint64_t *bits, int64_t v)
{
	unsigned n = (unsigned)dtype_bytes(t) * 8;
	bool is_signed = t == DTYPE_I8 || t == DTYPE_I16 || t == DTYPE_I32 || t == DTYPE_I64;
	int64_t half = n < 64 ? (INT64_C(1) << (n - 1)) : INT64_MAX;
	*bits = n < 64 ? (uint64_t)v & ((UINT64_C(1) << n) - 1) : (uint64_t)v;
	if (is_signed)
		return n == 64 || (v >= -half && v < half);
	return v >= 0 && (n == 64 || v < 2 * half);
}

static bool take_number(struct op_arg *arg, const struct param *p, const struct json *x, struct err *e)
{
	const struct json *value = json_get(x, "value");
	bool is_bool = value && value->type == JSON_BOOL;
	if (!value || (!is_bool && !json_is_number(value)))
		return bad_answer(e, "a number");
	int64_t whole = is_bool ? value->boolean : json_i64(x, "value", 0);
	if (dtype_is_float(p->dtype))
		dtype_store(p->dtype, &arg->bits, is_bool ? (double)whole : json_f64(x, "value", NAN));
	else if (p->dtype == DTYPE_BOOL)
		arg->bits = whole != 0;
	else if (!store_whole(p->dtype, &arg->bits, whole))
		return err_set(e, ERR_INPUT, "setup(): %lld does not fit '%.*s', which is %s", (long long)whole,
			       STR_ARG(p->name), dtype_name(p->dtype));
	return true;
}

static bool take_arg(struct op_arg *arg, const struct param *p, const struct json *x, struct err *e)
{
	const struct json *shape = json_get(x, "shape");
	if (!param_is_tensor(p))
		return take_number(arg, p, x, e);
	if (!shape || shape->type != JSON_ARRAY || shape->n == 0 || shape->n > OPERATOR_MAX_RANK)
		return bad_answer(e, "a shape");
	arg->n_dims = shape->n;
	arg->n_elements = 1;
	for (size_t i = 0; i < shape->n; i++) {
		double size = shape->items[i]->real;
		arg->shape[i] = size >= 1 && size < 0x1p53 ? (int64_t)size : 0;
		if (arg->shape[i] < 1 || __builtin_mul_overflow(arg->n_elements, arg->shape[i], &arg->n_elements))
			return bad_answer(e, "a size");
	}
	if (__builtin_mul_overflow(arg->n_elements, (int64_t)dtype_bytes(p->dtype), &arg->bytes) ||
	    arg->bytes > OPERATOR_MAX_BYTES)
		return bad_answer(e, "a tensor that is too large");
	return true;
}

/* The files were packed by the description's own process: they must fit our layout to the byte. */
static bool check_files(const struct described *d, struct arena *a, const struct operator* op, size_t i_case,
			struct err *e)
{
	struct layout y;
	layout_make(&y, a, op, &op->cases[i_case]);
	for (size_t k = 0; k < DESCRIBE_SEEDS; k++) {
		struct stat st;
		if (fstat(d->files[i_case * DESCRIBE_SEEDS + k], &st) != 0 || (uint64_t)st.st_size != y.bytes)
			return bad_answer(e, "its values have another size");
	}
	return true;
}

static bool apply_case(const struct described *d, struct arena *a, struct operator* op, size_t i, struct err *e)
{
	const struct json *params = json_get(d->cases->items[i], "params");
	struct op_case *c = &op->cases[i];
	if (!params || params->type != JSON_ARRAY || params->n != op->n_params)
		return err_set(e, ERR_INPUT, "setup() gives other parameters in case '%.*s'", STR_ARG(c->name));
	c->args = ARENA_ARRAY(a, op->n_params + 1, struct op_arg);
	bool is_summed = !(c->flags & OP_CASE_HAS_BYTES);
	for (size_t k = 0; k < op->n_params; k++) {
		const struct json *x = params->items[k];
		const struct param *p = &op->params[k];
		bool is_cast = op->form == OPERATOR_NATIVE && !param_is_tensor(p);
		if (!str_eq(json_str(x, "name", STR("")), p->name) ||
		    (!is_cast && !str_is(json_str(x, "dtype", STR("")), dtype_name(p->dtype))) ||
		    !str_is(json_str(x, "role", STR("")), param_role_name(p->role)))
			return err_set(e, ERR_INPUT, "setup() gives other parameters in case '%.*s'", STR_ARG(c->name));
		if (!take_arg(&c->args[k], p, x, e))
			return false;
		if (is_summed)
			c->bytes += (double)c->args[k].bytes * (p->role == PARAM_INOUT ? 2 : 1);
	}
	c->flags |= OP_CASE_HAS_BYTES | (is_summed ? (unsigned)OP_CASE_BYTES_SUMMED : 0u);
	double flops = json_f64(d->cases->items[i], "flops", -1);
	if (!(c->flags & OP_CASE_HAS_FLOPS) && flops >= 0 && isfinite(flops)) {
		c->flops = flops;
		c->flags |= OP_CASE_HAS_FLOPS;
	}
	return check_files(d, a, op, i, e);
}

static const char *names_of(struct arena *a, const struct json *params)
{
	const char *text = "";
	for (size_t i = 0; i < params->n; i++)
		text = arena_printf(a, "%s%s%.*s", text, i ? ", " : "",
				    STR_ARG(json_str(params->items[i], "name", STR(""))));
	return text;
}

bool described_bind(const struct json *params, struct arena *a, struct operator* op, struct err *e)
{
	const struct operator old = * op;
	bool is_native = op->form == OPERATOR_NATIVE;
	if (!params || params->type != JSON_ARRAY || params->n == 0 || params->n > OPERATOR_MAX_PARAMS)
		return bad_answer(e, "the number of parameters");
	if (is_native && params->n != old.n_params)
		return err_set(e, ERR_INPUT, "%s:%u: '%.*s' has %zu parameters; the problem passes %zu: %s",
			       op->kernel.name, op->entry_line, STR_ARG(op->entry), old.n_params, params->n,
			       names_of(a, params));
	op->params = ARENA_ARRAY(a, params->n + 1, struct param);
	op->n_params = params->n;
	for (size_t i = 0; i < params->n; i++) {
		if (!take_param(&op->params[i], params->items[i], &old, e) ||
		    (is_native && !bind_native(&op->params[i], &old.params[i], i, &old, e)))
			return false;
	}
	return true;
}

static bool has_kept(const struct operator* op)
{
	for (size_t i = 0; i < op->n_params; i++) {
		if (op->params[i].role == PARAM_INOUT)
			return true;
	}
	return false;
}

bool described_apply(const struct described *d, struct arena *a, struct operator* op, struct err *e)
{
	if (!described_bind(json_get(d->cases->items[0], "params"), a, op, e))
		return false;
	for (size_t i = 0; i < op->n_cases; i++) {
		if (!apply_case(d, a, op, i, e))
			return false;
	}
	operator_note(op, a, "setup() supplies the data%s",
		      has_kept(op) ? ": its outputs keep the values that it gives them" : "");
	return true;
}

/* ---- comparison of two setups */

static const char *shape_text(struct arena *a, const struct json *x)
{
	struct buf b;
	buf_init(&b);
	const struct json *shape = json_get(x, "shape");
	if (shape)
		json_write(&b, shape, JSON_COMPACT);
	const char *s = arena_str(a, buf_view(&b)).p;
	buf_release(&b);
	return s;
}

static const char *differ_param(const struct json *x, const struct json *y, struct arena *a)
{
	static const char *const keys[] = {"name", "dtype", "role"};
	struct str name = json_str(x, "name", STR(""));
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		struct str p = json_str(x, keys[i], STR("")), q = json_str(y, keys[i], STR(""));
		if (!str_eq(p, q))
			return arena_printf(a, "%s of '%.*s' is %.*s, was %.*s", keys[i], STR_ARG(name), STR_ARG(q),
					    STR_ARG(p));
	}
	const char *p = shape_text(a, x), *q = shape_text(a, y);
	if (strcmp(p, q) != 0)
		return arena_printf(a, "shape of '%.*s' is %s, was %s", STR_ARG(name), q, p);
	if (json_f64(x, "value", 0) != json_f64(y, "value", 0))
		return arena_printf(a, "'%.*s' is %g, was %g", STR_ARG(name), json_f64(y, "value", 0),
				    json_f64(x, "value", 0));
	return NULL;
}

/* A quarter of the width: other random numbers of one distribution stay within it, zeros do not. */
static const char *differ_ranges(const struct json *x, const struct json *y, struct arena *a)
{
	for (size_t i = 0; x && y && i < x->n; i++) {
		const struct json *p = x->members[i].value, *q = json_get(y, arena_str(a, x->members[i].key).p);
		if (!p || !q || p->type != JSON_ARRAY || q->type != JSON_ARRAY || p->n != 2 || q->n != 2)
			continue;
		double lo = p->items[0]->real, hi = p->items[1]->real, room = 0.25 * (hi - lo);
		if (fabs(q->items[0]->real - lo) > room || fabs(q->items[1]->real - hi) > room)
			return arena_printf(a, "values of '%.*s' lie in [%g, %g], were in [%g, %g]",
					    STR_ARG(x->members[i].key), q->items[0]->real, q->items[1]->real, lo, hi);
	}
	return NULL;
}

/* Without what the entry returns: that is compared with what is wanted when it is called. */
static size_t n_given(const struct json *params)
{
	size_t n = 0;
	while (n < params->n && !json_bool(params->items[n], "returned", false))
		n++;
	return n;
}

const char *described_differ(const struct described *x, const struct described *y, struct arena *a)
{
	for (size_t i = 0; i < x->n_cases; i++) {
		const struct json *p = json_get(x->cases->items[i], "params"),
				  *q = json_get(y->cases->items[i], "params");
		if (!p || !q)
			return "its setup() gives no parameters";
		size_t n = n_given(p);
		if (n != n_given(q))
			return arena_printf(a, "its setup() gives %zu parameters, were %zu", n_given(q), n);
		for (size_t k = 0; k < n; k++) {
			const char *why = differ_param(p->items[k], q->items[k], a);
			if (why)
				return why;
		}
		p = json_get(x->cases->items[i], "ranges");
		q = json_get(y->cases->items[i], "ranges");
		for (size_t k = 0; p && q && k < p->n && k < q->n; k++) {
			const char *why = differ_ranges(p->items[k], q->items[k], a);
			if (why)
				return why;
		}
	}
	return NULL;
}
