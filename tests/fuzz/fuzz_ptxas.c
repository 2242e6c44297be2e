/* Any text as a compiler log: never crashes, and every message can be written as one line. */
#include <string.h>

#include "read/ptxas/ptxas.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct arena a;
	struct buf b;
	struct ptxas_log log;
	arena_init(&a);
	buf_init(&b);
	ptxas_read(&log, &a, (struct str){(const char *)p, n});
	for (size_t i = 0; i < log.n_messages; i++)
		ptxas_message_write(&b, &log.messages[i]);
	if (b.n && memchr(b.p, '\n', b.n))
		BUG("message of two lines");
	(void)ptxas_json(&log, &a);
	arena_release(&a);
	buf_release(&b);
	return 0;
}
