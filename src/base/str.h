/* Strings to read: pointer and length, not owned, not necessarily terminated. */
#ifndef ASSAY_BASE_STR_H
#define ASSAY_BASE_STR_H

#include "base/attr.h"

struct str {
	const char *p;
	size_t n;
};

#define STR(lit) ((struct str){(lit), sizeof(lit) - 1})
#define STR_ARG(s) (int)(s).n, (s).p /* for "%.*s" */

/* First byte up to `end`, as an embedded file has them. */
struct str str_upto(const char *p, const char *end);
struct str str_from(const char *s);                      /* NULL gives the empty string */
struct str str_sub(struct str s, size_t from, size_t n); /* clipped to s */
bool str_eq(struct str a, struct str b);
bool str_is(struct str a, const char *b);
int str_cmp(struct str a, struct str b); /* bytewise, like memcmp and then length */
bool str_starts(struct str s, const char *prefix);
bool str_ends(struct str s, const char *suffix);
struct str str_trim(struct str s);              /* ASCII white space on both sides */
size_t str_find(struct str s, struct str what); /* index or SIZE_MAX */
size_t str_find_char(struct str s, char c);     /* index or SIZE_MAX */
/* Takes the text before the first `sep` off `rest` into `out`; false when rest was already exhausted (rest->p NULL). */
bool str_split(struct str *rest, char sep, struct str *out);
/* Whole-string numbers: false on empty, trailing bytes, overflow. Base 10, or 0x for the unsigned form. */
bool str_i64(struct str s, int64_t *out);
bool str_u64(struct str s, uint64_t *out);
bool str_f64(struct str s, double *out);
uint64_t str_hash(struct str s); /* FNV-1a 64, not keyed: for tables of our own names */
/* Edit distance, for "did you mean". Strings longer than 64 bytes count as far apart. */
size_t str_distance(struct str a, struct str b);
#define STR_SHOWN 64
/* s as one line for messages: control bytes and bytes that are not UTF-8 as ?, a long one clipped with "...". */
const char *str_shown(char out[STR_SHOWN], struct str s);

#endif
