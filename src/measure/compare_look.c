/* The sides of a comparison before anything is timed.
 * In: built sides. Out: a lab, correctness of every side on every case, what a call launches, the source of time.
 * A case is laid out once and every side is called on it in turn.
 * Never: goes on with a side that is wrong. */
#include "measure/compare_look.h"

#include <math.h>

#include "base/clock.h"
#include "measure/clocks.h"
#include "measure/correct.h"
#include "measure/workload.h"
#include "run/trial.h"

enum { COMPARE_SLOTS = 8 };
static const uint64_t GPU_MEMORY = UINT64_C(8) << 30, HOST_MEMORY = UINT64_C(512) << 20;

/* ASK_FAULT takes the side out; false for ASK_ERR. */
static bool settle(struct compare_state *s, size_t i, enum ask_result r)
{
	if (r == ASK_FAULT)
		compare_put_out(s, i, s->looks[i].fault.verdict, s->looks[i].fault.text);
	return r != ASK_ERR;
}

static bool open_lab(struct compare_state *s, struct err *e)
{
	bool is_gpu = s->out->device.gpu != NULL;
	struct lab_options o = {.program = s->o->program,
				.folder = s->folder,
				.cupti = s->o->cupti,
				.call_timeout_ns = (int64_t)(s->o->timeout_s * 1e9),
				.evict_bytes = s->o->evict_bytes,
				.n_slots = COMPARE_SLOTS,
				.memory_bytes = is_gpu ? GPU_MEMORY : HOST_MEMORY,
				.keep_bytes = is_gpu ? GPU_MEMORY : HOST_MEMORY};
	struct reference_options *r = ARENA_NEW(s->arena, struct reference_options);
	*r = (struct reference_options){.program = s->o->program,
					.folder = s->folder,
					.python = s->o->python,
					.guest = s->workloads[0] ? s->workloads[0]->interpreter : NULL,
					.nvcc = s->o->nvcc,
					.timeout_ns = (int64_t)(s->o->timeout_s * 5e9),
					.n_warmup = 3,
					.n_repeat = 20, /* not used here: what is cached serves bench, too */
					.no_cache = (s->o->options & COMPARE_NO_CACHE) != 0};
	s->reference = ARENA_NEW(s->arena, struct reference);
	if (s->workloads[0]) {
		o.data_files = workload_files(s->workloads[0]);
		o.data_digests = workload_digests(s->workloads[0]);
	}
	s->lab = lab_open(s->arena, &s->out->sides[0].op, &s->out->device, &o, e);
	return s->lab && reference_open(s->reference, s->arena, &s->out->sides[0].op, &s->out->device, r, e);
}

static bool start_sides(struct compare_state *s, struct err *e)
{
	int64_t begin = clock_ns();
	for (size_t i = 0; i < s->o->n_sides; i++) {
		struct compare_look *k = &s->looks[i];
		const struct compare_outcome *x = &s->out->sides[i];
		k->subject = (struct lab_subject){.name = compare_label(s->arena, i),
						  .library = x->artifact.library,
						  .symbol = x->artifact.symbol,
						  .returns_int = x->op.entry_returns_int,
						  .guest = s->workloads[i] ? s->workloads[i]->guest : NULL,
						  .op = &x->op};
		if (s->is_out[i])
			continue;
		k->worker = lab_start(s->lab, &k->subject, s->out->device.gpu ? "identity" : "time", e);
		if (!k->worker)
			return false;
	}
	for (size_t i = 0; i < s->o->n_sides; i++) {
		struct compare_look *k = &s->looks[i];
		if (!s->is_out[i] && !settle(s, i, lab_join(s->lab, k->worker, &k->fault, e)))
			return false;
	}
	s->start_ns = clock_ns() - begin;
	for (size_t i = 0; s->out->device.gpu && i < s->o->n_sides && !s->l2_bytes; i++) {
		if (!s->is_out[i])
			s->l2_bytes = (uint64_t)(json_f64(lab_facts(s->looks[i].worker), "cache_bytes", 0));
	}
	return true;
}

bool compare_open(struct compare_state *s, struct err *e)
{
	compare_phase(s, "start");
	s->looks = ARENA_ARRAY(s->arena, s->o->n_sides, struct compare_look);
	return open_lab(s, e) && start_sides(s, e);
}

static bool check_case(struct compare_state *s, size_t i_case, struct err *e)
{
	struct correct_bench bench = {s->arena, s->lab, s->reference};
	if (!lab_case(s->lab, i_case, e))
		return false;
	for (size_t i = 0; i < s->o->n_sides; i++) {
		struct compare_look *k = &s->looks[i];
		struct correct_course course = {
			.out = s->out->sides[i].correct, .b = &bench, .worker = k->worker, .fault = &k->fault};
		if (!s->is_out[i] && !settle(s, i, correct_case(&course, i_case, e)))
			return false;
		const struct correctness *c = s->out->sides[i].correct;
		if (!s->is_out[i] && !correct_is_good(c))
			compare_put_out(s, i, c->verdict, c->text);
	}
	return true;
}

