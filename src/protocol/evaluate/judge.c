/* Judging a comparison.
 * In: the frozen request and the calls. Out: published statistics, ours beside them, one verdict.
 * Passed: the effect over pairs is above 0 and reaches the minimum, no case is slower, no constraint is hurt; for a published
 * request the published rule must say the same. Never: counts a case as a repetition. */
#include "protocol/evaluate/judge.h"

#include <math.h>

#include "protocol/evaluate/judge_constraint.h"
#include "protocol/evaluate/observe.h"
#include "protocol/shape.h"
#include "stats/crossover.h"

#define DRIFT_LIMIT_PCT 25.0 /* of the reference's level over the run, when it is larger than the effect too */

double judge_level(double confidence, size_t attempt)
{
	double k = (double)(attempt ? attempt : 1);
	return 1 - (1 - confidence) / (k * (k + 1));
}

/* ---- the table of pairs ---- */

static size_t case_index(const struct json *cases, struct str id)
{
	size_t i = 0;
	while (i < cases->n && !str_eq(cases->items[i]->text, id))
		i++;
	return i;
}

static void fill(struct judge_table *t, const struct json *calls, const struct json *cases)
{
	for (size_t i = 0; i < calls->n; i++) {
		const struct json *step = json_get(calls->items[i], "step"),
				  *roles = json_get(calls->items[i], "roles");
		int64_t pair = json_i64(step, "pair_index", -1);
		size_t k = case_index(cases, json_str(step, "case_id", STR("")));
		if (pair < 0 || (size_t)pair >= t->n_pairs || k >= t->n_cases)
			continue;
		size_t at = (size_t)pair * t->n_cases + k;
		t->orders[pair] = json_str(step, "order", STR("AB")).p[0];
		for (size_t r = 0; roles && r < roles->n; r++) {
			bool is_candidate = str_is(json_str(roles->items[r], "role", STR("")), "candidate");
			t->side[is_candidate][at] = roles->items[r];
		}
	}
}

static void judge_table_make(struct judge_table *t, struct arena *a, const struct judge_input *in)
{
	const struct json *design = json_get(in->frozen, "sampling_design"), *cases = json_get(design, "case_ids");
	const struct json *v = json_get(in->frozen, "validity_requirements");
	*t = (struct judge_table){.n_pairs = (size_t)json_i64(design, "pairs", 0), .n_cases = cases->n, .cases = cases};
	size_t n = t->n_pairs * t->n_cases;
	t->orders = ARENA_ARRAY(a, t->n_pairs + 1, char);
	t->side[0] = ARENA_ARRAY(a, n + 1, const struct json *);
	t->side[1] = ARENA_ARRAY(a, n + 1, const struct json *);
	t->minimum_pairs = (size_t)json_i64(v, "minimum_pairs", 1);
	t->rule.confidence = json_f64(v, "confidence", 0.95);
	t->rule.n_bootstrap = (size_t)json_i64(v, "bootstrap_samples", 1000);
	t->rule.seed = (uint64_t)json_i64(design, "seed", 0);
	t->level = judge_level(t->rule.confidence, in->attempt);
	fill(t, in->calls, cases);
}

bool judge_pair(const struct judge_table *t, size_t i, const char *constraint, double out[2])
{
	for (int k = 0; k < 2; k++) {
		const struct json *x = t->side[k][i];
		const struct json *v =
			constraint ? json_get(json_get(x, "constraints"), constraint) : json_get(x, "primary");
		if (!v || !json_is_number(v))
			return false;
		out[k] = v->real;
	}
	return true;
}

/* ---- published ---- */

