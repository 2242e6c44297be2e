/* Is B faster than A? Kernel files (with their own flags, or already built) on one device: correctness of each first,
 * then placements until a verdict falls or the budget is used up (stats/paired.h has the rules).
 *
 *   placement  fresh workers for every side over fresh allocations; all sides map the same memory. Which side is started
 *              first, and which opens a block, alternates from placement to placement
 *   block      x y y x of the baseline and one candidate, calls cold with jittered starts; the first call after a change
 *              of side is discarded
 *   source     one for all sides: device records when every side makes one launch and no copy, else the event pair around
 *              a held queue; the host's clock on the CPU
 *
 * A candidate that is wrong is not timed; one that is wrong on a timed call, or fails there, is dropped with that verdict.
 * Everything that a number rests on is in the trial: placement, block, side, case of each call. */
#ifndef ASSAY_MEASURE_COMPARE_H
#define ASSAY_MEASURE_COMPARE_H

#include "build/build.h"
#include "facts/time_source.h"
#include "facts/verdict.h"
#include "measure/device.h"
#include "stats/paired.h"
#include "store/id.h"

struct correctness;

#define COMPARE_MAX_SIDES 8

struct compare_side {
	const char *path;                /* kernel file; read for its signature even when it is built already */
	const char *flags, *arch, *nvcc; /* NULL: as in compare_options */
	const char *library;             /* an artifact: path of the shared object, not built again; NULL: build */
	const char *symbol;              /* of the artifact's entry; NULL: the entry's name */
};
enum compare_flags {
	COMPARE_WARM = 1,      /* caches are not emptied between calls */
	COMPARE_ALL_CASES = 2, /* every case is timed, else the first; all are checked in any way */
	COMPARE_NO_CACHE = 4,  /* build and reference anew */
	COMPARE_ANY_LOAD = 8,  /* load of others is marked and said, and does not make the outcome inconclusive */
	COMPARE_EVENTS = 16    /* time by events even where device records would do */
};
struct compare_options {
	const struct compare_side *sides; /* [0] is the baseline A */
	size_t n_sides;                   /* 2..COMPARE_MAX_SIDES */
	struct operator_input input;      /* of all sides; its path is not used. Its seed decides the data */
	const char *program, *command, *store, *setup, *python, *nvcc, *cupti, *flags, *arch; /* as in bench_options */
	int64_t i_gpu;
	double min_effect; /* 0.005: 0.5 % */
	double budget_s;   /* wall time of all placements, worker starts included; build and correctness come on top */
	double timeout_s;  /* of one batch of calls */
	double wait_s;     /* for the lease */
	uint64_t evict_bytes;                   /* as in bench_options */
	size_t n_placements, n_blocks, n_calls; /* fixed counts, as for a recording; 0: by budget */
	unsigned options;                       /* enum compare_flags */
};

struct compare_outcome { /* of one side */
	/* A: VERDICT_PASSED, VERDICT_UNCHECKED or what is wrong with it. Others: VERDICT_FASTER, _SLOWER, _EQUIVALENT,
	 * _INCONCLUSIVE, or what is wrong. */
	enum verdict verdict;
	const char *text; /* why, one line; "" when there is nothing to add */
	struct operator op;
	struct artifact artifact;
	struct correctness *correct;   /* NULL: not looked at */
	uint64_t n_launches, n_copies; /* of one call; 0 on the CPU */
	double host_ns;                /* inside the entry, in that call; 0 on the CPU */
	bool has_time, has_effect;
	double time_ns; /* mean over the placements of the trimmed mean, first case */
	double effect_pct, lower_pct,
		upper_pct;           /* time of A is so many per cent above this side's: above 0 is faster */
	struct paired_result paired; /* has_effect */
};
struct compare {
	enum verdict verdict; /* B's; A's when A is wrong */
	const char *text;
	struct compare_outcome *sides; /* n_sides, same order */
	size_t n_sides, n_placements;
	enum timing_source source;
	double resolution_pct; /* half width that the plan's last look would have, first candidate; NaN when unknown */
	struct lab_device device;
	struct json *record;   /* assay/compare-v1 (docs/FORMATS.md) */
	char id[STORE_ID_MAX]; /* of the record in the store */
};

/* The sides' operators and the device, as compare_run would take them; nothing is started, built or leased. */
MUST_USE bool compare_read(struct compare *out, struct arena *a, const struct compare_options *o, struct err *e);
/* ERR_USAGE: sides whose parameters differ, or that need different devices. */
MUST_USE bool compare_run(struct compare *out, struct arena *a, const struct compare_options *o, struct err *e);

#endif
