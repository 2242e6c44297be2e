/* Files of tensors that a problem's workloads name (flashinfer-trace inputs of type safetensors). */
#ifndef ASSAY_MEASURE_IMPORT_BLOBS_H
#define ASSAY_MEASURE_IMPORT_BLOBS_H

#include "measure/import_format.h"

enum { IMPORT_MOST_BLOBS = 64, IMPORT_BLOB_MIB = 64 }; /* files; bytes of all of them */

struct import_blobs {
	struct json *list; /* path as the workload has it -> {"fd"} or {"why"}: it cannot be had */
	int fds[IMPORT_MOST_BLOBS];
	size_t n;
};
/* Opens what the .jsonl files of the problem name for its definition. A path is looked for beside the definition and in the
 * root of its data set; one that is absolute or leaves that root is not opened. */
void import_blobs_open(struct import_blobs *out, struct arena *a, const struct import_problem *p);
void import_blobs_close(struct import_blobs *b);

#endif
