/* Sheets of an export that are no durations by name: devices, GPU metrics, diagnostics. */
#ifndef ASSAY_READ_NSYS_MORE_H
#define ASSAY_READ_NSYS_MORE_H

#include "read/nsys/nsys.h"
#include "read/sheet.h"

/* Per process and device: activities, busy time (union of kernels, copies, memsets and graph replays), sum, span. */
MUST_USE bool more_devices(struct sheet *out, struct nsys_report *r, struct arena *a, struct err *e);
/* Sampled GPU metrics: count, mean, min, max. */
MUST_USE bool more_metrics(struct sheet *out, struct nsys_report *r, struct arena *a, struct err *e);
/* What nsys itself reported while it collected: severity and text. */
MUST_USE bool more_diagnostics(struct sheet *out, struct nsys_report *r, struct arena *a, struct err *e);

/* What stands against the numbers: counts that are not zero; the note names what was not traced. */
MUST_USE bool more_trust(struct sheet *out, struct nsys_report *r, struct arena *a, struct err *e);
/* The GPU's name, by the ordinal that rows carry; empty: the file does not say. */
struct str more_gpu_name(struct nsys_report *r, int64_t id, struct arena *a);

#endif
