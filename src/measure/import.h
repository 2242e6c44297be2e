/* Kernels written for other places, made into files of assay. KernelBench: a problem (class Model) and a solution (class
 * ModelNew). The other formats are recognised and named. */
#ifndef ASSAY_MEASURE_IMPORT_H
#define ASSAY_MEASURE_IMPORT_H

#include "base/json.h"

struct import_options {
	const char *problem, *solution; /* solution NULL: only where the format needs none */
	const char *to;                 /* folder, made when absent */
	const char *python;
	int64_t timeout_ns;
};
struct import_files {
	const char *format;
	const char *kernel, *setup, *reference; /* paths */
};
/* ERR_INPUT says what cannot be imported and why; ERR_ENVIRONMENT: no interpreter, no torch. Existing files are refused. */
MUST_USE bool import_run(struct import_files *out, struct arena *a, const struct import_options *o, struct err *e);

#endif
