/* How much memory was allocated when: "[memory]" events by device and slice of time. Needs a trace read with KINETO_MEMORY. */
#ifndef ASSAY_READ_KINETO_MEMORY_H
#define ASSAY_READ_KINETO_MEMORY_H

#include "read/kineto/kineto.h"
#include "read/sheet.h"

struct kineto_allocation {                         /* 40 bytes: one event */
	int64_t ts_ns, bytes, allocated, reserved; /* allocated, reserved: after it, in all; -1: not written */
	int32_t device;                            /* -1: CPU memory */
	uint32_t at;                               /* its place in the file */
};
#define KINETO_MEMORY_SLICES 20
/* The sheet "memory": for each device, KINETO_MEMORY_SLICES equal slices from its first to its last event (those without an
 * event are left out): from_ns (since the first event of the device), most_bytes, end_bytes, reserved_bytes (most), allocations,
 * frees, allocated_bytes, freed_bytes. Where the trace does not write what is allocated in all, it is the sum of the changes
 * since the trace began, which may be below 0; source says which: "written" or "changes". */
void kineto_memory_sheet(struct sheet *out, const struct kineto_trace *t, struct arena *a);

#endif
