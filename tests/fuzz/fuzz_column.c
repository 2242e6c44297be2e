/* Any bytes as a column file: never crashes, never points outside, refuses with a line. */
#include <stdlib.h>
#include <string.h>

#include "store/column.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct arena a;
	struct column_file f;
	struct err e = {0};
	uint64_t sum = 0;
	arena_init(&a);
	char *copy = malloc(n ? n : 1); /* aligned, with nothing readable behind it */
	memcpy(copy, p, n);
	if (column_parse(&f, &a, "fuzz", (struct str){copy, n}, &e)) {
		for (size_t i = 0; i < f.n_columns; i++) {
			for (size_t k = 0; k < f.n_rows * column_type_bytes(f.columns[i].type); k++)
				sum += ((const uint8_t *)f.columns[i].data)[k];
		}
		if (sum > n * 255)
			BUG("more samples than bytes");
	} else if (e.code == ERR_NONE || strchr(e.text, '\n')) {
		BUG("refused without a line");
	}
	free(copy);
	arena_release(&a);
	return 0;
}
