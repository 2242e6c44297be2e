/* One run of a command under a profiler: Nsight Compute, Nsight Systems or torch.profiler. The report is kept, what stands
 * against it is named; nothing of the machine is changed. */
#ifndef ASSAY_COLLECT_PROFILE_H
#define ASSAY_COLLECT_PROFILE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

enum profile_tool { PROFILE_NCU, PROFILE_NSYS, PROFILE_TORCH };
enum profile_state {
	PROFILE_COLLECTED,
	PROFILE_EMPTY,        /* a report without a kernel, or none because nothing ran on the GPU */
	PROFILE_PERMISSION,   /* ERR_NVGPUCTRPERM */
	PROFILE_INCOMPATIBLE, /* tool and driver do not fit */
	PROFILE_OTHER_TOOL,   /* another profiler holds the GPU's counters */
	PROFILE_TIMED_OUT,
	PROFILE_COMMAND_FAILED, /* the command failed and left no report */
	PROFILE_TOOL_FAILED,
	PROFILE_STATES
};
const char *profile_state_name(enum profile_state s);
enum profile_flags {
	PROFILE_FULL = 1, /* ncu: --set full; without it and without sections and metrics: the targeted sections */
	PROFILE_FROM_START_OFF = 2, /* only between profiler start and stop, as our runner calls them */
	PROFILE_STACKS = 4,         /* torch: with Python stacks */
	PROFILE_LOCK_CLOCKS = 8,    /* ncu: --clock-control base */
};
struct profile_options {
	enum profile_tool tool;
	const char *path; /* of ncu or nsys; NULL: found (build/tool.h) */
	unsigned flags;
	const char *const *sections, *const *metrics; /* ncu; NULL-terminated or NULL */
	const char *nvtx, *kernel;                    /* range and kernel name that is wanted, or NULL */
	int64_t n_launches, n_skip;                   /* ncu; 0: all, none */
	const char *const *command;                   /* NULL-terminated; [0] as typed */
	const char *const *env;                       /* NULL: this process's, less what hinders the tool */
	const char *const *shown;                     /* lines of env that stand in the recorded command, or NULL */
	const char *folder;                           /* reports and logs go there; made when absent */
	double timeout_s;                             /* 0: none */
};
struct profile_collected {
	enum profile_state state;
	const char *reason;         /* one line, also what an administrator could change; NULL when collected */
	const char *command;        /* shell-quoted, as it ran */
	const char *tool, *version; /* path and what it says of itself; version NULL: torch, or it does not answer */
	const char **reports;       /* paths, the one with most work first; NULL-terminated */
	const char *log;            /* path: what tool and command printed */
	const char **nan_metrics;   /* ncu: metrics that are NaN in every launch, at most 50; NULL-terminated */
	const char *unverified;     /* tool version that the tests do not cover, or NULL */
	int exit_status;            /* of the tool, which is the command's for most; -1: a signal */
	double seconds;
};
/* False only when nothing could be run: the tool is absent (ERR_ENVIRONMENT), the folder cannot be written, interrupted. */
MUST_USE bool profile_run(struct profile_collected *out, struct arena *a, const struct profile_options *o,
			  struct err *e);
/* The command that profile_run would run, shell-quoted; nothing is started or written. NULL: the tool or the program is
 * not there. */
MUST_USE const char *profile_command(struct arena *a, const struct profile_options *o, struct err *e);
/* Turns a report of nsys (.nsys-rep, .qdrep) into an SQLite export, with the nsys that is here. ERR_ENVIRONMENT: there is none, or
 * it cannot (it is older than the report, or the file is none); what to do is said. */
MUST_USE bool profile_export(struct arena *a, const char *nsys, const char *report, const char *database,
			     struct err *e);
struct json *profile_json(const struct profile_collected *p, struct arena *a); /* format assay/profile-v1 */

#endif
