/* Prediction against outcome: what a target run measured, held against what its Experiment claimed; and the record that says
 * what was wrong, without which the next Experiment is refused. */
#ifndef ASSAY_PROTOCOL_EVALUATE_PREDICTION_H
#define ASSAY_PROTOCOL_EVALUATE_PREDICTION_H

#include "protocol/target.h"

#define RECONCILIATION "assay/reconciliation-input-v1"

/* assay.prediction of a target result: {expected_pct, ceiling_pct, lower_pct, upper_pct, contradicted}; contradicted when the
 * measured interval lies wholly above the ceiling, or below half of what was expected, or on the other side of 0. */
void prediction_put(struct json *result, const struct json *experiment);
/* ERR_INPUT (reconciliation_required) when a contradicted prediction of this Target has no reconciliation yet. */
MUST_USE bool prediction_gate(struct protocol *p, struct err *e);
/* Answers a reconciliation request: writes reconciliations/INVOCATION.json. */
MUST_USE bool prediction_reconcile(struct json **answer, struct protocol *p, const struct json *request, struct err *e);

#endif
