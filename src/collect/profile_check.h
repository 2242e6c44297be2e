/* What a profiler left behind: which reports, whether they hold work, what it printed. Inside collect/profile only. */
#ifndef ASSAY_COLLECT_PROFILE_CHECK_H
#define ASSAY_COLLECT_PROFILE_CHECK_H

#include "collect/profile.h"

struct profile_log {
	struct str text;
	const char *how; /* "exit 1" */
	bool timed_out, failed;
};
/* report: its path, or its beginning (nsys, torch). */
MUST_USE bool profile_check(struct profile_collected *out, struct arena *a, const struct profile_options *o,
			    const char *report, const struct profile_log *log, struct err *e);

#endif
