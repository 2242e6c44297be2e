/* Bottleneck rules on semantic metrics (RULES R2.2): facts, not directions. None, one or several are satisfied; there is
 * no winner. Thresholds and their sources are rows of rule.def. */
#ifndef ASSAY_FACTS_RULE_H
#define ASSAY_FACTS_RULE_H

#include "base/buf.h"
#include "base/json.h"
#include "facts/metric.h"

#define RULE_MAX_CONDITIONS 8

enum rule_state { RULE_NOT_SATISFIED, RULE_SATISFIED, RULE_NOT_EVALUATED /* a metric that decides is missing */ };
struct rule_condition {
	enum metric_id metric;
	const char *op; /* ">", "<", ">=" */
	double value, threshold;
	bool has_value; /* both sides are there */
	bool holds;
	enum metric_id missing; /* when !has_value: which one is absent */
	const char *source;
};
struct rule_finding {
	const char *rule;
	enum rule_state state;
	struct rule_condition conditions[RULE_MAX_CONDITIONS];
	size_t n_conditions;
};

/* Value of m in its base unit; false: not there. */
typedef bool rule_lookup(void *ctx, enum metric_id m, double *out);
size_t rule_count(void);
void rule_evaluate(struct rule_finding *out, size_t i_rule, rule_lookup *lookup, void *ctx);
/* "registers", "shared memory", ...: what allows the fewest blocks on an SM, with that number; several names joined by
 * " and " when they tie. NULL when the limits are not there. */
const char *rule_occupancy_limiter(struct arena *a, rule_lookup *lookup, void *ctx, double *blocks);
/* {"rule":..., "state":..., "conditions":[{"metric","op","value","threshold","holds","source"}...]} */
struct json *rule_finding_json(const struct rule_finding *f, struct arena *a);
/* One line: "LATENCY_BOUND: sm.throughput 31.2 % < 60; ..." */
void rule_finding_text(const struct rule_finding *f, struct buf *out);

#endif
