/* A run as it is now, in text, from a document of loop/live.h. */
#ifndef ASSAY_REPORT_WATCH_TEXT_H
#define ASSAY_REPORT_WATCH_TEXT_H

#include "base/json.h"
#include "base/term.h"

/* At most `rows` lines, by leaving out early versions, each cut at the width; 0: all, and long lines wrap. */
void watch_text(const struct json *now, const struct term *term, size_t rows, struct buf *out);
/* What is new since `before` (NULL: nothing was said yet), a line each: phases, versions, the end. */
void watch_lines(const struct json *before, const struct json *now, struct buf *out);

#endif
