/* One kernel in a set of configurations: everything is named, then built, then benched one after the other, then ranked. */
#ifndef ASSAY_MEASURE_CONFIGS_H
#define ASSAY_MEASURE_CONFIGS_H

#include "measure/bench.h"
#include "operator/config_set.h"

struct configs_tried {
	const struct config *config;
	struct artifact artifact;
	struct bench *bench;  /* NULL: not benched: it did not build, or the set was cut short before */
	struct bench *second; /* a bench after the choice, which gave the figure; NULL: none */
	enum verdict verdict; /* of the first bench, or what the compiler said */
	const char *text;
	double rank_ns, rank_mean_ns; /* by ranking_source; NaN: it has none, or did not pass */
};
struct configs {
	struct arena *arena;
	struct bench_options bench; /* as for one kernel; its flags stand before the switches of a configuration */
	struct config_set set;
	struct operator op;
	struct lab_device device;
	struct json *plan; /* assay/configs-plan-v1 */
	char plan_id[STORE_ID_MAX];
	struct configs_tried *tried;            /* set.n */
	size_t *order, n_ranked;                /* those that passed and have a time, lowest median first */
	size_t i_untimed;                       /* the first that passed where none has a time; set.n: there is none */
	const char *ranking_source;             /* the clock that all of these have; NULL: none passed */
	const struct configs_tried *stopped_by; /* its verdict is the machine's or the user's: the rest was not tried */
	const char *stopped;                    /* the error that cut it short; NULL: none did */
};

/* Reads set and operator; nothing is built. ERR_UNSUPPORTED: the kernel is not compiled. */
MUST_USE bool configs_open(struct configs *out, struct arena *a, const char *set, const struct bench_options *b,
			   struct err *e);
MUST_USE bool configs_plan(struct configs *c, struct err *e); /* stored before the first compile */
/* All compilers are done before anything is measured, under one lease. False: what was measured until then is there. */
MUST_USE bool configs_run(struct configs *c, struct err *e);
/* "-O3 -DTILE=8" */
const char *configs_flags(const struct configs *c, size_t i);
/* assay/configs-v1 (docs/FORMATS.md). */
struct json *configs_json(const struct configs *c);
MUST_USE bool configs_store(const struct configs *c, const struct json *doc, char id[STORE_ID_MAX], struct err *e);

#endif
