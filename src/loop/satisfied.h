/* Rules that the full report of a version satisfies (facts/rule.h): facts beside what an author states. */
#ifndef ASSAY_LOOP_SATISFIED_H
#define ASSAY_LOOP_SATISFIED_H

#include "base/json.h"

/* {"state": "evaluated" | "not_evaluated", "reason", "rules": ["LATENCY_BOUND: ...", ...]} of each launch in the report. */
struct json *satisfied_rules(struct arena *a, const char *report);

#endif
