/* Any bytes as one message of any type: never reads outside, refuses with a line, and what it accepts encodes to the very
 * same bytes. */
#include <stdlib.h>
#include <string.h>

#include "wire/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct wire_message m;
	struct err e = {ERR_NONE, ""};
	struct buf again;
	if (n < 1)
		return 0;
	char *payload = malloc(n > 1 ? n - 1 : 1); /* with nothing readable behind it */
	memcpy(payload, p + 1, n - 1);
	buf_init(&again);
	if (!wire_decode(&m, (enum wire_type)p[0], (struct str){payload, n - 1}, &e)) {
		if (e.code != ERR_PROTOCOL || strchr(e.text, '\n'))
			BUG("refused without a line");
	} else {
		wire_encode(&again, &m);
		if (!str_eq(buf_view(&again), (struct str){payload, n - 1}))
			BUG("another message than was read");
	}
	buf_release(&again);
	free(payload);
	return 0;
}
