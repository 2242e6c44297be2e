/* One candidate measured: build, identity, correctness, times; everything stored before it is said. What is wrong with
 * the candidate is in the record and its verdict; an err means that assay could not do its job. */
#ifndef ASSAY_MEASURE_BENCH_H
#define ASSAY_MEASURE_BENCH_H

#include "build/build.h"
#include "facts/time_source.h"
#include "facts/verdict.h"
#include "measure/device.h"
#include "store/id.h"

struct bench_options {
	struct operator_input input;
	const char *program; /* assay's binary */
	const char *command; /* as typed, for the record */
	const char *folder;  /* where artifact and logs go; NULL: a scratch folder that is removed */
	const char *store;   /* root of the store; NULL: as store_open has it */
	const char *setup;   /* .py whose setup() supplies the data; NULL: the kernel's own */
	const char *inputs;  /* file that gets a copy of its first data set, laid out like a region; NULL: none */
	const char *python, *nvcc, *cupti, *flags, *arch;
	int64_t i_gpu, n_warmup, n_repeat; /* n_repeat 0: until noise or budget */
	double noise;                      /* wanted relative half width of the trimmed mean */
	double budget_s;                   /* of sampling, per mode */
	double speedup_budget_s; /* over a native reference; 0: none; negative: 5 on a GPU, 2 on the CPU, 0 with n_repeat */
	double timeout_s;        /* of one batch of calls, and of the reference */
	double wait_s;           /* for the lease; negative: the caller holds it */
	uint64_t max_memory_bytes; /* host memory of the candidate's process; 0: four fifths of what is available */
	uint64_t evict_bytes;      /* read before a cold call on the CPU; 0: twice the last-level cache */
	const char *forbid;        /* flags that reject (measure/integrity.h): "library,precision"; NULL: none */
	unsigned options;          /* enum bench_flags */
	const struct bench_extra *extra; /* measure/bench_extra.h; NULL: none */
};
enum bench_flags { BENCH_NO_WARM = 1, BENCH_NO_CACHE = 2, BENCH_NO_EVENT = 4, BENCH_NO_BATTERY = 8 };

struct bench {
	enum verdict verdict;      /* VERDICT_PASSED, VERDICT_UNCHECKED, or what is wrong */
	const char *text, *inputs; /* the copy of setup()'s data that was asked for; NULL: there is none */
	struct json *record;       /* format assay/bench-v1 (docs/FORMATS.md); holds the published keys */
	char id[STORE_ID_MAX];     /* of the record in the store */
	struct operator op;
	struct lab_device device;
	struct artifact artifact;
	bool has_time;
	double median_ns, mean_ns, trimmed_ns; /* of the primary source, cold */
	enum timing_source source;
};
MUST_USE bool bench_run(struct bench *out, struct arena *a, const struct bench_options *o, struct err *e);

#endif
