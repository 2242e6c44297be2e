/* How much to measure: when one bench may stop, how many samples a wanted precision needs. Pure. */
#ifndef ASSAY_STATS_PLAN_H
#define ASSAY_STATS_PLAN_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

struct summary;
/* One bench: sample until the trimmed mean is known well enough.
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

#endif
