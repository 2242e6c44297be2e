/* Watching device and machine while something is measured: a helper process of ours takes a sample at a low fixed rate, and
 * the parent takes one itself between batches. Both are on one clock (monotonic). What is in a sample is a fact that no
 * candidate can write. The parent has no thread: it forks while it measures. */
#ifndef ASSAY_RUN_SAMPLER_H
#define ASSAY_RUN_SAMPLER_H

#include "base/err.h"
#include "gpu/nvml.h"
#include "run/load.h"

#define SAMPLER_PERIOD_NS INT64_C(200000000)
#define SAMPLER_FIRST_NS INT64_C(40000000) /* period of the first SAMPLER_N_FIRST samples: the idle check is short */
#define SAMPLER_N_FIRST 8

enum sampler_by { SAMPLER_HELPER, SAMPLER_PARENT };
struct sampler_sample {
	int64_t t_ns;
	struct load load;
	/* GPU: fields as in struct gpu_sample, without a bit in gpu_has they mean nothing */
	unsigned gpu_has; /* enum gpu_sample_has */
	unsigned sm_mhz, memory_mhz, temperature_c, power_mw, utilization_pct;
	uint64_t reasons, memory_used_bytes;
	uint32_t n_processes;   /* on the GPU, ours among them */
	uint32_t n_ours;        /* of those, children of ours: 0 too where NVML counts in another PID namespace */
	int32_t foreign_sm_pct; /* SM utilisation of processes that are not ours; -1: unknown */
	uint32_t by;            /* enum sampler_by */
};

struct sampler;
struct sampler_options {
	const char *program; /* assay's binary */
	const char *folder;  /* private, exists */
	const char *gpu;     /* UUID, NULL: CPU only */
};
MUST_USE struct sampler *sampler_start(const struct sampler_options *o, struct err *e);
/* Ends the helper; samples stay. False when it was gone already: somebody or something ended it. */
bool sampler_stop(struct sampler *s);
void sampler_free(struct sampler *s);           /* NULL is fine */
int sampler_pid(const struct sampler *s);       /* of the helper */
bool sampler_is_there(const struct sampler *s); /* the helper runs */
/* Takes one in the parent, now. */
void sampler_take(struct sampler *s);
/* All samples so far in order of time, valid until the next call of any function here. */
const struct sampler_sample *sampler_samples(struct sampler *s, size_t *n);

/* The helper process: samples until the parent says BYE or is gone. Returns the exit status. */
int sampler_main(int link_fd);

#endif
