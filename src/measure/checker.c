/* The problem's own check.
 * In: what the candidate's calls left, copied by the keeper. Out: what the check says of each data set, beside the comparison's word.
 * The stricter of the two decides. A check that refuses the reference's own answer too is not counted.
 * Never: runs in the candidate's process, or gives it an answer. */
#include "measure/checker.h"

#include <unistd.h>

#include "base/file.h"
#include "measure/python.h"
#include "measure/reference_inside.h"
#include "run/keeper.h"

static const uint64_t CHECKER_MAX = UINT64_C(1) << 30;

void checker_open(struct checker *out, struct arena *a, const struct reference *r)
{
	struct str text;
	struct err ignored;
	*out = (struct checker){.arena = a, .reference = r};
	if (r->kind != REFERENCE_PY || !file_read(a, &text, r->path, 64u << 20, &ignored))
		return;
	out->has_check = str_starts(text, "def check(") || str_find(text, STR("\ndef check(")) != SIZE_MAX;
	out->sets = ARENA_ARRAY(a, r->op->n_cases * LAB_SEEDS + 1, struct checker_set);
}

void checker_release(struct checker *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->sets[i].given >= 0)
			close(c->sets[i].given);
		if (c->sets[i].got >= 0)
			close(c->sets[i].got);
	}
	c->n = 0;
}

/* No element of any output differs beyond tolerance. */
static bool is_within(const struct json *look)
{
	const struct json *outputs = json_get(look, "outputs");
	for (size_t i = 0; i < outputs->n; i++) {
		if (json_i64(outputs->items[i], "n_mismatch", 1) != 0)
			return false;
	}
	return true;
}

static bool take_set(struct checker_set *s, const struct checker *c, struct lab *l, struct err *e)
{
	const struct layout *y = s->layout;
	s->given = file_memfd("given", y->bytes, e);
	s->got = s->given < 0 ? -1 : file_memfd("got", y->bytes, e);
	struct python_case pc = {.layout = y, .i_case = s->i_case};
	if (s->got < 0 || !reference_given(l, c->reference->op, &pc, s->i_seed, s->given, e))
		return false;
	for (size_t i = 0; i < y->n_tensors; i++) {
		if (layout_is_output(y, i) &&
		    !keeper_read(lab_keeper(l), s->i_seed, y->tensors[i].offset, y->tensors[i].bytes, s->got, e))
			return false;
	}
	return true;
}

bool checker_take(struct checker *c, struct lab *l, size_t i_case, const struct correctness *k, struct err *e)
{
	if (!c->has_check)
		return true;
	struct layout *y = ARENA_NEW(c->arena, struct layout);
	layout_make(y, c->arena, c->reference->op, &c->reference->op->cases[i_case]);
	for (size_t s = 0; s < LAB_SEEDS; s++) {
		c->bytes += 2 * y->bytes;
		if (c->bytes > CHECKER_MAX) {
			c->n_left_out++;
			continue;
		}
		struct checker_set *set = &c->sets[c->n++];
		*set = (struct checker_set){.i_case = i_case,
					    .i_seed = s,
					    .layout = y,
					    .given = -1,
					    .got = -1,
					    .is_own = is_within(k->cases->items[k->cases->n - LAB_SEEDS + s])};
		if (!take_set(set, c, l, e))
			return false;
	}
	return true;
}

static struct json *ask(struct checker *c, const char **fault, struct err *e)
{
	const struct reference *r = c->reference;
	struct python_case *cases = ARENA_ARRAY(c->arena, c->n + 1, struct python_case);
	for (size_t i = 0; i < c->n; i++)
		cases[i] = (struct python_case){.layout = c->sets[i].layout,
						.i_case = c->sets[i].i_case,
						.files = &c->sets[i].given,
						.answers = &c->sets[i].got};
	struct python_job p = {.python = r->python,
			       .module = r->path,
			       .folder = r->options->folder,
			       .gpu = r->device->gpu,
			       .op = r->op,
			       .cases = cases,
			       .n_cases = c->n,
			       .n_files = 1,
			       .timeout_ns = r->options->timeout_ns};
	struct json *got = python_run(&p, c->arena, fault, e);
	const struct json *list = json_get(got, "checks");
	if (got && (!list || list->type != JSON_ARRAY || list->n != c->n)) {
		struct str why = json_str(got, "error", STR("it did not answer"));
		*fault = arena_strndup(c->arena, why.p, why.n);
		return NULL;
	}
	return got ? json_get(got, "checks") : NULL;
}

