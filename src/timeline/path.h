/* The critical path: one chain of work and waits that ends with the last activity and fills the span without a hole, found
 * by walking back from the end. What released an activity X that started at s, with release times cut at s:
 *   its launch call, at the call's end     -> the call, then the host before it
 *   what ran before it on its stream       -> that activity; from s where the two overlap
 * The later one wins (the stream at a tie). When both were over for more than `slack_ns` and another stream of the device had
 * ended later still, X is taken to have waited for that stream: such steps are counted in n_inferred.
 * The host before a call: back to the call before it on the thread. A blocking call that ended after the device did leads to
 * what the device ended last; other time between calls is host time.
 * Source of the walk: the last-arrival chain (Yang and Miller, "Critical path analysis for the execution of parallel and
 * distributed programs", ICDCS 1988), with the order of streams, launches and blocking calls as dependencies. */
#ifndef ASSAY_TIMELINE_PATH_H
#define ASSAY_TIMELINE_PATH_H

#include "facts/trace.h"

enum path_kind {
	PATH_ACTIVITY, /* on the device */
	PATH_WAIT,     /* released, not yet started: start latency */
	PATH_CALL,     /* inside a call */
	PATH_HOST,     /* on the host between calls */
	PATH_SYNC,     /* the device is done, the blocking call has not returned yet */
	PATH_UNKNOWN,  /* nothing in the trace says what it waited for */
	PATH_KINDS
};
const char *path_kind_name(enum path_kind k);
struct path_piece {
	int64_t from_ns, to_ns;
	size_t index; /* activity; call for CALL and SYNC; the activity or call that comes next for the others */
	uint8_t kind;
	bool is_inferred;
};
struct path_item { /* by kind and name */
	uint8_t kind;
	uint32_t name; /* UINT32_MAX: HOST, WAIT, UNKNOWN have none */
	uint64_t n;
	int64_t total_ns;
};
struct path {
	struct path_piece *pieces; /* backwards: the last first; they meet end to end */
	size_t n_pieces;
	struct path_item *items; /* by total, kind, name */
	size_t n_items;
	int64_t kind_ns[PATH_KINDS];
	int64_t span_ns; /* sum of them all: first start to last end over all devices */
	uint64_t n_inferred;
};
#define PATH_SLACK_NS 5000 /* a start on a free stream of an H200 took 1.9 us (median), 2.9 us at most of 869 */
struct path_options {
	int64_t slack_ns; /* above what a start on a free stream takes; 0: PATH_SLACK_NS */
};
void path_make(struct path *out, const struct trace *t, const struct path_options *o, struct arena *a);

#endif