static struct json *put_pairs(struct judge_table *t, struct arena *a, const struct json *constraints)
{
	struct json *list = json_array(a);
	for (size_t i = 0; i < t->n_pairs * t->n_cases; i++) {
		struct json *j = json_object(a), *c = json_set_object(j, "constraints");
		double v[2];
		bool ok = judge_pair(t, i, NULL, v);
		json_set_u64(j, "pair_index", i / t->n_cases);
		json_set_str(j, "case_id", t->cases->items[i % t->n_cases]->text);
		json_set_cstr(j, "order", t->orders[i / t->n_cases] == 'A' ? "AB" : "BA");
		json_set_null(j, "reference");
		json_set_null(j, "candidate");
		if (ok) {
			json_set_f64(j, "reference", v[0]);
			json_set_f64(j, "candidate", v[1]);
		}
		json_set_bool(j, "valid", ok && v[0] != 0);
		for (size_t k = 0; k < constraints->n; k++) {
			struct str name = json_str(constraints->items[k], "name", STR(""));
			struct json *x = json_object(a);
			if (!judge_pair(t, i, name.p, v))
				continue;
			json_set_f64(x, "reference", v[0]);
			json_set_f64(x, "candidate", v[1]);
			json_put(c, name, x);
		}
		json_set_array(j, "evidence_refs");
		json_push(list, j);
	}
	return list;
}

static enum published_status published(struct json *receipt, struct judge_table *t, struct arena *a,
				       const struct json *objective)
{
	bool lower = str_is(json_str(json_get(objective, "primary_metric"), "direction", STR("")), "lower");
	double m = json_f64(json_get(objective, "minimum_effect"), "value", 0), v[2];
	size_t n = t->n_pairs * t->n_cases, n_valid = 0;
	double *x = ARENA_ARRAY(a, n + 1, double);
	struct json *s = json_set_object(receipt, "statistics"), *values = json_set_array(s, "improvements_pct");
	for (size_t i = 0; i < n; i++) {
		if (!judge_pair(t, i, NULL, v) || v[0] == 0)
			continue;
		x[n_valid] = published_improvement(v[0], v[1], lower);
		json_push_f64(values, x[n_valid++]);
	}
	published_bootstrap(&t->published, x, n_valid, &t->rule, a);
	enum published_status status = published_classify(&t->published, t->minimum_pairs, m);
	json_set_cstr(s, "status", published_status_name(status));
	json_set_cstr(s, "statistic", "median_paired_improvement_pct");
	json_set_cstr(s, "direction", lower ? "lower" : "higher");
	json_set_f64(s, "min_effect_pct", m);
	json_set_f64(s, "confidence", t->rule.confidence);
	json_set_f64(s, "estimate_pct", t->published.estimate);
	json_set_f64(s, "ci_low_pct", t->published.low);
	json_set_f64(s, "ci_high_pct", t->published.high);
	json_set_u64(s, "valid_pairs", n_valid);
	json_set_u64(s, "invalid_pairs", n - n_valid);
	return status;
}

/* ---- ours ---- */

static double pct(double x)
{
	return 100 * expm1(x);
}

/* ln of how much better the candidate is, for pair i and case k; NaN where a value is not above zero. */
static double gain(const struct judge_table *t, size_t at, bool lower)
{
	double v[2];
	if (!judge_pair(t, at, NULL, v) || v[0] <= 0 || v[1] <= 0)
		return (double)NAN;
	return lower ? log(v[0] / v[1]) : log(v[1] / v[0]);
}

static void put_effect(struct json *j, const struct crossover *x, double level)
{
	json_set_u64(j, "n_pairs", x->n);
	json_set_f64(j, "estimate_pct", pct(x->estimate));
	json_set_f64(j, "level", level);
	json_set_null(j, "lower_pct");
	json_set_null(j, "upper_pct");
	if (!x->has_interval)
		return;
	json_set_f64(j, "lower_pct", pct(x->lower));
	json_set_f64(j, "upper_pct", pct(x->upper));
	json_set_f64(j, "sd_pct", 100 * x->sd);
	json_set_f64(j, "order_effect_pct", 100 * x->order_effect);
}

