/* Placements: workers of all sides started while nothing is measured, each case laid out anew, warm-up, blocks, a look.
 * In: a lab, subjects, a plan.
 * Out: log ratios by placement and case, verdicts; every row goes into the trial.
 * Never: changes the plan by a time that was seen. */
#include "measure/placements.h"

#include <math.h>

#include "base/clock.h"
#include "base/progress.h"
#include "measure/correct.h"
#include "measure/telemetry.h"
#include "run/trial.h"
#include "stats/placement.h"

enum { DECK = 64, JITTER_NS = 128000, AHEAD = 5, WORKERS = 12 /* of the lab's, for placements */ };

struct calls { /* of one candidate and case in one placement, for placement_reduce */
	struct placement_call *v;
	size_t n, cap;
};
struct state {
	struct placements *p;
	struct arena scratch;
	struct lab_worker *workers[PLACEMENTS_MAX_SIDES];      /* of this placement */
	struct lab_worker *leaving[PLACEMENTS_MAX_SIDES];      /* of the one before */
	struct lab_worker *ahead[AHEAD][PLACEMENTS_MAX_SIDES]; /* started and idle: of the next ones */
	size_t n_ahead;
	bool is_measured[PLACEMENTS_MAX_SIDES]; /* in this placement */
	const struct lab_worker *last;          /* who made the call before */
	struct calls calls[PLACEMENTS_MAX_SIDES];
	int64_t deck[DECK];
	size_t i_deck, n_calls;
	uint64_t random, block;
	size_t n_have; /* placements with a number for every candidate that was measured */
	int64_t begin_ns;
};
struct batch {
	size_t side, i_case, n, first_slot;
	unsigned flags; /* WIRE_CALL_* */
	unsigned trial_flags, quarter;
};

const char *placements_stop_name(enum placements_stop s)
{
	static const char *const names[] = {"decided", "last_look", "time_budget", "no_candidate_left", "count"};
	return names[s];
}

static uint64_t next_random(uint64_t *state) /* splitmix64 (Steele, Lea, Flood 2014) */
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Start delays: an even grid over 128 us, moved as a whole by chance, in an order of chance; dealt until it is used up,
 * so that any 64 calls in a row meet all phases of a periodic event, however few calls a batch has. */
static int64_t next_delay(struct state *s)
{
	if (s->i_deck == 0) {
		int64_t shift = (int64_t)(next_random(&s->random) % (JITTER_NS / DECK));
		for (size_t i = 0; i < DECK; i++)
			s->deck[i] = (int64_t)i * (JITTER_NS / DECK) + shift;
		for (size_t i = DECK; i > 1; i--) {
			size_t k = (size_t)(next_random(&s->random) % i);
			int64_t swap = s->deck[i - 1];
			s->deck[i - 1] = s->deck[k];
			s->deck[k] = swap;
		}
		s->i_deck = DECK;
	}
	return s->deck[--s->i_deck];
}

static double time_of(const struct state *s, size_t side, const struct wire_row *r)
{
	return s->p->plan.source == TIMING_EVENT ? r->event_ns - s->p->sides[side].empty_pair_ns[s->p->n_placements]
						 : r->span_ns;
}

static const char *mode_of(const struct placements *p)
{
	return p->plan.source == TIMING_EVENT ? "event" : "time";
}

/* The side is not measured any more. */
static void drop(struct state *s, size_t side, const struct lab_fault *fault)
{
	struct placements_side *x = &s->p->sides[side];
	x->is_out = true;
	s->is_measured[side] = false;
	x->fault = *fault;
}

static enum ask_result run_batch(struct state *s, const struct batch *b, struct lab_rows *rows, struct err *e)
{
	struct placements *p = s->p;
	int64_t *delays = ARENA_ARRAY(&s->scratch, b->n, int64_t);
	for (size_t i = 0; i < b->n; i++)
		delays[i] = next_delay(s);
	struct lab_batch ask = {.n = b->n,
				.first_call = s->n_calls,
				.first_slot = b->first_slot,
				.flags = b->flags,
				.pattern = LAB_PATTERN_A,
				.placement = p->n_placements,
				.block = s->block,
				.side = p->sides[b->side].number,
				.phases = delays};
	struct lab_fault fault;
	enum ask_result r = lab_run(p->lab, s->workers[b->side], &ask, rows, &fault, e);
	if (r != ASK_OK) {
		if (r == ASK_FAULT)
			drop(s, b->side, &fault);
		return r;
	}
	s->n_calls += b->n;
	struct trial_batch t = {.mode = p->plan.source == TIMING_EVENT ? TRIAL_EVENT : TRIAL_TIME,
				.flags = b->trial_flags | (b->flags & WIRE_CALL_COLD ? TRIAL_COLD : 0u) |
					 (b->flags & WIRE_CALL_HOLD ? TRIAL_HELD : 0u),
				.i_case = b->i_case,
				.quarter = b->quarter,
				.begin_ns = rows->begin_ns,
				.wall_ns = rows->wall_ns};
	trial_add(p->trial, rows->rows, rows->n, &t);
	p->sampling_s += (double)rows->wall_ns / 1e9;
	return ASK_OK;
}

