/* CUPTI's activity records of this process, collected in buffers of ours and read back in one go. */
#ifndef ASSAY_PROBE_RECORD_H
#define ASSAY_PROBE_RECORD_H

#include "base/arena.h"
#include "gpu/cupti.h"

struct recorder;
/* Loads CUPTI and starts recording: with_api adds API calls and synchronisation. Call it before the first CUDA call of
 * the process. NULL with err where CUPTI is absent or refuses. */
MUST_USE struct recorder *recorder_open(const char *path, bool with_api, struct err *e);
/* Stops recording API calls and synchronisation: what is left is what timing needs. */
MUST_USE bool recorder_reduce(struct recorder *r, struct err *e);
uint64_t recorder_now(struct recorder *r); /* CUPTI's clock, ns; 0 when it cannot be read */
/* Everything recorded since the last take, in order of start time, in the arena. The device must be idle. dropped: how
 * many records CUPTI lost. */
MUST_USE struct gpu_activity *recorder_take(struct recorder *r, struct arena *a, size_t *n, size_t *dropped,
					    struct err *e);
/* "cudaMalloc_v3020" for an API record; NULL when unknown. */
const char *recorder_api_name(struct recorder *r, const struct gpu_activity *x);
const char *recorder_library(const struct recorder *r, uint32_t *version);

#endif
