/* The two clocks of a call on a GPU.
 * In: a time by records, a time by events. Out: which of them is the call's.
 * Events are taken on the caller's stream and around whatever runs there; records miss nothing that CUPTI is let see.
 * Never: takes the smaller one because it is smaller. */
#include "measure/clocks.h"

#include <math.h>

/* Events begin before the first activity and end behind the last: 1.0 to 1.9 us more than the record of one kernel were seen
 * on an H200 under a hold, and never less. Work outside them is taken for certain where it is a fifth and two microseconds. */
static const double ORDERED_SHARE = 0.8, ORDERED_NS = 2000;
/* Held, the events hold the device's work and some microseconds. Not held, they also hold the host's, which may be any time on
 * a busy machine: then they say nothing about the records. */
static const double HELD_TIMES = 1.5, HELD_NS = 10000;

static bool is_time(double ns)
{
	return isfinite(ns) && ns > 0;
}

enum clocks_word clocks_choose(const struct clocks *c)
{
	bool has_records = is_time(c->span_ns), has_events = is_time(c->event_ns);
	if (!has_records || !has_events)
		return has_records ? CLOCKS_RECORDS : has_events ? CLOCKS_EVENTS : CLOCKS_NONE;
	if (c->event_ns < ORDERED_SHARE * c->busy_ns - ORDERED_NS)
		return CLOCKS_UNORDERED;
	if (c->is_single && c->is_held && c->event_ns > HELD_TIMES * c->span_ns + HELD_NS)
		return CLOCKS_UNRECORDED;
	return c->is_single ? CLOCKS_RECORDS : CLOCKS_EVENTS;
}
