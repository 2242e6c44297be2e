/* Any text as a SASS listing: never crashes; counts add up; every signature gives a verdict. */
#include "read/sass/signature.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct arena a;
	struct sass_listing l;
	struct err e;
	arena_init(&a);
	if (sass_read(&l, &a, "fuzz", (struct str){(const char *)p, n}, &e)) {
		for (size_t i = 0; i < l.n_kernels; i++) {
			uint64_t sum = 0;
			for (size_t j = 0; j < l.kernels[i].n_opcodes; j++)
				sum += l.kernels[i].opcodes[j].n;
			if (sum != l.kernels[i].n)
				BUG("counts do not add up");
		}
		(void)sass_json(&l, &a);
		(void)sass_findings_json(&l, NULL, &a);
	}
	arena_release(&a);
	return 0;
}
