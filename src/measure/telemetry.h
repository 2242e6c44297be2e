/* What others did to device and machine while something was measured: the samples of run/sampler.h, judged and stored.
 *
 * Between two neighbouring samples lies an interval. An interval is
 *   contaminated  CPU (backend c): others used half a CPU or more and less than half a CPU was left idle, or they used half
 *                 of all CPUs, or the hypervisor or the control group's quota took a tenth of a CPU. Rates are taken over
 *                 150 ms or more, as the kernel counts in steps of 10 ms.
 *                 GPU: a process came that is neither ours nor was there before, or one that is not ours used the SMs.
 *   throttled     the GPU gave a reason for clocks below the requested ones (power, thermal, brake)
 *   unobserved    the helper's last sample is older than 1 s: it died, was stopped or could not run
 * A batch of calls has the marks of the intervals that it overlaps; what overlaps no batch changes nothing (RULES R3.7).
 *
 * The idle check looks before anything of ours uses the device, until three samples in a row are quiet or its patience ends:
 * GPU: utilisation 5 % or less; CPU: one CPU or more (of one: 0.9) not used by others. Memory and an empty process list
 * prove nothing and are not looked at. */
#ifndef ASSAY_MEASURE_TELEMETRY_H
#define ASSAY_MEASURE_TELEMETRY_H

#include "base/json.h"

struct lab_device;
struct sampler;
struct sampler_sample;
struct store;
struct trial;

enum telemetry_flags { TELEMETRY_CONTAMINATED = 1, TELEMETRY_THROTTLED = 2, TELEMETRY_UNOBSERVED = 4 };
struct telemetry_options {
	const char *program, *folder;
	const struct lab_device *device;
};
struct telemetry {
	struct arena *arena;
	struct sampler *sampler; /* NULL: nobody watches, `reason` says why */
	const char *reason;
	bool is_gpu, is_idle;
	const char *busy; /* not idle: by what */
	const char *gone; /* the sampler was gone when it was to be stopped */
	double idle_check_s;
	size_t n_rows, n_contaminated, n_throttled, n_unobserved; /* timed rows that were judged, those with a mark */
	double worst_foreign; /* CPUs, or per cent of the SMs, in a contaminated interval */
};
/* Starts the sampler. One that cannot be started is no error: nobody watches then, and that makes times inconclusive. */
void telemetry_start(struct telemetry *out, struct arena *a, const struct telemetry_options *o);
void telemetry_stop(struct telemetry *t); /* ends the sampler's process; what was seen stays until telemetry_free */
void telemetry_free(struct telemetry *t);
/* The idle check: before anything of ours runs on the device. `patience_ns`: how long it waits for a busy device, after
 * the 0.15 s that three samples take; $ASSAY_IDLE_WAIT in seconds shortens it. */
void telemetry_wait_idle(struct telemetry *t, int64_t patience_ns);
#define TELEMETRY_PATIENCE_GPU_NS INT64_C(3000000000) /* NVML's utilisation looks back for up to 1 s */
#define TELEMETRY_PATIENCE_CPU_NS INT64_C(1000000000)
/* Takes a sample and marks the timed rows among from..to of the trial (no warm-up, no look). */
void telemetry_mark(struct telemetry *t, struct trial *trial, size_t from, size_t to);
/* Why times say nothing, or NULL: not idle before, contaminated or unobserved calls. */
const char *telemetry_problem(const struct telemetry *t);
/* Publishes the samples as a column file beside the trial and describes them: telemetry_record.c. */
MUST_USE bool telemetry_json(struct json **out, struct telemetry *t, struct store *s, struct err *e);

/* Pure: flags of the interval that ends at sample i (enum telemetry_flags; 0 for i = 0). foreign (may be NULL): CPUs or
 * per cent of the SMs used by others. */
unsigned telemetry_judge(const struct sampler_sample *s, size_t i, bool is_gpu, double *foreign);

#endif
