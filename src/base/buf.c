/* Growing byte buffer.
 * In: bytes and formatted text. Out: one contiguous, NUL-terminated block.
 * Grows by doubling; out of memory aborts.
 * Never: shrinks by itself. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_init(struct buf *b)
{
	*b = (struct buf){NULL, 0, 0};
}

void buf_release(struct buf *b)
{
	free(b->p);
	buf_init(b);
}

void buf_clear(struct buf *b)
{
	b->n = 0;
	if (b->p)
		b->p[0] = 0;
}

void buf_reserve(struct buf *b, size_t extra)
{
	size_t need;
	if (__builtin_add_overflow(b->n, extra, &need) || __builtin_add_overflow(need, (size_t)1, &need))
		BUG("buffer overflows");
	if (need <= b->cap)
		return;
	size_t cap = b->cap ? b->cap : 64;
	while (cap < need)
		cap = cap > SIZE_MAX / 2 ? need : cap * 2;
	b->p = realloc(b->p, cap);
	if (!b->p)
		BUG("out of memory");
	b->cap = cap;
}

void buf_add(struct buf *b, const void *p, size_t n)
{
	buf_reserve(b, n);
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	b->p[b->n] = 0;
}

void buf_str(struct buf *b, struct str s)
{
	buf_add(b, s.p, s.n);
}

void buf_puts(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_char(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_repeat(struct buf *b, char c, size_t n)
{
	buf_reserve(b, n);
	memset(b->p + b->n, c, n);
	b->n += n;
	b->p[b->n] = 0;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	va_list again;
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		BUG("buf_printf format");
	buf_reserve(b, (size_t)n);
	vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
	va_end(again);
	b->n += (size_t)n;
}

struct str buf_view(const struct buf *b)
{
	return (struct str){b->p ? b->p : "", b->n};
}
