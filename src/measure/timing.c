/* Timing.
 * In: a joined worker and a plan. Out: samples with their summary; every row goes into the trial.
 * Calls come in blocks; between blocks the rule is asked whether to go on.
 * Never: throws a sample away (calls without a record are counted). */
#include "measure/timing.h"

#include <math.h>

#include "base/clock.h"
#include "base/progress.h"
#include "measure/fresh.h"

enum { TIMING_BLOCK = 32, TIMING_MAX_SAMPLES = 20000, TIMING_JITTER_NS = 128000 };

static uint64_t next_random(uint64_t *state) /* splitmix64 (Steele, Lea, Flood 2014) */
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

void timing_phases(int64_t *out, size_t n, uint64_t *seed)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (int64_t)(i * TIMING_JITTER_NS / n);
	for (size_t i = n; i > 1; i--) {
		size_t k = (size_t)(next_random(seed) % i);
		int64_t swap = out[i - 1];
		out[i - 1] = out[k];
		out[k] = swap;
	}
}

static double sample_of(const struct timing_plan *p, const struct wire_row *r)
{
	return p->source == TIMING_EVENT ? r->event_ns - p->empty_pair_ns : r->span_ns;
}

struct sampler {
	struct timing *out;
	struct trial *trial;
	struct lab *lab;
	struct lab_worker *worker;
	const struct timing_plan *plan;
	struct lab_fault *fault;
	double *clock, *host, *wall, *after, *busy;
	size_t n_calls, n_clock, n_busy;
	double call_ns; /* wall time of one call in the block before, eviction and delay included; 0: not known */
	uint64_t seed, block;
	int64_t deck[TIMING_BLOCK];
	size_t i_deck;
	struct fresh_series fresh;
};

/* Calls in one block: as many as take half a second, so that a slow kernel is neither called a hang nor measured far beyond
 * its budget. The first block is one call. */
static size_t block_size(const struct sampler *s, size_t wanted)
{
	static const double block_ns = 5e8;
	size_t n = s->call_ns > 0 ? (size_t)fmin(TIMING_BLOCK, fmax(1, block_ns / s->call_ns)) : 1;
	if (s->plan->fresh && n > lab_n_slots(s->lab)) /* on fresh data a slot serves one call */
		n = lab_n_slots(s->lab);
	return wanted < n ? wanted : n;
}

static enum ask_result run_calls(struct sampler *s, struct lab_batch *b, struct lab_rows *rows, struct err *e)
{
	size_t end = s->plan->fresh ? b->n : s->n_calls + b->n;
	s->out->n_slots = end > s->out->n_slots ? end : s->out->n_slots;
	if (s->out->n_slots > lab_n_slots(s->lab))
		s->out->n_slots = lab_n_slots(s->lab);
	if (!s->plan->fresh)
		return lab_run(s->lab, s->worker, b, rows, s->fault, e);
	b->first_slot = 0;
	b->flags = (b->flags & ~(unsigned)WIRE_CALL_POISON) | WIRE_CALL_AS_IS;
	if (!fresh_prepare(&s->fresh, b->n, e))
		return ASK_ERR;
	enum ask_result r = lab_run(s->lab, s->worker, b, rows, s->fault, e);
	return r == ASK_OK && !fresh_keep(&s->fresh, b->n, e) ? ASK_ERR : r;
}

/* Dealt from a whole grid, however few calls a block has: small blocks of their own grids would all start alike. */
static int64_t next_phase(struct sampler *s)
{
	if (s->i_deck == 0) {
		timing_phases(s->deck, TIMING_BLOCK, &s->seed);
		s->i_deck = TIMING_BLOCK;
	}
	return s->deck[--s->i_deck];
}

static enum ask_result run_block(struct sampler *s, size_t n, bool is_warmup, struct err *e)
{
	int64_t phases[TIMING_BLOCK];
	struct lab_rows rows;
	for (size_t i = 0; i < n; i++)
		phases[i] = next_phase(s);
	struct lab_batch b = {.n = n,
			      .first_call = s->n_calls,
			      .first_slot = s->n_calls % lab_n_slots(s->lab),
			      .flags = s->plan->flags,
			      .pattern = s->block % 2 ? LAB_PATTERN_B : LAB_PATTERN_A,
			      .placement = s->plan->placement,
			      .block = s->block,
			      .phases = phases};
	if (is_warmup) /* lazy loading and first-touch happen here: nothing is held */
		b.flags &= ~(unsigned)WIRE_CALL_HOLD;
	enum ask_result r = run_calls(s, &b, &rows, e);
	if (r != ASK_OK)
		return r;
	unsigned flags = (b.flags & WIRE_CALL_COLD ? TRIAL_COLD : 0u) | (b.flags & WIRE_CALL_HOLD ? TRIAL_HELD : 0u) |
			 (is_warmup ? TRIAL_WARMUP : 0u);
	struct trial_batch batch = {.mode = s->plan->mode,
				    .flags = flags,
				    .quarter = TRIAL_NO_QUARTER,
				    .begin_ns = rows.begin_ns,
				    .wall_ns = rows.wall_ns};
	s->call_ns = (double)rows.wall_ns / (double)n;
	trial_add(s->trial, rows.rows, rows.n, &batch);
	s->n_calls += n;
	s->block++;
	for (size_t i = 0; !is_warmup && i < rows.n; i++) {
		double x = sample_of(s->plan, &rows.rows[i]);
		s->out->n_released += (rows.rows[i].marks & WIRE_MARK_RELEASED) != 0;
		if (!isfinite(x) || x < 0) {
			s->out->n_missing++;
			continue;
		}
		s->host[s->out->n] = rows.rows[i].host_ns;
		s->wall[s->out->n] = rows.rows[i].wall_ns;
		s->after[s->out->n] = rows.rows[i].wall_ns - rows.rows[i].host_ns;
		if (isfinite(rows.rows[i].busy_ns))
			s->busy[s->n_busy++] = rows.rows[i].busy_ns;
		s->out->samples[s->out->n++] = x;
		if (isfinite(rows.rows[i].clock_mhz))
			s->clock[s->n_clock++] = rows.rows[i].clock_mhz;
	}
	if (!is_warmup && s->out->n) {
		progress_figures(s->out->samples[s->out->n - 1], s->n_clock ? s->clock[s->n_clock - 1] : NAN);
		progress_count("samples", s->out->n, s->plan->n_repeat);
	}
	return ASK_OK;
}

