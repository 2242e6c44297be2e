/* The environment of a worker: a short list of variables taken over, everything private below one folder. */
#ifndef ASSAY_RUN_SANDBOX_ENV_H
#define ASSAY_RUN_SANDBOX_ENV_H

#include "base/arena.h"
#include "base/err.h"

struct sandbox_env_options {
	const char *folder; /* private, writable, exists: HOME, TMPDIR and all caches go below it and are made here */
	const char *gpu;    /* CUDA_VISIBLE_DEVICES: a GPU or MIG UUID; "" hides all; NULL leaves it out */
	const char *const *extra; /* "NAME=value" lines that win; NULL-terminated; NULL: none */
};
/* The whole environment, NULL-terminated. Taken over: PATH, LANG, LC_ALL, LC_CTYPE, TZ, LD_LIBRARY_PATH, CUDA_HOME,
 * CUDA_PATH, CUDA_ROOT, VIRTUAL_ENV, CONDA_PREFIX and the CUDA_* that change what a kernel does (CUDA_MODULE_LOADING,
 * CUDA_DEVICE_MAX_CONNECTIONS, CUDA_DEVICE_ORDER); never CUDA_INJECTION*, LD_PRELOAD, PYTHON*, tokens or ASSAY_*. */
MUST_USE const char *const *sandbox_env(struct arena *a, const struct sandbox_env_options *o, struct err *e);

#endif
