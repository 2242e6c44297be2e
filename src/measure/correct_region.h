/* Looking at regions that are no slots. */
#ifndef ASSAY_MEASURE_CORRECT_REGION_H
#define ASSAY_MEASURE_CORRECT_REGION_H

#include "measure/correct.h"

struct correct_region { /* a capture, another placement */
	size_t i_case, region;
	size_t set; /* LAB_FRESH: no answer is known; guards, and whether anything was written */
	const char *what;
	const struct layout *layout; /* NULL: the lab's */
};
/* As correct_look. */
MUST_USE bool correct_look_at(struct correctness *out, const struct correct_bench *b, const struct correct_region *at,
			      struct err *e);
/* What an output of the operator is compared with. */
void correct_tolerance(const struct reference *r, const struct param *p, double *atol, double *rtol);

#endif
