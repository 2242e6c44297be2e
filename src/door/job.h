/* A verb as a job: a child of this process runs it with an options struct that a door has filled. It leads its own
 * session and dies with its parent. */
#ifndef ASSAY_DOOR_JOB_H
#define ASSAY_DOOR_JOB_H

#include "base/err.h"
#include "verb/verb.h"

struct job_options {
	const struct verb *verb;
	void *options; /* filled; --json is switched on */
	const char *command, *program;
	const char *root;    /* absolute: working folder, and where writes are confined to */
	const char *private; /* absolute, below root: store, data, caches and temporary files */
	int out_fd, err_fd;  /* stdout and stderr of the child; unused by job_run_here */
};
/* Starts it; the pid, or -1. From the main thread only. */
MUST_USE int job_start(const struct job_options *o, struct err *e);
/* The same in this process, for a verb that is VERB_QUICK: its exit status; the document in `out`. */
int job_run_here(const struct job_options *o, struct buf *out);
/* {"error": {"code", "text", "exit_status"}, "format": "assay/error-v1"} */
struct json *job_error(struct arena *a, const struct err *e);

#endif
