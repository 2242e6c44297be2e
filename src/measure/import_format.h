/* Formats of other projects: how a problem is known, and which files belong to it. */
#ifndef ASSAY_MEASURE_IMPORT_FORMAT_H
#define ASSAY_MEASURE_IMPORT_FORMAT_H

#include "base/json.h"

enum { IMPORT_MAX_BYTES = 4 << 20 }; /* of one file of a problem */

struct import_format {
	const char *name;     /* "LeetGPU challenge" */
	const char *marks[3]; /* texts that all stand in the problem's file; NULL-terminated */
	const char *file;     /* its name in a folder, NULL: it is always named */
	const char *solution; /* what a solution of it is */
	const char *adapter, *adapter_end;
	bool has_folder; /* the other files of its folder belong to it */
};
struct import_problem {
	const struct import_format *format;
	const char *path;     /* of the file */
	const char *stem;     /* for the names of what is made of it */
	struct json *sources; /* name -> text */
};
/* `path`: file or folder. ERR_INPUT: absent, too large, of no known format (the text says what is known). */
MUST_USE bool import_problem_read(struct import_problem *out, struct arena *a, const char *path, struct err *e);

#endif
