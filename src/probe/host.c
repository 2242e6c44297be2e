/* Calls on the CPU.
 * In: a slot and how to call. Out: the time inside the entry.
 * Cold: a clean buffer of twice the last-level cache is read before the call, so that nothing dirty is charged to it.
 * Never: measures anything but the call itself. */
#include "probe/probe.h"

#include <math.h>

#include "base/clock.h"
#include "probe/perf.h"

static void evict(const struct probe *p)
{
	const volatile uint64_t *at = (const volatile uint64_t *)(uintptr_t)p->flush.base;
	for (size_t i = 0; i < p->flush_bytes / 8; i += 8) /* one load a cache line */
		(void)at[i];
}

bool probe_call_host(struct probe *p, const struct wire_calls *calls, struct wire_row *row, struct probe_fault *fault)
{
	void *addresses[ENTRY_MAX_ARGS];
	probe_addresses(p, (size_t)row->slot, addresses);
	if (!probe_prepare(p, calls, (size_t)row->slot, fault))
		return false;
	if (calls->flags & WIRE_CALL_COLD)
		evict(p);
	probe_delay(row->phase_ns);
	bool counted = p->perf && !(calls->flags & WIRE_CALL_WARMUP);
	if (counted)
		perf_start(p->perf);
	int64_t begin = clock_ns();
	int result = probe_call_entry(p, (size_t)row->slot, addresses);
	int64_t end = clock_ns();
	if (counted)
		perf_stop(p->perf);
	row->span_ns = row->busy_ns = row->kernel_sum_ns = row->host_ns = row->wall_ns = (double)(end - begin);
	row->clock_mhz = row->event_ns = NAN;
	return probe_call_good(p, result, fault);
}