bool compare_check(struct compare_state *s, struct err *e)
{
	for (size_t i = 0; i < s->o->n_sides; i++) {
		if (s->is_out[i])
			continue;
		s->out->sides[i].correct = ARENA_NEW(s->arena, struct correctness);
		correct_begin(s->out->sides[i].correct, s->arena, s->reference);
	}
	for (size_t c = s->out->sides[0].op.n_cases; c-- > 0;) {
		if (!check_case(s, c, e))
			return false;
	}
	for (size_t i = 0; i < s->o->n_sides; i++) {
		if (!s->is_out[i])
			s->out->sides[i].verdict = s->out->sides[i].correct->verdict;
	}
	return true;
}

static enum ask_result identify(struct compare_state *s, size_t i, struct err *e)
{
	struct compare_look *k = &s->looks[i];
	struct lab_rows rows;
	struct lab_batch first = {.n = 2, .side = i}, second = {.n = 1, .first_call = 2, .side = i};
	struct trial_batch t = {.mode = TRIAL_IDENTITY, .quarter = TRIAL_NO_QUARTER, .flags = TRIAL_WARMUP};
	enum ask_result r = lab_run(s->lab, k->worker, &first, &rows, &k->fault, e);
	if (r == ASK_OK)
		r = lab_run(s->lab, k->worker, &second, &rows, &k->fault, e);
	if (r != ASK_OK)
		return r;
	t.begin_ns = rows.begin_ns;
	t.wall_ns = rows.wall_ns;
	trial_add(s->trial, rows.rows, rows.n, &t);
	k->identity = rows.rows[0];
	s->out->sides[i].n_launches = k->identity.n_launch;
	s->out->sides[i].n_copies = k->identity.n_copy;
	s->out->sides[i].host_ns = k->identity.host_ns;
	return lab_reduce(s->lab, k->worker, &k->fault, e);
}

/* Whether the events hold what a call does: the least of a few calls by both clocks. A side that works outside them cannot be
 * compared by them. */
static enum ask_result look_at_events(struct compare_state *s, size_t i, struct err *e)
{
	struct compare_look *k = &s->looks[i];
	struct lab_rows rows;
	struct lab_batch b = {
		.n = 5, .first_call = 3, .side = i, .flags = WIRE_CALL_COLD | (s->can_hold ? WIRE_CALL_HOLD : 0u)};
	double pair = json_f64(lab_facts(k->worker), "empty_pair_ns", 0);
	struct clocks c = {.event_ns = INFINITY, .busy_ns = INFINITY};
	enum ask_result r = lab_run(s->lab, k->worker, &b, &rows, &k->fault, e);
	for (size_t n = 0; r == ASK_OK && n < rows.n; n++) {
		c.event_ns = fmin(c.event_ns, fmax(1, rows.rows[n].event_ns - pair));
		c.busy_ns = fmin(c.busy_ns, rows.rows[n].busy_ns);
	}
	c.span_ns = c.busy_ns;
	if (r == ASK_OK && clocks_choose(&c) == CLOCKS_UNORDERED)
		compare_put_out(
			s, i, VERDICT_NO_UNORDERED,
			arena_printf(
				s->arena,
				"the device works %.6g us for a call, %.6g us of it between events on the caller's "
				"stream: it cannot be compared by events, which several launches need",
				c.busy_ns / 1e3, c.event_ns / 1e3));
	return r;
}

/* One source for all sides. */
bool compare_identify(struct compare_state *s, struct err *e)
{
	bool is_single = !(s->o->options & COMPARE_EVENTS), has_records = true;
	s->can_hold = true;
	s->out->source = TIMING_HOST;
	if (!s->out->device.gpu) {
		s->can_hold = false;
		return true;
	}
	for (size_t i = 0; i < s->o->n_sides; i++) {
		const struct wire_row *row = &s->looks[i].identity;
		if (!s->is_out[i] && !settle(s, i, identify(s, i, e)))
			return false;
		if (s->is_out[i])
			continue;
		has_records = has_records && !(row->marks & WIRE_MARK_NO_RECORD);
		s->can_hold = s->can_hold && !(row->marks & (WIRE_MARK_SYNCED | WIRE_MARK_ALLOCATED));
		is_single = is_single && row->n_launch == 1 && row->n_copy == 0;
	}
	s->out->source = has_records && is_single ? TIMING_RECORD : TIMING_EVENT;
	for (size_t i = 0; s->out->source == TIMING_EVENT && i < s->o->n_sides; i++) {
		if (!s->is_out[i] && !settle(s, i, look_at_events(s, i, e)))
			return false;
	}
	return true;
}

void compare_end_looks(struct compare_state *s)
{
	for (size_t i = 0; s->looks && i < s->o->n_sides; i++) {
		if (s->looks[i].worker && !s->sandbox)
			s->sandbox = worker_sandbox_json(lab_process(s->looks[i].worker), s->arena);
		lab_end(s->lab, s->looks[i].worker);
		s->looks[i].worker = NULL;
	}
}

void compare_close(struct compare_state *s)
{
	compare_end_looks(s);
	if (s->reference)
		s->reference_facts = s->reference->facts;
	for (size_t i = 0; i < s->o->n_sides; i++) {
		const struct correctness *c = s->out->sides[i].correct;
		if (c)
			s->correctness[i] =
				correct_json(s->arena, c, s->reference && s->reference->kind != REFERENCE_NONE);
	}
	if (s->reference)
		reference_release(s->reference);
	lab_free(s->lab);
	s->lab = NULL;
	for (size_t i = 0; i < s->o->n_sides; i++) {
		if (s->workloads[i])
			workload_close(s->workloads[i]);
	}
}
