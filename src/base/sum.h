/* Sums of what a file says: a sum beyond 64 bits stays at the end that it ran into. */
#ifndef ASSAY_BASE_SUM_H
#define ASSAY_BASE_SUM_H

#include <stdint.h>

static inline void sum_add(int64_t *sum, int64_t v)
{
	if (__builtin_add_overflow(*sum, v, sum))
		*sum = v < 0 ? INT64_MIN : INT64_MAX;
}

#endif
