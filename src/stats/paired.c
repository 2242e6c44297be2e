/* The comparison engine: sequential Student t on placements, four verdicts, Holm over candidates and over cases.
 * In: log ratios by placement and case, the plan. Out: one struct paired_result a candidate.
 * Looks are replayed from the first one, so that more data never change a verdict that has fallen.
 * Never sees a single call's time, never decides between looks. */
#include "stats/paired.h"

#include <math.h>
#include <stdlib.h>

#include "stats/student.h"
#include "stats/summary.h"

struct family { /* hypotheses that share alpha at one look */
	const struct paired_options *o;
	size_t i_look;
	size_t n;          /* in the family, decided or not */
	size_t n_rejected; /* called faster or slower up to now */
};

static double log_min_effect(double min_effect)
{
	return log1p(min_effect);
}

double paired_pct(double log_ratio)
{
	return 100 * expm1(log_ratio);
}

/* Mean, sd, p of the first n values. */
static void measure(struct paired_effect *out, const double *d, size_t n)
{
	*out = (struct paired_effect){.n = n};
	out->estimate = summary_sum(d, n) / (double)n;
	double squares = 0;
	for (size_t i = 0; i < n; i++)
		squares += (d[i] - out->estimate) * (d[i] - out->estimate);
	out->sd = sqrt(squares / (double)(n - 1));
	double se = out->sd / sqrt((double)n);
	if (se > 0) {
		out->p = student_tail2(out->estimate / se, (double)(n - 1));
	} else {
		out->p = out->estimate == 0 ? 1 : 0;
	}
}

/* The interval when `alpha` may be spent on this hypothesis. */
static void set_interval(struct paired_effect *e, const struct family *f, double alpha)
{
	e->nominal = spending_nominal(f->o->n_looks, f->i_look, alpha);
	double t = student_quantile(1 - e->nominal / 2, (double)(e->n - 1));
	e->half_width = t * e->sd / sqrt((double)e->n);
	e->lower = e->estimate - e->half_width;
	e->upper = e->estimate + e->half_width;
}

static void set_direction(struct paired_effect *e, double m)
{
	if (e->lower > 0 && e->estimate >= m) {
		e->verdict = PAIRED_FASTER;
	} else if (e->upper < 0 && e->estimate <= -m) {
		e->verdict = PAIRED_SLOWER;
	}
}

static int by_p(const void *a, const void *b)
{
	const struct paired_effect *x = *(struct paired_effect *const *)a, *y = *(struct paired_effect *const *)b;
	return (x->p > y->p) - (x->p < y->p);
}

/* Holm's steps over the open effects of one look, then equivalence at the strictest level. Reorders `open`. */
static void judge_look(struct family *f, struct paired_effect **open, size_t n_open)
{
	double m = log_min_effect(f->o->min_effect);
	if (n_open > 1)
		qsort(open, n_open, sizeof *open, by_p);
	for (size_t i = 0; i < n_open; i++) {
		set_interval(open[i], f, SPENDING_ALPHA / (double)(f->n - f->n_rejected));
		set_direction(open[i], m);
		f->n_rejected += open[i]->verdict != PAIRED_INCONCLUSIVE;
	}
	for (size_t i = 0; i < n_open; i++) {
		if (open[i]->verdict != PAIRED_INCONCLUSIVE)
			continue;
		set_interval(open[i], f, SPENDING_ALPHA / (double)f->n);
		if (m > 0 && -m < open[i]->lower && open[i]->upper < m)
			open[i]->verdict = PAIRED_EQUIVALENT;
		else
			set_interval(open[i], f, SPENDING_ALPHA / (double)(f->n - f->n_rejected));
	}
}

/* Weighted mean over cases, per placement. */
static const double *overall_of(const struct paired_input *in, const struct paired_options *o, struct arena *a)
{
	double *out = ARENA_ARRAY(a, in->n_placements + 1, double), total = 0;
	for (size_t c = 0; c < o->n_cases; c++)
		total += o->case_weight ? o->case_weight[c] : 1;
	for (size_t p = 0; p < in->n_placements; p++) {
		double sum = 0;
		for (size_t c = 0; c < o->n_cases; c++)
			sum += (o->case_weight ? o->case_weight[c] : 1) * in->d[p * o->n_cases + c];
		out[p] = sum / total;
	}
	return out;
}

