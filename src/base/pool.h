/* Worker threads for parallel builds and two-stage readers. No thread may exist while the parent forks. */
#ifndef ASSAY_BASE_POOL_H
#define ASSAY_BASE_POOL_H

#include "base/attr.h"

/* Calls fn(ctx, i) for i in 0..n-1 on at most n_threads threads (0: one per CPU) and joins them all. */
void pool_for(size_t n, size_t n_threads, void (*fn)(void *ctx, size_t i), void *ctx);
size_t pool_n_cpus(void); /* CPUs this process may use */

#endif
