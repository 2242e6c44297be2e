/* A machine that misbehaves in known ways, to check the comparison engine against: calls of two sides with drift,
 * autocorrelation, heavy tails, steps, a clock lattice, a periodic disturbance and placements that favour a side.
 * All sizes are relative to the time of the kernel unless a unit is named. The true effect is known exactly: both sides
 * obey the same law, side A's times multiplied by exp(effect). */
#ifndef ASSAY_STATS_SIMULATE_H
#define ASSAY_STATS_SIMULATE_H

#include "stats/placement.h"

struct simulate_rng { /* xoshiro256** (Blackman and Vigna 2018), seeded through splitmix64 */
	uint64_t s[4];
	double spare;
	bool has_spare;
};
void simulate_seed(struct simulate_rng *r, uint64_t seed);
double simulate_uniform(struct simulate_rng *r); /* [0, 1) */
double simulate_normal(struct simulate_rng *r);

struct simulate_model {
	const char *name;
	double time_ns;   /* of side B, undisturbed */
	double effect;    /* ln(time A / time B), the truth */
	double noise;     /* sd of independent noise, a call */
	double ar, ar_sd; /* autocorrelation of neighbouring calls (0..1) and sd of that noise, shared by both sides */
	double tail, tail_size; /* share of calls that are slowed by an exponential of this mean */
	double drift;           /* linear, over a placement */
	double step, step_size; /* chance a call that the level jumps to a new normal one of this sd */
	double quantum_ns;      /* times are differences of two stamps on this lattice; 0: none */
	double period_ns, event_ns,
		event_cost;       /* every period an event of this length; a call that meets it is slowed */
	double gap_ns, jitter_ns; /* between calls: fixed part and width of the uniform part */
	double place_sd;          /* normal, each side and placement */
	double place_heavy;       /* Student t with 3 degrees of freedom times this, the same */
	double place_uniform;     /* half width of a uniform law, the same */
	double state, state_size; /* chance that a side has a slow placement, and how slow */
	double order_size;        /* + in even placements, - in odd ones: the side that starts first, alternating */
	double flip_size;         /* + or - by a coin: the same, left to chance */
};

#define SIMULATE_BLOCKS 8 /* blocks of a placement */
#define SIMULATE_CALLS 5  /* calls of a slot */
#define SIMULATE_N (SIMULATE_BLOCKS * 4 * SIMULATE_CALLS)

/* Fills the calls of placement number i_placement. */
void simulate_placement(const struct simulate_model *m, struct simulate_rng *r, size_t i_placement,
			struct placement_call calls[SIMULATE_N]);
/* The scenarios that docs/measurements/simulation.md reports; effect 0. */
extern const struct simulate_model simulate_models[];
extern const size_t simulate_n_models;

#endif
