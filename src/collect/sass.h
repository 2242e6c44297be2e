/* The machine code of a built version, as cuobjdump lists it. */
#ifndef ASSAY_COLLECT_SASS_H
#define ASSAY_COLLECT_SASS_H

#include "read/sass/sass.h"

struct sass_collect {
	const char *library;   /* shared object or cubin */
	const char *sha256;    /* of the binary that ran; another one is not read */
	const char *cuobjdump; /* path or name; NULL: looked for as build/tool.h says */
	const char *const
		*kernels; /* mangled names that the version launched; NULL-terminated; NULL: unknown, all are kept */
};
struct sass_collected {
	struct sass_listing listing; /* of the launched kernels alone, bound to sha256 */
	const char *tool, *version;  /* resolved path, what it says its version is; NULL: none was run */
	const char *reason;          /* why there is no listing; NULL: there is one */
};
/* False only when the system fails; what the tool or the binary lacks is a reason. */
MUST_USE bool sass_collect(struct sass_collected *out, struct arena *a, const struct sass_collect *o, struct err *e);

#endif
