/* Any bytes as a cubin with line information: functions and lines, or none; never a read outside. */
#include "read/line_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct arena a;
	struct line_table t;
	arena_init(&a);
	line_table_read(&t, &a, (struct str){(const char *)p, n});
	for (size_t i = 0; i < t.n_functions; i++) {
		const struct line_row *row = line_table_at(&t.functions[i], 48);
		if (row && row->file.n && !row->file.p)
			BUG("a file name without bytes");
	}
	arena_release(&a);
	return 0;
}
