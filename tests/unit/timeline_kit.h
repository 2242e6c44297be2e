/* Traces made by hand, for the tests of the timeline. */
#ifndef TIMELINE_KIT_H
#define TIMELINE_KIT_H

#include "facts/trace.h"

struct kit {
	struct trace t;
	struct arena a;
};

static inline void kit_start(struct kit *k)
{
	trace_init(&k->t);
	arena_init(&k->a);
}

static inline void kit_end(struct kit *k)
{
	trace_release(&k->t);
	arena_release(&k->a);
}

struct kit_work {
	int64_t start, end, device, stream;
	enum trace_kind kind;
	const char *name;
	uint32_t call; /* as kit_call gave it; 0: none */
	uint8_t flags;
};

static inline void kit_work(struct kit *k, struct kit_work w)
{
	struct trace_activity a = {.start_ns = w.start,
				   .end_ns = w.end,
				   .name = trace_name(&k->t, str_from(w.name ? w.name : "kernel")),
				   .call = w.call,
				   .lane = trace_lane(&k->t, 1, w.device, 0, w.stream),
				   .kind = (uint8_t)w.kind,
				   .flags = w.flags};
	trace_add_activity(&k->t, &a);
}

static inline uint32_t kit_call(struct kit *k, int64_t start, int64_t end, int64_t thread, unsigned flags)
{
	struct trace_call c = {.start_ns = start,
			       .end_ns = end,
			       .name = trace_name(&k->t, flags & TRACE_CALL_BLOCKS ? STR("sync") : STR("launch")),
			       .thread = trace_thread(&k->t, 1, thread),
			       .flags = (uint8_t)flags};
	return trace_add_call(&k->t, &c);
}

static inline void kit_range(struct kit *k, int64_t start, int64_t end, const char *name, bool is_step)
{
	struct trace_range r = {.start_ns = start,
				.end_ns = end,
				.name = trace_name(&k->t, str_from(name)),
				.thread = trace_thread(&k->t, 1, 1),
				.is_step = is_step};
	trace_add_range(&k->t, &r);
}

#endif
