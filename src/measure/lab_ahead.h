/* A lab whose workers start before the operator is complete: while a setup() runs, the interpreters of its candidate import. */
#ifndef ASSAY_MEASURE_LAB_AHEAD_H
#define ASSAY_MEASURE_LAB_AHEAD_H

#include "measure/lab.h"

/* lab_open in parts: a lab without its keeper, in which workers can be started ahead; the keeper; the data, once they are known. */
struct lab *lab_new(struct arena *a, const struct operator* op, const struct lab_device *d,
		    const struct lab_options *o);
MUST_USE bool lab_keep(struct lab *l, struct err *e);
void lab_use_data(struct lab *l, const int *files, const char *const *digests);
/* lab_start in two halves: the process starts and imports, and touches no device before it is set
 * up. lab_greet waits until its imports are done. */
MUST_USE struct lab_worker *lab_start_ahead(struct lab *l, const struct lab_subject *s, const char *mode,
					    struct err *e);
MUST_USE bool lab_set_up(struct lab *l, struct lab_worker *w, struct err *e);
void lab_greet(struct lab_worker *w);

#endif
