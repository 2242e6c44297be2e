/* Why nothing ran. A gap lies between two activities of a device (or of one stream); the next activity X of it tells the
 * cause at every instant t of the gap, by the call that launched it:
 *   host     t before the call began: nothing was queued, the host had not asked yet. blocked_ns is the part in which the
 *            launching thread was inside a call that waits for the device (only where the trace keeps such calls)
 *   launch   inside the call
 *   graph    X and the activity before the gap are nodes of one graph replay
 *   stream   queued, and another stream of the device runs (gaps of streams only): waits for it, or for room
 *   queued   queued, nothing of the device runs: start latency, or a dependency outside the device
 *   empty    nothing queued at all: no later activity (gaps of streams only, up to the device's last end)
 *   unknown  the call that launched X is not in the trace
 * For a device, X is every activity that is still to start: host ends at the earliest of their calls. Only what is still to
 * start can have been queued, so this needs no guess; it holds as far as the calls are in the trace. */
#ifndef ASSAY_TIMELINE_IDLE_H
#define ASSAY_TIMELINE_IDLE_H

#include "facts/trace.h"

enum idle_cause { IDLE_HOST, IDLE_LAUNCH, IDLE_GRAPH, IDLE_STREAM, IDLE_QUEUED, IDLE_EMPTY, IDLE_UNKNOWN, IDLE_CAUSES };
const char *idle_cause_name(enum idle_cause c);

struct idle_gap {
	int64_t from_ns, to_ns;
	size_t before, after; /* activities around it: the one that ended last, the first that starts; SIZE_MAX: none */
	int64_t cause_ns[IDLE_CAUSES];
};
struct idle {
	uint32_t device;
	size_t n_gaps;
	int64_t total_ns, cause_ns[IDLE_CAUSES], blocked_ns;
	struct idle_gap *longest; /* by length, falling; then by time */
	size_t n_longest;
};
struct idle_options {
	size_t n_longest; /* gaps to keep */
};
/* Gaps of the device: their sum is span - covered. */
void idle_device(struct idle *out, const struct trace *t, uint32_t device, const struct idle_options *o,
		 struct arena *a);
/* Gaps of each stream inside the span of its device, added up over the device's streams: sum = streams * span - the covered
 * times of the streams. */
void idle_streams(struct idle *out, const struct trace *t, uint32_t device, const struct idle_options *o,
		  struct arena *a);

#endif
