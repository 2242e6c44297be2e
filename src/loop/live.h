/* What a run is doing now, for those who only look: its manifest, and the live file of the call that works in it
 * (base/progress.h). Nothing is written, no lock is taken. */
#ifndef ASSAY_LOOP_LIVE_H
#define ASSAY_LOOP_LIVE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

/* Format assay/watch-v1 (docs/FORMATS.md). "state": "running"; "ended": by a bound; "waiting": no process, the next version
 * is due; "interrupted": by a signal, tidily; "gone": its process died in the middle. ERR_INPUT: no such folder, or none of a run. ERR_CORRUPT: its manifest
 * cannot be read. */
MUST_USE bool live_read(struct json **out, struct arena *a, const char *folder, struct err *e);

#endif
