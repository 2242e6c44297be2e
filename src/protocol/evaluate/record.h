/* From an ended execution to its result on the disk. */
#ifndef ASSAY_PROTOCOL_EVALUATE_RECORD_H
#define ASSAY_PROTOCOL_EVALUATE_RECORD_H

#include "protocol/evaluate/execute.h"

/* Composes and publishes invocations/ID/result.json: outputs become objects, everything is flushed, then the record appears at
 * once. A reference that is no longer the Champion makes it stale. Under the Champion's lock for target and final_audit. */
MUST_USE bool record_publish(struct execution *x, struct err *e);

#endif
