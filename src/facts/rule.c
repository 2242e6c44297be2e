/* Bottleneck rules.
 * In: semantic metrics through a lookup.
 * Out: per rule whether it is satisfied, with metrics, values and thresholds.
 * Never: picks one rule over another, or says what to do. */
#include "facts/rule.h"

#include <string.h>

enum rule_op { RULE_GT, RULE_LT, RULE_GE };
struct rule_row {
	const char *rule;
	int group;
	enum metric_id metric;
	enum rule_op op;
	double constant, factor;
	enum metric_id other; /* METRIC_COUNT: none */
	const char *source;
};
static const struct rule_row rule_rows[] = {
#define RULE(rule, group, metric, op, constant, factor, other, source)                                                 \
	{rule, group, METRIC_##metric, RULE_##op, constant, factor, METRIC_##other, source},
#include "facts/rule.def"
#undef RULE
};

static const char *const op_names[] = {[RULE_GT] = ">", [RULE_LT] = "<", [RULE_GE] = ">="};
static const char *const state_names[] = {
	[RULE_NOT_SATISFIED] = "not_satisfied",
	[RULE_SATISFIED] = "satisfied",
	[RULE_NOT_EVALUATED] = "not_evaluated",
};

static bool is_first(size_t i)
{
	return i == 0 || strcmp(rule_rows[i].rule, rule_rows[i - 1].rule) != 0;
}

size_t rule_count(void)
{
	size_t n = 0;
	for (size_t i = 0; i < COUNT_OF(rule_rows); i++)
		n += is_first(i);
	return n;
}

static size_t row_of_rule(size_t i_rule)
{
	size_t n = 0;
	for (size_t i = 0; i < COUNT_OF(rule_rows); i++) {
		if (is_first(i) && n++ == i_rule)
			return i;
	}
	BUG("no such rule");
}

static void evaluate_condition(struct rule_condition *c, const struct rule_row *row, rule_lookup *lookup, void *ctx)
{
	double other = 0;
	*c = (struct rule_condition){.metric = row->metric, .op = op_names[row->op], .source = row->source};
	c->missing = row->metric;
	if (!lookup(ctx, row->metric, &c->value))
		return;
	if (row->other != METRIC_COUNT) {
		c->missing = row->other;
		if (!lookup(ctx, row->other, &other))
			return;
	}
	c->has_value = true;
	c->threshold = row->constant + row->factor * other;
	switch (row->op) {
	case RULE_GT:
		c->holds = c->value > c->threshold;
		break;
	case RULE_LT:
		c->holds = c->value < c->threshold;
		break;
	case RULE_GE:
		c->holds = c->value >= c->threshold;
		break;
	}
}

void rule_evaluate(struct rule_finding *out, size_t i_rule, rule_lookup *lookup, void *ctx)
{
	size_t i = row_of_rule(i_rule);
	*out = (struct rule_finding){.rule = rule_rows[i].rule, .state = RULE_SATISFIED};
	bool any_false = false, any_unknown = false;
	while (i < COUNT_OF(rule_rows) && strcmp(rule_rows[i].rule, out->rule) == 0) {
		int group = rule_rows[i].group;
		bool holds = false, unknown = false;
		for (; i < COUNT_OF(rule_rows) && strcmp(rule_rows[i].rule, out->rule) == 0 &&
		       rule_rows[i].group == group;
		     i++) {
			if (out->n_conditions == RULE_MAX_CONDITIONS)
				BUG("rule.def: a rule has too many conditions");
			struct rule_condition *c = &out->conditions[out->n_conditions++];
			evaluate_condition(c, &rule_rows[i], lookup, ctx);
			holds |= c->holds;
			unknown |= !c->has_value;
		}
		any_unknown |= !holds && unknown;
		any_false |= !holds && !unknown;
	}
	if (any_false)
		out->state = RULE_NOT_SATISFIED;
	else if (any_unknown)
		out->state = RULE_NOT_EVALUATED;
}

const char *rule_occupancy_limiter(struct arena *a, rule_lookup *lookup, void *ctx, double *blocks)
{
	static const struct {
		enum metric_id metric;
		const char *name;
	} limits[] = {
		{METRIC_LIMIT_REGISTERS, "registers"}, {METRIC_LIMIT_SHARED, "shared memory"},
		{METRIC_LIMIT_WARPS, "warps"},         {METRIC_LIMIT_BLOCKS, "blocks"},
		{METRIC_LIMIT_BARRIERS, "barriers"},
	};
	const char *names = NULL;
	*blocks = 0;
	for (size_t i = 0; i < COUNT_OF(limits); i++) {
		double v;
		/* ncu writes 0 for a limit that the chip does not have (seen in a 2024.1 report of a GTX 1660) */
		if (!lookup(ctx, limits[i].metric, &v) || v <= 0 || (names && v > *blocks))
			continue;
		names = names && v == *blocks ? arena_printf(a, "%s and %s", names, limits[i].name) : limits[i].name;
		*blocks = v;
	}
	return names;
}

struct json *rule_finding_json(const struct rule_finding *f, struct arena *a)
{
	struct json *j = json_object(a);
	json_set_cstr(j, "rule", f->rule);
	json_set_cstr(j, "state", state_names[f->state]);
	struct json *list = json_set_array(j, "conditions");
	for (size_t i = 0; i < f->n_conditions; i++) {
		const struct rule_condition *c = &f->conditions[i];
		struct json *o = json_object(a);
		json_push(list, o);
		json_set_cstr(o, "metric", metric_row(c->metric)->id);
		json_set_cstr(o, "unit", metric_row(c->metric)->unit);
		json_set_cstr(o, "op", c->op);
		json_set_cstr(o, "source", c->source);
		if (c->has_value) {
			json_set_f64(o, "value", c->value);
			json_set_f64(o, "threshold", c->threshold);
			json_set_bool(o, "holds", c->holds);
		} else {
			json_set_cstr(o, "missing", metric_row(c->missing)->id);
			json_set_cstr(o, "collected_by_section", metric_row(c->missing)->section);
		}
	}
	return j;
}

void rule_finding_text(const struct rule_finding *f, struct buf *out)
{
	buf_printf(out, "%s:", f->rule);
	const char *sep = " ";
	for (size_t i = 0; i < f->n_conditions; i++) {
		const struct rule_condition *c = &f->conditions[i];
		const struct metric_row *m = metric_row(c->metric);
		if (f->state == RULE_SATISFIED && c->holds)
			buf_printf(out, "%s%s %.6g%s%s %s %.6g", sep, m->id, c->value, *m->unit ? " " : "", m->unit,
				   c->op, c->threshold);
		else if (f->state == RULE_NOT_EVALUATED && !c->has_value)
			buf_printf(out, "%s%s not collected (section %s)", sep, metric_row(c->missing)->id,
				   metric_row(c->missing)->section);
		else
			continue;
		sep = "; ";
	}
}
