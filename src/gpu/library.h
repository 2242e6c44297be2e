/* Opening a vendor's library at run time. Private to this room. */
#ifndef ASSAY_GPU_LIBRARY_H
#define ASSAY_GPU_LIBRARY_H

#include "base/err.h"

struct library {
	void *lib;
	char path[512]; /* the file, as the loader resolved it */
};
/* The first of n names (a bare name goes by the loader's rules; NULL is skipped) that opens. With none of them:
 * ERR_ENVIRONMENT, "<what>: <the loader's words for the first name>; also tried ...". */
MUST_USE bool library_open(struct library *out, const char *const *names, size_t n, const char *what, struct err *e);
/* The symbol, else `older` if it is not "", else NULL. The result is stored in the function pointer at `out`. */
bool library_symbol(void *lib, const char *symbol, const char *older, void *out);

#endif
