/* Line by line difference of two texts, as HTML. */
#ifndef ASSAY_REPORT_DIFF_H
#define ASSAY_REPORT_DIFF_H

#include "base/arena.h"
#include "base/buf.h"

/* <pre class="diff"> with removed and added lines and three lines around each change. Texts of more than 4,000 lines are
 * not compared; the page says so. */
void diff_html(struct buf *out, struct arena *a, struct str before, struct str after);

#endif