/* The cases of one candidate, at the look where its overall verdict fell, or the last one reached. */
static void judge_cases(struct paired_result *r, const struct paired_input *in, const struct paired_options *o,
			struct arena *a)
{
	size_t n = r->overall.n, i_look = spending_n_looks(n) - 1;
	struct paired_effect **open = ARENA_ARRAY(a, o->n_cases, struct paired_effect *);
	double *d = ARENA_ARRAY(a, n, double);
	for (size_t c = 0; c < o->n_cases; c++) {
		for (size_t p = 0; p < n; p++)
			d[p] = in->d[p * o->n_cases + c];
		measure(&r->cases[c], d, n);
		open[c] = &r->cases[c];
	}
	struct family f = {.o = o, .i_look = i_look, .n = o->n_cases};
	judge_look(&f, open, o->n_cases);
	for (size_t c = 0; c < o->n_cases; c++) {
		r->n_faster += r->cases[c].verdict == PAIRED_FASTER;
		r->n_slower += r->cases[c].verdict == PAIRED_SLOWER;
		r->n_equivalent += r->cases[c].verdict == PAIRED_EQUIVALENT;
	}
}

static bool check(const struct paired_input *in, size_t n, const struct paired_options *o, struct err *e)
{
	double total = 0;
	if (n < 1 || o->n_cases < 1 || o->n_looks < 1 || o->n_looks > SPENDING_LOOKS)
		return err_set(e, ERR_INPUT, "comparison: %zu candidates, %zu cases, %zu looks; needs 1, 1 and 1..%d",
			       n, o->n_cases, o->n_looks, SPENDING_LOOKS);
	if (!(o->min_effect >= 0 && o->min_effect < 1))
		return err_set(e, ERR_INPUT, "comparison: minimum effect %g; needs 0 or more and less than 1",
			       o->min_effect);
	for (size_t c = 0; o->case_weight && c < o->n_cases; c++) {
		if (!(isfinite(o->case_weight[c]) && o->case_weight[c] >= 0))
			return err_set(e, ERR_INPUT, "comparison: weight %g of case %zu", o->case_weight[c], c);
		total += o->case_weight[c];
	}
	if (o->case_weight && !(total > 0))
		return err_set(e, ERR_INPUT, "comparison: the weights of the cases are all zero");
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < in[i].n_placements * o->n_cases; k++)
			if (!isfinite(in[i].d[k]))
				return err_set(e, ERR_INPUT,
					       "comparison: candidate %zu, placement %zu, case %zu is not finite", i,
					       k / o->n_cases, k % o->n_cases);
	return true;
}

/* One look over all candidates that are still open and have the placements for it. */
static void look(struct family *f, struct paired_result *out, const struct paired_input *in, const double *const *d,
		 struct paired_effect **open)
{
	size_t n_open = 0, n_need = spending_look[f->i_look];
	for (size_t i = 0; i < f->n; i++) {
		if (out[i].state != PAIRED_WAITING || in[i].n_placements < n_need)
			continue;
		measure(&out[i].overall, d[i], n_need);
		open[n_open++] = &out[i].overall;
	}
	judge_look(f, open, n_open);
	if (f->i_look < f->o->first_look) {
		f->n_rejected = 0;
		for (size_t i = 0; i < n_open; i++)
			open[i]->verdict = PAIRED_INCONCLUSIVE;
		return;
	}
	for (size_t i = 0; i < f->n; i++)
		if (out[i].state == PAIRED_WAITING && out[i].overall.verdict != PAIRED_INCONCLUSIVE)
			out[i].state = PAIRED_DECIDED;
}

static void finish(struct paired_result *r, const struct paired_input *in, size_t n, const struct paired_options *o,
		   struct arena *a)
{
	r->n_given = in->n_placements;
	r->n_last = spending_look[o->n_looks - 1];
	r->min_effect = o->min_effect;
	r->n_cases = o->n_cases;
	r->cases = ARENA_ARRAY(a, o->n_cases, struct paired_effect);
	size_t n_seen = spending_n_looks(r->overall.n);
	if (r->state == PAIRED_WAITING && n_seen == o->n_looks)
		r->state = PAIRED_EXHAUSTED;
	if (r->state == PAIRED_WAITING)
		r->n_next = spending_look[n_seen];
	if (r->overall.n == 0)
		return;
	judge_cases(r, in, o, a);
	r->resolution = paired_resolution(r->overall.sd, o->n_looks, n);
	r->detectable = paired_detectable(r->overall.sd, o->n_looks, o->min_effect, PAIRED_POWER, n);
}

bool paired_judge(struct paired_result *out, const struct paired_input *in, size_t n, const struct paired_options *o,
		  struct arena *a, struct err *e)
{
	if (!check(in, n, o, e))
		return false;
	const double **d = ARENA_ARRAY(a, n, const double *);
	struct paired_effect **open = ARENA_ARRAY(a, n, struct paired_effect *);
	for (size_t i = 0; i < n; i++) {
		out[i] = (struct paired_result){.state = PAIRED_WAITING};
		d[i] = overall_of(&in[i], o, a);
	}
	struct family f = {.o = o, .n = n};
	for (f.i_look = 0; f.i_look < o->n_looks; f.i_look++)
		look(&f, out, in, d, open);
	for (size_t i = 0; i < n; i++)
		finish(&out[i], &in[i], n, o, a);
	return true;
}

