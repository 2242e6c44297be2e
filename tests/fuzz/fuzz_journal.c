/* Any bytes as a journal: never crashes; good lines come in order, what is refused is refused with a line. */
#include <string.h>

#include "store/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static bool each(void *ctx, const struct json *event, uint64_t i_line)
{
	uint64_t *n_lines = ctx;
	if (event->type != JSON_OBJECT || i_line != (*n_lines)++)
		BUG("line out of order");
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct err e = {0};
	uint64_t n_lines = 0, n_torn = 0;
	if (journal_parse("fuzz", (struct str){(const char *)p, n}, each, &n_lines, &n_torn, &e)) {
		if (n_torn > n)
			BUG("more torn than there is");
	} else if (e.code != ERR_CORRUPT || strchr(e.text, '\n')) {
		BUG("refused without a line");
	}
	return 0;
}
