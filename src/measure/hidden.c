/* Hidden rounds.
 * In: cases, a candidate that has no worker. Out: a verdict or a reason of each.
 * One worker calls them all; where it ends, the next round gets another one.
 * Never: takes what hinders the reference for a fault of the candidate. */
#include "measure/hidden.h"

#include <math.h>

#include "base/clock.h"
#include "measure/lab_inside.h"
#include "run/guest.h"

/* Of the reference, where the cache has no answers: as many rounds as this pays for, none where one call takes longer. */
static const double HIDDEN_BUDGET_NS = 2e9, HIDDEN_MAX_CALL_NS = 1e9;

struct hidden {
	const struct hidden_ask *ask;
	struct arena *arena;
	struct lab *lab;
	struct operator op; /* with the hidden cases */
	struct reference_options options;
	struct reference reference;
	struct correct_bench bench;
	struct lab_worker *worker; /* NULL: none is there */
	struct lab_fault fault;
};

size_t hidden_afford(const struct hidden_ask *ask, size_t n, const char **reason)
{
	const struct reference *r = ask->bench->reference;
	double one = LAB_SEEDS * r->call_ns;
	*reason = "there is no reference";
	if (r->kind == REFERENCE_NONE)
		return 0;
	*reason = arena_printf(ask->bench->arena, "the reference takes %.3g s a data set", r->call_ns / 1e9);
	if (r->call_ns > HIDDEN_MAX_CALL_NS)
		return 0;
	return one * (double)n <= HIDDEN_BUDGET_NS ? n : (size_t)(HIDDEN_BUDGET_NS / one);
}

static void open_run(struct hidden *x, const struct hidden_round *rounds, size_t n)
{
	const struct reference *r = x->ask->bench->reference;
	x->op = *r->op;
	x->op.cases = ARENA_ARRAY(x->arena, n, struct op_case);
	x->op.n_cases = n;
	for (size_t i = 0; i < n; i++)
		x->op.cases[i] = rounds[i].c;
	x->options = *r->options;
	x->options.n_warmup = x->options.n_repeat = 0;
	x->reference = *r;
	x->reference.op = &x->op;
	x->reference.options = &x->options;
	x->reference.facts = json_object(x->arena);
	x->reference.fault = NULL;
	x->reference.ahead = ARENA_ARRAY(x->arena, n * LAB_SEEDS, int);
	for (size_t i = 0; i < n * LAB_SEEDS; i++)
		x->reference.ahead[i] = -1;
	x->bench = (struct correct_bench){x->arena, x->lab, &x->reference, NULL};
}

static enum ask_result start_worker(struct hidden *x, struct err *e)
{
	if (x->worker && worker_is_alive(lab_process(x->worker)))
		return ASK_OK;
	lab_end(x->lab, x->worker);
	x->worker = lab_start(x->lab, x->ask->subject, "plain", e);
	return x->worker ? lab_join(x->lab, x->worker, &x->fault, e) : ASK_ERR;
}

static void take_fault(struct hidden *x, struct hidden_round *r)
{
	r->got.verdict = x->fault.verdict;
	r->got.text = arena_printf(x->arena, "%s (case '%.*s')", x->fault.text, STR_ARG(r->c.name));
	lab_end(x->lab, x->worker);
	x->worker = NULL;
}

static bool run_one(struct hidden *x, struct hidden_round *r, size_t i, struct err *e)
{
	struct correct_course course = {.out = &r->got, .b = &x->bench, .fault = &x->fault, .what = r->what};
	int64_t begin = clock_ns();
	correct_begin(&r->got, x->arena, &x->reference);
	enum ask_result got = lab_case(x->lab, i, e) ? start_worker(x, e) : ASK_ERR;
	course.worker = x->worker;
	if (got == ASK_OK)
		got = correct_case(&course, i, e);
	if (got == ASK_FAULT)
		take_fault(x, r);
	r->reason = x->reference.fault;
	x->reference.fault = NULL; /* the next case may have an answer */
	r->seconds = (double)(clock_ns() - begin) / 1e9;
	return got != ASK_ERR;
}

