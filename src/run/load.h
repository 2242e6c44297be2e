/* Processor time from /proc: of the CPUs that this process may use, and of a process with its children. Cumulative, so
 * that two readings give a rate. Resolution: the kernel's tick, 10 ms. */
#ifndef ASSAY_RUN_LOAD_H
#define ASSAY_RUN_LOAD_H

#include "base/attr.h"

struct load {
	int64_t busy_ns, idle_ns, steal_ns; /* summed over the CPUs of our affinity; steal: taken by the hypervisor */
	int64_t own_ns;                     /* of the process, its live children and those it has reaped */
	int64_t throttled_ns;               /* our control group was stopped for its quota; 0 where it does not say */
	double load1;                       /* load average of one minute; NaN when unknown */
	uint32_t n_cpus;
	uint32_t n_children; /* live ones */
};
#define LOAD_MAX_CHILDREN 64
/* pid: whose children, and theirs, count as ours; children (may be NULL) gets LOAD_MAX_CHILDREN pids at most. False when /proc cannot
 * be read. */
bool load_read(struct load *out, int pid, int *children);

#endif
