/* What the operator file declares of a parameter beyond its cases. */
#ifndef ASSAY_OPERATOR_RANGE_H
#define ASSAY_OPERATOR_RANGE_H

#include "base/str.h"

struct param_range {                   /* "range": every size in it must work */
	int64_t min, max, multiple_of; /* max INT64_MAX: none is named */
};

#endif
