/* The seal: the last seccomp filter of a worker, installed by itself once it is ready and before it loads candidate code
 * (a Python worker: after the candidate has compiled). The parent made the filter (run/sandbox) and passed it as a memfd;
 * the parent sees in /proc/PID/status whether it was installed. */
#ifndef ASSAY_PROBE_SEAL_H
#define ASSAY_PROBE_SEAL_H

#include "base/err.h"

/* Reads the filter from fd, installs it on all threads and closes fd. After this: no fork, no exec. */
MUST_USE bool seal_install(int fd, struct err *e);

#endif
