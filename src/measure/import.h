/* Kernels written for other places, made into files of assay: a problem of LeetGPU, Tensara, KernelBench, robust-kbench, GPU
 * MODE, flashinfer-trace (also SOL-ExecBench) or TritonBench-G, and a solution of it. */
#ifndef ASSAY_MEASURE_IMPORT_H
#define ASSAY_MEASURE_IMPORT_H

#include "base/json.h"

struct import_options {
	const char *problem, *solution; /* files; the problem may be its folder */
	/* Folder, made when absent; existing files are refused. NULL: assay-imported/<name>-<digest of what is written>, so
	 * that the same problem and solution find the same files again. */
	const char *to;
	const char *name; /* of the kernel, without ending; NULL: the problem's */
	const char *python;
	int64_t timeout_ns;
};
struct import_files {
	const char *format;
	const char *kernel, *setup, *reference, *op_file; /* paths */
	uint64_t n_cases;
	const struct json *notes; /* what the problem's own check does and ours does not; array of strings, or NULL */
};
/* ERR_INPUT says what cannot be imported and why; ERR_ENVIRONMENT: no interpreter, no torch. */
MUST_USE bool import_run(struct import_files *out, struct arena *a, const struct import_options *o, struct err *e);

#endif
