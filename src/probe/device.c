/* Calls on the GPU. Before: restore, poison, persisting lines reset, evict by reading, wait, delay, hold, start event.
 * In: a slot and how to call. Out: event time, host time, SM clock; device records come from record.c afterwards.
 * After: end event, release, wait. The device is idle before and after.
 * Never: launches anything of ours between the start event and the end event. */
#include "probe/probe.h"

#include <math.h>

#include "base/clock.h"
#include "probe/guest.h"
#include "probe/hold.h"

static const struct gpu_driver *driver_of(const struct probe *p)
{
	return space_context(p->space)->gpu;
}

static bool fault_of(const struct gpu_driver *gpu, int rc, const char *what, struct probe_fault *fault)
{
	struct err e = {ERR_NONE, ""};
	if (gpu_check(gpu, rc, what, &e))
		return true;
	fault->word = rc == GPU_OUT_OF_MEMORY ? "out_of_device_memory" : "cuda_error";
	snprintf(fault->text, sizeof(fault->text), "%.500s", e.text);
	return false;
}

bool probe_device_open(struct probe *p, struct err *e)
{
	const struct gpu_driver *gpu = driver_of(p);
	struct gpu_facts facts;
	if (!gpu_facts(&facts, gpu, space_context(p->space)->ordinal, e))
		return false;
	if (p->flush_bytes == 0)
		p->flush_bytes = 2 * (size_t)(facts.l2_bytes > 0 ? facts.l2_bytes : 64 << 20);
	p->flush_bytes = (p->flush_bytes + 65535) & ~(size_t)65535;
	struct gpu_page clock;
	if (!space_alloc(p->space, &p->flush, p->flush_bytes, e) ||
	    !space_poison(p->space, p->flush.base, p->flush_bytes, 0, e) || !gpu_page_open(&clock, gpu, e) ||
	    !gpu_check(gpu, gpu->event_create(&p->event_start, GPU_EVENT_DEFAULT), "making an event", e) ||
	    !gpu_check(gpu, gpu->event_create(&p->event_end, GPU_EVENT_DEFAULT), "making an event", e))
		return false;
	p->clock = clock.p;
	p->clock_device = clock.device;
	struct err no_hold;
	if (!probe_has_tool(p))
		p->hold = hold_open(gpu,
				    &no_hold); /* without it rows carry no hold: the parent reads that in the facts */
	return true;
}

static bool evict(struct probe *p, struct probe_fault *fault)
{
	const struct gpu_driver *gpu = driver_of(p);
	struct err e = {ERR_NONE, ""};
	struct twin_flush_args args = {.p = p->flush.base, .bytes = p->flush_bytes, .clock = p->clock_device};
	if (gpu->ctx_reset_l2)
		gpu->ctx_reset_l2(); /* refused on GPUs without persisting lines: nothing to reset there */
	return gpu_flush(space_kernels(p->space), &args, NULL, &e) || probe_trouble(fault, &e);
}

static double clock_mhz(const struct probe *p)
{
	const volatile struct twin_flush *c = p->clock;
	uint64_t ns = c->ns_end - c->ns_start, cycles = c->cycles_end - c->cycles_start;
	return ns ? 1000.0 * (double)cycles / (double)ns : NAN;
}

/* The context must be the one that the worker made, alive and holding our memory. Slots outlive a reset of the device and
 * the handle stays the same (seen on an H200); the eviction buffer does not. */
static bool context_is_ours(const struct probe *p, size_t slot, struct probe_fault *fault)
{
	const struct gpu_context *c = space_context(p->space);
	void *now = NULL;
	unsigned flags = 0;
	int active = 0;
	uint64_t start = 0, flush = 0;
	if (c->gpu->ctx_get(&now) == GPU_OK && now == c->ctx &&
	    c->gpu->ctx_state(c->device, &flags, &active) == GPU_OK && active &&
	    c->gpu->pointer_attribute(&start, GPU_PTR_RANGE_START, p->slots[slot].base) == GPU_OK && start &&
	    c->gpu->pointer_attribute(&flush, GPU_PTR_RANGE_START, p->flush.base) == GPU_OK && flush)
		return true;
	fault->word = "context_destroyed";
	snprintf(fault->text, sizeof(fault->text),
		 "after the call the CUDA context is not the one the call was given (cudaDeviceReset or the like)");
	return false;
}

