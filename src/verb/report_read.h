/* assay report of a file that `assay read` understands. */
#ifndef ASSAY_VERB_REPORT_READ_H
#define ASSAY_VERB_REPORT_READ_H

#include "verb/verb.h"

bool report_read_is(const char *path); /* a reader takes it */
/* format: html, md, json, txt. A damaged file becomes a page up to the damage, and call->status says so. */
MUST_USE bool report_read(struct buf *out, struct verb_call *call, const char *path, const char *format, struct err *e);

#endif
