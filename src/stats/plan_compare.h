/* How many placements and blocks of a comparison a time budget pays for. Pure. */
#ifndef ASSAY_STATS_PLAN_COMPARE_H
#define ASSAY_STATS_PLAN_COMPARE_H

#include "base/arena.h"
#include "base/json.h"

struct plan_cost {       /* all > 0 */
	double start_ns; /* one placement before its first block: worker start, allocation, warm-up */
	double block_ns; /* one A B B A block of all cases, flushes included */
	double fixed_ns; /* before the first placement: build, identity, correctness; may be 0 */
};
struct plan_spread {
	double sd_place; /* of d between placements beyond what blocks explain, ln units; 0: not known */
	double sd_block; /* of the mean of one block within a placement; 0: not known */
};
/* What is assumed of a GPU before anything is measured: H200s, 2026-11: restarts spread by 0.2 % a side, a cold call by
 * 1.2 %, so the mean of the ten pairs of a block by 0.54 %. */
extern const struct plan_spread plan_spread_gpu;
struct plan_compare {
	size_t n_looks;                /* for paired_options; 0: the budget pays for fewer than 6 placements */
	size_t n_placements;           /* of the last look */
	size_t n_blocks;               /* per placement */
	double total_ns;               /* expected, all placements of the plan */
	double sd;                     /* expected of d: sqrt(sd_place^2 + sd_block^2 / n_blocks); 0: not known */
	double resolution, detectable; /* as paired_resolution and paired_detectable, 0: not known */
};

#define PLAN_BLOCKS_MIN 8   /* batches enough for the spread within a placement */
#define PLAN_BLOCKS_LEAST 1 /* where the budget pays for no more: the verdict needs placements, not their inside */
#define PLAN_BLOCKS_MAX 200

/* Blocks: with both spreads known, the number that makes the variance a second least, sqrt((start / block)
 * (sd_block^2 / sd_place^2)) (Cochran, "Sampling Techniques", 10.6); else as many as take as long as the start. Clamped
 * to 8..200; lowered to no less than 1 when 6 placements do not fit otherwise. Placements: the largest look that fits
 * into the budget. n candidates share each placement's start; block_ns is for all of them. */
void plan_comparison(struct plan_compare *out, const struct plan_cost *cost, const struct plan_spread *spread,
		     double budget_ns, double min_effect, size_t n_candidates);
/* Splits the spread of n >= 2 placements seen: d[] of placements, se[] of each (placement.h), n_blocks in each.
 * sd_block = sqrt(mean(se^2) n_blocks), sd_place = sqrt(var(d) - mean(se^2)), but at least a tenth of sd(d). */
void plan_spread_of(struct plan_spread *out, const double *d, const double *se, size_t n, size_t n_blocks);
struct json *plan_compare_json(struct arena *a, const struct plan_compare *p);

#endif
