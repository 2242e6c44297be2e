/* What a tool said before it ended: one line of its output for a message. */
#ifndef ASSAY_COLLECT_SAID_H
#define ASSAY_COLLECT_SAID_H

#include "base/arena.h"
#include "base/str.h"

struct str said_last(struct str text); /* the last line that is not blank, trimmed; empty: there is none */
/* The last line that speaks of an error, else the last one; 300 bytes at most; "it printed nothing". */
const char *said_why(struct arena *a, struct str text);

#endif
