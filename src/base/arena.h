/* Arena: memory by lifetime. Everything allocated is zeroed, 16-byte aligned and freed at once. Out of memory aborts. */
#ifndef ASSAY_BASE_ARENA_H
#define ASSAY_BASE_ARENA_H

#include "base/attr.h"
#include "base/str.h"

struct arena_block;
struct arena {
	struct arena_block *head; /* newest block first */
	size_t n_total;           /* bytes handed out, for limits */
};
struct arena_mark {
	struct arena_block *block;
	size_t used;
};

void arena_init(struct arena *a);
void arena_release(struct arena *a);
void arena_clear(struct arena *a);
void *arena_alloc(struct arena *a, size_t bytes);
/* n * size with overflow check (overflow aborts: bound n before when it comes from a file). */
void *arena_array(struct arena *a, size_t n, size_t size);
#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, n, type) ((type *)arena_array((a), (n), sizeof(type)))
/* Copies; the result is NUL-terminated too. */
char *arena_strndup(struct arena *a, const char *p, size_t n);
char *arena_strdup(struct arena *a, const char *s);
struct str arena_str(struct arena *a, struct str s);
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
struct arena_mark arena_mark(struct arena *a);
void arena_reset(struct arena *a, struct arena_mark m); /* frees all that came after the mark */

#endif
