/* What of a device's time is covered by what. All integer ns, exact.
 * span     first start to last end of the device's activities
 * sum      of durations; covered: length of their union; excess = sum - covered (overlap counted more than once)
 * class_ns time by the set of classes that run at once (index: bits COVER_COMPUTE | COVER_COPY | COVER_COMM; 0: idle);
 *          their sum is the span. Copies and memsets are COVER_COPY; a graph replay kept as one record is COVER_COMPUTE.
 * level_ns time with exactly k activities at once (last index: that many or more); lane_ns: k streams at once
 * alone    of an item (a name): time in which nothing but this item runs. The covered time falls by exactly this when the
 *          item vanishes and nothing else moves: its removable-time ceiling. */
#ifndef ASSAY_TIMELINE_COVER_H
#define ASSAY_TIMELINE_COVER_H

#include "facts/trace.h"

#define COVER_LEVELS 17
enum cover_class { COVER_COMPUTE = 1, COVER_COPY = 2, COVER_COMM = 4, COVER_CLASSES = 8 };
struct cover {
	uint32_t device; /* index into devices; SWEEP_ALL: all as one */
	size_t n;        /* activities */
	int64_t first_ns, last_ns;
	int64_t sum_ns, covered_ns, excess_ns;
	int64_t class_ns[COVER_CLASSES];
	int64_t level_ns[COVER_LEVELS], lane_ns[COVER_LEVELS];
	size_t max_level, max_lanes;
};
struct cover_item {
	uint32_t name; /* index into names */
	uint8_t kind;
	uint64_t n;
	int64_t sum_ns, covered_ns, alone_ns;
};
struct cover_items {
	struct cover_item *v; /* by alone, sum, name */
	size_t n;
};
unsigned cover_class_of(enum trace_kind k); /* bit */
/* n 0: all zero. */
void cover_device(struct cover *out, const struct trace *t, uint32_t device, struct arena *scratch);
/* By name; of each device, added up over devices. */
void cover_by_name(struct cover_items *out, const struct trace *t, struct arena *a);
/* Time in which any of `mask` runs; in which all that runs is of `mask` (exposed). */
int64_t cover_any(const struct cover *c, unsigned mask);
int64_t cover_only(const struct cover *c, unsigned mask);

#endif
