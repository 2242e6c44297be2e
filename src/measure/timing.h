/* Timing: sampling one candidate in one worker until the trimmed mean is known well enough, or a fixed count. */
#ifndef ASSAY_MEASURE_TIMING_H
#define ASSAY_MEASURE_TIMING_H

#include "facts/time_source.h"
#include "measure/lab.h"
#include "run/trial.h"
#include "stats/plan.h"
#include "stats/summary.h"

struct fresh;
struct timing_plan {
	enum timing_source source;
	enum trial_mode mode;
	unsigned flags; /* WIRE_CALL_COLD, WIRE_CALL_POISON, WIRE_CALL_HOLD */
	size_t n_warmup;
	size_t n_repeat; /* 0: adaptive by rule */
	struct plan_rule rule;
	double empty_pair_ns; /* TIMING_EVENT */
	uint64_t seed;        /* of the order of start delays */
	uint64_t placement;
	struct fresh *fresh; /* calls are on fresh data, n_kept of them are checked later; NULL: on the public sets */
	size_t n_kept;
	const char *what; /* "cold calls" */
};
struct timing {
	enum timing_source source;
	double *samples; /* ns, in order of time, warm-up left out */
	size_t n;
	struct summary summary;
	enum plan_stop stop;
	double seconds;                    /* wall time of the sampling */
	double clock_mhz, busy_ns;         /* medians: SM clock; device at work, by records. NaN: not known */
	double host_ns, wall_ns, after_ns; /* medians: inside the entry; until idle; of that, after its return */
	size_t n_released;                 /* holds that the helper had to release */
	double empty_pair_ns;              /* TIMING_EVENT: what was taken off each event time */
	size_t n_calls;                    /* all that were made, warm-up included */
	size_t n_slots;                    /* slots that were called: 0 .. n_slots - 1 */
	size_t n_missing;                  /* calls without a device record: no sample */
	bool is_silent;                    /* no call gave a sample; timing_run failed */
};
/* Adds all rows to the trial. ASK_FAULT: the candidate failed while being timed. ERR_ENVIRONMENT when no call gave a
 * sample (CUPTI silent). */
MUST_USE enum ask_result timing_run(struct timing *out, struct trial *t, struct lab_worker *w,
				    const struct timing_plan *p, struct lab_fault *fault, struct err *e);
/* Start delays for n calls: a shuffled even grid over 128 us. */
void timing_phases(int64_t *out, size_t n, uint64_t *seed);
struct json *timing_json(struct arena *a, const struct timing *t);

/* One series of samples of a bench. */
struct series {
	struct timing t;
	bool is_there;
};

#endif
