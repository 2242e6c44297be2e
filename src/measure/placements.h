/* Placements of several subjects in one lab, until the comparison engine (stats/paired.h) has its verdicts. What a
 * placement and a block are stands in measure/compare.h. Used by compare and by bench for the reference's speed-up. */
#ifndef ASSAY_MEASURE_PLACEMENTS_H
#define ASSAY_MEASURE_PLACEMENTS_H

#include "facts/time_source.h"
#include "measure/lab.h"
#include "stats/paired.h"

struct correctness;
struct reference;
struct telemetry;
struct trial;

#define PLACEMENTS_MAX_SIDES 8
#define PLACEMENTS_MAX 1024

struct placements_plan {
	enum timing_source source;
	unsigned flags;        /* WIRE_CALL_COLD, _POISON, _HOLD of every timed call */
	size_t n_cases;        /* timed: the first ones of the lab's operator */
	size_t n_calls;        /* of a quarter of a block, the first of which may be discarded: 2 or more */
	size_t n_blocks;       /* per candidate, case and placement */
	size_t n_looks;        /* of the engine; the last look ends the run */
	size_t n_fixed;        /* placements to make whatever the looks say (a recording); 0: as the looks say */
	size_t n_warmup;       /* calls of each side and case before the first block */
	size_t n_ahead;        /* placements whose workers are started together, idle until their turn; 0: 1 */
	double min_effect;     /* fraction */
	int64_t time_limit_ns; /* no placement is begun after this; 0: none */
	uint64_t seed;         /* of the start delays */
};
struct placements_side {
	const struct lab_subject *subject;
	size_t number;               /* in the rows */
	struct correctness *correct; /* looks at timed calls judge here; NULL: not looked at */
	/* results */
	bool is_out;            /* failed or wrong on a timed call: not measured any more */
	struct lab_fault fault; /* is_out */
	size_t n_placements;    /* that gave a number; a candidate that is decided or out is not measured further */
	double *time_ns;        /* [placement][case], trimmed mean; of the baseline: over all its blocks */
	double *d, *se;         /* candidates: [placement][case], stats/placement.h */
	double *empty_pair_ns;  /* of each placement begun: what the events source takes off; else 0 */
	size_t n_looked_at;     /* looks at outputs of timed calls */
	struct paired_result paired;
};
enum placements_stop { PLACEMENTS_DECIDED, PLACEMENTS_EXHAUSTED, PLACEMENTS_TIME, PLACEMENTS_OUT, PLACEMENTS_COUNT };
struct placements {
	/* given */
	struct arena *arena;
	struct lab *lab;
	struct reference *reference; /* NULL: nothing is looked at */
	struct trial *trial;
	struct telemetry *telemetry; /* marks the timed rows; NULL: nobody does */
	struct placements_plan plan;
	struct placements_side *sides; /* [0]: the baseline */
	size_t n_sides;
	/* results */
	size_t n_placements;       /* begun */
	size_t n_lost;             /* without a usable pair of some candidate */
	size_t n_calls, n_no_time; /* timed calls, and those among them without a time above zero */
	size_t n_released;         /* holds that the helper had to release */
	double sampling_s, total_s;
	enum placements_stop stop;
};
const char *placements_stop_name(enum placements_stop s);

/* ERR_ENVIRONMENT when the source is silent. A side that fails is data. */
MUST_USE bool placements_run(struct placements *p, struct err *e);

/* What a run will cost, measured with workers that are joined: one per side, NULL for a side that is out. */
struct placements_cost {
	double call_ns;           /* the slowest side's, on the slowest timed case, everything around it included */
	double block_ns_per_call; /* a block of all cases and candidates takes this times n_calls */
	double layout_ns;         /* laying all timed cases out */
};
MUST_USE enum ask_result placements_probe(struct placements_cost *out, struct placements *p,
					  struct lab_worker *const *workers, struct lab_fault *fault, struct err *e);
struct placements_wish {
	double budget_s;  /* wall time of all placements, worker starts included */
	int64_t start_ns; /* seen: from nothing to workers of all sides that are ready */
	bool is_gpu;
	size_t n_placements, n_blocks, n_calls; /* fixed counts, as for a recording; 0: by budget */
};
struct plan_compare;
/* Fills n_calls, n_blocks, n_looks, n_fixed and time_limit_ns of p->plan; `out` gets the expectation. NULL, or why the
 * budget pays for no verdict: then one look is planned that the time may not reach. */
const char *placements_plan(struct placements *p, struct plan_compare *out, const struct placements_cost *c,
			    const struct placements_wish *w);

#endif
