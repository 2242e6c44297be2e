/* How much to measure: when one bench may stop, how many samples a wanted precision needs, how many placements and
 * blocks a time budget pays for. Pure: times and spreads in, counts out. */
#ifndef ASSAY_STATS_PLAN_H
#define ASSAY_STATS_PLAN_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

struct summary;
/* --- one bench: sample until the trimmed mean is known well enough ---
 * Looked at after 30 samples (n_min if that is more) and then after each growth by a half, so that chance has few
 * occasions to look precise: a test at every sample stops on luck. At a look:
 *   precise     relative half width of the interval of the trimmed mean (summary.h: batch means, which autocorrelation
 *               and drift widen) <= noise, at this look and at the one before
 *   time        the budget is used up (also between looks)
 *   full        n_max samples are there (also between looks)
 * Simulated, 1,500 series each, spread 1 %, noise 0.3 %: the interval at the stop covers in 0.96, 0.94, 0.92, 0.89 at
 * autocorrelation 0, 0.3, 0.6, 0.9 (120 to 1,750 samples). Where a loose wish stops before 160 samples, 0.9 is not seen
 * in full: 0.68. Without the second look: 0.95, 0.91, 0.88, 0.73. */
struct plan_rule {
	double noise;        /* wanted relative half width, 0.005 for 0.5 %; 0: never precise */
	size_t n_min, n_max; /* samples; n_max 0: no limit */
	double budget_ns;    /* wall time of the sampling; 0: no limit */
};
enum plan_stop { PLAN_GO_ON, PLAN_PRECISE, PLAN_TIME, PLAN_FULL };
struct plan_step {
	enum plan_stop stop;
	size_t n_look;              /* samples at the next look, when stop is GO_ON; at most n_max */
	double relative_half_width; /* at the last look; infinity before it */
};

/* Samples at the first look, then the look after n. */
size_t plan_next_look(size_t n, const struct plan_rule *r);
struct plan_progress {
	const double *x; /* all samples so far, in order of time */
	size_t n;
	double used_ns; /* wall time of the sampling so far */
};
/* Call it when p->n reaches step->n_look, or the time is up. ERR_INPUT as summary_make, and for a rule that never ends
 * (no noise, budget or n_max). */
MUST_USE bool plan_bench(struct plan_step *out, const struct plan_rule *r, const struct plan_progress *p,
			 struct arena *scratch, struct err *e);
const char *plan_stop_name(enum plan_stop s); /* "go_on", "precise", "time_budget", "max_samples" */
/* Samples that a relative half width of `noise` needs, if the spread and the correlation of s last: n (have / want)^2,
 * rounded up. 0 when s has no interval; SIZE_MAX when out of range. */
size_t plan_samples(const struct summary *s, double noise);

/* --- a comparison: placements and blocks for a budget --- */
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
