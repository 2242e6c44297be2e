/* One placement (a worker restart) of two sides, reduced to one number per case:
 *   d = 10 % trimmed mean (summary.h) of ln(time of A / time of B) over the pairs of all blocks.
 * d > 0: B took less time. A pair never spans more than one block, so slow drift cancels to first order, and the two
 * halves of a block meet the drift with opposite signs.
 *
 * A block is four slots whose sides are x y y x (A B B A, or B A A B). Rules, so that a script can do the same:
 *   1. The first call of the placement and the first call after a change of side are discarded.
 *   2. Calls marked `skip` (throttled, contaminated) are discarded.
 *   3. In each block the i-th kept call of slot 0 pairs with the i-th of slot 1, and slot 3 with slot 2; surplus calls
 *      of the longer slot are left over. An incomplete last block gives the pairs it has.
 *   4. ln(time of the A call / time of the B call); a time that is not finite and above zero is an error.
 * Source: measured on H200s, notes of 2026-11: two processes, first call after a switch +0.4 %; the median of such
 * log ratios on a 32 ns lattice says exactly 0 in 72 % of trials where 0.5 % of 2.1 us is planted, the trimmed mean
 * 0.506 +- 0.27 %. */
#ifndef ASSAY_STATS_PLACEMENT_H
#define ASSAY_STATS_PLACEMENT_H

#include "base/arena.h"
#include "base/err.h"

enum placement_side { PLACEMENT_A, PLACEMENT_B };

struct placement_call { /* of one case, in order of time */
	double time_ns; /* or any unit: ratios only */
	uint32_t block; /* never falls */
	uint8_t slot;   /* 0..3, never falls within a block */
	uint8_t side;   /* enum placement_side */
	bool skip;
};
struct placement {
	double d;  /* natural logarithm */
	double se; /* standard error of d by the spread between blocks: sd(means of the blocks' log ratios) /
	                         * sqrt(blocks with pairs); 0 below 2 such blocks */
	double time_a, time_b;                 /* trimmed means of the paired calls */
	size_t n_pairs, n_blocks, n_discarded; /* discarded: rules 1 and 2, and left over */
};

/* ERR_INPUT: no pair, a block whose slots are not x y y x, a time that is not above zero, an order that falls. */
MUST_USE bool placement_reduce(struct placement *out, const struct placement_call *calls, size_t n,
			       struct arena *scratch, struct err *e);

#endif
