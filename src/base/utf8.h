/* UTF-8, one code point at a time. */
#ifndef ASSAY_BASE_UTF8_H
#define ASSAY_BASE_UTF8_H

#include "base/attr.h"
#include "base/str.h"

/* Bytes (1..4) of the code point that s begins with, 0 when s is empty or does not begin with a valid one (overlong
 * forms, surrogates and values above 10FFFF are invalid). `out` may be NULL. */
size_t utf8_decode(struct str s, uint32_t *out);
/* Bytes written. The code point must be valid. */
size_t utf8_encode(char out[4], uint32_t code_point);
bool utf8_is_valid(struct str s);

#endif
