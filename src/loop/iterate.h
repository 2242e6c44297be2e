/* One version evaluated: copied, benchmarked, profiled; everything the seed names lies in its folder afterwards. */
#ifndef ASSAY_LOOP_ITERATE_H
#define ASSAY_LOOP_ITERATE_H

#include "loop/loop.h"
#include "loop/run.h"

/* Evaluates o->bench.input.path as version i; its folder has been made. *out is its entry in the manifest. */
MUST_USE bool iterate(struct json **out, struct run *r, const struct loop_options *o, size_t i, struct err *e);
/* A version that is not looked at: the same files, and in each why there is nothing in it. */
MUST_USE bool iterate_refused(struct json **out, struct run *r, const struct loop_options *o, size_t i, const char *why,
			      struct err *e);

#endif
