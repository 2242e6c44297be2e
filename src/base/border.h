/* The border of a job that another program asked for: a workspace, and the folders of compilers outside it. A door sets
 * ASSAY_BORDER to the workspace; who starts a compiler keeps it inside, whatever its flags and the source say. */
#ifndef ASSAY_BASE_BORDER_H
#define ASSAY_BASE_BORDER_H

#include "base/arena.h"
#include "base/confine.h"

#define BORDER_VARIABLE "ASSAY_BORDER"

const char *border_root(void); /* the workspace; NULL: there is no border */
/* What a compiler may read beside the workspace: the system's programs, libraries and headers, and the installations that
 * PATH, CUDA_HOME and the like name. Of the system's settings only what the linker and libc read. `tool`: a compiler that
 * may lie anywhere, with what belongs to it; or NULL. */
struct confine_paths border_toolchain(struct arena *a, const char *tool);
/* `path` is absolute, links resolved: whether it lies in one of those. */
bool border_is_toolchain(struct arena *a, const char *path);

#endif
