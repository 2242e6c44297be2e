/* Which libraries a process has mapped, by the kernel: what it was linked with and what it loaded since. */
#ifndef ASSAY_RUN_MAPS_H
#define ASSAY_RUN_MAPS_H

#include "base/arena.h"

/* Paths of the files of which a part is mapped executable, each once, in order of address; at most 512. NULL with *n 0
 * when the process is gone. In the arena. */
const char **maps_code(struct arena *a, int pid, size_t *n);
/* "cuBLAS" for ".../libcublasLt.so.13": libraries of ready kernels and code generators. NULL: none that is known. */
const char *maps_kernel_library(const char *path);

#endif
