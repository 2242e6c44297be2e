/* Results in the formats of other projects: KernelBench's eval results, flashinfer-trace's traces. */
#ifndef ASSAY_REPORT_EXPORT_H
#define ASSAY_REPORT_EXPORT_H

#include "base/json.h"

/* One entry of KernelBench's eval_results.json: compiled, correctness, runtime and runtime_stats in ms (-1 where nothing was
 * timed), the same of the reference, metadata. `sample_id` is the version's number. */
struct json *export_kernelbench(struct arena *a, const struct json *record, uint64_t sample_id);
/* A Trace of the case that was timed, which keeps `workload` in it. `definition`: the problem's document, `workload` the one of that case, `solution` the name.
 * What stands in `status` is the schema's word; assay's own is in `log`. */
struct json *export_trace(struct arena *a, const struct json *record, const struct json *definition,
			  struct json *workload, const char *solution);

#endif
