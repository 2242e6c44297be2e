/* A kernel in Python made ready for a lab: its interpreter, its worker's files, and the data of its setup(). Another module
 * may supply the data (v0 of a loop): then the kernel's own setup() must give the same kind of data. A native kernel whose
 * data another module supplies has its parameters in the order of what that setup() gives. */
#ifndef ASSAY_MEASURE_WORKLOAD_H
#define ASSAY_MEASURE_WORKLOAD_H

#include "facts/verdict.h"
#include "operator/operator.h"

struct guest;
struct described;
struct workload_options {
	const struct operator_input *input;
	const char *python; /* NULL: python3 on the PATH */
	const char *setup;  /* module whose setup() supplies the data; NULL: the kernel's own */
	const struct workload
		*first;     /* has the same setup(), cases and interpreter: it runs once, for both. NULL: none */
	const char *folder; /* scratch */
	const char *gpu;    /* UUID; NULL: CPU */
	int64_t timeout_ns;
	/* Called when the interpreter is known and the files of the worker are there, before setup() runs: what may be started
	 * while it does. NULL: nothing. */
	bool (*ahead)(void *ctx, struct guest *guest, struct err *e);
	void *ctx;
};
struct workload {
	struct guest *guest;             /* NULL: a native kernel, whose data alone comes from here */
	const struct guest *interpreter; /* the same, of a native kernel too: who runs the setup() */
	struct described *data;          /* NULL: our generator supplies it */
	bool shares_data;                /* it is another one's, which closes it */
	struct described *own;           /* of the kernel's own setup() beside it; NULL: none */
	struct arena *arena;
	enum verdict verdict; /* VERDICT_PASSED, or what is wrong with the kernel or its setup() */
	const char *text;
};
/* Completes the parameters of an operator with setup(). False with err: assay's trouble, a missing interpreter or
 * package. */
MUST_USE bool workload_open(struct workload *out, struct arena *a, struct operator* op,
			    const struct workload_options *o, struct err *e);
/* In halves with the same options: setups of several run at once. workload_close must follow a begin, also one that failed. */
MUST_USE bool workload_begin(struct workload *out, struct arena *a, const struct operator* op,
			     const struct workload_options *o, struct err *e);
MUST_USE bool workload_end(struct workload *out, struct arena *a, struct operator* op, const struct workload_options *o,
			   struct err *e);
void workload_close(struct workload *w); /* all zero is fine */
/* Memory files of the data, [i_case * LAB_SEEDS + i_seed], and one digest a case; NULL: none. */
const int *workload_files(const struct workload *w);
const char *const *workload_digests(const struct workload *w);

#endif
