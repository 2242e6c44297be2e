/* One call of a driver: started in its own session, watched, ended with everything that it started. */
#ifndef ASSAY_PROTOCOL_DRIVER_CALL_H
#define ASSAY_PROTOCOL_DRIVER_CALL_H

#include "protocol/evidence.h"

#define CALL_KEEP ((size_t)32 << 10) /* bytes kept of the beginning and of the end of each stream */

struct call_stream {
	struct buf head, tail; /* tail: a ring while it is read, in order afterwards */
	uint64_t n_total;
};
/* Helpers of ours that go on. */
struct call_keep {
	const int *pids;
	size_t n;
};
struct call_options {
	const struct json *driver; /* the frozen record */
	const char **wrapper;      /* words before its command, NULL-terminated; NULL: none */
	const char *request;       /* path of the request document */
	const char *folder;        /* working folder */
	const struct json *gpu_uuids;
	const char *token;    /* ASSAY_CALL in its environment: what is left of it is found by this */
	int64_t start_ns;     /* of the operation: elapsed counts from here */
	int64_t deadlines[4]; /* operation, command, absolute, budget; monotonic, 0: none */
	int64_t cleanup_ns;   /* how long the end may take */
	/* Looked at every 20 ms: a stop reason ends the call; NULL lets it run. */
	const char *(*should_stop)(void *ctx);
	void *ctx;
	struct call_keep keep; /* helpers of ours that outlive the call */
};
struct call_result {
	const char *status; /* completed, failed, timed_out, cancelled */
	const char *
		stop_reason; /* completed, command_failed, command_timeout, operation_timeout, absolute_deadline, ... */
	bool has_returncode;
	int returncode; /* -N: ended by signal N, as Python counts */
	bool is_clean;  /* nothing of it runs any more */
	double elapsed_s, driver_s;
	struct call_stream out, err;
};
/* Makes this process the one that orphans below it come to: call_run needs it. */
void call_adopt_orphans(void);
/* False only when the driver could not be started; then nothing runs. Release the result in every case. */
MUST_USE bool call_run(struct call_result *out, struct protocol *p, const struct call_options *o, struct err *e);
void call_release(struct call_result *r);
/* {status, stop_reason, returncode, elapsed_seconds, cleanup_status, stdout, stderr, ...} */
struct json *call_json(struct arena *a, const struct call_result *r);
/* Ends every process below this one that is not in `keep` (NULL: none), and every one whose environment holds ASSAY_CALL=token (NULL: only those below); true
 * when none is left within patience_ns. */
bool call_end_all(const char *token, const struct call_keep *keep, int64_t patience_ns);
/* Only those with the token: what an execution whose own processes all died has left. */
bool call_end_marked(const char *token, int64_t patience_ns);

#endif
