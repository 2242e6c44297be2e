/* Correctness.
 * In: slots after calls, expected regions. Out: verdict, errors per output.
 * Order: inputs unchanged, guard zones whole, outputs written, outputs within tolerance.
 * Never: asks the candidate's process anything. */
#include "measure/correct.h"

#include <math.h>

#include "measure/checker.h"
#include "measure/correct_region.h"
#include "measure/error_model.h"
#include "measure/lab_data.h"
#include "run/keeper.h"

static void judge(struct correctness *c, enum verdict v, const char *text)
{
	if (!correct_is_good(c))
		return; /* the first fault stands */
	c->verdict = v;
	c->text = text;
}

struct look { /* one slot being looked at */
	struct correctness *out;
	struct arena *arena;
	struct lab *lab;
	const struct reference *r;
	const struct correct_region *at;
	const struct layout *layout;
	const char *where; /* "case 'x', data set 1, timed calls" */
};

static const struct param *param_of(const struct look *k, size_t i)
{
	return &k->r->op->params[k->layout->i_param[i]];
}

static bool look_inputs(struct look *k, struct json *x, struct err *e)
{
	size_t n_changed = 0;
	for (size_t i = 0; i < k->layout->n_tensors; i++) {
		uint64_t now = 0, before = 0;
		if (k->layout->tensors[i].is_output != WIRE_INPUT)
			continue;
		if (!keeper_hash(lab_keeper(k->lab), k->at->region, i, &now, e) ||
		    !keeper_hash(lab_keeper(k->lab), lab_expected_region(k->lab, k->at->set), i, &before, e))
			return false;
		if (now == before)
			continue;
		n_changed++;
		judge(k->out, VERDICT_INPUT_MODIFIED,
		      arena_printf(k->arena, "input '%.*s' was changed (%s)", STR_ARG(param_of(k, i)->name), k->where));
	}
	json_set_u64(x, "inputs_changed", n_changed);
	return true;
}

/* The tensor that a stray byte lies nearest to, and how far: most overruns are short. */
static uint64_t nearest_tensor(const struct layout *y, uint64_t offset, size_t *i_tensor, bool *is_before)
{
	uint64_t least = UINT64_MAX;
	for (size_t i = 0; i < y->n_tensors; i++) {
		uint64_t begin = y->tensors[i].offset, end = begin + y->tensors[i].bytes;
		uint64_t distance = offset < begin ? begin - offset : offset - end;
		if (distance >= least)
			continue;
		least = distance;
		*i_tensor = i;
		*is_before = offset < begin;
	}
	return least;
}

static bool look_guards(struct look *k, struct json *x, struct err *e)
{
	struct wire_guarded g;
	if (!keeper_guard(lab_keeper(k->lab), k->at->region, &g, e))
		return false;
	json_set_u64(x, "guard_bytes_damaged", g.n_damaged);
	if (!g.n_damaged)
		return true;
	size_t i = 0;
	bool is_before = false;
	uint64_t distance = nearest_tensor(k->layout, g.first_offset, &i, &is_before);
	judge(k->out, VERDICT_GUARD_DAMAGED,
	      arena_printf(k->arena, "%llu bytes outside the tensors were written, first %llu bytes %s '%.*s' (%s)",
			   (unsigned long long)g.n_damaged, (unsigned long long)distance,
			   is_before ? "before" : "behind the end of", STR_ARG(param_of(k, i)->name), k->where));
	return true;
}

/* "[3, 17]" for a shape of two dims, "[51]" for a flat one. */
static const char *coordinates(struct look *k, size_t i, uint64_t index)
{
	const struct op_arg *arg = &k->r->op->cases[k->at->i_case].args[k->layout->i_param[i]];
	uint64_t c[OPERATOR_MAX_RANK];
	struct buf b;
	if (arg->n_dims == 0)
		return arena_printf(k->arena, "[%llu]", (unsigned long long)index);
	for (size_t d = arg->n_dims; d-- > 0;) {
		uint64_t size = arg->shape[d] > 0 ? (uint64_t)arg->shape[d] : 1;
		c[d] = index % size;
		index /= size;
	}
	buf_init(&b);
	for (size_t d = 0; d < arg->n_dims; d++)
		buf_printf(&b, "%s%llu", d ? ", " : "[", (unsigned long long)c[d]);
	buf_char(&b, ']');
	const char *text = arena_strndup(k->arena, b.p, b.n);
	buf_release(&b);
	return text;
}

