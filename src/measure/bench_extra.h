/* A look at a candidate beside the times, by a room above: once its worker has ended, under the same lease, and only for one
 * that passed so far. What it finds goes into the record before that is stored. */
#ifndef ASSAY_MEASURE_BENCH_EXTRA_H
#define ASSAY_MEASURE_BENCH_EXTRA_H

#include "measure/bench.h"
#include "measure/integrity.h"

#define BENCH_EXTRA_CHECKS 8

struct guest;
struct store;
struct bench_extra_input {
	struct arena *arena;
	const struct bench *bench; /* op, device, artifact, inputs */
	const struct guest *guest; /* written in Python; its files are there; NULL: native */
	struct store *store;
	const char *scratch; /* private; removed afterwards */
};
struct bench_extra_result {
	struct json *facts; /* the record's `key`; NULL: nothing was done */
	struct integrity_check checks[BENCH_EXTRA_CHECKS];
	size_t n_checks;
	enum verdict verdict; /* VERDICT_PASSED, or what rejects */
	const char *text;
};
struct bench_extra {
	const char *key; /* in the record */
	bool (*look)(void *ctx, struct bench_extra_result *out, const struct bench_extra_input *in, struct err *e);
	void *ctx;
};

#endif
