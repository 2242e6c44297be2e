/* A reference written in Python: which interpreter, and one run of measure/reference.py in it. */
#ifndef ASSAY_MEASURE_PYTHON_H
#define ASSAY_MEASURE_PYTHON_H

#include "base/json.h"
#include "run/layout.h"

struct reference_options;
struct python_case {
	const struct layout *layout;
	size_t i_case;
	const int *files; /* memory files laid out like a region: inputs in, outputs out */
	const int *
		answers; /* as many, with outputs: the module's check() is asked about them; NULL: reference() answers */
};
struct python_job {
	const char *python, *module, *folder;
	const char *gpu; /* UUID: torch may use it; NULL: CPU */
	const struct operator* op;
	const struct python_case *cases; /* answered in this order by one process */
	size_t n_cases, n_files;         /* n_files: of each case */
	size_t n_warmup, n_repeat;       /* of case 0 of the operator; repeat 0: not timed */
	int64_t timeout_ns;
};

/* Resolves the interpreter, unless the options hold what it said; facts get its path, version and the versions of torch and numpy (asked of the package data,
 * without importing them). ERR_ENVIRONMENT when there is none. */
MUST_USE bool python_identify(const char **out, struct json *facts, struct arena *a, const struct reference_options *o,
			      struct err *e);
/* The script's result object: n_done cases are answered, at least the first. NULL with *fault set: the reference failed; NULL with err: assay's trouble. */
MUST_USE struct json *python_run(const struct python_job *j, struct arena *a, const char **fault, struct err *e);

#endif
