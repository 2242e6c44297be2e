/* How far a measured time is from the device's limits: roofline position, share of the binding ceiling, physical floor
 * (stats/ceiling.h), with where each number comes from. */
#ifndef ASSAY_MEASURE_LIMITS_H
#define ASSAY_MEASURE_LIMITS_H

#include "measure/ceilings.h"

struct limits_in {
	const struct operator* op;
	size_t i_case;
	const struct ceilings *ceilings;
	const struct json *device_facts;
	double time_ns;
	uint64_t l2_bytes; /* as the worker says; used where no ceiling was measured */
	bool is_cold;
};
/* {"roofline", "peaks", "floor", ...}; null object where neither bytes nor operations are known. *is_impossible: declared
 * bytes, cold, and less time than the memory's pins take. */
struct json *limits_json(struct arena *a, const struct limits_in *in, bool *is_impossible);

#endif
