/* A report's facts: semantic metrics and rules of its results. */
#ifndef ASSAY_READ_NCU_FACTS_H
#define ASSAY_READ_NCU_FACTS_H

#include "facts/fact.h"
#include "facts/rule.h"
#include "read/ncu/ncu.h"

/* The metric of a result that stands for m, and NULL when none of its names is there with a number. */
const struct ncu_metric *ncu_semantic(const struct ncu_report *r, const struct ncu_result *res, enum metric_id m);
struct ncu_subject { /* ctx of ncu_rule_lookup */
	const struct ncu_report *r;
	const struct ncu_result *res;
};
rule_lookup ncu_rule_lookup;
/* Adds every semantic metric of every result; with all also the metrics that have no semantic id, under their own names.
 * The set's origin, unmodeled list and trust facts (clock lock, dropped samples, passes, damage) are filled in. */
void ncu_facts(const struct ncu_report *r, struct fact_set *out, bool all);
/* [{"message","field","wire","count","offset"}...] or NULL */
struct json *ncu_unmodeled_json(const struct ncu_report *r, struct arena *a);

#endif
