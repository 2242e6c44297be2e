/* A sweep over the activities of a device in the order of time. Intervals are half open: at one instant ends come before
 * starts. O(n log k) for k activities at once. */
#ifndef ASSAY_TIMELINE_SWEEP_H
#define ASSAY_TIMELINE_SWEEP_H

#include "facts/trace.h"

struct sweep_visitor {
	void *ctx;
	/* Between two events nothing changes: called with from < to, also for time without any activity after the first. */
	void (*segment)(void *ctx, int64_t from_ns, int64_t to_ns);
	void (*enter)(void *ctx, size_t i_activity);
	void (*leave)(void *ctx, size_t i_activity);
};
#define SWEEP_ALL UINT32_MAX /* every device as one */
void sweep_device(const struct trace *t, uint32_t device, const struct sweep_visitor *v);

/* The i-th smallest of n numbers (0: the smallest); moves them about. */
int64_t sweep_select(int64_t *v, size_t n, size_t i);
/* Nearest rank: index of the p / 1000 quantile of n sorted numbers, n > 0. */
size_t sweep_rank(size_t n, unsigned per_mille);

#endif
