/* One series of samples of a bench. */
#ifndef ASSAY_MEASURE_SERIES_H
#define ASSAY_MEASURE_SERIES_H

#include "measure/timing.h"

struct series {
	struct timing t;
	bool is_there;
};

#endif
