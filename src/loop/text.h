/* The texts of a run: iteration_summary.md, the proposal's template, final_summary.md. From records only. */
#ifndef ASSAY_LOOP_TEXT_H
#define ASSAY_LOOP_TEXT_H

#include "loop/run.h"

MUST_USE bool text_iteration(const struct run *r, size_t i, const struct json *bench, struct err *e);
/* Written once: an existing proposal is left alone. */
MUST_USE bool text_proposal_template(const struct run *r, size_t i, struct err *e);
/* The seed's nine items (RULES R1.14), for whatever state the run is in. */
MUST_USE bool text_final(const struct run *r, struct err *e);

#endif
