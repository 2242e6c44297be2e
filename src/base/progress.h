/* What takes long, while it does: what, how far, how long. One line on stderr that overwrites itself (base/log.h), and a
 * file for those who watch. Calls nest: a run of versions, one version, one phase of it. Only the thread that began counts;
 * calls of others change nothing. */
#ifndef ASSAY_BASE_PROGRESS_H
#define ASSAY_BASE_PROGRESS_H

#include "base/attr.h"
#include "base/buf.h"

/* Opens a level: "bench softmax.cu", "v2 of 5". The outermost one shows with its first phase, or after a quarter of a second.
 * Too deep a level counts and is not shown. */
void progress_begin(const char *fmt, ...) PRINTF_LIKE(1, 2);
void progress_end(void); /* closes the innermost one; the last one erases the line */
/* The innermost level goes on to another phase, "cold" ("": to none); most_s: seconds that it may take, 0: not known. */
void progress_phase(const char *name, double most_s);
/* Seconds that the innermost level takes from its beginning on, as its budgets say; 0: not known. */
void progress_expect(double seconds);
/* How far the phase is: "samples", 320 of 0 (not known how many). Shown at most four times a second. */
void progress_count(const char *unit, uint64_t done, uint64_t most);
/* The newest figures of the phase, for those who watch; NaN: not known. */
void progress_figures(double time_ns, double clock_mhz);
void progress_tick(void); /* from a wait: shows how long it has taken by now, at most four times a second */
/* From now on the same goes as JSON (docs/FORMATS.md, "Live file") to DIR/.live.json, replaced as a whole; NULL: no longer,
 * and the file is removed. A folder that cannot be written is no error: nobody can watch then. */
void progress_folder(const char *dir, const char *command);
/* "0.4 s", "12 s", "1 min 20 s", "2 h 5 min". */
void progress_seconds(struct buf *out, double seconds);

#endif
