/* Source lines of device code: .debug_line of a cubin (DWARF 2 to 4), per function. Pure. */
#ifndef ASSAY_READ_LINE_TABLE_H
#define ASSAY_READ_LINE_TABLE_H

#include "base/arena.h"
#include "base/str.h"

struct line_row {
	uint64_t offset; /* in the function's code; holds to the next row */
	struct str file; /* as the compiler wrote it, with its folder */
	uint32_t line;   /* 0: end of a sequence */
};
struct line_function {
	struct str symbol;
	struct str code;       /* bytes of section .text.SYMBOL */
	struct line_row *rows; /* by offset */
	size_t n_rows;
};
struct line_table {
	struct line_function *functions;
	size_t n_functions;
	const char *problem; /* why there are no lines: NULL when there are */
};

/* Reads a cubin (ELF64, little-endian). Functions without line information have no rows; a file that is no such ELF gives
 * no function, with the problem. Strings point into cubin or live in the arena. */
void line_table_read(struct line_table *out, struct arena *a, struct str cubin);
const struct line_function *line_table_function(const struct line_table *t, struct str symbol);
/* The row that covers an offset; NULL: none. */
const struct line_row *line_table_at(const struct line_function *f, uint64_t offset);

#endif
