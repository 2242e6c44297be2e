/* Any bytes as a manifest: never crashes; accepted paths stay inside their folder. */
#include <string.h>

#include "store/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct arena a;
	struct tree_entry *entries;
	size_t n_entries;
	struct err e = {0};
	arena_init(&a);
	if (tree_parse(&a, "fuzz", (struct str){(const char *)p, n}, &entries, &n_entries, &e)) {
		for (size_t i = 0; i < n_entries; i++) {
			if (entries[i].path[0] == '/' || strstr(entries[i].path, "../") || entries[i].mode > 0777)
				BUG("a path that leaves its folder");
		}
	} else if (e.code == ERR_NONE || strchr(e.text, '\n')) {
		BUG("refused without a line");
	}
	arena_release(&a);
	return 0;
}
