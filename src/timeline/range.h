/* Steps and ranges with the device work that was asked for inside them. An activity belongs to every range that holds the
 * start of its launch call on the same thread; to the step in which its call began on any thread (backward passes launch
 * from threads of their own), or, without a call in the trace, in which it started.
 * covered: union of its activities over all devices; projected: their first start to their last end; busy: time of the
 * range's own host interval in which any device is busy with anything. */
#ifndef ASSAY_TIMELINE_RANGE_H
#define ASSAY_TIMELINE_RANGE_H

#include "facts/trace.h"

struct range_sum {
	uint32_t name;
	bool is_step;
	uint64_t n;         /* ranges */
	uint64_t n_work;    /* activities */
	int64_t start_ns;   /* of the first */
	int64_t host_ns;    /* sum of the ranges' durations */
	int64_t sum_ns;     /* of activity durations */
	int64_t covered_ns; /* sum over the ranges */
	int64_t projected_ns;
	int64_t busy_ns;
};
struct ranges {
	struct range_sum *names; /* by name, steps left out; by covered, host time, name */
	size_t n_names;
	struct range_sum *steps; /* each step, by start */
	size_t n_steps;
	uint64_t n_outside; /* activities in no range; in no step */
	uint64_t n_outside_steps;
	int64_t outside_steps_ns; /* their summed durations */
};
void ranges_make(struct ranges *out, const struct trace *t, struct arena *a);

#endif
