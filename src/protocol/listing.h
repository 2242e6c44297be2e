/* What an evidence root holds, at a glance. */
#ifndef ASSAY_PROTOCOL_LISTING_H
#define ASSAY_PROTOCOL_LISTING_H

#include "protocol/evidence.h"

/* {format, root, target_id, target_mode, champion, experiments [{id, mechanism_key, hypothesis}], invocations [{id, operation,
 * experiment_id, created_at_epoch, state, verdict, stop_reason}]}, both lists oldest first. state: completed, running, unfinished
 * (nobody runs it and there is no result). Nothing is written. */
MUST_USE struct json *listing_make(struct protocol *p, struct err *e);

#endif