static void add_call(struct state *s, struct calls *c, const struct placement_call *x)
{
	if (c->n == c->cap) {
		size_t cap = c->cap ? c->cap * 2 : 256;
		struct placement_call *more = ARENA_ARRAY(&s->scratch, cap, struct placement_call);
		if (c->n)
			memcpy(more, c->v, c->n * sizeof(*more));
		c->v = more;
		c->cap = cap;
	}
	c->v[c->n++] = *x;
}

/* One quarter of a block of candidate k. */
static enum ask_result run_quarter(struct state *s, size_t k, const struct batch *b, struct err *e)
{
	struct placements *p = s->p;
	struct lab_rows rows;
	enum ask_result r = run_batch(s, b, &rows, e);
	if (r != ASK_OK)
		return r;
	for (size_t i = 0; i < rows.n; i++) {
		struct placement_call x = {.time_ns = time_of(s, b->side, &rows.rows[i]),
					   .block = (uint32_t)s->block,
					   .slot = (uint8_t)b->quarter,
					   .side = b->side ? PLACEMENT_B : PLACEMENT_A};
		bool has_time = isfinite(x.time_ns) && x.time_ns > 0;
		/* with several candidates a change of worker may lie between two blocks of this one */
		bool is_switch = i == 0 && s->workers[b->side] != s->last;
		p->n_calls++;
		p->n_no_time += !has_time;
		p->n_released += (rows.rows[i].marks & WIRE_MARK_RELEASED) != 0;
		x.skip = !has_time || is_switch;
		if (!has_time)
			x.time_ns = 1;
		add_call(s, &s->calls[k], &x);
	}
	s->last = s->workers[b->side];
	return ASK_OK;
}

/* One block of candidate k: x y y x, x the baseline in even placements. */
static enum ask_result run_block(struct state *s, size_t k, size_t i_case, struct err *e)
{
	struct placements *p = s->p;
	bool is_odd = p->n_placements % 2 == 1;
	size_t first_slot = (size_t)s->block * p->plan.n_calls % lab_n_slots(p->lab);
	for (unsigned q = 0; q < 4; q++) {
		bool is_outer = q == 0 || q == 3;
		struct batch b = {.side = is_outer == is_odd ? k : 0,
				  .i_case = i_case,
				  .n = p->plan.n_calls,
				  .first_slot = first_slot,
				  .flags = p->plan.flags,
				  .quarter = q};
		enum ask_result r = run_quarter(s, k, &b, e);
		if (r != ASK_OK)
			return r;
	}
	s->block++;
	return ASK_OK;
}

/* ASK_FAULT: the side is out. */
static enum ask_result warm_up(struct state *s, size_t side, size_t i_case, struct err *e)
{
	struct lab_rows rows;
	struct batch b = {.side = side,
			  .i_case = i_case,
			  .n = s->p->plan.n_warmup,
			  /* lazy loading and first touch happen here: nothing is held */
			  .flags = s->p->plan.flags & ~(unsigned)WIRE_CALL_HOLD,
			  .trial_flags = TRIAL_WARMUP,
			  .quarter = TRIAL_NO_QUARTER};
	s->last = s->workers[side];
	return b.n ? run_batch(s, &b, &rows, e) : ASK_OK;
}

/* The record keeps what was wrong; of good looks only the number. */
static enum ask_result look_at_slot(struct state *s, size_t side, size_t i_case, size_t slot, struct err *e)
{
	struct placements *p = s->p;
	struct placements_side *x = &p->sides[side];
	struct json *kept = x->correct->cases, *seen = json_array(p->arena);
	struct correct_bench b = {p->arena, p->lab, p->reference};
	struct correct_place at = {.i_case = i_case, .slot = slot, .what = "timed calls"};
	x->correct->cases = seen;
	bool ok = correct_look(x->correct, &b, &at, e);
	x->correct->cases = kept;
	if (!ok)
		return ASK_ERR;
	x->n_looked_at++;
	if (correct_is_good(x->correct))
		return ASK_OK;
	json_push(kept, seen->items[0]);
	struct lab_fault wrong = {x->correct->verdict, x->correct->text, "keeper", mode_of(p)};
	drop(s, side, &wrong);
	return ASK_FAULT;
}

