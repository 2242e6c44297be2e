/* Fuzzes loop/proposal and loop/lint: any bytes as a proposal of a first and of a later version.
 * In: libFuzzer's bytes. Out: nothing.
 * The tags that come out are in normal form.
 * Never: keeps memory between inputs. */
#include "loop/lint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	struct proposal p;
	struct lint l;
	struct evidence v;
	arena_init(&a);
	proposal_parse(&p, &a, "p.md", (struct str){(const char *)data, size});
	v = (struct evidence){.arena = &a};
	for (int first = 0; first < 2; first++) {
		struct lint_context c = {.backend = "cutlass", .is_first = first, .evidence = &v};
		lint_proposal(&l, &a, &p, &c);
	}
	for (size_t i = 0; i < p.tags.n; i++) {
		if (strcmp(tag_normal(&a, str_from(p.tags.items[i])), p.tags.items[i]) != 0)
			abort();
	}
	arena_release(&a);
	return 0;
}
