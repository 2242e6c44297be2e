/* What the runner of `assay profile` needs beside a kernel: worker files of one in Python, data of a setup(). */
#ifndef ASSAY_VERB_PROFILE_DATA_H
#define ASSAY_VERB_PROFILE_DATA_H

#include "measure/bench.h"

struct guest;
struct workload;
struct profile_data_options {
	const struct bench_options *bench;
	const char *gpu;              /* UUID; NULL: CPU */
	const char *folder, *scratch; /* what the command names stays in `folder` */
};
struct profile_data {
	struct workload *workload;
	const struct guest *guest; /* NULL: a native kernel */
	const char *file;          /* copy of what a setup() gave; NULL: the fills */
	enum verdict verdict;      /* VERDICT_PASSED, or what is wrong with the kernel or its setup() */
	const char *text;
};
/* Completes the operator's parameters where a setup() says them. */
MUST_USE bool profile_data_open(struct profile_data *out, struct arena *a, struct operator* op,
				const struct profile_data_options *o, struct err *e);
void profile_data_close(struct profile_data *d); /* all zero is fine */
/* For --dry-run: the interpreter by its name and the files as they will be. */
const struct guest *profile_data_guest(struct arena *a, const struct bench_options *b, const char *folder);

#endif
