/* The door of probe.so: the same worker loop, device and record code as the native worker's, around an entry that lives in
 * an interpreter. The interpreter hands in functions (ctypes); C asks it to load, to make tensors once a slot, and to call.
 * Time, caches, hold, delays and records stay on this side; nothing of Python runs between the two clock readings but the
 * entry and the few hundred ns of the callback itself. */
#ifndef ASSAY_PROBE_GUEST_H
#define ASSAY_PROBE_GUEST_H

#include <stddef.h>
#include <stdint.h>

/* Each returns 0, or another value when it could not: then `why` is asked at once. */
struct probe_guest {
	int (*load)(const char *module, const char *entry, int is_gpu);
	/* A slot was mapped: one address a tensor, in the order of the layout; case number i_case. */
	int (*map)(uint64_t i_case, uint64_t slot, const uint64_t *addresses, uint64_t n);
	int (*call)(uint64_t slot);   /* the entry, nothing else: this is timed */
	int (*finish)(uint64_t slot); /* not timed: what the entry returned goes into the slot's outputs */
	/* Copies a word of the verdict table ("" : not the candidate's fault) and a line, NUL-terminated and cut. */
	void (*why)(char *word, uint64_t word_bytes, char *text, uint64_t text_bytes);
};

/* The worker's process loop (probe_main), until the parent says BYE; job as there. Returns the exit status. */
__attribute__((visibility("default"))) int assay_probe_serve(int link_fd, int seal_fd, const char *job,
							     const struct probe_guest *guest);

#endif
