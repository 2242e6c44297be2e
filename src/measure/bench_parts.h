/* A bench's lab, its workers and what they gave. */
#ifndef ASSAY_MEASURE_BENCH_PARTS_H
#define ASSAY_MEASURE_BENCH_PARTS_H

#include "measure/bench_state.h"
#include "measure/correct.h"

struct series;
struct battery;
struct fresh;

struct bench_parts {
	struct lab_subject subject;
	struct lab_worker *main, *event; /* main NULL: it was ended */
	const struct json *main_facts;
	struct lab_fault fault;
	struct reference_options reference_options;
	struct reference reference;
	struct correctness correct;
	bool has_correctness;
	struct correct_bench looks;
	struct battery *battery;
	struct lab_rows identity;
	bool has_records;                    /* CUPTI saw the identity call */
	bool can_hold;                       /* no synchronisation, no allocation inside the call */
	bool is_single;                      /* one kernel, no copy */
	struct series *cold, *warm, *events; /* measure/timing.h; NULL: no series was begun */
	const struct series *primary;        /* NULL: no time */
	double cold_ns, warm_ns, wall_ns; /* said of a call, least of mean and median; with its host's part; 0: none */
	const char *no_events, *unordered, *unrecorded; /* what a clock lacks, in words; NULL: nothing */
	uint64_t evict_bytes, cache_bytes; /* read before a cold call; the last-level cache, of a GPU its L2 */
	struct json *speedup;              /* reference and candidate in turn; NULL: no_speedup says why not */
	const char *no_speedup;
	struct json *limits, *compiled; /* NULL: no time; nothing that Triton says it made, a claim */
};

/* bench_integrity.c: data for a cold series, NULL: public; after a series. */
struct fresh *bench_fresh(struct bench_state *s, size_t *n_kept);
bool bench_is_zeroed(const struct bench_state *s); /* outputs must be zero before a call */
MUST_USE bool bench_after_series(struct bench_state *s, struct err *e);
void bench_choose(struct bench_state *s); /* bench_clocks.c: primary and what is said of a call */
/* ASK_FAULT becomes the bench's verdict; false for ASK_ERR. */
bool bench_settle(struct bench_state *s, enum ask_result r);

#endif
