/* --dry-run: what a verb would do, in its order, with its budgets; nothing is started, built, leased or written. Errors of
 * what is asked for are those of the real call. */
#ifndef ASSAY_VERB_DRY_RUN_H
#define ASSAY_VERB_DRY_RUN_H

#include "measure/bench.h"
#include "verb/verb.h"

#define DRY_RUN_ROW(T, field)                                                                                          \
	{                                                                                                              \
		.name = "dry-run", .type = OPT_FLAG, .offset = offsetof(T, field),                                     \
		.help = "Say what would be done; nothing is started or written."                                       \
	}

struct dry_run {
	struct verb_call *call;
	struct json *doc, *facts, *steps, *writes; /* format assay/plan-v1 (docs/FORMATS.md) */
	double seconds;                            /* of the steps that have a budget */
};

void dry_begin(struct dry_run *d, struct verb_call *call, const char *verb);
void dry_fact(struct dry_run *d, const char *name, const char *text);
/* seconds: at most, by its budget; NaN: it has none. */
void dry_step(struct dry_run *d, const char *name, double seconds, const char *text);
void dry_write(struct dry_run *d, const char *path, const char *what);
/* The document or its text into the call's output. */
void dry_end(struct dry_run *d, const struct verb_common *common);

/* Facts on kernel, reference, cases; then device and lease. */
void dry_operator(struct dry_run *d, const char *label, const struct operator* op);
void dry_device(struct dry_run *d, const struct lab_device *x);
/* The compiler's command, or that none is needed. flags, arch, nvcc, backend as in `b`. */
MUST_USE bool dry_build(struct dry_run *d, const char *name, const struct operator* op, const struct lab_device *x,
			const struct bench_options *b, struct err *e);
/* A bench from its lease to its record. */
void dry_bench(struct dry_run *d, const struct operator* op, const struct lab_device *x, const struct bench_options *b);
void dry_correctness(struct dry_run *d, const struct operator* op);
void dry_lease(struct dry_run *d, const struct lab_device *x, double wait_s);
void dry_record(struct dry_run *d, const char *store);
/* dry_problem.c: --problem in place of all of that, which the import would find out; the whole of the plan but its end. */
struct candidate_options;
MUST_USE bool dry_problem(struct dry_run *d, const struct candidate_options *c, const struct opt_list *solutions,
			  struct err *e);
/* dry_loop.c: one call of optimize. ERR_BUSY: another process works in the run. */
struct loop_options;
MUST_USE bool dry_loop(struct dry_run *d, const struct loop_options *o, struct err *e);

#endif
