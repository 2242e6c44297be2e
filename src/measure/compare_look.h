/* One side of a comparison before anything is timed. */
#ifndef ASSAY_MEASURE_COMPARE_LOOK_H
#define ASSAY_MEASURE_COMPARE_LOOK_H

#include "measure/compare_state.h"
#include "measure/lab.h"

struct compare_look {
	struct lab_subject subject;
	struct lab_worker *worker;
	struct lab_fault fault;
	struct wire_row identity;
};

#endif
