/* Two listings side by side as sheets. */
#ifndef ASSAY_READ_SASS_DIFF_SHEET_H
#define ASSAY_READ_SASS_DIFF_SHEET_H

#include "read/sass/sass.h"
#include "read/sheet.h"

/* "mechanisms": kernel, change ("gained", "lost"), mechanism; "opcodes": kernel, opcode, before, after, change. Kernels that both
 * listings have for one architecture family; the notes say how many only one has. */
struct sheet *sass_diff_sheets(const struct sass_listing *before, const struct sass_listing *after, struct arena *a,
			       size_t *n);

#endif
