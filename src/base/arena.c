/* Arena: memory by lifetime.
 * In: sizes. Out: zeroed memory that lives as long as the arena or its mark.
 * Blocks double up to 1 MiB; larger requests get their own block.
 * Never: returns NULL. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_ALIGN = 16, ARENA_FIRST = 4096, ARENA_MOST = 1 << 20 };

struct arena_block {
	struct arena_block *next; /* older */
	size_t used, size;
	_Alignas(16) unsigned char data[];
};

void arena_init(struct arena *a)
{
	a->head = NULL;
	a->n_total = 0;
}

void arena_release(struct arena *a)
{
	while (a->head) {
		struct arena_block *b = a->head;
		a->head = b->next;
		free(b);
	}
	a->n_total = 0;
}

void arena_clear(struct arena *a)
{
	arena_release(a);
}

static void arena_grow(struct arena *a, size_t need)
{
	size_t size = a->head ? a->head->size * 2 : ARENA_FIRST;
	if (size > ARENA_MOST)
		size = ARENA_MOST;
	if (size < need)
		size = need;
	if (size > SIZE_MAX - sizeof(struct arena_block))
		BUG("arena request overflows");
	struct arena_block *b = malloc(sizeof(*b) + size);
	if (!b)
		BUG("out of memory");
	b->next = a->head;
	b->used = 0;
	b->size = size;
	a->head = b;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
	if (bytes > SIZE_MAX - ARENA_ALIGN)
		BUG("arena request overflows");
	size_t n = (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	if (n == 0)
		n = ARENA_ALIGN;
	if (!a->head || a->head->size - a->head->used < n)
		arena_grow(a, n);
	void *p = a->head->data + a->head->used;
	a->head->used += n;
	a->n_total += n;
	return memset(p, 0, n);
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes))
		BUG("arena array overflows");
	return arena_alloc(a, bytes);
}

char *arena_strndup(struct arena *a, const char *p, size_t n)
{
	char *s = arena_alloc(a, n + 1);
	if (n)
		memcpy(s, p, n);
	s[n] = 0;
	return s;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

struct str arena_str(struct arena *a, struct str s)
{
	return (struct str){arena_strndup(a, s.p, s.n), s.n};
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	va_list again;
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		BUG("arena_printf format");
	char *s = arena_alloc(a, (size_t)n + 1);
	vsnprintf(s, (size_t)n + 1, fmt, again);
	va_end(again);
	return s;
}

struct arena_mark arena_mark(struct arena *a)
{
	return (struct arena_mark){a->head, a->head ? a->head->used : 0};
}

void arena_reset(struct arena *a, struct arena_mark m)
{
	while (a->head != m.block) {
		struct arena_block *b = a->head;
		if (!b)
			BUG("arena mark of another arena");
		a->head = b->next;
		free(b);
	}
	if (a->head)
		a->head->used = m.used;
}
