/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers, as easy as 1, 2, 3; SC'11), many blocks at once. */
#ifndef ASSAY_GPU_PHILOX_H
#define ASSAY_GPU_PHILOX_H

#include "base/attr.h"

enum { PHILOX_BATCH = 64 }; /* blocks */
/* One block in place: the counter becomes 4 random words. */
void philox4x32(uint32_t ctr[4], const uint32_t key[2]);
/* PHILOX_BATCH blocks, counters {low, high word of first + i, tensor, 0}: 4 words each, in order. */
void philox_batch(uint32_t out[4 * PHILOX_BATCH], uint64_t first, const uint32_t key[2], uint32_t tensor);

#endif
