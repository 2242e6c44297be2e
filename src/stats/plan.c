/* Plans: when a bench may stop, and what a comparison can do with a budget.
 * In: samples and times so far, or costs and spreads. Out: stop or the next look; looks, placements, blocks.
 * Looks are few and fixed, so that stopping on a lucky narrow interval stays rare.
 * Never changes a plan by the effect that was seen, only by spreads and costs. */
#include "stats/plan.h"

#include <math.h>

#include "stats/paired.h"
#include "stats/plan_compare.h"
#include "stats/summary.h"

#define FIRST_LOOK 30

const struct plan_spread plan_spread_gpu = {.sd_place = 0.0028, .sd_block = 0.0054};

size_t plan_next_look(size_t n, const struct plan_rule *r)
{
	size_t look = FIRST_LOOK > r->n_min ? FIRST_LOOK : r->n_min;
	while (look <= n && look < SIZE_MAX / 2)
		look += look / 2;
	return r->n_max > 0 && look > r->n_max ? r->n_max : look;
}

/* The look before n, 0 when n is the first one. */
static size_t look_before(size_t n, const struct plan_rule *r)
{
	size_t before = 0;
	for (size_t look = plan_next_look(0, r); look < n; look = plan_next_look(look, r))
		before = look;
	return before;
}

bool plan_bench(struct plan_step *out, const struct plan_rule *r, const struct plan_progress *p, struct arena *scratch,
		struct err *e)
{
	*out = (struct plan_step){.relative_half_width = HUGE_VAL};
	if (!(r->noise >= 0) || !(r->budget_ns >= 0) || (r->noise == 0 && r->budget_ns == 0 && r->n_max == 0))
		return err_set(e, ERR_INPUT, "sampling: noise %g, budget %g ns, at most %zu samples: no end", r->noise,
			       r->budget_ns, r->n_max);
	double before = HUGE_VAL;
	if (p->n > 0 && plan_next_look(p->n - 1, r) == p->n) {
		size_t n_before = look_before(p->n, r);
		struct summary s;
		if (!summary_make(&s, p->x, p->n, scratch, e))
			return false;
		out->relative_half_width = summary_relative_half_width(&s);
		if (n_before > 0 && out->relative_half_width <= r->noise) {
			if (!summary_make(&s, p->x, n_before, scratch, e))
				return false;
			before = summary_relative_half_width(&s);
		}
	}
	if (r->noise > 0 && out->relative_half_width <= r->noise && before <= r->noise) {
		out->stop = PLAN_PRECISE;
	} else if (r->n_max > 0 && p->n >= r->n_max) {
		out->stop = PLAN_FULL;
	} else if (r->budget_ns > 0 && p->used_ns >= r->budget_ns) {
		out->stop = PLAN_TIME;
	} else {
		out->n_look = plan_next_look(p->n, r);
	}
	return true;
}

const char *plan_stop_name(enum plan_stop s)
{
	switch (s) {
	case PLAN_GO_ON:
		return "go_on";
	case PLAN_PRECISE:
		return "precise";
	case PLAN_TIME:
		return "time_budget";
	case PLAN_FULL:
		return "max_samples";
	}
	BUG("plan stop");
}

size_t plan_samples(const struct summary *s, double noise)
{
	double have = summary_relative_half_width(s);
	if (!isfinite(have))
		return 0;
	double n = ceil((double)s->n * (have / noise) * (have / noise));
	return n < 0x1p62 ? (size_t)fmax(n, 1) : SIZE_MAX;
}

static size_t best_blocks(const struct plan_cost *c, const struct plan_spread *s)
{
	double n = c->start_ns / c->block_ns;
	if (s->sd_place > 0 && s->sd_block > 0)
		n = sqrt(n) * s->sd_block / s->sd_place;
	return (size_t)fmin(PLAN_BLOCKS_MAX, fmax(PLAN_BLOCKS_MIN, ceil(n)));
}

static double placement_ns(const struct plan_cost *c, size_t n_blocks)
{
	return c->start_ns + c->block_ns * (double)n_blocks;
}

void plan_comparison(struct plan_compare *out, const struct plan_cost *cost, const struct plan_spread *spread,
		     double budget_ns, double min_effect, size_t n_candidates)
{
	*out = (struct plan_compare){0};
	double left = budget_ns - cost->fixed_ns, least = (double)spending_look[0];
	size_t n_blocks = best_blocks(cost, spread);
	if (least * placement_ns(cost, n_blocks) > left) {
		double fit = floor((left / least - cost->start_ns) / cost->block_ns);
		n_blocks = (size_t)fmax(PLAN_BLOCKS_LEAST, fmin(fit, (double)n_blocks));
	}
	double n = floor(left / placement_ns(cost, n_blocks));
	out->n_looks = n >= least ? spending_n_looks((size_t)fmin(n, 1e6)) : 0;
	out->n_blocks = n_blocks;
	if (out->n_looks > 0)
		out->n_placements = spending_look[out->n_looks - 1];
	out->total_ns = cost->fixed_ns + placement_ns(cost, n_blocks) * (double)out->n_placements;
	if (!(spread->sd_place > 0 && spread->sd_block > 0))
		return;
	out->sd = sqrt(spread->sd_place * spread->sd_place + spread->sd_block * spread->sd_block / (double)n_blocks);
	if (out->n_looks == 0)
		return;
	out->resolution = paired_resolution(out->sd, out->n_looks, n_candidates);
	out->detectable = paired_detectable(out->sd, out->n_looks, min_effect, PAIRED_POWER, n_candidates);
}

void plan_spread_of(struct plan_spread *out, const double *d, const double *se, size_t n, size_t n_blocks)
{
	if (n < 2)
		BUG("spread of fewer than two placements");
	double mean = summary_sum(d, n) / (double)n, var = 0, within = 0;
	for (size_t i = 0; i < n; i++) {
		var += (d[i] - mean) * (d[i] - mean) / (double)(n - 1);
		within += se[i] * se[i] / (double)n;
	}
	out->sd_block = sqrt(within * (double)n_blocks);
	out->sd_place = sqrt(fmax(var - within, 0.01 * var));
}

struct json *plan_compare_json(struct arena *a, const struct plan_compare *p)
{
	struct json *j = json_object(a);
	json_set_u64(j, "n_looks", p->n_looks);
	json_set_u64(j, "n_placements", p->n_placements);
	json_set_u64(j, "n_blocks", p->n_blocks);
	json_set_f64(j, "expected_ns", p->total_ns);
	if (p->sd > 0)
		json_set_f64(j, "sd_log", p->sd);
	if (p->resolution > 0) {
		json_set_f64(j, "resolution_pct", paired_pct(p->resolution));
		json_set_f64(j, "detectable_pct", paired_pct(p->detectable));
		json_set_f64(j, "detectable_power", PAIRED_POWER);
	}
	return j;
}
