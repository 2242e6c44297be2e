/* Is a candidate faster than the baseline? The comparison engine, for `compare`, the loop, batch, audit, and the
 * speed-up over a reference: placements in, verdicts out. Pure: the same placements give the same answer for ever.
 *
 * A candidate has one row of d (placement.h) per placement and one column per case; rows are in the order in which the
 * placements ran. The overall effect of a placement is the weighted mean of its cases (equal weights: the geometric
 * mean of the ratios). All effects are natural logarithms of time A / time B: above 0 the candidate B is faster;
 * paired_pct gives 100 (exp(d) - 1), "time A is so many per cent above time B".
 *   estimate  mean of d over the n placements of a look (spending.h: 6, 9, 13, 18, 24, 32)
 *   interval  estimate -+ t(1 - nominal / 2; n - 1) sd / sqrt(n): valid at all looks of the plan together, level 0.95
 *   verdict, with m = ln(1 + min_effect), lower L, upper U, at the first look where one of them holds:
 *     faster      L > 0 and estimate >= m        slower   U < 0 and estimate <= -m
 *     equivalent  m > 0 and -m < L and U < m     inconclusive  none of them up to the last look
 * Several candidates: Holm. At each look the undecided ones are tested with alpha / (candidates not yet called faster
 * or slower); equivalence always with alpha / (all candidates).
 * Cases: a family of their own, looked at when the overall verdict falls (or at the last look), Holm over the cases
 * from the smallest nominal p. A case verdict never changes the overall one; n_faster, n_slower say what they are.
 * An estimate at a stop is a little too far from 0, as in every sequential test; the interval allows for it. */
#ifndef ASSAY_STATS_PAIRED_H
#define ASSAY_STATS_PAIRED_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "stats/spending.h"

enum paired_verdict { PAIRED_INCONCLUSIVE, PAIRED_FASTER, PAIRED_SLOWER, PAIRED_EQUIVALENT };
enum paired_state {
	PAIRED_WAITING, /* more placements are needed: n_next */
	PAIRED_DECIDED,
	PAIRED_EXHAUSTED, /* the last look of the plan gave no verdict */
};

struct paired_input {    /* one candidate against the baseline */
	const double *d; /* [placement][case] */
	size_t n_placements;
};
struct paired_options {
	double min_effect;         /* m as a fraction, 0.005 for 0.5 %; 0 <= m < 1 */
	size_t n_cases;            /* 1 or more */
	const double *case_weight; /* n_cases of them, >= 0, sum > 0; NULL: equal */
	size_t n_looks;            /* planned, 1..6: fixed before the first placement (plan.h) */
	size_t first_look; /* no verdict falls before this look, 0-based; for callers that want precision, usually 0 */
};
struct paired_effect {
	size_t n; /* placements that count; 0: no look was reached and nothing else is set */
	double estimate, sd, half_width, lower, upper;
	double nominal; /* two-sided level of this look's test */
	double p;       /* two-sided p of this look alone, not adjusted */
	enum paired_verdict verdict;
};
struct paired_result {
	struct paired_effect overall;
	struct paired_effect *cases;                      /* n_cases */
	size_t n_cases, n_faster, n_slower, n_equivalent; /* over the cases */
	enum paired_state state;
	size_t n_given, n_next; /* placements given; needed for the next look, 0 when the state is not WAITING */
	size_t n_last;          /* placements of the plan's last look */
	double detectable; /* smallest effect that this plan calls faster in 90 % of runs, from this sd; 0 without sd */
	double resolution; /* half width at the plan's last look, from this sd; 0 without sd */
	double min_effect;
};

#define PAIRED_POWER 0.9

/* Judges n candidates together. ERR_INPUT: an option out of range, a d that is not finite. */
MUST_USE bool paired_judge(struct paired_result *out, const struct paired_input *in, size_t n,
			   const struct paired_options *o, struct arena *a, struct err *e);
/* Does any candidate wait for placements? */
bool paired_is_open(const struct paired_result *r, size_t n);
/* Half width of the interval at the last of n_looks looks when placements spread by sd; n candidates share alpha. */
double paired_resolution(double sd, size_t n_looks, size_t n);
/* Smallest effect called faster at the last look in `power` of runs, normal placements, noncentral t; what earlier
 * looks add is not counted. With min_effect the estimate must reach it too: the larger of both bounds. */
double paired_detectable(double sd, size_t n_looks, double min_effect, double power, size_t n);
double paired_pct(double log_ratio);                    /* 100 (exp(x) - 1) */
const char *paired_verdict_name(enum paired_verdict v); /* "faster", "slower", "equivalent", "inconclusive" */
const char *paired_state_name(enum paired_state s);     /* "waiting", "decided", "exhausted" */
/* {"verdict","effect_pct","lower_pct","upper_pct","sd_pct","level","n_placements","cases":[..],...} */
struct json *paired_json(struct arena *a, const struct paired_result *r);

#endif
