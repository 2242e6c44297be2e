/* The command that runs a job (run/job.h). */
#ifndef ASSAY_RUN_JOB_COMMAND_H
#define ASSAY_RUN_JOB_COMMAND_H

#include "run/guest.h"

/* NULL-terminated: `program`, or the interpreter of a kernel in Python (guest NULL: native). */
const char *const *job_argv(struct arena *a, const char *program, const struct guest *guest, const char *path);

#endif
