/* The short text of a comparison's record. */
#ifndef ASSAY_REPORT_COMPARE_TEXT_H
#define ASSAY_REPORT_COMPARE_TEXT_H

#include "base/json.h"
#include "base/term.h"

/* record: assay/compare-v1. */
void compare_text(const struct json *record, const struct term *term, struct arena *a, struct buf *out);

#endif