/* One case over the pairs: is it slower? Bonferroni over the cases. */
static const char *judge_case(struct json *list, const struct judge_table *t, size_t k, const struct judge_rule *r)
{
	struct arena *a = list->arena;
	double *d = ARENA_ARRAY(a, t->n_pairs + 1, double), level = 1 - (1 - t->level) / (double)t->n_cases;
	struct crossover x;
	struct json *j = json_object(a);
	size_t n = 0;
	char *orders = ARENA_ARRAY(a, t->n_pairs + 1, char);
	for (size_t i = 0; i < t->n_pairs; i++) {
		double g = gain(t, i * t->n_cases + k, r->lower);
		orders[n] = t->orders[i];
		if (!isnan(g))
			d[n++] = g;
	}
	crossover_make(&x, d, orders, n, level);
	const char *word = "inconclusive";
	if (x.has_interval && x.upper < 0)
		word = "worse";
	else if (x.n && x.estimate < -fmax(r->minimum, log1p(0.02)))
		word = "worse_by_estimate";
	else if (x.has_interval && x.lower > 0)
		word = "better";
	json_set_str(j, "case_id", t->cases->items[k]->text);
	json_set_cstr(j, "status", word);
	put_effect(j, &x, level);
	json_push(list, j);
	return word;
}

/* Change of the reference's level from the first to the last third of the pairs, per cent. */
static double drift_pct(const struct judge_table *t)
{
	double sum[2] = {0, 0};
	size_t third = t->n_pairs / 3, n = 0;
	for (size_t i = 0; i < third * t->n_cases; i++) {
		double first[2], last[2];
		if (!judge_pair(t, i, NULL, first) ||
		    !judge_pair(t, (t->n_pairs - third) * t->n_cases + i, NULL, last) || first[0] <= 0 || last[0] <= 0)
			continue;
		sum[0] += log(first[0]);
		sum[1] += log(last[0]);
		n++;
	}
	return n ? pct((sum[1] - sum[0]) / (double)n) : 0;
}

static void overall(struct json *ours, const struct judge_table *t, const struct judge_rule *r, struct crossover *x)
{
	struct arena *a = ours->arena;
	double *d = ARENA_ARRAY(a, t->n_pairs + 1, double);
	size_t n = 0, n_left_out = 0;
	char *orders = ARENA_ARRAY(a, t->n_pairs + 1, char);
	for (size_t i = 0; i < t->n_pairs; i++) {
		double sum = 0;
		for (size_t k = 0; k < t->n_cases; k++)
			sum += gain(t, i * t->n_cases + k, r->lower);
		orders[n] = t->orders[i];
		if (!isnan(sum))
			d[n++] = sum / (double)t->n_cases;
		else
			n_left_out++;
	}
	crossover_make(x, d, orders, n, t->level);
	put_effect(ours, x, t->level);
	json_set_u64(ours, "pairs_left_out", n_left_out);
	json_set_f64(ours, "drift_pct", drift_pct(t));
	json_set_cstr(ours, "statistic", "mean over pairs of the mean over cases of ln(gain), order taken out");
}

static const char *ours_verdict(struct json *ours, const struct judge_table *t, const struct judge_rule *r)
{
	struct crossover x;
	struct json *cases = json_set_array(ours, "cases");
	const char *blocked = NULL;
	overall(ours, t, r, &x);
	for (size_t k = 0; k < t->n_cases; k++) {
		const char *word = judge_case(cases, t, k, r);
		if (str_starts(str_from(word), "worse"))
			blocked = "case_regression";
	}
	double drift = json_f64(ours, "drift_pct", 0);
	if (fabs(drift) > DRIFT_LIMIT_PCT && fabs(log1p(drift / 100)) > fabs(x.estimate))
		blocked = "drift";
	if (r->n_findings)
		blocked = "metric_diagnostic";
	if (x.n < t->minimum_pairs)
		blocked = "too_few_pairs";
	json_set_cstr(ours, "blocked_by", blocked);
	if (!x.has_interval || (blocked && strcmp(blocked, "case_regression") != 0))
		return "inconclusive";
	if (x.lower > 0 && x.estimate >= r->minimum)
		return blocked ? "inconclusive" : "passed";
	return x.upper < 0 || x.upper < r->minimum ? "rejected" : "inconclusive";
}

/* ---- the verdict ---- */

static const char *compat_verdict(const struct judge_table *t, enum published_status status, const struct judge_rule *r)
{
	if (r->constraints == JUDGE_CONSTRAINT_FAILED || status == PUBLISHED_LOSS)
		return "rejected";
	if (t->published.n >= t->minimum_pairs && t->published.high < r->minimum_pct)
		return "rejected";
	return status == PUBLISHED_WIN && r->constraints == JUDGE_CONSTRAINT_PASSED ? "passed" : "inconclusive";
}

