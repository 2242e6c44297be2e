/* The cheapest falsifier of an Experiment: a command that can show that its hypothesis is wrong before anything is measured. It
 * runs only by its own operation; every run is recorded as falsifications/EXPERIMENT-N.json. Exit 0: it held; 1: falsified; anything
 * else, a signal or its deadline decide nothing. */
#ifndef ASSAY_PROTOCOL_EVALUATE_FALSIFY_H
#define ASSAY_PROTOCOL_EVALUATE_FALSIFY_H

#include "protocol/target.h"

/* Answers {format_version, operation "falsify", artifact_root, target_ref, experiment_ref}: the record of the run that decided, or of
 * the one that was made now. */
MUST_USE bool falsify_request(struct json **answer, struct protocol *p, const struct json *request, struct err *e);
/* Screens and target runs of an Experiment with a falsifier wait for it: falsifier_required, experiment_falsified. */
MUST_USE bool falsify_gate(struct protocol *p, const struct json *experiment, struct err *e);

#endif
