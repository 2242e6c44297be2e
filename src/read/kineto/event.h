/* One event between walking its keys (event.c) and taking it (take.c). Inside read/kineto only. */
#ifndef ASSAY_READ_KINETO_EVENT_H
#define ASSAY_READ_KINETO_EVENT_H

#include "read/kineto/internal.h"

enum event_has { HAS_DEVICE = 1, HAS_STREAM = 2 };
struct event {
	const char *p; /* of the piece */
	size_t end;    /* of the event in the piece */
	unsigned has;
	char ph;
	enum category cat;
	uint32_t ts, dur, pid, tid; /* where their values begin; 0: the key is not there */
	struct str name;
	uint64_t correlation, external;
	int64_t sequence, forward_thread; /* of autograd; -1, 0: not written */
	int64_t device, stream, context, total_allocated, total_reserved, bytes, device_type, device_id;
	struct kineto_config config;
};

/* An integer, also as a string ("7", "0x1f", "stream 7"); a fraction is cut off. */
bool kineto_integer(struct kineto_trust *trust, const char *p, const char *end, int64_t *out);
/* [x, y, z], also as a string "[x, y, z]" */
bool kineto_triple(const char *p, const char *end, uint32_t out[3]);
static inline uint32_t clip32(int64_t v)
{
	return v < 0 ? 0 : v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}
/* Puts a whole event of a wanted category into the store. */
void kineto_take(struct kineto_store *s, struct event *e);

#endif
