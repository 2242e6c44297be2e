/* What the files of door/mcp/ share: the server, a request, a job, a waiter. */
#ifndef ASSAY_DOOR_MCP_INSIDE_H
#define ASSAY_DOOR_MCP_INSIDE_H

#include "base/json.h"
#include "verb/verb.h"

#define MCP_PRIVATE ".assay"  /* below the workspace: store, caches, data, temporary files */
#define MCP_RUNS "assay-runs" /* where runs go that name no folder */
#define MCP_MAX_LINE ((size_t)16 << 20)
#define MCP_MAX_ARGUMENTS ((size_t)64 << 10) /* of one call: what the border is looked at for */
#define MCP_MAX_RESULT ((size_t)16 << 20)    /* what is read back of a verb's document */
#define MCP_MAX_KEPT 64                      /* finished jobs whose documents can still be read */
#define MCP_MAX_RUNNING 8                    /* short verbs at once; of the long ones one runs, the others queue */
#define MCP_DIGEST_BYTES 3500                /* of a verb's document that an answer carries */

enum mcp_version { MCP_2024_11_05, MCP_2025_03_26, MCP_2025_06_18, MCP_2025_11_25, MCP_2026_07_28, MCP_VERSIONS };
enum mcp_error {
	MCP_PARSE = -32700,
	MCP_INVALID = -32600,
	MCP_NO_METHOD = -32601,
	MCP_BAD_PARAMS = -32602,
	MCP_NO_RESOURCE = -32002, /* not in 2026-07-28, which uses MCP_BAD_PARAMS */
	MCP_BAD_VERSION = -32022
};

enum mcp_state { MCP_QUEUED, MCP_RUNNING, MCP_ENDED, MCP_CANCELLED };
struct mcp_job {
	struct mcp_job *next;
	uint64_t number;
	enum mcp_state state;
	const struct verb *verb;
	void *options;
	const char *command; /* as a person would type it */
	struct arena arena;  /* options and command */
	bool is_kept;        /* its document can be read after its answer */
	int pid, pidfd, out_fd, err_fd;
	int exit_status, signal;
	int64_t start_ns, end_ns, kill_ns; /* kill_ns: when a cancelled one gets SIGKILL; 0: never */
	char said[256];                    /* its last line on stderr */
	size_t n_said;
	bool is_line_done;
};
/* A request that is answered when its job ends, or when the time it waits is over. */
struct mcp_waiter {
	struct mcp_waiter *next;
	struct arena arena;
	const struct json *id, *token;
	enum mcp_version version;
	struct mcp_job *job;
	bool owns_job; /* cancelling the request cancels the job */
	int64_t start_ns, deadline_ns, told_ns;
};

struct mcp {
	struct verb_call *call;
	const char *root, *private;
	struct buf in, out;
	size_t n_sent;    /* bytes of `out` that are written */
	bool is_skipping; /* inside a line that is too long */
	bool at_end;      /* stdin has ended */
	bool has_session;
	enum mcp_version version; /* of the session */
	struct mcp_job *jobs;     /* newest first */
	uint64_t n_jobs;
	struct mcp_waiter *waiters;
	char unconfined[100]; /* why the kernel does not hold the border; "" when it does */
};

struct mcp_request {
	struct mcp *m;
	struct arena *a;
	const struct json *id, *params, *token;
	enum mcp_version version;
	/* answer, when the method returned NULL */
	enum mcp_error code;
	const char *message;
	struct json *data;
	bool is_deferred;
};
typedef struct json *mcp_method(struct mcp_request *q);

/* serve.c */
void mcp_send(struct mcp *m, const struct json *message);
void mcp_send_result(struct mcp *m, struct arena *a, const struct json *id, struct json *result);
void mcp_send_error(struct mcp *m, struct arena *a, const struct mcp_request *q); /* q->id NULL: without id */
/* session.c */
void mcp_take_line(struct mcp *m, struct str line);
const char *mcp_version_name(enum mcp_version v);
struct json *mcp_fail(struct mcp_request *q, enum mcp_error code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* What every result of that version carries; is_cached: lists, reads and discovery. */
struct json *mcp_result(struct arena *a, enum mcp_version v, bool is_cached);
/* params.cursor as a number, 0 without one; false (and the failure set): not a cursor of ours. */
bool mcp_cursor(struct mcp_request *q, size_t n_items, size_t *out);
void mcp_next_cursor(struct json *result, size_t at, size_t n_items);
/* tools.c */
mcp_method mcp_tools_list, mcp_tools_call;
/* answer.c: the result of a tools/call about a job */
struct json *mcp_job_answer(struct arena *a, struct mcp_job *job, enum mcp_version v);
struct json *mcp_tool_answer(struct arena *a, enum mcp_version v, struct json *structured, bool is_error);
struct json *mcp_tool_failure(struct arena *a, enum mcp_version v, const char *tool, const char *text);
struct json *mcp_answer_schema(struct arena *a);
struct str mcp_job_document(struct arena *a, const struct mcp_job *job);
struct json *mcp_digest(struct arena *a, const struct json *document, size_t max_bytes);
/* jobs.c */
const char *mcp_job_name(struct arena *a, const struct mcp_job *job);
const char *mcp_state_name(const struct mcp_job *job);
struct mcp_job *mcp_job_new(struct mcp *m, const struct verb *verb);
struct mcp_job *mcp_job_find(struct mcp *m, struct str name);
bool mcp_job_is_over(const struct mcp_job *job);
void mcp_job_cancel(struct mcp_job *job);
void mcp_job_wait(struct mcp_request *q, struct mcp_job *job, double wait_s, bool owns_job);
void mcp_cancel_request(struct mcp *m, const struct json *id);
bool mcp_is_waiting(const struct mcp *m, const struct json *id);
void mcp_jobs_advance(struct mcp *m); /* reads, reaps, starts, answers, tells progress */
int64_t mcp_jobs_next_ns(const struct mcp *m);
void mcp_jobs_free(struct mcp *m, bool only_unused);
/* places.c: the folders of the server are there, in the workspace itself; else why not */
bool mcp_places(struct mcp *m, struct err *e);
/* resources.c, prompts.c, root.c */
mcp_method mcp_resources_list, mcp_resources_read, mcp_resources_templates, mcp_prompts_list, mcp_prompts_get;
/* Whether every path in the request lies in the workspace; else `why`. */
bool mcp_inside_root(struct mcp *m, struct arena *a, const struct opt_spec *s, const struct json *request,
		     const char **why);
const char *mcp_path_inside(struct arena *a, const char *root, const char *path); /* real path; NULL: outside */

#endif
