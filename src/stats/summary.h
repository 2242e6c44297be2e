/* Summary of one sample of measured numbers, so defined that a few lines of Python make every field again to 1e-12.
 *
 * x[0..n-1] in the order of time, s[] the same ascending, all in one unit (ns unless the caller says so). Sums are
 * compensated (Neumaier), over s[] for moments and in order of time for batches: math.fsum gives the same digits.
 *   mean       sum(s) / n
 *   sd         sqrt(sum((s - mean)^2) / (n - 1)), n >= 2
 *   quantile p type 7 (Hyndman and Fan 1996; numpy's default): h = (n - 1) p, i = floor(h),
 *              s[i] + (h - i) (s[i + 1] - s[i]). median = quantile 0.5.
 *              Given only when n can carry it: a distribution-free 95 % interval of the quantile exists, that is
 *              1 - p^n - (1 - p)^n >= 0.95: p25 and p75 from n = 11, p05 and p95 from 59, p99 from 299. median always.
 *   trimmed    g = n / 10 (whole), mean of s[g .. n - 1 - g]: 10 % cut on each side
 *   mad        median of |x - median|, not scaled
 *   quantum    the step of the clock, n >= 8, at least 2 distinct values. All whole (and below 2^53): their greatest
 *              common divisor. Otherwise, with tol = 2.4e-7 max|x| (twice the step of a float32, which event times
 *              are): q = the smallest gap above tol between neighbours of s[]; no quantum when q <= 16 tol or fewer than
 *              3 gaps exceed tol; then for i = 1..n-1 with d = s[i] - s[0], k = round(d / q): no quantum when
 *              |d - k q| > 2 tol, else q = d / k where k > 0.
 *   interval   of the trimmed mean, two-sided, level 0.95. w[t] = x[t] clamped to [s[g], s[n - 1 - g]] (winsorised, in
 *              order of time), c = n / (n - 2 g).
 *              independent: c sd(w) / sqrt(n) t(0.975; n - 2 g - 1) (Tukey and McLaughlin 1963), n - 2 g >= 2.
 *              batch means: 10 batches, batch j = w[j n / 10 .. (j + 1) n / 10 - 1] (whole divisions), b[j] its mean:
 *              c sd(b) / sqrt(10) t(0.975; 9) (Law and Kelton, "Simulation Modeling and Analysis", 9.5.3), n >= 20.
 *              half_width = the larger of the two, method says which it was: drift and autocorrelation widen it.
 *              Coverage measured on 4,000 series each (nominal 0.95), normal and with 5 % of heavy outliers:
 *              n = 200: 0.96 independent, 0.94 at autocorrelation 0.6, 0.88 at 0.9; n = 1000: 0.97, 0.95, 0.94.
 *   n_effective min(n, n (sd(w)^2 / n) / (sd(b)^2 / 10)), n >= 20: independent samples of the same worth
 *   modes      n >= 20: the split s[0..k-1], s[k..n-1] with the largest k (n - k) (mean_hi - mean_lo)^2 (first k when
 *              equal); D = (mean_hi - mean_lo) / sqrt((var_lo + var_hi) / 2 + quantum^2 / 12), variances by n.
 *              bimodal: D > 4 and the smaller side holds more than 10 % of the samples (less is cut by the trimmed
 *              mean). A normal sample has D = 2.6, an exponential 2.6, a uniform one 3.5, two neighbouring ticks of a
 *              clock at most 3.5. */
#ifndef ASSAY_STATS_SUMMARY_H
#define ASSAY_STATS_SUMMARY_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

#define SUMMARY_TRIM_DIV 10 /* 1 / share that is cut on each side */
#define SUMMARY_N_BATCHES 10
#define SUMMARY_LEVEL 0.95

enum summary_has {
	SUMMARY_HAS_SD = 1 << 0,
	SUMMARY_HAS_P05 = 1 << 1,
	SUMMARY_HAS_P25 = 1 << 2,
	SUMMARY_HAS_P75 = 1 << 3,
	SUMMARY_HAS_P95 = 1 << 4,
	SUMMARY_HAS_P99 = 1 << 5,
	SUMMARY_HAS_QUANTUM = 1 << 6,
	SUMMARY_HAS_INTERVAL = 1 << 7,
	SUMMARY_HAS_EFFECTIVE = 1 << 8,
	SUMMARY_HAS_MODES = 1 << 9,
};
enum summary_method { SUMMARY_NO_INTERVAL, SUMMARY_INDEPENDENT, SUMMARY_BATCH_MEANS };

struct summary_modes {
	double separation; /* D */
	double mean_low, mean_high;
	double share_high; /* of the samples on the high side */
	bool bimodal;
};
struct summary {
	size_t n, n_distinct;
	unsigned has; /* enum summary_has; a field whose bit is missing is 0 and means nothing */
	double mean, median, min, max, trimmed_mean, mad;
	double sd, p05, p25, p75, p95, p99;
	double quantum;
	double half_width; /* the interval is trimmed_mean -+ half_width */
	double level;
	double n_effective;
	enum summary_method method;
	struct summary_modes modes;
};

/* ERR_INPUT when n is 0 or a value is not finite (which one is said). Scratch memory is given back before it returns. */
MUST_USE bool summary_make(struct summary *out, const double *x, size_t n, struct arena *scratch, struct err *e);
/* half_width / |trimmed_mean|; infinity without an interval or with a trimmed mean of 0. */
double summary_relative_half_width(const struct summary *s);
/* {"n":..,"mean_ns":..,"interval":{..},"modes":{..}}: keys of values end in "_" unit (unit "" : bare keys); what has no
 * bit is left out. */
struct json *summary_json(struct arena *a, const struct summary *s, const char *unit);
const char *summary_method_name(enum summary_method m); /* "none", "independent", "batch_means" */

/* The pieces, for other statistics of this room. `sorted` is ascending. */
double summary_sum(const double *x, size_t n); /* Neumaier */
void summary_sort(double *x, size_t n);        /* ascending; no NaN */
double summary_quantile(const double *sorted, size_t n, double p);
bool summary_carries(size_t n, double p); /* the rule of the quantiles above */
double summary_trimmed(const double *sorted, size_t n);

#endif
