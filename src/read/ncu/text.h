/* Our own summary and details pages of a report, as text. */
#ifndef ASSAY_READ_NCU_TEXT_H
#define ASSAY_READ_NCU_TEXT_H

#include "base/buf.h"
#include "read/ncu/ncu.h"

/* First line of both: "# written by assay VERSION from FILE (ncu VERSION)"; damage and unverified versions are said on
 * lines of their own that begin with "# ". */

/* Per result: identity, key figures, rules satisfied (facts/rule.h), rules of ncu by name with their estimates. */
void ncu_summary_text(const struct ncu_report *r, struct buf *out);
/* Per result the sections of ncu's details page: label, unit and value as ncu prints them in the C locale, and the
 * profiler's name of the metric; rule texts of ncu. */
void ncu_details_text(const struct ncu_report *r, struct buf *out);
/* "softmax(const float *, ...) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0" */
void ncu_title(const struct ncu_result *res, struct buf *out);

#endif
