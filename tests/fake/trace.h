/* What the fake libcuda tells the fake libcupti: finished activities, and the clock. */
#ifndef ASSAY_FAKE_TRACE_H
#define ASSAY_FAKE_TRACE_H

#include "gpu/cupti.h"

/* Called by stream threads and callers of the API, one at a time, when an activity is over. Times are not on the
 * lattice yet. A kernel's name stays valid. */
typedef void (*fake_trace_fn)(const struct gpu_activity *x);
void fakeTraceTo(fake_trace_fn fn); /* NULL: stop */
uint64_t fakeNow(void);             /* the simulated clock, ns */

#endif
