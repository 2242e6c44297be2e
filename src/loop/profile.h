/* The reports of one version (RULES R1.11). */
#ifndef ASSAY_LOOP_PROFILE_H
#define ASSAY_LOOP_PROFILE_H

#include "loop/loop.h"
#include "loop/run.h"

struct profile {
	struct arena *arena;
	const struct loop_options *o;
	size_t i; /* the version */
	const char *folder;
	const struct bench *bench;
	bool is_gpu; /* Nsight Compute, else perf_event counters */
	struct json *
		entry; /* of the manifest: *_report, *_file, *_command, *_reason, *_seconds and machine_code go there */
	bool has_profile; /* out: both reports are there and count */
};
MUST_USE bool profile_collect(struct profile *s, struct err *e);
/* Texts in place of both reports. */
MUST_USE bool profile_skip(struct profile *s, const char *why, struct err *e);

#endif
