/* All that the timeline says of a trace, and as facts. */
#ifndef ASSAY_TIMELINE_TIMELINE_H
#define ASSAY_TIMELINE_TIMELINE_H

#include "facts/fact.h"
#include "timeline/cover.h"
#include "timeline/idle.h"
#include "timeline/launch.h"
#include "timeline/path.h"
#include "timeline/range.h"

struct timeline_device {
	struct cover cover;
	struct idle idle, streams;
	struct launch launch;
	int64_t unattributed_ns; /* idle time whose cause the trace does not show */
	const char *label;       /* "0", "0 of process 41" */
};
struct timeline {
	const struct trace *trace;
	struct timeline_device *devices; /* as in the trace */
	size_t n_devices;
	struct cover_items items;
	struct ranges ranges;
	struct path path;
	int64_t span_ns; /* first start to last end over all devices */
};
struct timeline_options {
	size_t n_gaps; /* longest gaps to keep of each device */
	int64_t slack_ns;
	bool is_brief; /* devices' cover and idle time only: streams, launch, items, ranges and path stay empty */
};
void timeline_make(struct timeline *out, const struct trace *t, const struct timeline_options *o, struct arena *a);
/* Amdahl's ceiling of making what carries a name that `matches` shorter by the fraction r, with the added cost c (of the
 * span): f is the share of the span in which only such work runs, so 1 / (1 - f r + c) - 1 holds when nothing else moves. */
struct timeline_saving {
	uint64_t n; /* activities */
	int64_t sum_ns, alone_ns;
	double f, gain;
};
typedef bool timeline_match(struct str name, const char *pattern);
void timeline_saving(struct timeline_saving *out, const struct timeline *l, const char *pattern, timeline_match *match,
		     const double r_and_c[2], struct arena *scratch);
/* Device facts (timeline.*, launch.*), path.*, and kernel.removable of each name. */
void timeline_facts(struct fact_set *out, const struct timeline *l);

#endif
