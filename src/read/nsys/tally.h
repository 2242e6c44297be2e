/* Durations by group: count, sum, mean, exact percentiles and standard deviation, at 4 bytes a duration. */
#ifndef ASSAY_READ_NSYS_TALLY_H
#define ASSAY_READ_NSYS_TALLY_H

#include "base/arena.h"

struct tally_group {
	int64_t key;
	uint64_t n;
	int64_t total_ns, min_ns, max_ns;
	uint64_t bytes;                /* the caller's own sum */
	struct tally_chunk *chunks;    /* durations below 2^32 - 1 ns */
	struct tally_long *longs;      /* the rest */
	uint64_t square_hi, square_lo; /* sum of squares, 128 bits */
};
struct tally {
	struct arena *arena;
	struct tally_group *groups; /* by first appearance */
	size_t n_groups, cap_groups;
	uint32_t *slots; /* index + 1 by hash of the key */
	size_t n_slots;
	size_t i_last; /* the group of the last add */
	int64_t total_ns;
	uint64_t n;
};
struct tally_stats {
	double mean_ns, p50_ns, p99_ns,
		stddev_ns; /* p50: mean of the middle two; p99: nearest rank; n - 1 in the deviation */
};

void tally_init(struct tally *t, struct arena *a);
#define TALLY_MAX_NS (INT64_C(1) << 52) /* 52 days: sums of squares stay below 2^128 */
/* Adds a duration of 0 to TALLY_MAX_NS to the group of key and returns the group (until the next add). */
struct tally_group *tally_add(struct tally *t, int64_t key, int64_t duration_ns);
void tally_stats(struct tally_stats *out, const struct tally *t, const struct tally_group *g);

#endif
