/* Journals: append-only JSON lines. Every line is a JSON object whose last member "~sum" is the first 16 hex digits of
 * the sha256 over the previous line's sum and the line up to there, so that a torn tail is seen and cut and a line that
 * was changed or taken out of the middle is an error. Several processes may append. */
#ifndef ASSAY_STORE_JOURNAL_H
#define ASSAY_STORE_JOURNAL_H

#include "base/json.h"

struct journal;
#define JOURNAL_MAX_LINE (1u << 20)

/* Called per line, in order, without the "~sum" member; false ends the replay early (not an error). */
typedef bool journal_line(void *ctx, const struct json *event, uint64_t i_line);

/* Opens for appending; makes the file when absent. A torn tail (writer died, power lost) is cut off: `n_cut` bytes (may
 * be NULL). A damaged line with good lines after it is ERR_CORRUPT with its line number. */
MUST_USE bool journal_open(struct journal **out, const char *path, uint64_t *n_cut, struct err *e);
/* One line on the disk when it returns true. On failure (disk full) the file is as before. `event` is an object with at
 * least one member and no "~sum". */
MUST_USE bool journal_append(struct journal *j, const struct json *event, struct err *e);
void journal_close(struct journal *j);
uint64_t journal_lines(const struct journal *j); /* lines seen or written so far */
/* Reads without changing anything; a torn tail is left out and counted. An absent file has no lines. */
MUST_USE bool journal_replay(const char *path, journal_line *each, void *ctx, uint64_t *n_torn, struct err *e);
/* The same over bytes in memory. */
MUST_USE bool journal_parse(const char *name, struct str text, journal_line *each, void *ctx, uint64_t *n_torn,
			    struct err *e);

#endif