static double median_of(double *x, size_t n)
{
	summary_sort(x, n);
	return n ? summary_quantile(x, n, 0.5) : NAN;
}

static enum ask_result sample(struct sampler *s, struct arena *a, struct err *e)
{
	const struct timing_plan *p = s->plan;
	struct plan_rule rule = p->rule;
	int64_t begin = clock_ns();
	size_t most = p->n_repeat ? p->n_repeat : rule.n_max ? rule.n_max : TIMING_MAX_SAMPLES;
	size_t look = p->n_repeat ? p->n_repeat : plan_next_look(0, &rule), asked = 0;
	struct plan_step step = {PLAN_GO_ON, look, INFINITY};
	rule.n_max = most;
	for (;;) {
		while (asked < look && asked < most) {
			size_t n = block_size(s, look - asked);
			enum ask_result r = run_block(s, n, false, e);
			if (r != ASK_OK)
				return r;
			asked += n;
			if (!p->n_repeat && rule.budget_ns > 0 && (double)(clock_ns() - begin) > rule.budget_ns)
				break;
		}
		s->out->seconds = (double)(clock_ns() - begin) / 1e9;
		if (s->out->n == 0) {
			s->out->is_silent = true;
			err_set(e, ERR_ENVIRONMENT, "no call gave a time: the %s source stayed silent in %zu calls",
				timing_source_name(p->source), asked);
			return ASK_ERR;
		}
		s->out->stop = PLAN_FULL;
		if (p->n_repeat || asked >= most)
			return ASK_OK;
		struct plan_progress so_far = {s->out->samples, s->out->n, (double)(clock_ns() - begin)};
		if (!plan_bench(&step, &rule, &so_far, a, e))
			return ASK_ERR;
		s->out->stop = step.stop;
		if (step.stop != PLAN_GO_ON)
			return ASK_OK;
		look = step.n_look + s->out->n_missing;
	}
}

enum ask_result timing_run(struct timing *out, struct trial *t, struct lab_worker *w, const struct timing_plan *p,
			   struct lab_fault *fault, struct err *e)
{
	size_t most = p->n_repeat > TIMING_MAX_SAMPLES ? p->n_repeat : TIMING_MAX_SAMPLES;
	struct arena *a = t->arena;
	*out = (struct timing){
		.source = p->source, .empty_pair_ns = p->empty_pair_ns, .samples = ARENA_ARRAY(a, most, double)};
	struct sampler s = {.out = out,
			    .trial = t,
			    .lab = lab_of(w),
			    .worker = w,
			    .plan = p,
			    .fault = fault,
			    .clock = ARENA_ARRAY(a, most, double),
			    .host = ARENA_ARRAY(a, most, double),
			    .wall = ARENA_ARRAY(a, most, double),
			    .after = ARENA_ARRAY(a, most, double),
			    .busy = ARENA_ARRAY(a, most, double),
			    .seed = p->seed};
	int64_t begin = clock_ns();
	if (p->fresh)
		fresh_begin(&s.fresh, p->fresh, w, p->what, p->n_kept);
	for (size_t done = 0; done < p->n_warmup;) {
		size_t n = block_size(&s, p->n_warmup - done);
		enum ask_result r = run_block(&s, n, true, e);
		if (r != ASK_OK)
			return r;
		done += n;
		if (!p->n_repeat && p->rule.budget_ns > 0 && (double)(clock_ns() - begin) > p->rule.budget_ns)
			break; /* a slow kernel is warm by then */
	}
	enum ask_result r = sample(&s, a, e);
	out->n_calls = s.n_calls;
	if (r != ASK_OK)
		return r;
	out->clock_mhz = median_of(s.clock, s.n_clock);
	out->host_ns = median_of(s.host, out->n);
	out->wall_ns = median_of(s.wall, out->n);
	out->after_ns = median_of(s.after, out->n);
	out->busy_ns = median_of(s.busy, s.n_busy);
	return summary_make(&out->summary, out->samples, out->n, a, e) ? ASK_OK : ASK_ERR;
}

struct json *timing_json(struct arena *a, const struct timing *t)
{
	struct json *j = json_object(a), *samples = json_set_array(j, "samples_ns");
	json_set_cstr(j, "source", timing_source_name(t->source));
	json_set(j, "summary", summary_json(a, &t->summary, "ns"));
	json_set_cstr(j, "stop", plan_stop_name(t->stop));
	json_set_f64(j, "seconds", t->seconds);
	json_set_f64(j, "clock_mhz_median", t->clock_mhz);
	json_set_f64(j, "host_ns_median", t->host_ns);
	json_set_u64(j, "n_released_by_helper", t->n_released);
	json_set_u64(j, "n_without_record", t->n_missing);
	if (t->source == TIMING_EVENT)
		json_set_f64(j, "empty_pair_ns", t->empty_pair_ns);
	for (size_t i = 0; i < t->n; i++)
		json_push_f64(samples, t->samples[i]);
	return j;
}
