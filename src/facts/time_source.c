/* Names of time sources.
 * In: a source. Out: its word in records.
 * The words are part of the formats.
 * Never: converts between sources. */
#include "facts/time_source.h"

const char *timing_source_name(enum timing_source s)
{
	static const char *const names[] = {"host_clock", "device_record", "event_pair"};
	return names[s];
}
