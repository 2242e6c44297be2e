/* Mended JSON: whatever comes in, what comes out is valid. */
#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "read/kineto/mend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct redact r = {0};
	struct mend m = {.p = (const char *)data, .end = size, .redact = size % 2 ? &r : NULL};
	struct buf out;
	struct arena a;
	struct err e;
	buf_init(&out);
	arena_init(&a);
	/* escaped lone surrogates are JSON, but no UTF-8 */
	if (mend_value(&m, &out, 0) && !strstr(out.p, "\\u") &&
	    !json_parse(&a, "mended", buf_view(&out), JSON_ALLOW_NAN, &e))
		BUG(e.text);
	arena_release(&a);
	buf_release(&out);
	return 0;
}
