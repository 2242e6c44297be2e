/* Failpoints for tests: ASSAY_FAILPOINT=NAME kills this process (SIGKILL) when it reaches the named point,
 * ASSAY_FAILPOINT=NAME:N the N-th time, NAME:N:ERRNO makes the step fail with that errno number instead. Always compiled:
 * one look at the environment a step, beside an fsync. Names are in docs/TESTING.md. */
#ifndef ASSAY_STORE_FAILPOINT_H
#define ASSAY_STORE_FAILPOINT_H

#include "base/attr.h"

/* 0: go on. Otherwise an errno value: fail as if the step had failed with it (errno is set too). */
int failpoint(const char *name);

#endif
