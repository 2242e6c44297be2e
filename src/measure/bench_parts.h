/* A bench's lab, its workers and what they gave. */
#ifndef ASSAY_MEASURE_BENCH_PARTS_H
#define ASSAY_MEASURE_BENCH_PARTS_H

#include "measure/bench_state.h"
#include "measure/correct.h"

struct series;

struct bench_parts {
	struct lab_subject subject;
	struct lab_worker *main, *event;
	struct lab_fault fault;
	struct reference_options reference_options;
	struct reference reference;
	struct correctness correct;
	bool has_correctness;
	struct lab_rows identity;
	bool has_records;                    /* CUPTI saw the identity call */
	bool can_hold;                       /* no synchronisation, no allocation inside the call */
	bool is_single;                      /* one kernel, no copy */
	struct series *cold, *warm, *events; /* measure/series.h; NULL: no series was begun */
	const struct series *primary;        /* NULL: no time */
	struct json *speedup;                /* reference and candidate in turn; NULL: no_speedup says why not */
	const char *no_speedup;
	struct json *limits; /* NULL: no time */
};

/* ASK_FAULT becomes the bench's verdict; false for ASK_ERR. */
bool bench_settle(struct bench_state *s, enum ask_result r);

#endif
