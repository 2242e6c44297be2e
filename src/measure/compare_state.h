/* A comparison at work: what the files compare*.c share. */
#ifndef ASSAY_MEASURE_COMPARE_STATE_H
#define ASSAY_MEASURE_COMPARE_STATE_H

#include "measure/compare.h"

struct compare_look;
struct workload;
struct workload_options;

struct compare_state {
	struct compare *out;
	struct arena *arena;
	const struct compare_options *o;
	const char *folder; /* scratch */
	struct json *device_facts, *seconds, *sandbox;
	const char *phase_name;
	int64_t phase_begin;
	bool is_out[COMPARE_MAX_SIDES];                /* failed, or wrong: the outcome has the verdict */
	struct workload *workloads[COMPARE_MAX_SIDES]; /* of sides in Python or on data of a setup(); NULL: native */
	struct workload_options *workload_options;     /* of each */
	struct lab *lab;
	struct compare_look *looks; /* compare_look.h; one a side */
	uint64_t l2_bytes;          /* as a worker says; 0: the CPU */
	struct json *limits[COMPARE_MAX_SIDES];
	int64_t start_ns; /* from nothing to workers of all sides that are ready */
	struct reference *reference;
	struct json *reference_facts, *correctness[COMPARE_MAX_SIDES]; /* set by compare_close */
	struct trial *trial;
	struct telemetry *telemetry;
	struct json *telemetry_facts;
	char trial_digest[SHA256_HEX]; /* "" : no trial */
	bool can_hold;                 /* no side synchronises or allocates inside */
	struct placements *run;        /* NULL: nothing was timed */
	struct plan_compare *plan;
	size_t i_side[COMPARE_MAX_SIDES]; /* of the options, of each side of `run` */
	const char *reason;               /* why the budget is too small; NULL: it is not */
	const char *problem;              /* what others did that makes times say nothing; NULL: nothing */
};

const char *compare_label(struct arena *a, size_t i_side); /* "A", "B", ... */
void compare_phase(struct compare_state *s, const char *name);
void compare_put_out(struct compare_state *s, size_t i_side, enum verdict v, const char *text);

/* compare_look.c, in this order: the lab and a worker a side; correctness on all cases; one source for all. */
MUST_USE bool compare_open(struct compare_state *s, struct err *e);
MUST_USE bool compare_check(struct compare_state *s, struct err *e);
MUST_USE bool compare_identify(struct compare_state *s, struct err *e);
void compare_end_looks(struct compare_state *s); /* the workers; twice is fine */
void compare_close(struct compare_state *s);     /* the lab; what the record needs of it stays */

/* compare_place.c: plan and placements of the sides that are right; verdicts. */
MUST_USE bool compare_place(struct compare_state *s, struct err *e);
void compare_conclude(struct compare_state *s);
void compare_limits(struct compare_state *s); /* compare_limits.c, from compare_conclude */

struct json *compare_record(const struct compare_state *s);

#endif
