/* Any text as compute-sanitizer's output: never crashes; sites hold every finding that is kept. */
#include "read/sanitizer/sanitizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct arena a;
	struct sanitizer_report r;
	struct err e;
	arena_init(&a);
	if (sanitizer_read(&r, &a, "fuzz", (struct str){(const char *)p, n}, &e)) {
		uint64_t sum = 0;
		for (size_t i = 0; i < r.n_sites; i++)
			sum += r.sites[i].n;
		if (r.n_sites < 4096 && sum != r.n_findings)
			BUG("a finding without a site");
		(void)sanitizer_json(&r, &a);
	}
	arena_release(&a);
	return 0;
}