/* Calls like the timed ones, on data set 0 and 1, and a look at what they left. */
static enum ask_result look_at(struct state *s, size_t side, size_t i_case, struct err *e)
{
	struct placements *p = s->p;
	struct placements_side *x = &p->sides[side];
	struct lab_rows rows;
	struct batch b = {.side = side,
			  .i_case = i_case,
			  .n = LAB_SEEDS,
			  .flags = p->plan.flags,
			  .trial_flags = TRIAL_CHECKED,
			  .quarter = TRIAL_NO_QUARTER};
	if (!x->correct)
		return ASK_OK;
	for (size_t i = 0; i < LAB_SEEDS; i++) { /* the other sides wrote there too */
		if (!lab_refresh(p->lab, i, LAB_PATTERN_A, e))
			return ASK_ERR;
	}
	enum ask_result r = run_batch(s, &b, &rows, e);
	for (size_t i = 0; r == ASK_OK && i < LAB_SEEDS; i++)
		r = look_at_slot(s, side, i_case, i, e);
	return r;
}

static bool has_candidate(const struct state *s)
{
	for (size_t k = 1; k < s->p->n_sides; k++) {
		if (s->is_measured[k])
			return !s->p->sides[0].is_out;
	}
	return false;
}

/* Calls fn for the baseline and every candidate of this placement, in an order that alternates. False with err. */
static bool each_side(struct state *s, size_t i_case,
		      enum ask_result (*fn)(struct state *s, size_t side, size_t i_case, struct err *e), struct err *e)
{
	size_t n = s->p->n_sides;
	for (size_t i = 0; i < n; i++) {
		size_t side = s->p->n_placements % 2 ? n - 1 - i : i;
		if (s->is_measured[side] && fn(s, side, i_case, e) == ASK_ERR)
			return false;
	}
	return true;
}

static bool silent(const struct state *s, size_t k, struct err *e)
{
	return err_set(e, ERR_ENVIRONMENT,
		       "no call gave a time: the %s source stayed silent in %zu calls of '%s' and '%s'",
		       timing_source_name(s->p->plan.source), s->calls[k].n, s->p->sides[0].subject->name,
		       s->p->sides[k].subject->name);
}

/* Reduces candidate k on a case into its row of this placement; *is_there false: no usable pair. */
static bool reduce(struct state *s, size_t k, size_t i_case, bool *is_there, struct err *e)
{
	struct placements *p = s->p;
	struct placements_side *x = &p->sides[k];
	size_t at = s->n_have * p->plan.n_cases + i_case, n_usable = 0;
	struct placement got;
	struct err why;
	for (size_t i = 0; i < s->calls[k].n; i++)
		n_usable += !s->calls[k].v[i].skip;
	if (n_usable == 0 && p->n_no_time == p->n_calls)
		return silent(s, k, e);
	*is_there = placement_reduce(&got, s->calls[k].v, s->calls[k].n, &s->scratch, &why);
	if (!*is_there)
		return true;
	x->d[at] = got.d;
	x->se[at] = got.se;
	x->time_ns[at] = got.time_b;
	p->sides[0].time_ns[at] = got.time_a;
	return true;
}

/* Answers that did not fit into what the lab keeps are fetched again. */
static bool have_answers(const struct state *s, size_t i_case, struct err *e)
{
	struct reference *r = s->p->reference;
	if (!r || r->kind == REFERENCE_NONE || lab_is_filled(s->p->lab))
		return true;
	if (!reference_fill(r, s->p->arena, s->p->lab, i_case, e))
		return false;
	return !r->fault || err_set(e, ERR_INPUT, "the reference worked before and failed now: %s", r->fault);
}

/* All blocks of one case, in turn over the candidates, and the looks. */
static bool run_case(struct state *s, size_t i_case, bool *is_complete, struct err *e)
{
	struct placements *p = s->p;
	if (!lab_case(p->lab, i_case, e))
		return false;
	if (!have_answers(s, i_case, e) || !each_side(s, i_case, warm_up, e))
		return false;
	for (size_t k = 1; k < p->n_sides; k++)
		s->calls[k] = (struct calls){0};
	size_t first_row = p->trial->n;
	for (size_t b = 0; b < p->plan.n_blocks; b++) {
		for (size_t k = 1; k < p->n_sides && has_candidate(s); k++) {
			if (s->is_measured[k] && run_block(s, k, i_case, e) == ASK_ERR)
				return false;
		}
	}
	if (p->telemetry)
		telemetry_mark(p->telemetry, p->trial, first_row, p->trial->n);
	for (size_t k = 1; k < p->n_sides && has_candidate(s); k++) {
		bool is_there = true;
		if (s->is_measured[k] && !reduce(s, k, i_case, &is_there, e))
			return false;
		*is_complete = *is_complete && is_there;
	}
	return !p->reference || each_side(s, i_case, look_at, e);
}

