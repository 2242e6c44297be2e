/* Timed calls on fresh data.
 * In: a lab, a worker, blocks of calls. Out: captures of a sample of them, looked at when all is over.
 * Reservoir sampling (Vitter 1985, algorithm R): after n calls each of them is kept with the chance n_most / n.
 * Never: decides before a call is made whether it is looked at. */
#include "measure/fresh.h"

#include "measure/correct_region.h"
#include "measure/reference_inside.h"

/* Answers for captures are made in every run: as many as this pays for, at least one, none where one call takes longer. */
static const double FRESH_BUDGET_NS = 1e9, FRESH_MAX_CALL_NS = 5e9;

static uint64_t next_random(uint64_t *state) /* splitmix64 (Steele, Lea, Flood 2014) */
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

void fresh_open(struct fresh *f, struct arena *a, struct lab *l)
{
	*f = (struct fresh){.arena = a, .lab = l, .random = lab_random(), .pattern = LAB_PATTERN_A};
}

void fresh_begin(struct fresh_series *s, struct fresh *f, struct lab_worker *w, const char *what, size_t n_most)
{
	size_t left = lab_max_captures(f->lab) - f->n_kept;
	*s = (struct fresh_series){
		.fresh = f, .worker = w, .what = what, .first = f->n_kept, .n_most = n_most < left ? n_most : left};
}

bool fresh_prepare(struct fresh_series *s, size_t n, struct err *e)
{
	struct fresh *f = s->fresh;
	struct lab_put put[LAB_MAX_SLOTS];
	for (size_t i = 0; i < n; i++)
		put[i] = (struct lab_put){i, lab_can_refresh(f->lab) ? LAB_FRESH : i % LAB_SEEDS};
	f->n_unfrozen += !lab_freeze(s->worker);
	f->pattern = f->pattern == LAB_PATTERN_A ? LAB_PATTERN_B : LAB_PATTERN_A;
	f->n_blocks++;
	f->n_calls += n;
	if (!lab_can_refresh(f->lab))
		f->reason = "setup() supplies the data: there is as much of it as it was asked for";
	return lab_put(f->lab, put, n, f->pattern, e);
}

/* Which capture call number `call` of the series is to be kept in; SIZE_MAX: in none. */
static size_t draw(struct fresh_series *s, size_t call)
{
	if (call < s->n_most)
		return call;
	size_t k = (size_t)(next_random(&s->fresh->random) % (call + 1));
	return k < s->n_most ? k : SIZE_MAX;
}

static void take_last(const struct fresh_series *s, size_t n, size_t *slot_of)
{
	for (size_t k = 0; k < s->n_most; k++) {
		if (slot_of[k] == n - 1)
			return;
	}
	if (s->n_most > 0)
		slot_of[0] = n - 1;
}

bool fresh_keep(struct fresh_series *s, size_t n, struct err *e)
{
	struct fresh *f = s->fresh;
	size_t slot_of[LAB_MAX_CAPTURES];
	struct lab_capture what[LAB_MAX_CAPTURES];
	size_t n_new = 0;
	f->n_unfrozen += !lab_freeze(s->worker);
	for (size_t k = 0; k < s->n_most; k++)
		slot_of[k] = SIZE_MAX;
	for (size_t i = 0; i < n; i++) {
		size_t k = draw(s, s->n_seen + i);
		if (k != SIZE_MAX)
			slot_of[k] = i;
	}
	if (s->wants_last)
		take_last(s, n, slot_of);
	for (size_t k = 0; k < s->n_most; k++) {
		size_t at = s->first + k;
		if (slot_of[k] == SIZE_MAX)
			continue;
		what[n_new++] = (struct lab_capture){slot_of[k], at};
		f->kept[at] = (struct fresh_kept){.i_capture = at, .what = s->what, .call = s->n_seen + slot_of[k]};
		f->n_kept = at + 1 > f->n_kept ? at + 1 : f->n_kept;
	}
	s->n_seen += n;
	return n_new == 0 || lab_capture(f->lab, what, n_new, e);
}

/* The captures in an order in which every prefix holds some of each series. */
static size_t choose(const struct fresh *f, size_t n, size_t *out)
{
	size_t n_out = 0;
	for (size_t stride = 1; n_out < n && stride <= f->n_kept; stride++) {
		const char *last = NULL;
		size_t nth = 0;
		for (size_t k = 0; k < f->n_kept && n_out < n; k++) {
			nth = f->kept[k].what == last ? nth + 1 : 1;
			last = f->kept[k].what;
			if (nth == stride)
				out[n_out++] = k;
		}
	}
	return n_out;
}

static size_t affordable(struct fresh *f, const struct reference *r)
{
	size_t n = f->n_kept;
	if (r->kind == REFERENCE_NONE)
		return n;
	if (r->call_ns > FRESH_MAX_CALL_NS) {
		f->reason = arena_printf(f->arena, "the reference takes %.3g s a data set", r->call_ns / 1e9);
		return 0;
	}
	if (r->call_ns * (double)n <= FRESH_BUDGET_NS)
		return n;
	n = r->call_ns > FRESH_BUDGET_NS ? 1 : (size_t)(FRESH_BUDGET_NS / r->call_ns);
	f->reason = arena_printf(f->arena, "the reference takes %.3g s a data set: %zu of %zu were checked",
				 r->call_ns / 1e9, n, f->n_kept);
	return n;
}

bool fresh_check(struct fresh *f, struct correctness *c, const struct correct_bench *b, struct err *e)
{
	size_t order[LAB_MAX_CAPTURES];
	bool is_valid[LAB_MAX_CAPTURES] = {false};
	size_t n = choose(f, affordable(f, b->reference), order);
	struct reference_captures captures = {order, is_valid, n};
	if (n == 0)
		return true;
	if (!reference_fresh(b->reference, f->arena, f->lab, &captures, e))
		return false;
	if (b->reference->fault)
		f->reason = b->reference->fault;
	for (size_t i = 0; i < n && !b->reference->fault; i++) {
		struct fresh_kept *k = &f->kept[order[i]];
		struct correct_region at = {
			.i_case = 0,
			.region = lab_capture_region(k->i_capture),
			.set = LAB_SEEDS + k->i_capture,
			.what = arena_printf(f->arena, "%s, call %llu", k->what, (unsigned long long)k->call)};
		bool was_good = correct_is_good(c);
		if (!is_valid[i]) {
			f->reason = "a fresh data set has no finite answer";
			continue;
		}
		if (!correct_look_at(c, b, &at, e))
			return false;
		k->is_done = true;
		f->n_checked++;
		f->n_failed += was_good && !correct_is_good(c);
	}
	return true;
}
