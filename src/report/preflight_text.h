/* The preflight (assay/preflight-v1) as a short text for a terminal. */
#ifndef ASSAY_REPORT_PREFLIGHT_TEXT_H
#define ASSAY_REPORT_PREFLIGHT_TEXT_H

#include "base/json.h"
#include "base/term.h"

void preflight_text(const struct json *root, const struct term *term, struct arena *a, struct buf *out);

#endif