/* Placements whose workers are started at once: no more than up to the next look, and than the lab has room for. */
static size_t n_together(const struct state *s)
{
	const struct placements *p = s->p;
	size_t n = p->plan.n_ahead ? p->plan.n_ahead : 1, room = WORKERS / p->n_sides, left = SIZE_MAX;
	for (size_t i = 0; left == SIZE_MAX && i < p->plan.n_looks; i++) {
		if (spending_look[i] > s->n_have)
			left = spending_look[i] - s->n_have;
	}
	if (p->plan.n_fixed)
		left = p->plan.n_fixed - p->n_placements;
	n = n < left ? n : left;
	n = n + 1 < room ? n : room > 2 ? room - 1 : 1; /* those of the placement before may still be ending */
	return n < AHEAD ? n : AHEAD;
}

/* Nothing is measured until all of them are ready. */
static bool start_ahead(struct state *s, struct err *e)
{
	struct placements *p = s->p;
	s->n_ahead = n_together(s);
	for (size_t k = 0; k < s->n_ahead * p->n_sides; k++) {
		size_t g = k / p->n_sides, i = k % p->n_sides;
		size_t side = (p->n_placements + g) % 2 ? p->n_sides - 1 - i : i;
		if (!s->is_measured[side])
			continue;
		s->ahead[g][side] = lab_start(p->lab, p->sides[side].subject, mode_of(p), e);
		if (!s->ahead[g][side])
			return false;
	}
	for (size_t k = 0; k < s->n_ahead * p->n_sides; k++) {
		struct lab_worker *w = s->ahead[k / p->n_sides][k % p->n_sides];
		if (w)
			lab_await(w);
	}
	return true;
}

/* The next placement's workers, off the front of those that were started. */
static void take_ahead(struct state *s)
{
	memcpy(s->workers, s->ahead[0], sizeof(s->workers));
	memmove(s->ahead, s->ahead + 1, sizeof(s->ahead) - sizeof(s->ahead[0]));
	memset(s->ahead[AHEAD - 1], 0, sizeof(s->ahead[0]));
	s->n_ahead--;
	for (size_t side = 0; side < s->p->n_sides; side++) {
		if (s->is_measured[side])
			continue;
		lab_end(s->p->lab, s->workers[side]); /* it went out or was decided meanwhile */
		s->workers[side] = NULL;
	}
}

/* Workers of all sides; those of the placement before end meanwhile. */
static bool start_all(struct state *s, struct err *e)
{
	struct placements *p = s->p;
	if (s->n_ahead == 0 && !start_ahead(s, e))
		return false;
	take_ahead(s);
	for (size_t side = 0; side < p->n_sides; side++) {
		struct lab_fault fault;
		if (!s->is_measured[side])
			continue;
		enum ask_result r = lab_join(p->lab, s->workers[side], &fault, e);
		if (r == ASK_ERR)
			return false;
		if (r == ASK_FAULT)
			drop(s, side, &fault);
		else if (p->plan.source == TIMING_EVENT)
			p->sides[side].empty_pair_ns[p->n_placements] =
				json_f64(lab_facts(s->workers[side]), "empty_pair_ns", 0);
	}
	for (size_t side = 0; side < p->n_sides; side++) {
		lab_end(p->lab, s->leaving[side]);
		s->leaving[side] = NULL;
	}
	return true;
}

static void dismiss_all(struct state *s)
{
	for (size_t side = 0; side < s->p->n_sides; side++) {
		if (s->workers[side])
			lab_leave(s->workers[side]);
		s->leaving[side] = s->workers[side];
		s->workers[side] = NULL;
	}
}

/* A placement counts for all that were measured in it, or for nobody: rows stay aligned. */
static void count(struct state *s, bool is_complete)
{
	struct placements *p = s->p;
	p->n_placements++;
	if (!is_complete) {
		p->n_lost++;
		return;
	}
	for (size_t side = 0; side < p->n_sides; side++)
		p->sides[side].n_placements += s->is_measured[side];
	s->n_have++;
}

