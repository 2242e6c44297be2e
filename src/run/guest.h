/* A candidate written in Python: the interpreter it runs in, and the files that its worker starts from. */
#ifndef ASSAY_RUN_GUEST_H
#define ASSAY_RUN_GUEST_H

#include "base/json.h"
#include "operator/operator.h"

struct guest {
	const char *python;       /* the interpreter itself, not a shim */
	const char *module;       /* the candidate's file, absolute */
	const char *const *paths; /* what the interpreter reads: its prefixes and import path; NULL-terminated */
	const char *const *args;  /* of the worker, before --link; NULL-terminated */
	const char *folder;       /* probe.so, script and description */
	const char *preload;      /* packages that the module imports and that take seconds: "torch,triton", or "" */
	const char *const *env;   /* extra lines where there is no GPU, NULL-terminated */
	struct json *facts;       /* interpreter, installed: versions */
	struct json *import_path;
};

/* Asks the interpreter (`wanted`, NULL: python3 on the PATH) who it is: python, paths, env, facts. ERR_ENVIRONMENT when
 * there is none. */
MUST_USE bool guest_identify(struct guest *out, struct arena *a, const char *wanted, struct err *e);
/* After guest_identify: writes probe.so and worker.py below `folder`. A worker may be started then; it reads the description
 * when it is told to load the module. */
MUST_USE bool guest_prepare_files(struct guest *out, struct arena *a, const struct operator* op, const char *folder,
				  struct err *e);
/* The description of the operator's parameters and cases, beside those files. */
MUST_USE bool guest_write_description(const struct guest *g, struct arena *a, const struct operator* op, struct err *e);
/* Both. */
MUST_USE bool guest_prepare(struct guest *out, struct arena *a, const struct operator* op, const char *folder,
			    struct err *e);

struct guest_call { /* one question to code of a module: a script of ours in a process of its own, sandboxed like a worker */
	const struct guest *guest; /* guest_identify is enough */
	struct str script;         /* may import worker: worker.py lies beside it */
	const struct json *job;    /* argv[1] of the script: its file */
	const char *module;        /* may be read */
	const char *folder;        /* private scratch */
	const char *gpu;           /* UUID; NULL: CPU */
	const int *fds;            /* kept open under their numbers */
	size_t n_fds;
	int64_t timeout_ns;
};
/* *result: the JSON document that the script wrote into the descriptor argv[2]; NULL when it ended without one: `how` says
 * in what way. */
struct guest_running; /* a call that has begun; in the arena */
/* guest_run in halves, for two at once; NULL with err. guest_end must follow. */
MUST_USE struct guest_running *guest_begin(struct arena *a, const struct guest_call *c, struct err *e);
MUST_USE bool guest_end(struct json **result, const char **how, struct arena *a, struct guest_running *r,
			struct err *e);
MUST_USE bool guest_run(struct json **result, const char **how, struct arena *a, const struct guest_call *c,
			struct err *e);

#endif