struct count {
	size_t n_refused, n_differ, n_stricter;
	size_t n_uncounted; /* it refuses the reference's own answer, too */
	const char *first;  /* what it said of the first that only it refuses */
};

static void put_results(struct checker *c, const struct json *checks, struct json *j, struct count *n)
{
	struct json *list = json_set_array(j, "results");
	for (size_t i = 0; i < c->n; i++) {
		const struct checker_set *s = &c->sets[i];
		const struct json *said = checks->items[i];
		struct json *x = json_object(c->arena);
		struct str name = c->reference->op->cases[s->i_case].name, text = json_str(said, "text", STR(""));
		bool accepts = json_bool(said, "accepted", false);
		bool is_counted = accepts || json_bool(said, "own_answer", false);
		json_set_str(x, "case", name);
		json_set_u64(x, "data_set", s->i_seed);
		json_set_bool(x, "accepted", accepts);
		json_set_bool(x, "comparison_accepts", s->is_own);
		json_set_bool(x, "counted", is_counted);
		json_set_str(x, "text", text);
		json_push(list, x);
		n->n_refused += !accepts;
		n->n_uncounted += !is_counted;
		n->n_differ += is_counted && accepts != s->is_own;
		if (accepts || !is_counted || !s->is_own || n->n_stricter++)
			continue;
		n->first =
			arena_printf(c->arena, "%.*s%s(case '%.*s', data set %zu)", (int)(text.n > 300 ? 300 : text.n),
				     text.p, text.n ? " " : "", STR_ARG(name), s->i_seed);
	}
}

static const char *judge(struct checker *c, struct correctness *k, const struct count *n, const char **state)
{
	*state = n->n_differ ? "disagrees" : n->n_uncounted ? "not_counted" : "agrees";
	if (n->n_stricter && correct_is_good(k)) {
		k->verdict = VERDICT_WRONG;
		k->text = arena_printf(c->arena, "the problem's own check refuses what is within tolerance: %s",
				       n->first);
	}
	if (n->n_stricter)
		return arena_printf(c->arena, "it refuses %zu of %zu that are within tolerance, first: %s",
				    n->n_stricter, c->n, n->first);
	if (n->n_differ)
		return arena_printf(c->arena,
				    "it accepts %zu of %zu that the comparison refuses; the comparison stands",
				    n->n_differ, c->n);
	if (n->n_uncounted)
		return arena_printf(c->arena,
				    "it refuses the reference's own answer to %zu of %zu, too; these are not counted",
				    n->n_uncounted, c->n);
	return "";
}

bool checker_ask(struct checker *c, struct correctness *k, struct err *e)
{
	const char *fault = NULL, *state = "failed", *text;
	struct count n = {0};
	if (!c->has_check || (!c->n && !c->n_left_out) || c->reference->fault)
		return true;
	struct json *j = k->check = json_object(c->arena), *checks = c->n ? ask(c, &fault, e) : NULL;
	if (c->n && !checks && !fault)
		return false;
	json_set_cstr(j, "witness", "reference");
	json_set_u64(j, "n_asked", checks ? c->n : 0);
	json_set_u64(j, "n_left_out", c->n_left_out);
	if (checks)
		put_results(c, checks, j, &n);
	text = checks ? judge(c, k, &n, &state) : fault ? fault : "there was no room to keep an answer";
	json_set_u64(j, "n_refused", n.n_refused);
	json_set_u64(j, "n_differ", n.n_differ);
	json_set_cstr(j, "state", state);
	json_set_cstr(j, "text", text);
	return true;
}
