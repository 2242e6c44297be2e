/* Experiments: a candidate, what is claimed of it, and how it will be judged, frozen before anything is measured. */
#ifndef ASSAY_PROTOCOL_EVALUATE_EXPERIMENT_H
#define ASSAY_PROTOCOL_EVALUATE_EXPERIMENT_H

#include "protocol/target.h"

/* *answer: {status: "created", experiment_ref, candidate_ref, reference_selection_ref}. The same request again gives the same. */
MUST_USE bool experiment_create(struct json **answer, struct protocol *p, const struct json *request, struct err *e);

#endif
