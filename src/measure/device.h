/* Which device a backend runs on. */
#ifndef ASSAY_MEASURE_DEVICE_H
#define ASSAY_MEASURE_DEVICE_H

#include "operator/operator.h"

struct lab_device {          /* where the candidate runs */
	const char *backend; /* "c" or "cuda": what workers and keeper are told */
	const char *gpu;     /* UUID, NULL for the CPU */
	const char *name;    /* of the GPU or CPU, for people */
	const char *lease;   /* lease key */
	int sm;              /* 90 for compute capability 9.0; 0 for the CPU */
	unsigned i_gpu;      /* index among the machine's GPUs */
	double pin_rate;     /* bytes a second that the memory's pins carry at most; 0: not known (CPU) */
};
/* backend c: the CPU. cuda and cutlass: GPU number i_gpu in NVML's order (PCI); ERR_ENVIRONMENT names what is missing,
 * and which GPUs there are. No context is made. */
MUST_USE bool device_choose(struct lab_device *out, struct json **facts, struct arena *a, enum backend b, int64_t i_gpu,
			    struct err *e);

#endif
