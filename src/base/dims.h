/* Dimensions as named on the command line: --M=4096. */
#ifndef ASSAY_BASE_DIMS_H
#define ASSAY_BASE_DIMS_H

#include "base/attr.h"

struct opt_dim {
	const char *name;
	int64_t value;
};
struct opt_dims { /* --NAME=VALUE of rows with has_dims: a name that is no option and starts with a letter */
	struct opt_dim *items;
	size_t n;
};

#endif
