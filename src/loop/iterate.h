/* One version evaluated: copied, benchmarked, profiled; everything the seed names lies in its folder afterwards. */
#ifndef ASSAY_LOOP_ITERATE_H
#define ASSAY_LOOP_ITERATE_H

#include "loop/loop.h"
#include "loop/run.h"

/* Evaluates o->bench.input.path as version i. *out is its entry in the manifest. */
MUST_USE bool iterate(struct json **out, struct run *r, const struct loop_options *o, size_t i, struct err *e);

#endif