void correct_tolerance(const struct reference *r, const struct param *p, double *atol, double *rtol)
{
	*atol = p->atol_from == TOLERANCE_DEFAULT && (r->flags & REFERENCE_HAS_ATOL) ? r->atol : p->atol;
	*rtol = p->rtol_from == TOLERANCE_DEFAULT && (r->flags & REFERENCE_HAS_RTOL) ? r->rtol : p->rtol;
}

static void put_errors(struct json *x, const struct wire_compared *c)
{
	double n_finite = (double)(c->n - c->n_nan - c->n_inf);
	json_set_u64(x, "n", c->n);
	json_set_u64(x, "n_mismatch", c->n_bad);
	json_set_f64(x, "max_abs_error", c->max_abs);
	json_set_f64(x, "max_rel_error", c->max_rel);
	json_set_f64(x, "mean_abs_error", n_finite > 0 ? c->sum_abs / n_finite : NAN);
	json_set_f64(x, "relative_rms_error", c->sum_ref_sq > 0 ? sqrt(c->sum_sq / c->sum_ref_sq) : NAN);
	json_set_u64(x, "n_nan", c->n_nan);
	json_set_u64(x, "n_inf", c->n_inf);
	json_set_u64(x, "n_unwritten", c->n_poison);
}

static const char *number(struct arena *a, double v)
{
	return isnan(v) ? "nan" : arena_printf(a, "%.9g", v);
}

static void put_units(struct look *k, size_t i, const struct wire_compared *c, struct json *x)
{
	struct error_model m;
	const struct operator* op = k->r->op;
	error_model(&m, op, &op->cases[k->at->i_case], k->layout->i_param[i], c->sum_sq, c->sum_ref_sq);
	json_set_f64(x, "error_units", m.units);
	json_set_f64(x, "explained_units", m.explained);
	if (m.is_known && c->n_bad == 0 && m.units / m.explained > k->out->worst_units / k->out->explained_units) {
		k->out->worst_units = m.units;
		k->out->explained_units = m.explained;
	}
}

/* Where the differing elements lie, in words. NULL with err. */
static const char *where_bad(struct look *k, size_t i, const struct wire_compare *ask, uint64_t n_bad, struct err *e)
{
	const struct wire_tensor *t = &k->layout->tensors[i];
	uint64_t *bad = ARENA_ARRAY(k->arena, ERROR_FIND_MOST, uint64_t);
	size_t n = 0;
	struct error_find f = {.keeper = lab_keeper(k->lab),
			       .region = k->at->region,
			       .expected = ask->expected,
			       .offset = t->offset,
			       .expected_offset = lab_layout(k->lab)->tensors[i].offset,
			       .bytes = t->bytes,
			       .dtype = (enum dtype)t->dtype,
			       .atol = ask->atol,
			       .rtol = ask->rtol};
	if (!error_find(&f, bad, &n, e))
		return NULL;
	return error_where(k->arena, bad, n, n_bad, &k->r->op->cases[k->at->i_case].args[k->layout->i_param[i]]);
}

static void judge_output(struct look *k, size_t i, const struct wire_compared *c, struct json *x, const char *where)
{
	const struct param *p = param_of(k, i);
	const char *at = coordinates(k, i, c->first_bad);
	json_set_cstr(x, "where", where);
	json_set_cstr(x, "first_mismatch_at", at);
	json_set_u64(x, "first_mismatch", c->first_bad);
	json_set_f64(x, "first_mismatch_value", c->actual);
	json_set_f64(x, "first_mismatch_expected", c->expected);
	bool is_told = c->n_bad > 1 && c->n_bad < c->n && where && *where; /* else the counts say it */
	const char *detail = arena_printf(
		k->arena, "%llu of %llu elements of '%.*s'%s%s, first at %s: %s, expected %s (%s)",
		(unsigned long long)c->n_bad, (unsigned long long)c->n, STR_ARG(p->name), is_told ? ", " : "",
		is_told ? where : "", at, number(k->arena, c->actual), number(k->arena, c->expected), k->where);
	if (c->n_poison >= c->n_bad)
		judge(k->out, VERDICT_UNWRITTEN, arena_printf(k->arena, "never written: %s", detail));
	else if (c->n_nan + c->n_inf > c->n_poison)
		judge(k->out, VERDICT_NOT_FINITE, arena_printf(k->arena, "NaN or infinity among: %s", detail));
	else
		judge(k->out, VERDICT_WRONG, detail);
}

