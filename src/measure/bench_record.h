/* A bench at work, and its record. */
#ifndef ASSAY_MEASURE_BENCH_RECORD_H
#define ASSAY_MEASURE_BENCH_RECORD_H

#include "measure/bench.h"
#include "measure/correct.h"
#include "measure/timing.h"

struct series {
	struct timing t;
	bool is_there;
};
struct workload;
struct bench_state {
	struct bench *out;
	struct arena *arena;
	const struct bench_options *o;
	const char *folder; /* scratch */
	struct store *store;
	struct json *device_facts, *seconds, *sandbox;
	const char *phase_name;
	int64_t phase_begin;
	struct lab *lab;
	struct lab_subject subject;
	struct workload *workload; /* NULL: native */
	struct lab_worker *main, *event;
	struct lab_fault fault;
	bool is_over; /* a verdict stands: nothing more is run */
	struct reference_options reference_options;
	struct reference reference;
	struct correctness correct;
	bool has_correctness;
	struct lab_rows identity;
	bool has_records; /* CUPTI saw the identity call */
	bool can_hold;    /* no synchronisation, no allocation inside the call */
	bool is_single;   /* one kernel, no copy */
	struct series cold, warm, events;
	const struct series *primary; /* NULL: no time */
	struct trial trial;
	char trial_digest[SHA256_HEX]; /* "" : no trial */
};

/* What the header of the trial file says beside the columns. */
struct json *bench_trial_meta(const struct bench_state *s);
struct json *bench_record(const struct bench_state *s);

#endif
