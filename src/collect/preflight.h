/* The preflight (seed 000): machine, GPUs and tools, each with resolved path and version, and what an absence costs.
 * No context is made; torch is asked only when a .py is involved. Under 0.3 s without torch. */
#ifndef ASSAY_COLLECT_PREFLIGHT_H
#define ASSAY_COLLECT_PREFLIGHT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

enum preflight_needs {
	PREFLIGHT_GPU = 1, /* GPU i_gpu is visible to the driver */
	PREFLIGHT_NVCC = 2,
	PREFLIGHT_NCU = 4,
	PREFLIGHT_CC = 8,
	PREFLIGHT_PYTHON = 16,
	PREFLIGHT_TORCH = 32,   /* importable, and CUDA available to it when PREFLIGHT_GPU is set */
	PREFLIGHT_COUNTERS = 64 /* ncu may read counters */
};
struct preflight_options {
	unsigned needs; /* what the caller cannot do without: enum preflight_needs */
	int64_t i_gpu;
	const char *nvcc, *ncu, *python; /* as given by the user, or NULL */
	const char *const *files;        /* inputs that must be readable, NULL-terminated; NULL: none */
	bool ask_torch;                  /* also import torch (seconds) */
};
struct preflight {
	struct json *json;   /* format assay/preflight-v1 */
	const char *missing; /* the first need that is not met, as one line with what to do; NULL: ready */
};
MUST_USE bool preflight_run(struct preflight *out, struct arena *a, const struct preflight_options *o, struct err *e);
void preflight_markdown(struct buf *out, const struct json *root);
/* Writes preflight_check.json and preflight_check.md into the folder. */
MUST_USE bool preflight_write(const struct preflight *p, const char *folder, struct err *e);

#endif
