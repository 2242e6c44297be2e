/* Fuzzes base/json: what is read can be written, read again and is then written the same.
 * In: bytes. Out: a crash or nothing.
 * The first byte holds the flags.
 * Never: keeps memory between inputs. */
#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct arena a;
	struct buf once, twice;
	struct err e;
	arena_init(&a);
	buf_init(&once);
	buf_init(&twice);
	struct str text = {(const char *)p + 1, n ? n - 1 : 0};
	struct json *j = n ? json_parse(&a, "fuzz", text, p[0] & 3, &e) : NULL;
	if (j) {
		json_write(&once, j, (enum json_style)(p[0] >> 2 & 1));
		j = json_parse(&a, "again", buf_view(&once), JSON_STRICT, &e);
		if (!j)
			BUG(e.text);
		json_write(&twice, j, (enum json_style)(p[0] >> 2 & 1));
		if (!str_eq(buf_view(&once), buf_view(&twice)))
			BUG("written differently");
	}
	buf_release(&once);
	buf_release(&twice);
	arena_release(&a);
	return 0;
}
