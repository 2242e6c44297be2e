/* perf_event counters over our own runner: what a CPU candidate gets in place of Nsight Compute. */
#ifndef ASSAY_COLLECT_PERF_H
#define ASSAY_COLLECT_PERF_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "operator/operator.h"

struct perf_collect {
	const char *program;
	const struct operator* op;
	const char *library, *symbol, *data; /* data: run/job.h */
	bool returns_int;
	const struct guest *guest;    /* written in Python; NULL: native */
	const char *sha256;           /* of the library: the report says which binary it is about */
	const char *folder, *scratch; /* reports, texts and the job go to folder; scratch is private and writable */
	double timeout_s;
};
struct perf_collected {
	const char *targeted, *full; /* paths of targeted.perf.json and full.perf.json, or NULL */
	const char *command, *reason;
	double seconds;
};
/* Counts over 10 calls and writes both reports (format assay/perf-v1) with their summary and details texts. A machine that
 * refuses hardware counters still gives software ones; each refusal is in the report. `reason`: no report, and why. */
MUST_USE bool perf_collect(struct perf_collected *out, struct arena *a, const struct perf_collect *o, struct err *e);

#endif
