/* A bench at work: what the files bench*.c share. */
#ifndef ASSAY_MEASURE_BENCH_STATE_H
#define ASSAY_MEASURE_BENCH_STATE_H

#include "measure/bench.h"

struct bench_parts;
struct workload;

struct bench_state {
	struct bench *out;
	struct arena *arena;
	const struct bench_options *o;
	const char *folder; /* scratch */
	struct store *store;
	struct json *device_facts, *seconds, *sandbox, *extra;
	const char *phase_name, *extra_key;
	int64_t phase_begin;
	bool is_over;              /* a verdict stands: nothing more is run */
	struct workload *workload; /* NULL: native */
	struct lab *lab;
	struct bench_parts *parts; /* bench_parts.h */
	struct trial *trial;
	char trial_digest[SHA256_HEX]; /* "" : no trial */
	struct telemetry *telemetry;
	struct json *telemetry_facts;
	const char *memory, *memory_reason; /* the keeper's, once the lab is closed */
	const char *problem;                /* what makes the times say nothing; NULL: nothing */
};

void bench_phase(struct bench_state *s, const char *name);
void bench_conclude(struct bench_state *s, enum verdict v, const char *text);
/* bench_check.c: first bench_begin, whatever comes then (ERR_USAGE: --forbid); the lab, correctness on all cases, what a call launches. */
MUST_USE bool bench_begin(struct bench_state *s, struct err *e);
MUST_USE bool bench_check(struct bench_state *s, struct err *e);
void bench_close(struct bench_state *s);        /* the lab; what the record needs stays */
void bench_note_sandbox(struct bench_state *s); /* while the candidate's worker is there */
/* bench_time.c: cold, warm, events, the reference beside the candidate. */
MUST_USE bool bench_time(struct bench_state *s, struct err *e);
/* bench_limits.c: the time against the device's limits; one that is impossible becomes the verdict. */
void bench_limits(struct bench_state *s);
/* bench_speedup.c: the reference and the candidate in turn. */
MUST_USE bool bench_speedup(struct bench_state *s, struct err *e);
/* What the header of the trial file says beside the columns. */
struct json *bench_trial_meta(const struct bench_state *s);
struct json *bench_record(const struct bench_state *s);

#endif
