/* What the files of the sandbox share. */
#ifndef ASSAY_RUN_SANDBOX_INSIDE_H
#define ASSAY_RUN_SANDBOX_INSIDE_H

#include "run/sandbox_filter.h"

struct sandbox {
	struct arena arena;
	struct sandbox_plan plan;
	struct sandbox_path *paths; /* the plan's and our own; copies */
	size_t n_paths;
	struct sandbox_filter start;
	struct sandbox_report *report; /* shared with the child until it execs */
	int seal_fd;
	int64_t n_filters; /* of this process; -1: this kernel does not say */
	char uid_map[40], gid_map[40];
	bool proc_is_guarded; /* set in the child: nothing below /proc that belongs to the machine can be written */
};

/* What /proc/PID/status says; -1 where a line is absent. */
struct sandbox_seen {
	int64_t no_new_privs, n_filters;
	uint64_t capabilities; /* effective, permitted and bounding together */
};
bool sandbox_look(int pid, struct sandbox_seen *out);
void sandbox_contradict(struct sandbox *s, enum sandbox_layer_id id, enum sandbox_state state, const char *reason);

#endif