bool hidden_run(struct hidden_round *rounds, size_t n, const struct hidden_ask *ask, struct err *e)
{
	struct hidden *x = ARENA_NEW(ask->bench->arena, struct hidden); /* the lab keeps its operator */
	const struct guest *guest = ask->subject->guest;
	x->ask = ask;
	x->arena = ask->bench->arena;
	x->lab = ask->bench->lab;
	open_run(x, rounds, n);
	bool ok = lab_turn(x->lab, &x->op, NULL, NULL, e) &&
		  (!guest || guest_write_description(guest, x->arena, &x->op, e));
	for (size_t i = n; ok && i-- > 0;) /* a Python reference answers all in one process, the last case first */
		ok = run_one(x, &rounds[i], i, e);
	lab_end(x->lab, x->worker);
	reference_release(&x->reference);
	struct err ignored;
	return (!guest || guest_write_description(guest, x->arena, ask->bench->reference->op, ok ? e : &ignored)) && ok;
}

bool hidden_is_wrong(const struct hidden_round *r)
{
	return !r->reason && !correct_is_good(&r->got);
}

/* The first output of a look that differs; NULL: none does. */
static const struct json *first_bad(const struct correctness *c)
{
	for (size_t i = 0; i < c->cases->n; i++) {
		const struct json *outputs = json_get(c->cases->items[i], "outputs");
		for (size_t k = 0; outputs && k < outputs->n; k++) {
			if (json_get(outputs->items[k], "first_mismatch"))
				return outputs->items[k];
		}
	}
	return NULL;
}

struct json *hidden_json(struct arena *a, const struct operator* op, const struct hidden_round *r)
{
	struct json *j = json_object(a), *dims = json_set_object(j, "dims");
	const struct json *bad = hidden_is_wrong(r) ? first_bad(&r->got) : NULL;
	for (size_t i = 0; i < r->c.n_dims; i++) {
		struct str name = r->c.dims[i].name;
		const struct param *p = operator_param(op, name);
		if (p && p->role == PARAM_DIM)
			json_set_i64(dims, arena_strndup(a, name.p, name.n), r->c.dims[i].value);
	}
	json_set_u64(j, "seed", r->c.seed);
	json_set_bool(j, "declared", r->is_declared);
	json_set_cstr(j, "verdict", r->reason ? NULL : verdict_word(r->got.verdict));
	json_set_cstr(j, "text", r->reason ? NULL : r->got.text);
	json_set_cstr(j, "reason", r->reason);
	json_set_str(j, "output", bad ? json_str(bad, "name", STR("?")) : STR(""));
	json_set(j, "element", bad ? json_get(bad, "first_mismatch_at") : json_new_null(a));
	json_set_f64(j, "got", bad ? json_f64(bad, "first_mismatch_value", NAN) : NAN);
	json_set_f64(j, "wanted", bad ? json_f64(bad, "first_mismatch_expected", NAN) : NAN);
	json_set_f64(j, "seconds", r->seconds);
	return j;
}

/* The first that is wrong among those that are declared, or that are not. */
static const struct hidden_round *first_wrong(const struct hidden_round *rounds, size_t n, bool is_declared)
{
	for (size_t i = 0; i < n; i++) {
		if (hidden_is_wrong(&rounds[i]) && rounds[i].is_declared == is_declared)
			return &rounds[i];
	}
	return NULL;
}

void hidden_conclude(struct integrity *g, const struct operator* op, const struct hidden_round *rounds, size_t n,
		     const struct hidden_check *check)
{
	struct arena *a = g->arena;
	struct json *j = json_object(a), *list = json_set_array(j, "rounds");
	const struct hidden_round *inside = first_wrong(rounds, n, true), *outside = first_wrong(rounds, n, false);
	const char *reason = "there is nothing to ask";
	size_t n_done = 0;
	for (size_t i = 0; i < n; i++) {
		json_push(list, hidden_json(a, op, &rounds[i]));
		n_done += !rounds[i].reason;
		reason = rounds[i].reason ? rounds[i].reason : reason;
	}
	struct integrity_check c = {.name = check->name,
				    .state = INTEGRITY_PASSED,
				    .witness = "keeper",
				    .text = check->passed,
				    .evidence = j};
	const struct hidden_round *worst = inside ? inside : outside;
	if (worst)
		c.text = arena_printf(a, "%s: %s", verdict_word(worst->got.verdict), worst->got.text);
	if (inside)
		c.state = INTEGRITY_FAILED;
	else if (n_done == 0)
		c.state = INTEGRITY_UNAVAILABLE;
	if (n_done == 0)
		c.text = reason;
	integrity_add(g, &c);
	if (inside)
		integrity_reject(g, verdict_forbidden(check->flag), c.text);
	if (outside)
		integrity_flag(g, check->flag, "keeper",
			       arena_printf(a, "%s: %s", verdict_word(outside->got.verdict), outside->got.text));
}
