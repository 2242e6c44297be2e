/* Summary of one sample: location, spread, quantiles, clock step, interval of the trimmed mean, two modes.
 * In: numbers in the order of time. Out: struct summary, and its JSON.
 * Every field follows the definition in the header to the last rounding, so that a script can make it again.
 * Never drops a sample, never guesses a value that n cannot carry. */
#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/student.h"

static const struct {
	double p;
	unsigned bit;
	size_t offset;
	const char *name;
} quantiles[] = {
	{0.05, SUMMARY_HAS_P05, offsetof(struct summary, p05), "p05"},
	{0.25, SUMMARY_HAS_P25, offsetof(struct summary, p25), "p25"},
	{0.75, SUMMARY_HAS_P75, offsetof(struct summary, p75), "p75"},
	{0.95, SUMMARY_HAS_P95, offsetof(struct summary, p95), "p95"},
	{0.99, SUMMARY_HAS_P99, offsetof(struct summary, p99), "p99"},
};

double summary_sum(const double *x, size_t n)
{
	double sum = 0, lost = 0;
	for (size_t i = 0; i < n; i++) {
		double t = sum + x[i];
		lost += fabs(sum) >= fabs(x[i]) ? (sum - t) + x[i] : (x[i] - t) + sum;
		sum = t;
	}
	return sum + lost;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

void summary_sort(double *x, size_t n)
{
	if (n > 1)
		qsort(x, n, sizeof *x, by_value);
}

double summary_quantile(const double *sorted, size_t n, double p)
{
	double h = (double)(n - 1) * p;
	size_t i = (size_t)floor(h);
	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (h - (double)i) * (sorted[i + 1] - sorted[i]);
}

bool summary_carries(size_t n, double p)
{
	return n > 0 && 1 - pow(p, (double)n) - pow(1 - p, (double)n) >= 0.95;
}

double summary_trimmed(const double *sorted, size_t n)
{
	size_t g = n / SUMMARY_TRIM_DIV;
	return summary_sum(sorted + g, n - 2 * g) / (double)(n - 2 * g);
}

/* Sum of squared distances from `mean`, compensated. */
static double squares(const double *x, size_t n, double mean)
{
	double sum = 0, lost = 0;
	for (size_t i = 0; i < n; i++) {
		double d = x[i] - mean, q = d * d, t = sum + q;
		lost += sum >= q ? (sum - t) + q : (q - t) + sum;
		sum = t;
	}
	return sum + lost;
}

static double mean_of(const double *x, size_t n)
{
	return summary_sum(x, n) / (double)n;
}

static double whole_gcd(const double *x, size_t n)
{
	uint64_t g = 0;
	for (size_t i = 0; i < n && g != 1; i++) {
		uint64_t b = (uint64_t)fabs(x[i]);
		while (b != 0) {
			uint64_t r = g % b;
			g = b;
			b = r;
		}
	}
	return (double)g;
}

/* The step of a lattice that rounding has blurred by up to tol; 0 when there is none. */
static double rough_step(const double *sorted, size_t n, double tol)
{
	double step = HUGE_VAL;
	size_t n_ticks = 1;
	for (size_t i = 1; i < n; i++) {
		double gap = sorted[i] - sorted[i - 1];
		if (gap > tol) {
			step = fmin(step, gap);
			n_ticks++;
		}
	}
	if (n_ticks < 4 || step <= 16 * tol)
		return 0;
	for (size_t i = 1; i < n; i++) {
		double d = sorted[i] - sorted[0], k = round(d / step);
		if (fabs(d - k * step) > 2 * tol)
			return 0;
		if (k > 0)
			step = d / k;
	}
	return step;
}

/* The step of the clock; largest = max |x|. */
static void find_quantum(struct summary *s, const double *sorted, double largest)
{
	if (s->n < 8 || s->n_distinct < 2)
		return;
	bool is_whole = largest < 0x1p53;
	for (size_t i = 0; i < s->n && is_whole; i++)
		is_whole = sorted[i] == floor(sorted[i]);
	double q = is_whole ? whole_gcd(sorted, s->n) : rough_step(sorted, s->n, 2.4e-7 * largest);
	if (q > 0) {
		s->quantum = q;
		s->has |= SUMMARY_HAS_QUANTUM;
	}
}

static void find_interval(struct summary *s, const double *x, const double *sorted, double *w)
{
	size_t n = s->n, g = n / SUMMARY_TRIM_DIV;
	if (n - 2 * g < 2)
		return;
	for (size_t i = 0; i < n; i++)
		w[i] = fmin(fmax(x[i], sorted[g]), sorted[n - 1 - g]);
	double c = (double)n / (double)(n - 2 * g), p = 0.5 + SUMMARY_LEVEL / 2;
	double var_mean = squares(w, n, mean_of(w, n)) / (double)(n - 1) / (double)n;
	s->half_width = c * sqrt(var_mean) * student_quantile(p, (double)(n - 2 * g - 1));
	s->level = SUMMARY_LEVEL;
	s->method = SUMMARY_INDEPENDENT;
	s->has |= SUMMARY_HAS_INTERVAL;
	if (n < 2 * SUMMARY_N_BATCHES)
		return;
	double b[SUMMARY_N_BATCHES];
	for (size_t j = 0; j < SUMMARY_N_BATCHES; j++) {
		size_t from = j * n / SUMMARY_N_BATCHES, to = (j + 1) * n / SUMMARY_N_BATCHES;
		b[j] = mean_of(w + from, to - from);
	}
	double var_batch = squares(b, SUMMARY_N_BATCHES, mean_of(b, SUMMARY_N_BATCHES)) / (SUMMARY_N_BATCHES - 1) /
			   SUMMARY_N_BATCHES;
	double wide = c * sqrt(var_batch) * student_quantile(p, SUMMARY_N_BATCHES - 1);
	if (wide > s->half_width) {
		s->half_width = wide;
		s->method = SUMMARY_BATCH_MEANS;
	}
	s->n_effective = var_batch > var_mean ? (double)n * var_mean / var_batch : (double)n;
	s->has |= SUMMARY_HAS_EFFECTIVE;
}

static void find_modes(struct summary *s, const double *sorted)
{
	size_t n = s->n, best_k = 0;
	if (n < 20)
		return;
	double centre = s->median;
	long double total = 0, left = 0, best = -1;
	for (size_t i = 0; i < n; i++)
		total += (long double)sorted[i] - centre;
	for (size_t k = 1; k < n; k++) {
		left += (long double)sorted[k - 1] - centre;
		long double gap = (total - left) / (long double)(n - k) - left / (long double)k;
		long double between = (long double)k * (long double)(n - k) * gap * gap;
		if (between > best) {
			best = between;
			best_k = k;
		}
	}
	struct summary_modes *m = &s->modes;
	size_t n_high = n - best_k;
	m->mean_low = mean_of(sorted, best_k);
	m->mean_high = mean_of(sorted + best_k, n_high);
	m->share_high = (double)n_high / (double)n;
	double var = squares(sorted, best_k, m->mean_low) / (double)best_k / 2 +
		     squares(sorted + best_k, n_high, m->mean_high) / (double)n_high / 2 + s->quantum * s->quantum / 12;
	double gap = m->mean_high - m->mean_low;
	if (gap > 0 && var > 0) {
		m->separation = gap / sqrt(var);
	} else if (gap > 0) {
		m->separation = HUGE_VAL;
	}
	size_t smaller = best_k < n_high ? best_k : n_high;
	m->bimodal = m->separation > 4 && smaller * SUMMARY_TRIM_DIV > n;
	s->has |= SUMMARY_HAS_MODES;
}

static void find_moments(struct summary *s, const double *sorted)
{
	size_t n = s->n;
	s->min = sorted[0];
	s->max = sorted[n - 1];
	s->mean = mean_of(sorted, n);
	s->median = summary_quantile(sorted, n, 0.5);
	s->trimmed_mean = summary_trimmed(sorted, n);
	s->n_distinct = 1;
	for (size_t i = 1; i < n; i++)
		s->n_distinct += sorted[i] != sorted[i - 1];
	if (n >= 2) {
		s->sd = sqrt(squares(sorted, n, s->mean) / (double)(n - 1));
		s->has |= SUMMARY_HAS_SD;
	}
	for (size_t i = 0; i < COUNT_OF(quantiles); i++) {
		if (!summary_carries(n, quantiles[i].p))
			continue;
		*(double *)((char *)s + quantiles[i].offset) = summary_quantile(sorted, n, quantiles[i].p);
		s->has |= quantiles[i].bit;
	}
}

bool summary_make(struct summary *out, const double *x, size_t n, struct arena *scratch, struct err *e)
{
	*out = (struct summary){.n = n};
	if (n == 0)
		return err_set(e, ERR_INPUT, "summary: no samples");
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return err_set(e, ERR_INPUT, "summary: sample %zu of %zu is not a finite number", i, n);
	struct arena_mark mark = arena_mark(scratch);
	double *sorted = ARENA_ARRAY(scratch, n, double), *work = ARENA_ARRAY(scratch, n, double);
	memcpy(sorted, x, n * sizeof *x);
	summary_sort(sorted, n);
	find_moments(out, sorted);
	for (size_t i = 0; i < n; i++)
		work[i] = fabs(x[i] - out->median);
	summary_sort(work, n);
	out->mad = summary_quantile(work, n, 0.5);
	find_quantum(out, sorted, fmax(fabs(out->min), fabs(out->max)));
	find_interval(out, x, sorted, work);
	find_modes(out, sorted);
	arena_reset(scratch, mark);
	return true;
}

double summary_relative_half_width(const struct summary *s)
{
	if (!(s->has & SUMMARY_HAS_INTERVAL) || s->trimmed_mean == 0)
		return HUGE_VAL;
	return s->half_width / fabs(s->trimmed_mean);
}

const char *summary_method_name(enum summary_method m)
{
	switch (m) {
	case SUMMARY_NO_INTERVAL:
		return "none";
	case SUMMARY_INDEPENDENT:
		return "independent";
	case SUMMARY_BATCH_MEANS:
		return "batch_means";
	}
	BUG("summary method");
}

/* Sets obj["name_unit"]. */
static void put(struct json *obj, const char *name, const char *unit, double v)
{
	const char *key = unit[0] ? arena_printf(obj->arena, "%s_%s", name, unit) : name;
	json_set_f64(obj, key, v);
}

struct json *summary_json(struct arena *a, const struct summary *s, const char *unit)
{
	struct json *j = json_object(a);
	json_set_u64(j, "n", s->n);
	json_set_u64(j, "n_distinct", s->n_distinct);
	put(j, "mean", unit, s->mean);
	put(j, "median", unit, s->median);
	put(j, "min", unit, s->min);
	put(j, "max", unit, s->max);
	put(j, "trimmed_mean", unit, s->trimmed_mean);
	put(j, "mad", unit, s->mad);
	if (s->has & SUMMARY_HAS_SD)
		put(j, "sd", unit, s->sd);
	for (size_t i = 0; i < COUNT_OF(quantiles); i++)
		if (s->has & quantiles[i].bit)
			put(j, quantiles[i].name, unit, *(const double *)((const char *)s + quantiles[i].offset));
	if (s->has & SUMMARY_HAS_QUANTUM)
		put(j, "quantum", unit, s->quantum);
	if (s->has & SUMMARY_HAS_EFFECTIVE)
		json_set_f64(j, "n_effective", s->n_effective);
	if (s->has & SUMMARY_HAS_INTERVAL) {
		struct json *i = json_set_object(j, "interval");
		json_set_cstr(i, "of", "trimmed_mean");
		put(i, "half_width", unit, s->half_width);
		json_set_f64(i, "level", s->level);
		json_set_cstr(i, "method", summary_method_name(s->method));
	}
	if (s->has & SUMMARY_HAS_MODES) {
		struct json *m = json_set_object(j, "modes");
		json_set_bool(m, "bimodal", s->modes.bimodal);
		if (isfinite(s->modes.separation))
			json_set_f64(m, "separation", s->modes.separation);
		put(m, "mean_low", unit, s->modes.mean_low);
		put(m, "mean_high", unit, s->modes.mean_high);
		json_set_f64(m, "share_high", s->modes.share_high);
	}
	return j;
}
