/* From the launch call to the start on the device, and how much is queued.
 * delay     start of the activity - start of its call (linked activities; nodes of a graph replay: the first one only)
 * latency   start - max(end of the call, end of what ran before on the stream): how long a start took although its stream
 *           was free and the work was queued; only where that is above 0 or equal
 * depth     activities launched (call started) and not yet started on the device, over the device's span; mean = sum of
 *           the waits inside the span / span
 * Percentiles: nearest rank. */
#ifndef ASSAY_TIMELINE_LAUNCH_H
#define ASSAY_TIMELINE_LAUNCH_H

#include "facts/trace.h"

struct launch_times {
	uint64_t n;
	int64_t min_ns, p50_ns, p99_ns, max_ns, sum_ns;
};
struct launch {
	uint32_t device;
	struct launch_times delay, latency;
	uint64_t n_negative; /* start on the device before the call began: the clocks disagree; in no other number */
	uint64_t n_unlinked;
	size_t max_depth;
	int64_t waits_ns;   /* sum over activities of the part of [call start, start) inside the span */
	int64_t nothing_ns; /* time of the span with nothing queued */
	int64_t span_ns;
};
void launch_device(struct launch *out, const struct trace *t, uint32_t device, struct arena *scratch);

#endif
