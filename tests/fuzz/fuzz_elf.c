/* Any bytes as a binary: never crashes, never reads outside, always an error of one line or a result. */
#include <string.h>

#include "read/elf/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct arena a;
	struct elf_file f;
	struct err e = {0};
	struct str out;
	arena_init(&a);
	if (elf_read(&f, &a, "fuzz", (struct str){(const char *)p, n}, &e)) {
		(void)elf_json(&f, &a);
		(void)elf_entry_among(f.exports, f.n_exports, "solve", &out, &e);
	} else if (e.code == ERR_NONE || strchr(e.text, '\n')) {
		BUG("refused without a line");
	}
	arena_release(&a);
	return 0;
}
