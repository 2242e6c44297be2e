/* An Nsight Systems export in the common form of traces. */
#ifndef ASSAY_READ_NSYS_TO_TRACE_H
#define ASSAY_READ_NSYS_TO_TRACE_H

#include "facts/trace.h"
#include "read/nsys/nsys.h"

/* Kernels, copies, memsets and graph replays with the API calls that launched them, calls that wait for the device, NVTX
 * ranges. Other API calls are read and dropped. False: a table lacks a key column. */
MUST_USE bool nsys_to_trace(struct trace *out, struct nsys_report *r, struct err *e);

#endif
