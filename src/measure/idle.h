/* A worker that has answered and is asked nothing: does it compute, does it write, what is left of it. Witness: the kernel
 * (CPU time, processes, threads, mapped libraries) and the keeper (outputs that change). */
#ifndef ASSAY_MEASURE_IDLE_H
#define ASSAY_MEASURE_IDLE_H

#include "measure/integrity.h"
#include "measure/lab.h"

/* Adds checks: late_writes, idle_cpu_time, processes, libraries. The worker must be joined and is running afterwards. */
MUST_USE bool idle_look(struct integrity *g, struct lab *l, struct lab_worker *w, struct err *e);

#endif
