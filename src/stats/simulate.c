/* Simulated placements: calls of two sides on a machine with known faults.
 * In: a model, a seeded generator. Out: calls as measure/ would record them.
 * Deterministic: the same seed gives the same bits on every machine with IEEE doubles and the same libm.
 * Never part of a measurement. */
#include "stats/simulate.h"

#include <math.h>

static uint64_t rotate(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

static uint64_t next(struct simulate_rng *r)
{
	uint64_t out = rotate(r->s[1] * 5, 7) * 9, t = r->s[1] << 17;
	r->s[2] ^= r->s[0];
	r->s[3] ^= r->s[1];
	r->s[1] ^= r->s[2];
	r->s[0] ^= r->s[3];
	r->s[2] ^= t;
	r->s[3] = rotate(r->s[3], 45);
	return out;
}

void simulate_seed(struct simulate_rng *r, uint64_t seed)
{
	*r = (struct simulate_rng){0};
	for (size_t i = 0; i < COUNT_OF(r->s); i++) {
		uint64_t z = (seed += 0x9e3779b97f4a7c15);
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
		z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
		r->s[i] = z ^ (z >> 31);
	}
}

double simulate_uniform(struct simulate_rng *r)
{
	return (double)(next(r) >> 11) * 0x1p-53;
}

/* Polar method of Marsaglia: two at a time. */
double simulate_normal(struct simulate_rng *r)
{
	if (r->has_spare) {
		r->has_spare = false;
		return r->spare;
	}
	double x, y, q;
	do {
		x = 2 * simulate_uniform(r) - 1;
		y = 2 * simulate_uniform(r) - 1;
		q = x * x + y * y;
	} while (q >= 1 || q == 0);
	double f = sqrt(-2 * log(q) / q);
	r->spare = y * f;
	r->has_spare = true;
	return x * f;
}

/* What this placement adds to one side, as a logarithm. */
static double bias_of_side(const struct simulate_model *m, struct simulate_rng *r)
{
	double bias = 0;
	if (m->place_sd > 0)
		bias += m->place_sd * simulate_normal(r);
	if (m->place_heavy > 0) {
		double z = simulate_normal(r), chi = 0;
		for (int i = 0; i < 3; i++) {
			double g = simulate_normal(r);
			chi += g * g;
		}
		bias += m->place_heavy * z / sqrt(chi / 3);
	}
	if (m->place_uniform > 0)
		bias += m->place_uniform * (2 * simulate_uniform(r) - 1);
	if (m->state > 0 && simulate_uniform(r) < m->state)
		bias += m->state_size;
	return bias;
}

static double on_lattice(double start, double time, double quantum)
{
	return floor((start + time) / quantum) * quantum - floor(start / quantum) * quantum;
}

struct machine { /* state between calls */
	double now_ns, ar, level;
};

/* One call: the recorded time; moves the machine on. share = how far the placement is, 0..1. */
static double run_call(const struct simulate_model *m, struct simulate_rng *r, struct machine *s, double bias,
		       double share)
{
	double slow = bias + m->drift * share + s->level;
	if (m->noise > 0)
		slow += m->noise * simulate_normal(r);
	if (m->ar_sd > 0) {
		s->ar = m->ar * s->ar + m->ar_sd * sqrt(1 - m->ar * m->ar) * simulate_normal(r);
		slow += s->ar;
	}
	if (m->step > 0 && simulate_uniform(r) < m->step)
		s->level = m->step_size * simulate_normal(r);
	double time = m->time_ns * exp(slow);
	if (m->tail > 0 && simulate_uniform(r) < m->tail)
		time *= 1 - m->tail_size * log(1 - simulate_uniform(r));
	if (m->period_ns > 0) {
		double phase = fmod(s->now_ns, m->period_ns);
		if (phase < m->event_ns || phase + time > m->period_ns)
			time *= 1 + m->event_cost;
	}
	double start = s->now_ns;
	s->now_ns += time + m->gap_ns;
	if (m->jitter_ns > 0)
		s->now_ns += m->jitter_ns * simulate_uniform(r);
	if (m->quantum_ns > 0)
		time = fmax(m->quantum_ns, on_lattice(start, time, m->quantum_ns));
	return time;
}

void simulate_placement(const struct simulate_model *m, struct simulate_rng *r, size_t i_placement,
			struct placement_call calls[SIMULATE_N])
{
	static const uint8_t side[4] = {PLACEMENT_A, PLACEMENT_B, PLACEMENT_B, PLACEMENT_A};
	double bias[2] = {bias_of_side(m, r) + m->effect, bias_of_side(m, r)};
	if (m->order_size > 0)
		bias[PLACEMENT_A] += i_placement % 2 ? -m->order_size : m->order_size;
	if (m->flip_size > 0)
		bias[PLACEMENT_A] += simulate_uniform(r) < 0.5 ? -m->flip_size : m->flip_size;
	struct machine s = {.now_ns = 1e6 * simulate_uniform(r)};
	if (m->ar_sd > 0)
		s.ar = m->ar_sd * simulate_normal(r);
	for (size_t i = 0; i < SIMULATE_N; i++) {
		size_t slot = i / SIMULATE_CALLS % 4;
		double time = run_call(m, r, &s, bias[side[slot]], (double)i / SIMULATE_N);
		calls[i] = (struct placement_call){.time_ns = time,
						   .block = (uint32_t)(i / (4 * SIMULATE_CALLS)),
						   .slot = (uint8_t)slot,
						   .side = side[slot]};
	}
}

/* Sizes from measurements on H200s where there are any: placements spread by 0.2 %, the event every 100.15 us costs 9 %
 * of a 10 us kernel, stamps are multiples of 32 ns. */
const struct simulate_model simulate_models[] = {
	{.name = "placements normal, 0.2 %", .time_ns = 15e3, .noise = 0.01, .place_sd = 0.002},
	{.name = "no placement bias", .time_ns = 15e3, .noise = 0.01},
	{.name = "drift 3 % a placement", .time_ns = 15e3, .noise = 0.005, .drift = 0.03, .place_sd = 0.001},
	{.name = "autocorrelation 0.9", .time_ns = 15e3, .noise = 0.003, .ar = 0.9, .ar_sd = 0.01, .place_sd = 0.001},
	{.name = "heavy tails, 5 % of calls +50 %",
	 .time_ns = 15e3,
	 .noise = 0.005,
	 .tail = 0.05,
	 .tail_size = 0.5,
	 .place_sd = 0.001},
	{.name = "steps of 2 %", .time_ns = 15e3, .noise = 0.005, .step = 0.02, .step_size = 0.02, .place_sd = 0.001},
	{.name = "lattice 32 ns, 2.1 us",
	 .time_ns = 2110,
	 .noise = 0.002,
	 .quantum_ns = 32,
	 .gap_ns = 60e3,
	 .jitter_ns = 128e3,
	 .place_sd = 0.001},
	{.name = "event each 100.15 us, jitter",
	 .time_ns = 10e3,
	 .noise = 0.003,
	 .period_ns = 100150,
	 .event_ns = 500,
	 .event_cost = 0.09,
	 .gap_ns = 60e3,
	 .jitter_ns = 128e3,
	 .place_sd = 0.001},
	{.name = "event each 100.15 us, fixed cadence",
	 .time_ns = 10e3,
	 .noise = 0.003,
	 .period_ns = 100150,
	 .event_ns = 500,
	 .event_cost = 0.09,
	 .gap_ns = 40e3,
	 .place_sd = 0.001},
	{.name = "placements of two states, 0.5 %", .time_ns = 15e3, .noise = 0.005, .state = 0.3, .state_size = 0.005},
	{.name = "placements heavy (t3), 0.15 %", .time_ns = 15e3, .noise = 0.005, .place_heavy = 0.0015},
	{.name = "placements uniform, 0.4 %", .time_ns = 15e3, .noise = 0.003, .place_uniform = 0.004},
	{.name = "start order 0.2 %, alternating",
	 .time_ns = 15e3,
	 .noise = 0.005,
	 .order_size = 0.002,
	 .place_sd = 0.001},
	{.name = "start order 0.2 %, by a coin",
	 .time_ns = 15e3,
	 .noise = 0.005,
	 .flip_size = 0.002,
	 .place_sd = 0.001},
	{.name = "all of these",
	 .time_ns = 9.6e3,
	 .noise = 0.005,
	 .ar = 0.9,
	 .ar_sd = 0.005,
	 .tail = 0.03,
	 .tail_size = 0.3,
	 .drift = 0.02,
	 .step = 0.01,
	 .step_size = 0.01,
	 .quantum_ns = 32,
	 .period_ns = 100150,
	 .event_ns = 500,
	 .event_cost = 0.09,
	 .gap_ns = 60e3,
	 .jitter_ns = 128e3,
	 .place_sd = 0.0015,
	 .state = 0.1,
	 .state_size = 0.004},
};
const size_t simulate_n_models = COUNT_OF(simulate_models);
