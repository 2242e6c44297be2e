/* The prerequisites of a kernel file (assay/check-v1) as a short text for a terminal. */
#ifndef ASSAY_REPORT_CHECK_TEXT_H
#define ASSAY_REPORT_CHECK_TEXT_H

#include "base/json.h"
#include "base/term.h"

void check_text(const struct json *root, const struct term *term, struct arena *a, struct buf *out);

#endif
