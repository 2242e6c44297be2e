/* Opportunity claims.
 * In: a claim and the Target's numbers. Out: the ceiling and every contradiction.
 * Shares of components that run at once do not add; they are held below 1 together, as those that do not.
 * Never: says whether the direction is worth its cost. */
#include "protocol/claim.h"

#include <math.h>

#include "protocol/shape.h"

struct sums {
	double share, reduction, cost, diagnostic; /* f, f r, c of what counts; f r of what does not */
};

static void contradict(struct json *facts, const char *code, const char *text)
{
	struct json *j = json_object(facts->arena);
	json_set_cstr(j, "code", code);
	json_set_cstr(j, "text", text);
	json_push(json_get(facts, "contradictions"), j);
}

static bool check_form(const struct json *c, struct err *e)
{
	const struct json *list = json_get(c, "components"), *tail = json_get(c, "tail");
	if (!shape_check(c, "opportunity_claim", "boundary:o components:a expected_effect_pct:n ?tail:o", e) ||
	    !shape_check(json_get(c, "boundary"), "opportunity_claim.boundary",
			 "regions:S shape:s phase:s lowering:s graph:s dispatch:s fallback:s overlap:s", e) ||
	    (tail &&
	     !shape_check(tail, "opportunity_claim.tail", "affected_requests_share:n critical_path_share:n", e)))
		return false;
	if (list->n == 0)
		return err_set(e, ERR_INPUT, "opportunity_claim.components: is empty");
	for (size_t i = 0; i < list->n; i++) {
		if (!shape_check(
			    list->items[i], "opportunity_claim.components",
			    "name:s occurrence:n exposed_share:n local_reduction:n added_cost:n relation:s counted:b",
			    e) ||
		    !shape_word(list->items[i], "components", "relation",
				"same_boundary|conservative_upper_bound|diagnostic_only", e))
			return false;
	}
	return true;
}

static void check_ranges(struct json *facts, const struct json *x)
{
	double f = json_f64(x, "exposed_share", 0), r = json_f64(x, "local_reduction", 0);
	const char *name = json_str(x, "name", STR("")).p;
	if (f < 0 || f > 1)
		contradict(facts, "share_out_of_range",
			   arena_printf(facts->arena, "%.80s: exposed share %g is outside 0..1", name, f));
	if (r > 1)
		contradict(
			facts, "reduction_above_one",
			arena_printf(facts->arena, "%.80s: a local reduction of %g saves more than there is", name, r));
	if (json_f64(x, "occurrence", 1) <= 0 && f > 0)
		contradict(facts, "never_occurs",
			   arena_printf(facts->arena, "%.80s: has a share and no occurrence in the workload", name));
	if (json_f64(x, "added_cost", 0) < 0)
		contradict(facts, "negative_cost",
			   arena_printf(facts->arena, "%.80s: the added cost is below 0", name));
}

static struct sums add_up(struct json *facts, const struct json *list)
{
	struct sums s = {0, 0, 0, 0};
	for (size_t i = 0; i < list->n; i++) {
		const struct json *x = list->items[i];
		double f = json_f64(x, "exposed_share", 0), r = json_f64(x, "local_reduction", 0);
		bool diagnostic = str_is(json_str(x, "relation", STR("")), "diagnostic_only");
		check_ranges(facts, x);
		if (diagnostic && json_bool(x, "counted", false))
			contradict(facts, "diagnostic_input_counted",
				   arena_printf(facts->arena, "%.80s: a diagnostic input is part of the sum",
						json_str(x, "name", STR("")).p));
		if (diagnostic)
			s.diagnostic += f * r;
		if (diagnostic || !json_bool(x, "counted", false))
			continue;
		s.share += f;
		s.reduction += f * r;
		s.cost += json_f64(x, "added_cost", 0);
	}
	return s;
}

static void check_effect(struct json *facts, const struct json *claim, const struct claim_context *about,
			 double ceiling)
{
	struct arena *a = facts->arena;
	double expected = json_f64(claim, "expected_effect_pct", 0);
	if (ceiling < about->minimum_effect_pct)
		contradict(facts, "ceiling_below_minimum",
			   arena_printf(a, "the ceiling of %.3g %% is below the minimum effect of %.3g %%", ceiling,
					about->minimum_effect_pct));
	if (expected > ceiling * (1 + 1e-9))
		contradict(facts, "expected_above_ceiling",
			   arena_printf(a, "%.3g %% are expected, the ceiling is %.3g %%", expected, ceiling));
	if (about->resolution_pct > 0 && expected < about->resolution_pct)
		contradict(facts, "below_resolution",
			   arena_printf(a, "%.3g %% are expected, the measurement resolves %.3g %%", expected,
					about->resolution_pct));
	bool tail = str_is(about->aggregation, "p95") || str_is(about->aggregation, "p99");
	if (tail && !json_get(claim, "tail"))
		contradict(facts, "mean_share_for_tail",
			   "a share of the mean time says nothing about a tail: affected requests and critical path "
			   "are missing");
}

bool claim_check(struct json **facts, struct arena *a, const struct json *claim, const struct claim_context *about,
		 struct err *e)
{
	if (!check_form(claim, e))
		return false;
	struct json *j = *facts = json_object(a);
	json_set_array(j, "contradictions");
	struct sums s = add_up(j, json_get(claim, "components"));
	double left = 1 - s.reduction + s.cost, m = about->minimum_effect_pct / 100;
	double ceiling = left > 0 ? 100 * (1 / left - 1) : (double)INFINITY;
	if (s.share > 1 + 1e-9)
		contradict(j, "shares_above_one",
			   arena_printf(a, "the counted shares come to %.3g of the time", s.share));
	if (left <= 0)
		contradict(j, "saves_everything", "the saving is the whole time or more");
	check_effect(j, claim, about, ceiling);
	json_set_null(j, "ceiling_pct");
	if (isfinite(ceiling))
		json_set_f64(j, "ceiling_pct", ceiling);
	json_set_f64(j, "counted_share", s.share);
	/* 1 / (1 - F r + c) - 1 = m solved for r: what the counted part must save to reach the minimum effect */
	json_set_null(j, "local_saving_needed");
	if (s.share > 0)
		json_set_f64(j, "local_saving_needed", (1 + s.cost - 1 / (1 + m)) / s.share);
	return true;
}

double claim_resolution(const struct json *cases)
{
	double worst = 0;
	for (size_t i = 0; cases && i < cases->n; i++) {
		double sd = json_f64(cases->items[i], "sd_pct", 0), n = json_f64(cases->items[i], "n", 0);
		double of = n >= 3 ? 1.96 * sd * sqrt(2) / sqrt(n) : 0;
		worst = of > worst ? of : worst;
	}
	return worst;
}