bool paired_is_open(const struct paired_result *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (r[i].state == PAIRED_WAITING)
			return true;
	return false;
}

static double last_t(size_t n_looks, size_t n)
{
	double nominal = spending_nominal(n_looks, n_looks - 1, SPENDING_ALPHA / (double)n);
	return student_quantile(1 - nominal / 2, (double)(spending_look[n_looks - 1] - 1));
}

double paired_resolution(double sd, size_t n_looks, size_t n)
{
	return last_t(n_looks, n) * sd / sqrt((double)spending_look[n_looks - 1]);
}

double paired_detectable(double sd, size_t n_looks, double min_effect, double power, size_t n)
{
	double t = last_t(n_looks, n), root = sqrt((double)spending_look[n_looks - 1]), df = root * root - 1;
	/* Noncentrality at which T exceeds t in `power` of the runs: secant steps from the normal approximation. */
	double z = student_normal_quantile(power), x0 = t + z, x1 = t + z * sqrt(1 + t * t / (2 * df));
	double f0 = 1 - student_noncentral_cdf(t, df, x0) - power;
	for (int i = 0; i < 20 && fabs(x1 - x0) > 1e-9; i++) {
		double f1 = 1 - student_noncentral_cdf(t, df, x1) - power;
		if (f1 == f0)
			break;
		double next = x1 - f1 * (x1 - x0) / (f1 - f0);
		x0 = x1;
		f0 = f1;
		x1 = next;
	}
	double by_interval = x1 * sd / root;
	double by_estimate = min_effect > 0 ? log_min_effect(min_effect) + z * sd / root : 0;
	return fmax(by_interval, by_estimate);
}

const char *paired_verdict_name(enum paired_verdict v)
{
	switch (v) {
	case PAIRED_INCONCLUSIVE:
		return "inconclusive";
	case PAIRED_FASTER:
		return "faster";
	case PAIRED_SLOWER:
		return "slower";
	case PAIRED_EQUIVALENT:
		return "equivalent";
	}
	BUG("paired verdict");
}

const char *paired_state_name(enum paired_state s)
{
	switch (s) {
	case PAIRED_WAITING:
		return "waiting";
	case PAIRED_DECIDED:
		return "decided";
	case PAIRED_EXHAUSTED:
		return "exhausted";
	}
	BUG("paired state");
}

static void put_effect(struct json *j, const struct paired_effect *e)
{
	json_set_cstr(j, "verdict", paired_verdict_name(e->verdict));
	json_set_u64(j, "n_placements", e->n);
	if (e->n == 0)
		return;
	json_set_f64(j, "effect_pct", paired_pct(e->estimate));
	json_set_f64(j, "lower_pct", paired_pct(e->lower));
	json_set_f64(j, "upper_pct", paired_pct(e->upper));
	json_set_f64(j, "effect_log", e->estimate);
	json_set_f64(j, "half_width_log", e->half_width);
	json_set_f64(j, "sd_log", e->sd);
	json_set_f64(j, "level", SPENDING_LEVEL);
	json_set_f64(j, "nominal_alpha", e->nominal);
	json_set_f64(j, "nominal_p", e->p);
}

struct json *paired_json(struct arena *a, const struct paired_result *r)
{
	struct json *j = json_object(a);
	put_effect(j, &r->overall);
	json_set_cstr(j, "state", paired_state_name(r->state));
	json_set_f64(j, "min_effect_pct", 100 * r->min_effect);
	json_set_u64(j, "n_placements_given", r->n_given);
	json_set_u64(j, "n_placements_last_look", r->n_last);
	if (r->n_next > 0)
		json_set_u64(j, "n_placements_next_look", r->n_next);
	if (r->overall.n == 0)
		return j;
	json_set_f64(j, "resolution_pct", paired_pct(r->resolution));
	json_set_f64(j, "detectable_pct", paired_pct(r->detectable));
	json_set_f64(j, "detectable_power", PAIRED_POWER);
	json_set_u64(j, "n_cases_faster", r->n_faster);
	json_set_u64(j, "n_cases_slower", r->n_slower);
	json_set_u64(j, "n_cases_equivalent", r->n_equivalent);
	struct json *cases = json_set_array(j, "cases");
	for (size_t c = 0; c < r->n_cases; c++) {
		struct json *one = json_object(a);
		put_effect(one, &r->cases[c]);
		json_push(cases, one);
	}
	return j;
}
