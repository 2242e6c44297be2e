/* A worker or keeper process as the parent sees it: started, asked, ended. Every byte that it sends is hostile. What it does wrong
 * is data (worker_fault); an err means that assay itself could not go on. Only the main thread starts them, while it is alone. */
#ifndef ASSAY_RUN_WORKER_H
#define ASSAY_RUN_WORKER_H

#include "base/json.h"
#include "wire/message.h"

struct sandbox_plan;

struct worker_options {
	const char *program;     /* assay's own binary, or an interpreter */
	const char *const *args; /* between program and "--link N"; NULL-terminated: {"worker", NULL} */
	const char *name;        /* for messages: "worker", "keeper", "reference worker" */
	const char *folder;      /* private writable folder that exists, becomes HOME, TMPDIR and working folder */
	const char *gpu;         /* UUID to be visible; "" hides all; NULL: as it is */
	const char *const *env;  /* extra "NAME=value" lines, NULL-terminated, or NULL */
	const struct sandbox_plan *plan; /* NULL: no sandbox (keeper: trusted) */
	int64_t start_timeout_ns;
	bool greets_later; /* it imports for seconds before HELLO, for which the first question waits */
};
struct worker;

enum ask_result {
	ASK_OK,
	ASK_FAULT, /* it failed or ended: worker_fault says how; it is gone unless it sent FAIL */
	ASK_ERR    /* err is set: interrupted, or the parent could not send */
};

/* Starts it and waits for HELLO. NULL with err only when it could not be started; one that dies first is returned, ASK_FAULT later. */
MUST_USE struct worker *worker_start(const struct worker_options *o, struct err *e);
struct worker_question {
	const struct wire_message *message; /* NULL: one more answer to the last question */
	int fd;                             /* goes along, or -1 */
	enum wire_type expect;              /* of the answer */
	int *answer_fd;                     /* gets a descriptor that comes along; NULL: none is wanted */
	int64_t timeout_ns;                 /* past it the group is killed (hang) */
};
/* Asks and waits. Strings of `answer` live until the next question. */
MUST_USE enum ask_result worker_ask(struct worker *w, const struct worker_question *q, struct wire_message *answer,
				    struct err *e);
void worker_greet(struct worker *w); /* waits for a HELLO that was put off; the next question says what is wrong */
/* Waits until it has answered what it was told, or ended, or the time is up; takes nothing. */
void worker_await(struct worker *w, int64_t timeout_ns);
/* Sends without waiting; of a worker that is gone the next worker_more says how it ended. */
MUST_USE bool worker_tell(struct worker *w, const struct wire_message *m, struct err *e);
/* One more message that belongs to the same question (ROWS after LAUNCHES, ...). */
MUST_USE enum ask_result worker_more(struct worker *w, enum wire_type expect, struct wire_message *answer,
				     int64_t timeout_ns, struct err *e);

/* Stops every thread of the worker's group until the next question is sent; false when that cannot be had. */
MUST_USE bool worker_freeze(struct worker *w);
void worker_thaw(struct worker *w);              /* harmless when it runs */
int64_t worker_asked_ns(const struct worker *w); /* clock_ns() when the last question could first be known to it */

struct worker_fault {
	const char *word; /* of ending.h, or what the worker said about the candidate (worker_said) */
	const char *text; /* one line */
	bool is_said;     /* the worker's own words: a claim */
};
/* Valid after ASK_FAULT. */
const struct worker_fault *worker_fault(const struct worker *w);
int worker_pid(const struct worker *w); /* -1 when it was reaped */
/* What the process wrote to stderr, at most 64 KiB; in the arena. */
struct str worker_stderr(struct worker *w, struct arena *a);
/* Asks the kernel what it knows of the running worker, so that the report says what is so, not what was wished. */
void worker_observe(struct worker *w);
struct json *worker_sandbox_json(struct worker *w, struct arena *a); /* null object without a sandbox */
bool worker_is_alive(const struct worker *w);
void worker_leave(struct worker *w); /* sends BYE and does not wait: worker_free must follow */
/* Sends BYE, gives it 2 s, then ends the group. NULL is fine. */
void worker_free(struct worker *w);

#endif
