/* Which device a backend runs on. */
#ifndef ASSAY_MEASURE_DEVICE_H
#define ASSAY_MEASURE_DEVICE_H

#include "measure/lab.h"

/* backend c: the CPU. cuda and cutlass: GPU number i_gpu in NVML's order (PCI); ERR_ENVIRONMENT names what is missing,
 * and which GPUs there are. No context is made. */
MUST_USE bool device_choose(struct lab_device *out, struct json **facts, struct arena *a, enum backend b, int64_t i_gpu,
			    struct err *e);

#endif
