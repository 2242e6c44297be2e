/* A trace: what ran on which stream when, what launched it, and the ranges around it. One form for every profiler; the
 * readers fill it, the timeline computes on it. Times are int64 ns on the trace's own clock. */
#ifndef ASSAY_FACTS_TRACE_H
#define ASSAY_FACTS_TRACE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"

enum trace_kind { TRACE_COMPUTE, TRACE_COMM, TRACE_COPY, TRACE_SET, TRACE_GRAPH, TRACE_KINDS };
enum trace_flags {
	TRACE_CLIPPED = 1,  /* its end was past what its stream allows and is cut to the next start */
	TRACE_IN_GRAPH = 2, /* one node of a graph replay: its call launched the whole graph */
};
struct trace_activity {           /* 32 bytes: work of a device */
	int64_t start_ns, end_ns; /* end >= start; half open */
	uint32_t name;            /* index into names */
	uint32_t call;            /* index + 1 into calls; 0: what launched it is not in the trace */
	uint32_t op;              /* index + 1 into names: the operator that asked for it; 0: not known */
	uint16_t lane;
	uint8_t kind, flags;
};
enum trace_call_flags {
	TRACE_CALL_LAUNCHES = 1,
	TRACE_CALL_BLOCKS = 2 /* returns when the device has done its work */
};
struct trace_call { /* of the runtime or driver, on the host */
	int64_t start_ns, end_ns;
	uint32_t name;
	uint16_t thread;
	uint8_t flags;
};
struct trace_lane { /* a stream */
	uint32_t device;
	int64_t context, stream;
};
struct trace_device {
	int64_t process, id; /* ordinal in that process; process -1: the trace does not tell processes apart */
	struct str name;     /* empty: not known */
};
struct trace_thread {
	int64_t process, id;
};
struct trace_range { /* NVTX range, annotation or step, on the host */
	int64_t start_ns, end_ns;
	uint32_t name;
	uint16_t thread;
	bool is_step;
};

struct trace {
	struct arena arena;
	struct str *names;
	size_t n_names;
	struct trace_activity *activities; /* by start, end, lane, name */
	size_t n_activities;
	struct trace_call *calls; /* by start, the longer one first */
	size_t n_calls;
	struct trace_range *ranges; /* by start, the enclosing one first */
	size_t n_ranges;
	struct trace_lane *lanes;
	size_t n_lanes;
	struct trace_device *devices;
	size_t n_devices;
	struct trace_thread *threads;
	size_t n_threads;
	int64_t rank;            /* of a distributed job; -1: not known */
	bool has_base;           /* base_ns + time is unix time */
	bool has_blocking_calls; /* the trace keeps each call that waits for the device */
	int64_t base_ns;
	uint64_t n_left_out;            /* activities without a time that can be true; in no number */
	uint64_t n_clipped, n_unlinked; /* of activities */
	int64_t clipped_ns;
	const char *note; /* what the reader could not give; NULL: nothing */
	struct map name_map, place_map;
	int64_t last_lane[4], last_thread[2]; /* the places that were asked for last, and their numbers */
	uint16_t i_last_lane, i_last_thread;
	bool has_last_lane, has_last_thread;
	struct buf store[7]; /* the arrays while they grow */
};

void trace_init(struct trace *t);
void trace_release(struct trace *t);
#define TRACE_MAX_NS (INT64_C(1) << 47)   /* an activity of more than 39 hours cannot be true: left out and counted */
#define TRACE_MAX_TIME (INT64_C(1) << 61) /* nor a time beyond that, on either side of 0 */
/* Adding. Indexes stay; pointers are set by trace_finish. A number of lanes or threads above 65,535 shares the last one. */
uint32_t trace_name(struct trace *t, struct str name);
uint16_t trace_lane(struct trace *t, int64_t process, int64_t device, int64_t context, int64_t stream);
uint16_t trace_thread(struct trace *t, int64_t process, int64_t thread);
void trace_add_activity(struct trace *t, const struct trace_activity *a);
/* Index + 1, for activities; 0: its times cannot be true. */
uint32_t trace_add_call(struct trace *t, const struct trace_call *c);
void trace_add_range(struct trace *t, const struct trace_range *r);
/* Sorts, keeps links, counts what is not linked. */
void trace_finish(struct trace *t);

#endif