static bool before_call(struct probe *p, const struct wire_calls *calls, struct wire_row *row,
			struct probe_fault *fault)
{
	if (!probe_prepare(p, calls, (size_t)row->slot, fault) ||
	    ((calls->flags & WIRE_CALL_COLD) && !evict(p, fault)) ||
	    !fault_of(driver_of(p), driver_of(p)->ctx_sync(), "before the call", fault))
		return false;
	row->clock_mhz = calls->flags & WIRE_CALL_COLD ? clock_mhz(p) : NAN;
	probe_delay(row->phase_ns);
	return true;
}

bool probe_call_device(struct probe *p, const struct wire_calls *calls, struct wire_row *row, struct probe_fault *fault,
		       uint64_t *begin_record)
{
	const struct gpu_driver *gpu = driver_of(p);
	void *addresses[ENTRY_MAX_ARGS];
	probe_addresses(p, (size_t)row->slot, addresses);
	if (!before_call(p, calls, row, fault))
		return false;
	if (begin_record)
		*begin_record = recorder_now(p->recorder);
	bool profile = row->call + 1 == calls->first_call + calls->n && (calls->flags & WIRE_CALL_PROFILE) &&
		       gpu->profiler_start && gpu->profiler_stop;
	if (profile)
		gpu->profiler_start();
	bool held = p->hold && (calls->flags & WIRE_CALL_HOLD) && hold_arm(p->hold, GPU_STREAM_LEGACY);
	bool timed = gpu->event_record(p->event_start, GPU_STREAM_LEGACY) == GPU_OK;
	int64_t begin = clock_ns();
	int result = probe_call_entry(p, (size_t)row->slot, addresses);
	int64_t end = clock_ns();
	timed = timed && gpu->event_record(p->event_end, GPU_STREAM_LEGACY) == GPU_OK;
	if (held && hold_release(p->hold))
		row->marks |= WIRE_MARK_RELEASED;
	int rc = gpu->ctx_sync();
	row->wall_ns = (double)(clock_ns() - begin);
	row->host_ns = (double)(end - begin);
	if (profile)
		gpu->profiler_stop();
	if (!context_is_ours(p, (size_t)row->slot, fault) || !fault_of(gpu, rc, "the call", fault))
		return false;
	float ms = 0;
	timed = timed && gpu->event_elapsed(&ms, p->event_start, p->event_end) == GPU_OK;
	row->event_ns = timed ? (double)ms * 1e6 : NAN;
	row->span_ns = row->busy_ns = row->kernel_sum_ns = NAN;
	return probe_call_good(p, result, fault);
}

bool probe_sealed_device(struct probe *p, const struct wire_calls *calls, struct probe_fault *fault)
{
	const struct gpu_driver *gpu = driver_of(p);
	for (size_t i = 0; i < calls->n; i++) {
		void *addresses[ENTRY_MAX_ARGS];
		size_t slot = (size_t)((calls->first_slot + i) % calls->n_slots);
		probe_addresses(p, slot, addresses);
		if (!probe_call_good(p, probe_call_entry(p, slot, addresses), fault))
			return false;
		if (p->guest && p->guest->finish(slot) != 0)
			return probe_guest_fault(p, fault);
	}
	int rc = gpu->ctx_sync();
	return context_is_ours(p, (size_t)calls->first_slot, fault) && fault_of(gpu, rc, "a batch of calls", fault);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

bool probe_calibrate(struct probe *p, size_t n, struct buf *json, struct err *e)
{
	const struct gpu_driver *gpu = driver_of(p);
	double pair[256] = {0};
	size_t n_held = 0;
	if (n > COUNT_OF(pair))
		n = COUNT_OF(pair);
	for (size_t i = 0; i < n; i++) {
		float ms = 0;
		bool held = p->hold && hold_arm(p->hold, GPU_STREAM_LEGACY);
		int rc = gpu->event_record(p->event_start, GPU_STREAM_LEGACY);
		if (rc == GPU_OK)
			rc = gpu->event_record(p->event_end, GPU_STREAM_LEGACY);
		n_held += held;
		if (held)
			hold_release(p->hold);
		if (!gpu_check(gpu, rc, "an empty event pair", e) || !space_sync(p->space, e) ||
		    !gpu_check(gpu, gpu->event_elapsed(&ms, p->event_start, p->event_end), "an empty event pair", e))
			return false;
		pair[i] = (double)ms * 1e6;
	}
	qsort(pair, n, sizeof(*pair), by_value);
	/* Without a hold the host lies between the two events, and a busy host would take off more than a call has. */
	bool has_hold = n_held > n / 2;
	size_t i = has_hold ? n / 2 : n / 4;
	buf_printf(json, "\"empty_pair_ns\":%.1f,\"has_hold\":%s", n ? pair[i] : 0.0, has_hold ? "true" : "false");
	return true;
}
