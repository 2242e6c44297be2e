/* Whose data (RULES R1.5): setup(**dims) of a Python module run in a process of its own. It gives the operator's parameters
 * and, in memory files laid out like a region, the values for every case and data set. The keeper owns them from then on. */
#ifndef ASSAY_RUN_DESCRIBE_H
#define ASSAY_RUN_DESCRIBE_H

#include "run/guest.h"

#define DESCRIBE_SEEDS 2 /* data sets of a case: LAB_SEEDS */

struct describe_options {
	const struct guest *guest; /* interpreter; guest_identify is enough */
	const char *module;        /* whose setup() is run */
	const char *folder;        /* private scratch */
	const char *gpu;           /* UUID, NULL: CPU */
	int64_t timeout_ns;
	bool calls_entry; /* where setup() names no outputs: once, to learn what it returns */
};
struct described {
	const char *word, *text; /* word NULL: fine; else a verdict word ("" : the environment's fault) and a line */
	struct json *cases;      /* params and value ranges of each */
	int *files;              /* [i_case * DESCRIBE_SEEDS + i_seed] */
	const char **digests;    /* of each case's files */
	size_t n_cases;
	struct guest_running *running; /* NULL: not begun, or ended */
};
/* With `op` resolved up to its dims: starts the process, so that another one can run beside it. Release it in every case. */
MUST_USE bool describe_begin(struct described *out, struct arena *a, const struct operator* op,
			     const struct describe_options *o, struct err *e);
/* What it gave; must follow a describe_begin that succeeded. */
MUST_USE bool describe_end(struct described *out, struct arena *a, struct err *e);
void described_release(struct described *d);
/* Puts the parameters, shapes and scalars into the operator; tolerances of parameters of the same name stay. ERR_INPUT when
 * the cases do not agree on the parameters. */
MUST_USE bool described_apply(const struct described *d, struct arena *a, struct operator* op, struct err *e);
/* The parameters alone, of a description's "params". A native entry gets them in this order: ERR_INPUT with the line of the
 * parameter that takes something else. */
MUST_USE bool described_bind(const struct json *params, struct arena *a, struct operator* op, struct err *e);
/* What two setups differ in, as one line; NULL: names, shapes, dtypes, scalars and value ranges agree. */
const char *described_differ(const struct described *x, const struct described *y, struct arena *a);

#endif
