/* cuBLASLt, opened at run time where it is there, by our own declarations: the matrix rates of a GPU. One shape only: D =
 * A^T B, all N x N, column major, accumulated in float32: the layout that float8 demands. */
#ifndef ASSAY_GPU_CUBLASLT_H
#define ASSAY_GPU_CUBLASLT_H

#include "base/dtype.h"
#include "base/err.h"

struct cublaslt_choice { /* cublasLtMatmulHeuristicResult_t */
	uint64_t algo[8];
	size_t workspace_bytes;
	int state;
	float waves;
	int reserved[4];
};
struct cublaslt {
	void *lib, *handle;
	char path[512];
	size_t version; /* cublasLtGetVersion: 130100 */
#define LT(field, symbol, args) int(*field) args;
#include "gpu/cublaslt.def"
#undef LT
};
/* path NULL: found. The CUDA context must be current. ERR_ENVIRONMENT when there is no library: the text names the places tried. */
MUST_USE bool cublaslt_open(struct cublaslt *out, const char *path, struct err *e);
void cublaslt_close(struct cublaslt *b); /* all zero is allowed; the library stays loaded */

struct cublaslt_matmul {
	void *desc, *a, *b, *d;
	struct cublaslt_choice choice;
};
/* t: float16, bfloat16 or float8_e4m3fn (whose result is bfloat16). ERR_UNSUPPORTED where the GPU has no such kernel. */
MUST_USE bool cublaslt_plan(struct cublaslt_matmul *out, const struct cublaslt *b, enum dtype t, uint64_t n,
			    size_t workspace_bytes, struct err *e);
void cublaslt_release(struct cublaslt_matmul *m, const struct cublaslt *b);
struct cublaslt_memory {
	uint64_t a, b, d, workspace; /* device addresses */
	size_t workspace_bytes;
};
/* Asynchronous on the legacy stream. */
MUST_USE bool cublaslt_run(const struct cublaslt_matmul *m, const struct cublaslt *b, const struct cublaslt_memory *at,
			   struct err *e);

#endif