static bool look_output(struct look *k, size_t i, struct json *x, struct err *e)
{
	const struct param *p = param_of(k, i);
	struct wire_compared c;
	struct wire_compare ask = {.region = k->at->region, .expected = k->at->region, .i_tensor = i};
	bool has_reference = k->r->kind != REFERENCE_NONE && k->at->set != LAB_FRESH;
	if (has_reference) {
		ask.expected = lab_expected_region(k->lab, k->at->set);
		correct_tolerance(k->r, p, &ask.atol, &ask.rtol);
	}
	if (!keeper_compare(lab_keeper(k->lab), &ask, &c, e))
		return false;
	json_set_str(x, "name", p->name);
	if (!has_reference) {
		json_set_u64(x, "n", c.n);
		json_set_u64(x, "n_unwritten", c.n_poison);
		if (c.n_poison == c.n)
			judge(k->out, VERDICT_UNWRITTEN,
			      arena_printf(k->arena, "no element of '%.*s' was written (%s)", STR_ARG(p->name),
					   k->where));
		return true;
	}
	static const char *const sources[] = {"default", "operator_file", "command_line"};
	json_set_cstr(x, "atol_from", sources[p->atol_from]);
	json_set_cstr(x, "rtol_from", sources[p->rtol_from]);
	json_set_f64(x, "atol", ask.atol);
	json_set_f64(x, "rtol", ask.rtol);
	put_errors(x, &c);
	if (c.max_abs > k->out->max_abs)
		k->out->max_abs = c.max_abs;
	if (c.max_rel > k->out->max_rel)
		k->out->max_rel = c.max_rel;
	put_units(k, i, &c, x);
	const char *where = c.n_bad ? where_bad(k, i, &ask, c.n_bad, e) : "";
	if (where && c.n_bad)
		judge_output(k, i, &c, x, where);
	return where != NULL;
}

bool correct_look_at(struct correctness *out, const struct correct_bench *b, const struct correct_region *at,
		     struct err *e)
{
	struct arena *a = b->arena;
	struct look k = {.out = out,
			 .arena = a,
			 .lab = b->lab,
			 .r = b->reference,
			 .at = at,
			 .layout = at->layout ? at->layout : lab_layout(b->lab)};
	const struct op_case *c = &b->reference->op->cases[at->i_case];
	const char *set = at->set == LAB_FRESH   ? "fresh data"
			  : at->set >= LAB_SEEDS ? arena_printf(a, "fresh data set %zu", at->set - LAB_SEEDS)
						 : arena_printf(a, "data set %zu", at->set);
	k.where = arena_printf(a, "case '%.*s', %s, %s", STR_ARG(c->name), set, at->what);
	struct json *x = json_object(a), *outputs = json_set_array(x, "outputs");
	json_set_str(x, "case", c->name);
	json_set_cstr(x, "calls", at->what);
	json_set(x, "data_set", at->set == LAB_FRESH ? json_new_null(a) : json_new_u64(a, at->set));
	json_set_bool(x, "is_fresh", at->set >= LAB_SEEDS);
	json_set_cstr(x, "witness", "keeper");
	if ((at->set != LAB_FRESH && !look_inputs(&k, x, e)) || !look_guards(&k, x, e))
		return false;
	for (size_t i = 0; i < k.layout->n_tensors; i++) {
		struct json *y = json_object(a);
		if (!layout_is_output(k.layout, i))
			continue;
		if (!look_output(&k, i, y, e))
			return false;
		json_push(outputs, y);
	}
	json_push(out->cases, x);
	return true;
}

