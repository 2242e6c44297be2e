/* A job: messages for a worker that another tool (ncu, compute-sanitizer) starts, as a file; it makes its own tensors. */
#ifndef ASSAY_RUN_JOB_H
#define ASSAY_RUN_JOB_H

#include "run/layout.h"

struct job_options {
	const struct operator* op;
	size_t i_case;
	const char *backend; /* "c" or "cuda" */
	const char *library, *symbol;
	bool returns_int;
	const char *
		mode; /* "tool": brackets the last call; "count": counters, as JSON, of all but the warm-up; "sanitize" */
	size_t n_warmup, n_calls;
	const char *data; /* file laid out like the region that holds the inputs; NULL: they are filled */
};
/* Writes the file; `assay worker --job FILE` runs it. */
MUST_USE bool job_write(const char *path, const struct job_options *o, struct err *e);

#endif
