/* The stretches in which a device is busy, and how much of any window they cover. */
#ifndef ASSAY_TIMELINE_BUSY_H
#define ASSAY_TIMELINE_BUSY_H

#include "facts/trace.h"

struct busy_stretch {
	int64_t start, end, before; /* before: busy time before it */
};
struct busy {
	struct busy_stretch *v; /* apart and in order */
	size_t n;
};
/* device SWEEP_ALL: any device. */
void busy_make(struct busy *out, const struct trace *t, uint32_t device, struct arena *a);
int64_t busy_within(const struct busy *b, int64_t from_ns, int64_t to_ns);

#endif