static const char *stricter(const char *compat, const char *ours, bool is_v3)
{
	bool ours_rejects = strcmp(ours, "rejected") == 0, compat_rejects = strcmp(compat, "rejected") == 0;
	if (is_v3)
		return ours;
	if (ours_rejects || compat_rejects)
		return "rejected";
	return strcmp(ours, "passed") == 0 && strcmp(compat, "passed") == 0 ? "passed" : "inconclusive";
}

static const char *claim_status(const struct json *frozen, const struct judge_table *t, double minimum_pct,
				enum published_status s)
{
	const struct json *claim = json_get(json_get(frozen, "screen_design"), "claim");
	double wanted = claim && claim->type == JSON_OBJECT ? json_f64(claim, "value", minimum_pct) : minimum_pct;
	if (s == PUBLISHED_WIN && t->published.low >= wanted)
		return "confirmed";
	return t->published.n && t->published.high < wanted ? "falsified" : "inconclusive";
}

static bool rejects_on(const struct json *frozen, const char *kind)
{
	const struct json *list = json_get(frozen, "reject_if");
	for (size_t i = 0; list && i < list->n; i++) {
		if (str_is(json_str(list->items[i], "kind", STR("")), kind))
			return true;
	}
	return false;
}

/* A screen never passes. */
static void judge_screen(struct json *result, const struct json *frozen, const struct judge_table *t,
			 const struct judge_rule *r)
{
	bool bound = str_is(json_str(json_get(frozen, "screen_design"), "kind", STR("")), "conservative_bound");
	const char *claim = claim_status(frozen, t, r->minimum_pct, r->status), *reason = "completed";
	bool rejected = true;
	if (r->constraints == JUDGE_CONSTRAINT_FAILED)
		reason = "constraint_failed";
	else if (strcmp(claim, "falsified") == 0 && rejects_on(frozen, "screen_claim_falsified"))
		reason = "screen_claim_falsified";
	else if (bound && t->published.n && t->published.high < r->minimum_pct)
		reason = "screen_upper_bound_below_minimum";
	else
		rejected = false;
	json_set_cstr(result, "screen_claim_status", claim);
	json_set_cstr(result, "verdict", rejected ? "rejected" : "inconclusive");
	json_set_cstr(result, "stop_reason", reason);
}

static size_t count_findings(const struct json *calls)
{
	size_t n = 0;
	for (size_t i = 0; i < calls->n; i++) {
		const struct json *f = json_get(calls->items[i], "metric_findings");
		n += f ? f->n : 0;
	}
	return n;
}

static void put_verdict(struct json *result, const struct judge_table *t, const struct judge_input *in,
			struct judge_rule *r)
{
	bool is_v3 = str_starts(json_str(in->frozen, "input_format", STR("")), "assay/");
	struct json *ours = json_set_object(result, "assay");
	const char *mine = ours_verdict(ours, t, r), *compat = compat_verdict(t, r->status, r);
	if (r->constraints == JUDGE_CONSTRAINT_FAILED)
		mine = "rejected";
	else if (r->constraints != JUDGE_CONSTRAINT_PASSED && strcmp(mine, "passed") == 0)
		mine = "inconclusive";
	json_set_cstr(ours, "verdict", mine);
	json_set_u64(ours, "attempt", in->attempt);
	json_set_cstr(result, "compat_status", published_status_name(r->status));
	json_set_cstr(result, "compat_verdict", compat);
	const char *problem = observe_problem(in->calls);
	if (problem) { /* what was measured beside it says nothing for or against; correctness stays */
		json_set_cstr(ours, "blocked_by", problem);
		json_set_cstr(ours, "verdict", "inconclusive");
		json_set_cstr(result, "verdict", "inconclusive");
		json_set_cstr(result, "stop_reason", problem);
		return;
	}
	if (str_is(json_str(in->frozen, "operation", STR("")), "screen")) {
		judge_screen(result, in->frozen, t, r);
		return;
	}
	const char *verdict = stricter(compat, mine, is_v3), *blocked = json_str(ours, "blocked_by", STR("")).p;
	const char *reason = "completed";
	if (strcmp(verdict, "rejected") == 0)
		reason = r->constraints == JUDGE_CONSTRAINT_FAILED ? "constraint_failed" : "minimum_effect_not_met";
	else if (strcmp(verdict, "inconclusive") == 0 && blocked && *blocked)
		reason = blocked;
	json_set_cstr(result, "verdict", verdict);
	json_set_cstr(result, "stop_reason", reason);
}

