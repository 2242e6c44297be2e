/* Small text scanner shared by the readers of compiler and tool output.
 * In: a text to read from the front.
 * Out: the piece that was asked for, the rest in place.
 * Never allocates and never reads beyond the text. */
#include "read/scan.h"

#include <string.h>

static void skip(struct str *s, size_t n)
{
	s->p += n;
	s->n -= n;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

void scan_spaces(struct str *s)
{
	while (s->n && (s->p[0] == ' ' || s->p[0] == '\t'))
		skip(s, 1);
}

bool scan_text(struct str *s, const char *literal)
{
	if (!str_starts(*s, literal))
		return false;
	skip(s, strlen(literal));
	return true;
}

bool scan_u64(struct str *s, uint64_t *out)
{
	return scan_fixed(s, 0, out);
}

bool scan_hex(struct str *s, uint64_t *out)
{
	struct str t = *s;
	uint64_t v = 0;
	size_t n = 0;
	if (str_starts(t, "0x") || str_starts(t, "0X"))
		skip(&t, 2);
	for (; t.n; skip(&t, 1), n++) {
		char c = (char)(t.p[0] | 0x20);
		unsigned d = is_digit(t.p[0])       ? (unsigned)(t.p[0] - '0')
			     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
						    : 16;
		if (d == 16)
			break;
		v = v >> 60 ? UINT64_MAX : v << 4 | d;
	}
	if (!n)
		return false;
	*s = t;
	*out = v;
	return true;
}

/* scale 0: an integer, a fraction is left in place */
bool scan_fixed(struct str *s, uint64_t scale, uint64_t *out)
{
	uint64_t v = 0, unit = scale ? scale : 1;
	bool overflow = false;
	if (!s->n || !is_digit(s->p[0]))
		return false;
	for (; s->n && is_digit(s->p[0]); skip(s, 1)) {
		overflow = overflow || __builtin_mul_overflow(v, (uint64_t)10, &v);
		overflow = overflow || __builtin_add_overflow(v, (uint64_t)(s->p[0] - '0'), &v);
	}
	overflow = overflow || __builtin_mul_overflow(v, unit, &v);
	if (scale && s->n > 1 && s->p[0] == '.' && is_digit(s->p[1])) {
		skip(s, 1);
		for (; s->n && is_digit(s->p[0]); skip(s, 1)) {
			uint64_t digit = (uint64_t)(s->p[0] - '0');
			/* scale is a power of ten: the digits beyond it add nothing */
			unit /= 10;
			overflow = overflow || __builtin_add_overflow(v, digit * unit, &v);
		}
	}
	*out = overflow ? UINT64_MAX : v;
	return true;
}

bool scan_until(struct str *s, char stop, struct str *out)
{
	size_t i = str_find_char(*s, stop);
	if (i == SIZE_MAX)
		return false;
	*out = str_sub(*s, 0, i);
	skip(s, i + 1);
	return true;
}

struct str scan_name(struct str *s)
{
	size_t n = 0;
	for (; n < s->n; n++) {
		char c = s->p[n], l = (char)(c | 0x20);
		if (!is_digit(c) && !(l >= 'a' && l <= 'z') && c != '_' && c != '.' && c != '$' && c != '@')
			break;
	}
	struct str name = str_sub(*s, 0, n);
	skip(s, n);
	return name;
}
