/* The short text of a bench record, for terminals and for benchmark.stdout.txt. Made from the record alone. */
#ifndef ASSAY_REPORT_BENCH_TEXT_H
#define ASSAY_REPORT_BENCH_TEXT_H

#include "base/json.h"
#include "base/term.h"

void bench_text(const struct json *record, const struct term *term, struct arena *a, struct buf *out);

#endif
