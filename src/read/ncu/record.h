/* Records of a CSV as Nsight tools write it: quoted cells, doubled quotes, new lines inside quotes; and cells for output. */
#ifndef ASSAY_READ_NCU_RECORD_H
#define ASSAY_READ_NCU_RECORD_H

#include "base/arena.h"
#include "base/buf.h"

#define RECORD_MAX_CELLS 65536

struct record {
	struct str *cells; /* views into the text, or unescaped in the arena */
	size_t n, cap;
	size_t offset; /* of its first byte */
};

/* Takes the record at text[*at] and moves *at behind it; false at the end, or when a quoted cell does not end (*at stays
 * then). A quote inside a quoted cell that is followed by neither comma nor end of line is part of the cell: ncu does not
 * double the quotes of NVTX messages. Cells live until the next call with the same record or in the arena. */
bool record_take(struct record *out, struct arena *a, struct str text, size_t *at);
/* One quoted cell; quotes inside are doubled. */
void record_put(struct buf *out, struct str cell);

#endif