void judge_comparison(struct json *result, const struct judge_input *in)
{
	struct arena *a = result->arena;
	struct judge_table t;
	const struct json *objective = json_get(in->frozen, "objective"),
			  *variants = json_get(in->frozen, "variant_refs");
	struct json *receipt = json_set_object(result, "performance_receipt");
	judge_table_make(&t, a, in);
	struct judge_rule r = {.n_findings = count_findings(in->calls)};
	r.minimum_pct = json_f64(json_get(objective, "minimum_effect"), "value", 0);
	r.minimum = log1p(r.minimum_pct / 100);
	r.lower = str_is(json_str(json_get(objective, "primary_metric"), "direction", STR("")), "lower");
	json_set_cstr(receipt, "status", "valid");
	json_set(receipt, "acceptance", json_get(objective, "minimum_effect"));
	json_set(receipt, "reference", json_at(variants, 0));
	json_set(receipt, "candidate", json_at(variants, 1));
	json_set_cstr(receipt, "reference_status", "current");
	json_set(receipt, "pairs", put_pairs(&t, a, json_get(objective, "constraints")));
	json_set_array(receipt, "evidence_refs");
	r.status = published(receipt, &t, a, objective);
	r.constraints = judge_constraints(receipt, &t, json_get(objective, "constraints"));
	put_verdict(result, &t, in, &r);
}

/* ---- baseline ---- */

/* How far apart repetitions of the original lie: the resolution before any candidate is there. */
static void put_resolution(struct json *ours, const struct json *calls, const struct json *cases)
{
	struct json *list = json_set_array(ours, "resolution");
	for (size_t k = 0; k < cases->n; k++) {
		struct json *j = json_object(ours->arena);
		double *d = ARENA_ARRAY(ours->arena, calls->n + 1, double);
		struct crossover x;
		size_t n = 0;
		for (size_t i = 0; i < calls->n; i++) {
			const struct json *roles = json_get(calls->items[i], "roles");
			double v = json_f64(json_at(roles, 0), "primary", 0);
			if (v > 0 && str_eq(json_str(json_get(calls->items[i], "step"), "case_id", STR("")),
					    cases->items[k]->text))
				d[n++] = log(v);
		}
		char *orders = ARENA_ARRAY(ours->arena, n + 1, char);
		crossover_make(&x, d, orders, n, 0.95);
		json_set_str(j, "case_id", cases->items[k]->text);
		json_set_u64(j, "n", n);
		json_set_null(j, "sd_pct");
		if (x.has_interval)
			json_set_f64(j, "sd_pct", 100 * x.sd);
		json_push(list, j);
	}
}

void judge_baseline(struct json *result, const struct judge_input *in)
{
	struct arena *a = result->arena;
	struct json *receipt = json_set_object(result, "performance_receipt"),
		    *list = json_set_array(receipt, "measurements");
	json_set_cstr(receipt, "status", "valid");
	json_set(receipt, "acceptance", json_get(json_get(in->frozen, "objective"), "minimum_effect"));
	json_set_array(receipt, "evidence_refs");
	for (size_t i = 0; i < in->calls->n; i++) {
		const struct json *role = json_at(json_get(in->calls->items[i], "roles"), 0);
		struct json *j = json_object(a);
		json_set(j, "case_id", json_path(in->calls->items[i], "step.case_id"));
		json_set(j, "measurement", json_get(role, "measurement"));
		json_push(list, j);
	}
	struct json *ours = json_set_object(result, "assay");
	put_resolution(ours, in->calls, json_path(in->frozen, "sampling_design.case_ids"));
	json_set_cstr(result, "verdict", "passed");
	json_set_cstr(result, "stop_reason", "completed");
}
