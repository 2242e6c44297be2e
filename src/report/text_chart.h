/* Samples as charts in text: how they are spread, how they lie in order, on which side of no difference. Nothing with
 * --quiet, and nothing where all values are alike. Counts are of the record's own samples. */
#ifndef ASSAY_REPORT_TEXT_CHART_H
#define ASSAY_REPORT_TEXT_CHART_H

#include "base/json.h"
#include "base/term.h"

/* From a bench record: a histogram of each series and the cold samples in order of time. */
void text_chart_bench(const struct json *record, const struct term *term, struct arena *a, struct buf *out);
/* From a comparison's record, first case: times of each side over the placements on one axis; how much longer A took, with
 * the interval. */
void text_chart_compare(const struct json *record, const struct term *term, struct arena *a, struct buf *out);

#endif
