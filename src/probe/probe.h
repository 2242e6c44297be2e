/* The worker's side: one process that loads one candidate and calls it as the parent says. Knows no store, no answers.
 * What it measures is a claim: candidate code shares its memory (DESIGN.md, Trust). */
#ifndef ASSAY_PROBE_PROBE_H
#define ASSAY_PROBE_PROBE_H

#include "gpu/space.h"
#include "probe/entry.h"
#include "probe/record.h"
#include "wire/link.h"

#define PROBE_MAX_SLOTS 64

enum probe_mode {
	PROBE_PLAIN,    /* no tool: reference runs, wall times */
	PROBE_IDENTITY, /* CUPTI with API calls and synchronisation: what ran; then reduced to PROBE_TIME's kinds */
	PROBE_TIME,     /* CUPTI: kernels, copies, memsets */
	PROBE_EVENT,    /* event pairs around a held queue, no CUPTI */
	PROBE_TOOL,     /* another tool owns the process: private memory, profiler start and stop around one call */
	PROBE_COUNT,    /* CPU: perf_event counters around the calls */
	PROBE_SANITIZE, /* as PROBE_TOOL; each tensor in memory of its own that ends where it ends, outputs never written */
};
struct hold;
struct probe_guest;
struct probe {
	struct link link;
	int seal_fd;
	enum probe_mode mode;
	bool returns_int;
	struct space *space;
	struct entry *entry;
	const struct probe_guest *guest; /* an interpreter's entry in place of ours; NULL: native */
	size_t n_guest_calls;
	struct wire_tensor tensors[ENTRY_MAX_ARGS];
	size_t n_tensors, region_bytes, i_case;
	struct space_region slots[PROBE_MAX_SLOTS];
	/* what in-out tensors held when the slot was mapped, one after the other; restored before each call */
	struct space_region pristine[PROBE_MAX_SLOTS];
	struct space_region apart[ENTRY_MAX_ARGS]; /* PROBE_SANITIZE: what the entry gets in place of slot 0 */
	struct recorder *recorder;                 /* modes with CUPTI; NULL otherwise */
	struct space_region flush;                 /* eviction buffer */
	size_t flush_bytes;
	struct hold *hold;             /* GPU: NULL where the driver has no wait on values */
	void *event_start, *event_end; /* GPU */
	struct twin_flush *clock;      /* GPU: mapped host memory that the flush kernel writes */
	gpu_ptr clock_device;
	struct perf *perf; /* PROBE_COUNT */
};

/* What stopped a batch: a word of the verdict table and a line for people. */
struct probe_fault {
	const char *word; /* "" : assay's own trouble */
	char text[512];
};

/* The process: reads messages from link_fd until BYE or the end. job (a file of messages) replaces the link. Returns the
 * exit status. */
int probe_main(int link_fd, int seal_fd, const char *job);
/* What the guest says about its last failure. Always false. */
bool probe_guest_fault(const struct probe *p, struct probe_fault *fault);
/* The entry on a slot: what is timed. What an int entry returned; a guest: not 0 when it failed. */
int probe_call_entry(struct probe *p, size_t slot, void *const *addresses);
/* False with `fault` when the call just made counts as failed. */
bool probe_call_good(const struct probe *p, int result, struct probe_fault *fault);

/* One call on the CPU / on the GPU; fills the row but for call, placement, block, side. False with `fault` set. */
MUST_USE bool probe_call_host(struct probe *p, const struct wire_calls *calls, struct wire_row *row,
			      struct probe_fault *fault);
/* begin (may be NULL) gets CUPTI's clock when everything of ours is over and the call is next. */
MUST_USE bool probe_call_device(struct probe *p, const struct wire_calls *calls, struct wire_row *row,
				struct probe_fault *fault, uint64_t *begin);
/* All calls of a sealed batch, one wait for the device at the end. */
MUST_USE bool probe_sealed_device(struct probe *p, const struct wire_calls *calls, struct probe_fault *fault);
/* Buffers, events and the hold of a GPU worker; the candidate is not loaded yet. */
MUST_USE bool probe_device_open(struct probe *p, struct err *e);
/* Cost of an empty event pair around a held queue and of an empty launch, as compact JSON. */
MUST_USE bool probe_calibrate(struct probe *p, size_t n, struct buf *json, struct err *e);
/* Waits phase_ns without giving the CPU away. */
void probe_delay(int64_t phase_ns);
/* Restores in-out tensors of the slot and, with WIRE_CALL_POISON, poisons its outputs. */
MUST_USE bool probe_prepare(struct probe *p, const struct wire_calls *calls, size_t slot, struct probe_fault *fault);
/* "" and the text of e: assay's own trouble, not the candidate's. Always false. */
bool probe_trouble(struct probe_fault *fault, const struct err *e);
/* Keeps what in-out tensors of the slot hold now. */
MUST_USE bool probe_keep_pristine(struct probe *p, size_t slot, struct err *e);
bool probe_has_tool(const struct probe *p);                                  /* another one owns the process */
uint64_t probe_address(const struct probe *p, size_t slot, size_t i_tensor); /* as the entry gets it */
void probe_addresses(const struct probe *p, size_t slot, void **addresses);

#endif
