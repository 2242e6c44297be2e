/* perf_event counters of the calling thread: cycles, instructions, cache misses, branch misses, page faults. What the
 * machine does not allow is left out, with its reason. */
#ifndef ASSAY_PROBE_PERF_H
#define ASSAY_PROBE_PERF_H

#include "base/buf.h"

struct perf;
struct perf *perf_open(void); /* always succeeds; a counter that is refused is reported as such */
void perf_start(struct perf *p);
void perf_stop(struct perf *p);
/* Appends a compact JSON object: {"calls":N,"counters":{"cycles":...},"refused":{"cycles":"..."}}; values are sums. */
void perf_write(struct perf *p, struct buf *out);
void perf_free(struct perf *p);

#endif
