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
	const char *const *env;   /* extra lines where there is no GPU, NULL-terminated */
	struct json *facts;       /* interpreter, installed: versions */
	struct json *import_path;
};

/* Asks the interpreter (`wanted`, NULL: python3 on the PATH) who it is: python, paths, env, facts. ERR_ENVIRONMENT when
 * there is none. */
MUST_USE bool guest_identify(struct guest *out, struct arena *a, const char *wanted, struct err *e);
/* After guest_identify: writes probe.so, worker.py and the description of the operator's parameters and cases below
 * `folder`. */
MUST_USE bool guest_prepare(struct guest *out, struct arena *a, const struct operator* op, const char *folder,
			    struct err *e);

#endif
