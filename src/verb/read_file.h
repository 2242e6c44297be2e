/* Files that the verb `read` writes. */
#ifndef ASSAY_VERB_READ_FILE_H
#define ASSAY_VERB_READ_FILE_H

#include "timeline/ranks.h"
#include "verb/read_job.h"

/* Chrome JSON of the timelines, times of the ranks aligned (ranks may be NULL for one). */
MUST_USE bool read_write_chrome(const char *path, const struct read_job *jobs, size_t n, const struct ranks *ranks,
				struct err *e);
/* {"kind","source_sha256","tool"}: stands in every file that is no original (RULES: refused in its place). */
struct json *read_mark(struct arena *a, const char *kind, const char *source_path, struct err *e);

#endif