bool correct_look(struct correctness *out, const struct correct_bench *b, const struct correct_place *at, struct err *e)
{
	struct correct_region r = {
		.i_case = at->i_case, .region = at->slot, .set = lab_set_of(b->lab, at->slot), .what = at->what};
	return correct_look_at(out, b, &r, e);
}

void correct_begin(struct correctness *out, struct arena *a, const struct reference *r)
{
	*out = (struct correctness){.verdict = r->kind == REFERENCE_NONE ? VERDICT_UNCHECKED : VERDICT_PASSED,
				    .text = "",
				    .cases = json_array(a),
				    .explained_units = 1};
}

bool correct_is_good(const struct correctness *c)
{
	return c->verdict == VERDICT_PASSED || c->verdict == VERDICT_UNCHECKED;
}

enum ask_result correct_case(const struct correct_course *k, size_t i_case, struct err *e)
{
	struct lab_batch calls = {.n = LAB_SEEDS};
	struct lab_rows rows;
	struct reference *r = k->b->reference;
	struct lab *l = k->b->lab;
	if (r->kind != REFERENCE_NONE && !r->fault && !lab_is_filled(l) &&
	    !reference_fill(r, k->b->arena, l, i_case, e))
		return ASK_ERR;
	if (r->fault) {
		bool is_invalid = strstr(r->fault, "case is invalid") != NULL;
		judge(k->out, is_invalid ? VERDICT_BAD_REFERENCE : VERDICT_REFERENCE_FAILED, r->fault);
		return ASK_OK;
	}
	if (!lab_refresh(l, 0, LAB_PATTERN_A, e) || !lab_refresh(l, 1, LAB_PATTERN_B, e))
		return ASK_ERR;
	enum ask_result got = lab_run(l, k->worker, &calls, &rows, k->fault, e);
	if (got == ASK_OK) /* what it left when it answered is looked at, not what it may add */
		(void)!lab_freeze(k->worker);
	for (size_t s = 0; got == ASK_OK && s < LAB_SEEDS; s++) {
		struct correct_place at = {.i_case = i_case, .slot = s, .what = k->what ? k->what : "correctness"};
		if (!correct_look(k->out, k->b, &at, e))
			got = ASK_ERR;
	}
	if (got == ASK_OK && k->b->checker && !checker_take(k->b->checker, l, i_case, k->out, e))
		got = ASK_ERR;
	return got;
}

enum ask_result correct_run(struct correctness *out, const struct correct_bench *b, struct lab_worker *w,
			    struct lab_fault *fault, struct err *e)
{
	struct correct_course k = {.out = out, .b = b, .worker = w, .fault = fault};
	struct reference *r = b->reference;
	correct_begin(out, b->arena, r);
	for (size_t i = r->op->n_cases; i-- > 0;) { /* case 0 last: it stays laid out for timing */
		if (!lab_case(b->lab, i, e))
			return ASK_ERR;
		enum ask_result got = correct_case(&k, i, e);
		if (got != ASK_OK || r->fault)
			return got;
	}
	return ASK_OK;
}

struct json *correct_json(struct arena *a, const struct correctness *c, bool has_reference)
{
	struct json *j = json_object(a);
	bool passed = c->verdict == VERDICT_PASSED;
	json_set_cstr(j, "verdict", verdict_word(c->verdict));
	json_set_cstr(j, "text", c->text);
	json_set(j, "passed", has_reference ? json_new_bool(a, passed) : json_new_null(a));
	json_set_f64(j, "max_abs_error", has_reference ? c->max_abs : NAN);
	json_set_f64(j, "max_rel_error", has_reference ? c->max_rel : NAN);
	json_set_f64(j, "error_units", has_reference ? c->worst_units : NAN);
	json_set_f64(j, "explained_units", has_reference ? c->explained_units : NAN);
	json_set_i64(j, "n_data_sets", LAB_SEEDS);
	json_set(j, "check", c->check ? c->check : json_new_null(a));
	json_set(j, "cases", c->cases);
	return j;
}
