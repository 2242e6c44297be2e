/* A comparison at work, and its record. */
#ifndef ASSAY_MEASURE_COMPARE_RECORD_H
#define ASSAY_MEASURE_COMPARE_RECORD_H

#include "measure/compare.h"
#include "measure/placements.h"

struct compare_look { /* at one side, before anything is timed */
	struct lab_subject subject;
	struct lab_worker *worker;
	struct lab_fault fault;
	bool is_out; /* failed, or wrong: outcome has the verdict */
	struct wire_row identity;
	bool has_identity;
};
struct compare_state {
	struct compare *out;
	struct arena *arena;
	const struct compare_options *o;
	const char *folder; /* scratch */
	struct json *device_facts, *seconds, *sandbox;
	const char *phase_name;
	int64_t phase_begin, start_ns; /* of all workers together */
	struct lab *lab;
	struct compare_look looks[COMPARE_MAX_SIDES];
	struct reference_options reference_options;
	struct reference reference;
	struct trial trial;
	char trial_digest[SHA256_HEX];                   /* "" : no trial */
	struct placements_side sides[COMPARE_MAX_SIDES]; /* those that are measured */
	size_t i_side[COMPARE_MAX_SIDES];                /* of the options, of each of these */
	struct placements run;
	struct placements_cost cost;
	struct plan_compare plan;
	bool has_run, has_records, can_hold;
	const char *reason; /* why there is no verdict; NULL: see the placements */
};

const char *compare_label(struct arena *a, size_t i_side); /* "A", "B", ... */
struct json *compare_record(const struct compare_state *s);

#endif