static bool run_placement(struct state *s, struct err *e)
{
	struct placements *p = s->p;
	struct arena_mark mark = arena_mark(&s->scratch);
	bool is_complete = true, ok = start_all(s, e);
	s->block = 0;
	for (size_t i = p->plan.n_cases; ok && i-- > 0 && has_candidate(s);)
		ok = run_case(s, i, &is_complete, e);
	dismiss_all(s);
	if (ok && has_candidate(s))
		count(s, is_complete);
	arena_reset(&s->scratch, mark);
	return ok;
}

static bool judge(struct state *s, struct err *e)
{
	struct placements *p = s->p;
	size_t n = p->n_sides - 1, most = spending_look[p->plan.n_looks - 1];
	struct paired_input in[PLACEMENTS_MAX_SIDES] = {0};
	struct paired_result out[PLACEMENTS_MAX_SIDES];
	struct paired_options o = {
		.min_effect = p->plan.min_effect, .n_cases = p->plan.n_cases, .n_looks = p->plan.n_looks};
	for (size_t k = 0; k < n; k++) {
		const struct placements_side *x = &p->sides[k + 1];
		in[k] = (struct paired_input){x->d, x->n_placements < most ? x->n_placements : most};
	}
	if (!paired_judge(out, in, n, &o, p->arena, e))
		return false;
	for (size_t k = 0; k < n; k++)
		p->sides[k + 1].paired = out[k];
	return true;
}

/* Who is measured in the next placement. */
static bool choose(struct state *s)
{
	struct placements *p = s->p;
	s->is_measured[0] = !p->sides[0].is_out;
	for (size_t k = 1; k < p->n_sides; k++) {
		const struct placements_side *x = &p->sides[k];
		bool is_open = p->plan.n_fixed || x->n_placements == 0 || x->paired.state == PAIRED_WAITING;
		s->is_measured[k] = !x->is_out && is_open && s->is_measured[0];
	}
	return has_candidate(s);
}

static enum placements_stop why_over(const struct state *s)
{
	const struct placements *p = s->p;
	bool is_alive = false, is_exhausted = false;
	for (size_t k = 1; k < p->n_sides && !p->sides[0].is_out; k++) {
		is_alive = is_alive || !p->sides[k].is_out;
		is_exhausted = is_exhausted || p->sides[k].paired.state == PAIRED_EXHAUSTED;
	}
	return !is_alive ? PLACEMENTS_OUT : is_exhausted ? PLACEMENTS_EXHAUSTED : PLACEMENTS_DECIDED;
}

static bool is_over(struct state *s)
{
	struct placements *p = s->p;
	if (!choose(s)) {
		p->stop = why_over(s);
		return true;
	}
	p->stop = PLACEMENTS_COUNT;
	if (p->n_placements >= (p->plan.n_fixed ? p->plan.n_fixed : PLACEMENTS_MAX))
		return true;
	p->stop = PLACEMENTS_TIME;
	return p->plan.time_limit_ns > 0 && clock_ns() - s->begin_ns > p->plan.time_limit_ns;
}

static bool run_all(struct state *s, struct err *e)
{
	struct placements *p = s->p;
	if (!judge(s, e))
		return false;
	while (!is_over(s)) {
		progress_count("placements", p->n_placements,
			       p->plan.n_fixed ? p->plan.n_fixed : spending_look[p->plan.n_looks - 1]);
		if (!run_placement(s, e) || !judge(s, e))
			return false;
	}
	return true;
}

bool placements_run(struct placements *p, struct err *e)
{
	struct state s = {.p = p, .random = p->plan.seed, .begin_ns = clock_ns()};
	size_t most = p->plan.n_fixed ? p->plan.n_fixed : spending_look[p->plan.n_looks - 1];
	arena_init(&s.scratch);
	for (size_t i = 0; i < p->n_sides; i++) {
		struct placements_side *x = &p->sides[i];
		x->time_ns = ARENA_ARRAY(p->arena, most * p->plan.n_cases, double);
		x->d = ARENA_ARRAY(p->arena, most * p->plan.n_cases, double);
		x->se = ARENA_ARRAY(p->arena, most * p->plan.n_cases, double);
		x->empty_pair_ns = ARENA_ARRAY(p->arena, PLACEMENTS_MAX, double);
	}
	bool ok = run_all(&s, e);
	for (size_t i = 0; i < p->n_sides; i++) {
		lab_end(p->lab, s.workers[i]);
		lab_end(p->lab, s.leaving[i]);
		for (size_t g = 0; g < AHEAD; g++)
			lab_end(p->lab, s.ahead[g][i]);
	}
	arena_release(&s.scratch);
	p->total_s = (double)(clock_ns() - s.begin_ns) / 1e9;
	return ok;
}
