/* Taking small things off the front of a text: white space, a word, a number. Each moves `s` on only when it matches. */
#ifndef ASSAY_READ_SCAN_H
#define ASSAY_READ_SCAN_H

#include "base/str.h"

void scan_spaces(struct str *s); /* blanks and tabs */
bool scan_text(struct str *s, const char *literal);
bool scan_u64(struct str *s, uint64_t *out); /* decimal digits; more than fit: UINT64_MAX */
bool scan_hex(struct str *s, uint64_t *out); /* hexadecimal digits with or without 0x */
/* Decimal number with an optional fraction, times `scale` (at most 1e9), rounded down: "20.391" with 1000000 gives
 * 20391000. Too large: UINT64_MAX. */
bool scan_fixed(struct str *s, uint64_t scale, uint64_t *out);
/* Everything before `stop`, which is taken too; false and nothing taken when it does not occur. */
bool scan_until(struct str *s, char stop, struct str *out);
struct str scan_name(struct str *s); /* letters, digits, _ . $ @; may be empty */

#endif
