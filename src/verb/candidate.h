/* Options that every verb with a kernel file shares: operator input, device, measuring. */
#ifndef ASSAY_VERB_CANDIDATE_H
#define ASSAY_VERB_CANDIDATE_H

#include "measure/bench.h"
#include <math.h>
#include <stddef.h>

#include "verb/verb.h"

struct candidate_options {
	struct opt_dims dims;
	const char *problem, *ref, *op_file, *setup, *backend, *entry;
	int64_t ptr_size, seed;
	double atol, rtol; /* NaN: not given */
	int64_t gpu, warmup, repeat;
	double noise_pct, time_budget_s, speedup_budget_s, timeout_s, wait_s;
	const char *forbid;
	int64_t max_memory_mb, evict_mib;
	const char *arch, *flags, *nvcc_bin, *python, *cupti, *store;
	bool no_cache, no_warm, no_battery;
};
/* Without braces, so that a verb can add its own: {CANDIDATE_INPUT_DEFAULTS, .time_budget_s = 10}. */
#define CANDIDATE_INPUT_DEFAULTS .seed = 42, .atol = NAN, .rtol = NAN, .timeout_s = 60
#define CANDIDATE_DEFAULTS                                                                                             \
	{                                                                                                              \
		CANDIDATE_INPUT_DEFAULTS, .warmup = 10, .noise_pct = 0.5, .time_budget_s = 1, .speedup_budget_s = -1   \
	}
/* --problem: *path is a solution of it and becomes the file that is made of it, with data, reference and operator file,
 * below ./assay-imported. Without --problem nothing happens. */
MUST_USE bool candidate_import(struct candidate_options *c, const char **path, const struct verb_call *call,
			       struct err *e);
/* ERR_USAGE: --problem stands beside an option of what it supplies. */
MUST_USE bool candidate_owns_data(const struct candidate_options *c, struct err *e);
/* Fills the bench's options from a verb's. */
void candidate_bench(struct bench_options *out, const struct candidate_options *c, const char *path,
		     const struct verb_call *call);
#endif
