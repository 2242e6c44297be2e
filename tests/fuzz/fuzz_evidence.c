/* Fuzzes loop/evidence: any bytes as a details page, and the claims that its own rows make.
 * In: libFuzzer's bytes. Out: nothing.
 * What a page prints is equal to itself.
 * Never: leaves its file behind. */
#include "loop/evidence.h"

#include <unistd.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	struct err e;
	struct evidence v;
	char dir[] = "/tmp/assay_fuzz_XXXXXX";
	arena_init(&a);
	if (!mkdtemp(dir) || !file_write(path_join(&a, dir, "full_details.txt"), data, size, &e))
		abort();
	if (evidence_read(&v, &a, dir, &e)) {
		for (size_t i = 0; i < v.n && i < 50; i++) {
			struct evidence_answer x;
			struct evidence_claim c = {v.rows[i].label, v.rows[i].value, v.rows[i].unit};
			evidence_check(&x, &v, &c);
		}
	}
	if (!file_remove_tree(dir, &e))
		abort();
	arena_release(&a);
	return 0;
}
