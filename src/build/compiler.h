/* Compilers: where they are, which version, and the command line for one compile. */
#ifndef ASSAY_BUILD_COMPILER_H
#define ASSAY_BUILD_COMPILER_H

#include "build/build.h"

struct compiler {
	const char *path;    /* resolved */
	const char *version; /* the line that names it */
	int cuda_major;      /* nvcc: 12, 13; else 0 */
	const char
		*cutlass; /* NULL; or its include folder: that, its tools/util/include where there is one, and where no
			      * --arch was given the architecture's own instructions (sm_90a) join the command line */
};
/* `wanted`: path or name of nvcc, or NULL. Versions are cached by (path, size, mtime). ERR_ENVIRONMENT when absent. */
MUST_USE bool compiler_find(struct compiler *out, struct arena *a, enum build_language language, const char *wanted,
			    struct err *e);
/* The path alone: starts nothing. */
MUST_USE bool compiler_locate(struct compiler *out, struct arena *a, enum build_language language, const char *wanted,
			      struct err *e);
/* NULL-terminated; *n without the NULL. */
const char **compiler_argv(struct arena *a, const struct compiler *c, const struct build_options *o,
			   const char *library, const char *deps, size_t *n);

#endif
