/* Tools of others: where they are, and what they say their version is. */
#ifndef ASSAY_BUILD_TOOL_H
#define ASSAY_BUILD_TOOL_H

#include "base/arena.h"
#include "base/err.h"

/* The executable. `wanted` (path or name) when given, and nothing else then. Else `name` on PATH, in bin/ under CUDA_HOME,
 * CUDA_PATH and CUDA_ROOT, in the toolkit's usual folders, in the newest Nsight folder under /opt/nvidia. Absolute; NULL
 * when absent. */
const char *tool_find(struct arena *a, const char *name, const char *wanted);
/* What `PATH --version` prints: the first line that holds `word` (NULL: any), else the first that is not empty. Cached by
 * resolved path, size and mtime. timeout_ns 0: 20 s. ERR_ENVIRONMENT names the path and what the tool did instead. */
MUST_USE bool tool_version(const char **out, struct arena *a, const char *path, const char *word, int64_t timeout_ns,
			   struct err *e);
/* The last word of a version line that is a dotted number: "13.0.88" of "... release 13.0, V13.0.88"; "" when none is. */
struct str tool_number(struct str line);
/* A folder that holds cutlass/cutlass.h: CUTLASS_INCLUDE_DIR, CUTLASS_PATH (itself or its include), CUTLASS_HOME, then the
 * usual places; NULL when absent. *version is "3.5.1" from cutlass/version.h, or NULL. */
const char *tool_cutlass(struct arena *a, const char **version);
/* The headers in the Python package nvidia-cutlass of the python3 on PATH; NULL when absent. Asks the interpreter. */
const char *tool_cutlass_package(struct arena *a);
/* The version in FOLDER/cutlass/version.h, or NULL. */
const char *tool_cutlass_version(struct arena *a, const char *folder);

#endif
