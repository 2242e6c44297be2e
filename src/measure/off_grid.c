/* Sizes beside the ones that were asked for.
 * In: dims of the first case, their declared ranges, the seed. Out: a case below and one above, the check.
 * A size is a prime times its declared multiple. Small dims that are not declared, mostly heads or taps, stay.
 * Never: leaves a declared range. */
#include "measure/off_grid.h"

#include "measure/hidden.h"
#include "operator/range.h"
#include "operator/sizes.h"

enum { SMALL_DIM = 16, WALK = 4096 };
/* Of all tensors together, beside five quarters of the first case's: four regions of it fit where six of that one did. */
static const int64_t OFF_GRID_SLACK_BYTES = INT64_C(64) << 20;

struct choice {
	struct arena *arena;
	const struct operator* op;
	size_t free[OPERATOR_MAX_PARAMS], n_free; /* parameters whose size can be another one */
	struct op_dim dims[OPERATOR_MAX_PARAMS];  /* chosen for one case */
	size_t n_dims;
};

static uint64_t mix(uint64_t z) /* splitmix64's output function (Steele, Lea, Flood 2014) */
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static bool is_prime(int64_t n)
{
	if (n < 4)
		return n > 1;
	for (int64_t d = 2; d <= n / d; d++) {
		if (n % d == 0)
			return false;
	}
	return true;
}

static int64_t asked(const struct op_case *c, struct str name)
{
	for (size_t i = 0; i < c->n_dims; i++) {
		if (str_eq(c->dims[i].name, name))
			return c->dims[i].value;
	}
	return 0;
}

/* No case has it, nor has a dim that was chosen before: dims that are taken for one another are seen. */
static bool is_new(const struct choice *x, struct str name, int64_t value)
{
	for (size_t i = 0; i < x->op->n_cases; i++) {
		if (asked(&x->op->cases[i], name) == value)
			return false;
	}
	for (size_t i = 0; i < x->n_dims; i++) {
		if (x->dims[i].value == value)
			return false;
	}
	return true;
}

/* A prime multiple near `from`, the one, two or three steps away that the seed says, as far as there are such. 0: none. */
static int64_t size_near(const struct choice *x, const struct param *p, int64_t from, int step)
{
	struct param_range all = {.min = 1, .max = from < INT64_MAX / 2 ? 2 * from : from, .multiple_of = 1};
	const struct param_range *r = p->range ? p->range : &all;
	uint64_t left = mix(x->op->seed + (uint64_t)(p - x->op->params) * 2 + (step > 0)) % 3;
	int64_t found = 0, q = from / r->multiple_of;
	for (size_t i = 0; i < WALK; i++) {
		q += step;
		if (q < 2 || q > r->max / r->multiple_of || q * r->multiple_of < r->min)
			break;
		if (!is_prime(q) || !is_new(x, p->name, q * r->multiple_of))
			continue;
		found = q * r->multiple_of;
		if (left-- == 0)
			break;
	}
	return found;
}

static bool may_change(const struct param *p, int64_t from, bool only_declared)
{
	return p->range != NULL || (!only_declared && from >= SMALL_DIM);
}

static int64_t bytes_of(const struct operator* op, const struct op_case *c)
{
	int64_t n = 0;
	for (size_t i = 0; i < op->n_params; i++)
		n += c->args[i].bytes; /* 64 of at most 2^40 */
	return n;
}

/* The first case with other sizes, all in one direction. False: no dim can be another one, or it does not fit. */
static bool make_case(struct choice *x, struct hidden_round *out, int step, bool only_declared)
{
	const struct op_case *first = &x->op->cases[0];
	const char *name = "";
	struct err ignored;
	x->n_dims = 0;
	out->is_declared = true;
	for (size_t i = 0; i < x->n_free; i++) {
		const struct param *p = &x->op->params[x->free[i]];
		int64_t from = asked(first, p->name);
		int64_t size = may_change(p, from, only_declared) ? size_near(x, p, from, step) : 0;
		if (!size)
			continue;
		x->dims[x->n_dims++] = (struct op_dim){p->name, size};
		out->is_declared = out->is_declared && p->range != NULL;
		name = arena_printf(x->arena, "%s%s%.*s=%lld", name, *name ? " " : "", STR_ARG(p->name),
				    (long long)size);
	}
	out->c = (struct op_case){.name = str_from(name)};
	out->what = "off-grid sizes";
	return x->n_dims && sizes_beside(&out->c, x->op, x->arena, x->dims, x->n_dims, &ignored) &&
	       bytes_of(x->op, &out->c) <= bytes_of(x->op, first) / 4 * 5 + OFF_GRID_SLACK_BYTES;
}

size_t off_grid_choose(struct hidden_round *rounds, struct arena *a, const struct operator* op, const char **reason)
{
	struct choice x = {.arena = a, .op = op};
	size_t n = 0;
	*reason = op->data == DATA_SETUP ? "setup() supplies the data, for the sizes that were asked for"
		  : op->ptr_size         ? "--ptr-size says how large tensors are, whatever the sizes"
					 : "no size may be another one";
	x.n_free = op->ptr_size ? 0 : sizes_free(op, a, x.free);
	/* With declared dims alone, both ways; then one way with all of them, where there are more: what only flags is to cost
	 * little. */
	n += make_case(&x, &rounds[n], -1, true);
	n += make_case(&x, &rounds[n], 1, true);
	if (make_case(&x, &rounds[n], -1, false) && !rounds[n].is_declared)
		n++;
	for (size_t i = 0; i < n; i++)
		rounds[i].c.seed = op->seed + op->n_cases + i;
	return n;
}

bool off_grid_run(struct integrity *g, const struct correct_bench *b, const struct lab_subject *s, struct err *e)
{
	const struct hidden_ask ask = {b, s};
	struct hidden_round rounds[OFF_GRID_MOST];
	const struct hidden_check check = {"off_grid", VERDICT_FLAG_OFF_GRID,
					   "right at sizes that it was not timed at and that are multiples of no tile"};
	const struct operator* op = b->reference->op;
	const char *reason, *dear = NULL;
	size_t n_chosen = off_grid_choose(rounds, g->arena, op, &reason);
	size_t n = n_chosen ? hidden_afford(&ask, n_chosen, &dear) : 0;
	bool is_open = n_chosen || op->data == DATA_SETUP;
	struct integrity_check none = {"off_grid", is_open ? INTEGRITY_UNAVAILABLE : INTEGRITY_NOT_APPLICABLE, "keeper",
				       n_chosen ? dear : reason, NULL};
	if (n == 0)
		integrity_add(g, &none);
	else if (hidden_run(rounds, n, &ask, e))
		hidden_conclude(g, op, rounds, n, &check);
	else
		return false;
	return true;
}
