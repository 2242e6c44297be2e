/* cuBLASLt by dlopen.
 * In: a type and a size. Out: one matrix product on the legacy stream.
 * Values of enums are the library's ABI since CUDA 11: cublasLt.h, library_types.h.
 * Never: needed; without it the rates of matrix units are unknown. */
#include "gpu/cublaslt.h"

#include <dlfcn.h>

#include "gpu/driver.h"
#include "gpu/library.h"

enum {
	COMPUTE_32F = 68,
	R_32F = 0,
	R_16F = 2,
	R_16BF = 14,
	R_8F_E4M3 = 28,
	DESC_TRANSA = 3,
	OP_TRANSPOSE = 1,
	PREF_WORKSPACE = 1
};

static const char *const names[] = {"libcublasLt.so.13", "libcublasLt.so.12", "/usr/local/cuda/lib64/libcublasLt.so.13",
				    "/usr/local/cuda/lib64/libcublasLt.so.12"};

static bool check(int rc, const char *what, struct err *e)
{
	return rc == 0 || err_set(e, ERR_SYSTEM, "%s: cublasStatus_t %d", what, rc);
}

bool cublaslt_open(struct cublaslt *out, const char *path, struct err *e)
{
	struct library library;
	size_t (*version)(void) = NULL;
	*out = (struct cublaslt){0};
	if (!library_open(&library, path ? &path : names, path ? 1 : COUNT_OF(names), "cuBLASLt", e))
		return false;
	out->lib = library.lib;
	memcpy(out->path, library.path, sizeof(out->path));
#define LT(field, symbol, args)                                                                                        \
	if (!library_symbol(out->lib, symbol, "", &out->field))                                                        \
		return err_set(e, ERR_ENVIRONMENT, "%s: no symbol %s", out->path, symbol);
#include "gpu/cublaslt.def"
#undef LT
	if (library_symbol(out->lib, "cublasLtGetVersion", "", &version))
		out->version = version();
	return check(out->create(&out->handle), "cublasLtCreate", e);
}

void cublaslt_close(struct cublaslt *b)
{
	if (b->handle)
		b->destroy(b->handle);
	*b = (struct cublaslt){0};
}

static bool choose(struct cublaslt_matmul *m, const struct cublaslt *b, size_t workspace_bytes, struct err *e)
{
	void *pref = NULL;
	int n = 0;
	bool ok = check(b->pref_create(&pref), "cublasLtMatmulPreferenceCreate", e) &&
		  check(b->pref_set(pref, PREF_WORKSPACE, &workspace_bytes, sizeof(workspace_bytes)),
			"cublasLtMatmulPreferenceSetAttribute", e);
	if (ok) {
		int rc = b->heuristic(b->handle, m->desc, m->a, m->b, m->d, m->d, pref, 1, &m->choice, &n);
		ok = (rc == 0 && n > 0) ||
		     err_set(e, ERR_UNSUPPORTED, "cuBLASLt has no kernel for this type here (cublasStatus_t %d)", rc);
	}
	if (pref)
		b->pref_destroy(pref);
	return ok;
}

bool cublaslt_plan(struct cublaslt_matmul *out, const struct cublaslt *b, enum dtype t, uint64_t n,
		   size_t workspace_bytes, struct err *e)
{
	int type = t == DTYPE_F16 ? R_16F : t == DTYPE_BF16 ? R_16BF : R_8F_E4M3;
	int result = t == DTYPE_F16 ? R_16F : R_16BF, transpose = OP_TRANSPOSE;
	int64_t ld = (int64_t)n;
	*out = (struct cublaslt_matmul){0};
	if (check(b->desc_create(&out->desc, COMPUTE_32F, R_32F), "cublasLtMatmulDescCreate", e) &&
	    check(b->desc_set(out->desc, DESC_TRANSA, &transpose, sizeof(transpose)), "cublasLtMatmulDescSetAttribute",
		  e) &&
	    check(b->layout_create(&out->a, type, n, n, ld), "cublasLtMatrixLayoutCreate", e) &&
	    check(b->layout_create(&out->b, type, n, n, ld), "cublasLtMatrixLayoutCreate", e) &&
	    check(b->layout_create(&out->d, result, n, n, ld), "cublasLtMatrixLayoutCreate", e) &&
	    choose(out, b, workspace_bytes, e))
		return true;
	cublaslt_release(out, b);
	return false;
}

void cublaslt_release(struct cublaslt_matmul *m, const struct cublaslt *b)
{
	void *layouts[] = {m->a, m->b, m->d};
	for (size_t i = 0; i < COUNT_OF(layouts); i++) {
		if (layouts[i])
			b->layout_destroy(layouts[i]);
	}
	if (m->desc)
		b->desc_destroy(m->desc);
	*m = (struct cublaslt_matmul){0};
}

static void *device(uint64_t p)
{
	return (void *)(uintptr_t)p;
}

bool cublaslt_run(const struct cublaslt_matmul *m, const struct cublaslt *b, const struct cublaslt_memory *at,
		  struct err *e)
{
	float one = 1, zero = 0;
	return check(b->matmul(b->handle, m->desc, &one, device(at->a), m->a, device(at->b), m->b, &zero, device(at->d),
			       m->d, device(at->d), m->d, m->choice.algo, device(at->workspace), at->workspace_bytes,
			       GPU_STREAM_LEGACY),
		     "cublasLtMatmul", e);
}
