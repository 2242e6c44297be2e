/* Growing byte buffer. Always NUL-terminated after any add (the NUL is not counted in n). Out of memory aborts. */
#ifndef ASSAY_BASE_BUF_H
#define ASSAY_BASE_BUF_H

#include "base/attr.h"
#include "base/str.h"

struct buf {
	char *p;
	size_t n, cap;
};

void buf_init(struct buf *b);
void buf_release(struct buf *b);
void buf_clear(struct buf *b); /* n = 0, keeps the memory */
void buf_reserve(struct buf *b, size_t extra);
void buf_add(struct buf *b, const void *p, size_t n);
void buf_str(struct buf *b, struct str s);
void buf_puts(struct buf *b, const char *s);
void buf_char(struct buf *b, char c);
void buf_repeat(struct buf *b, char c, size_t n);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
struct str buf_view(const struct buf *b);

#endif
