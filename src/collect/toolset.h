/* The tools that assay uses where they are there: resolved path, version, and what an absence costs. */
#ifndef ASSAY_COLLECT_TOOLSET_H
#define ASSAY_COLLECT_TOOLSET_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

struct toolset_options {
	const char *nvcc, *ncu, *python; /* as given by the user, or NULL */
	const char *gpu;                 /* UUID that torch may see; NULL: as the environment says */
	int64_t timeout_ns;              /* for one answer; 0: 20 s */
	int64_t import_timeout_ns;       /* for importing torch; 0: 180 s */
	bool import_torch;
};
/* An object a tool: nvcc, ncu, nsys, compute-sanitizer, cuobjdump, nvdisasm, cc, c++, python3, torch, triton, cutlass. Each
 * {"state","path","version","version_text","reason","absence"}; state "found", "absent", "broken" (there, but does not answer) or
 * "unknown" (a package of an interpreter that is not found or broken). A tool that hangs or fails is one broken row; false only
 * when interrupted. */
MUST_USE bool toolset_read(struct json **out, struct arena *a, const struct toolset_options *o, struct err *e);

#endif
