/* A trace as Chrome JSON, for Perfetto and chrome://tracing. Every activity is kept: what overlaps on a stream gets a row of its
 * own beside it (viewers drop overlapping slices). Launches are joined to their work by flows; the critical path is a row. */
#ifndef ASSAY_TIMELINE_CHROME_H
#define ASSAY_TIMELINE_CHROME_H

#include "base/err.h"
#include "base/json.h"
#include "timeline/path.h"

struct chrome_track { /* one rank */
	const struct trace *trace;
	const struct path *path; /* may be NULL */
	int64_t offset_ns;       /* taken off every time of it */
};
struct chrome_sink {
	bool (*write)(void *ctx, const struct buf *b, struct err *e);
	void *ctx;
};
/* mark: {"kind","source_sha256","tool"}: says that the file is no original. */
MUST_USE bool chrome_write(const struct chrome_track *v, size_t n, const struct json *mark,
			   const struct chrome_sink *sink, struct err *e);

#endif
