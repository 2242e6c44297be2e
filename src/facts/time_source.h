/* Which clock a time came from. Numbers of different sources are never compared. */
#ifndef ASSAY_FACTS_TIME_SOURCE_H
#define ASSAY_FACTS_TIME_SOURCE_H

enum timing_source {
	TIMING_HOST,   /* CPU: the host's clock around the entry */
	TIMING_RECORD, /* CUPTI device records: first start to last end */
	TIMING_EVENT   /* event pair around a held queue, less the empty pair */
};
const char *timing_source_name(enum timing_source s); /* "host_clock", "device_record", "event_pair" */

#endif
