/* A proposal on its own: what `assay optimize --lint-proposal FILE` answers. */
#ifndef ASSAY_LOOP_LINT_FILE_H
#define ASSAY_LOOP_LINT_FILE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

struct lint_file {
	const char *path;
	const char *run_dir; /* NULL: that of the file, when it lies in an iter_vI of a run */
	int64_t iteration;   /* -1: that of its folder, else of its title */
	const char *backend; /* NULL: the run's, else cuda */
};
/* Evidence and preferred strategies are looked at when there is a run; it is only read, without its lock. *out is
 * gate_json with "run_dir" and "iteration"; `text` gets a line a finding and one that sums up. */
MUST_USE bool lint_file(struct json **out, struct buf *text, struct arena *a, const struct lint_file *in,
			struct err *e);

#endif
