/* What lies in a folder, by digest: whether someone touched files there. */
#ifndef ASSAY_LOOP_SNAPSHOT_H
#define ASSAY_LOOP_SNAPSHOT_H

#include "base/err.h"
#include "base/json.h"
#include "base/map.h"

#define SNAPSHOT_MAX_FILES 20000

struct snapshot {
	struct arena *arena;
	struct map files; /* path -> struct snapshot_file */
	bool is_cut;      /* more files than SNAPSHOT_MAX_FILES: the rest is not watched */
};
void snapshot_init(struct snapshot *s, struct arena *a);
/* Adds all regular files and links below a folder. Left out: names that begin with a dot, __pycache__, and folders of runs
 * (those that hold a run_manifest.json, and assay-runs) and of strategy memories, unless the folder itself is one. */
MUST_USE bool snapshot_add(struct snapshot *s, const char *folder, struct err *e);
/* Paths that came, went or changed between the two, sorted; paths in `allowed` (NULL-terminated) are left out. A file
 * of at most 1 MiB whose bytes are the same is not touched. */
struct json *snapshot_changes(const struct snapshot *before, const struct snapshot *after, const char *const *allowed,
			      struct arena *a);

#endif
