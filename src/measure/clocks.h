/* The two clocks of a call on a GPU, and which of them is its time. Both are read in the candidate's process; what one of them
 * misses shows in the other. A pure function. */
#ifndef ASSAY_MEASURE_CLOCKS_H
#define ASSAY_MEASURE_CLOCKS_H

#include <stdbool.h>

struct clocks {          /* medians of calls that began cold; ns, NaN or 0: not measured */
	double span_ns;  /* first start to last end of CUPTI's records */
	double busy_ns;  /* union of the records */
	double event_ns; /* event pair on the caller's stream, in a process without CUPTI; the empty pair is off */
	bool is_single;  /* one kernel, no copy */
	bool is_held;    /* the queue was held until the entry had returned: the host's time is not in the events */
};
enum clocks_word {
	CLOCKS_NONE,    /* neither was measured */
	CLOCKS_RECORDS, /* one kernel: its record */
	CLOCKS_EVENTS,  /* several activities, or no records: the events */
	CLOCKS_UNORDERED, /* the records, since the device worked where the events do not reach: before the first, behind the last */
	CLOCKS_UNRECORDED /* the events, since the device worked where there is no record */
};
enum clocks_word clocks_choose(const struct clocks *c);

#endif
