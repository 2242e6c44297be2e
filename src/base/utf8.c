/* UTF-8 to code points and back (RFC 3629).
 * In: bytes.
 * Out: code points with the length of their form.
 * Never: accepts an overlong form, a surrogate or a value above 10FFFF. */
#include "base/utf8.h"

size_t utf8_decode(struct str s, uint32_t *out)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	if (s.n == 0)
		return 0;
	const unsigned char *p = (const unsigned char *)s.p;
	uint32_t c = p[0];
	size_t n = 1;
	if (c >= 0xf0 && c <= 0xf4) {
		n = 4;
		c &= 0x07;
	} else if (c >= 0xe0 && c < 0xf0) {
		n = 3;
		c &= 0x0f;
	} else if (c >= 0xc2 && c < 0xe0) {
		n = 2;
		c &= 0x1f;
	} else if (c >= 0x80) {
		return 0;
	}
	if (n > s.n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3fu);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	if (out)
		*out = c;
	return n;
}

size_t utf8_encode(char out[4], uint32_t code_point)
{
	unsigned char b[4];
	size_t n;
	if (code_point < 0x80) {
		b[0] = (unsigned char)code_point;
		n = 1;
	} else if (code_point < 0x800) {
		b[0] = (unsigned char)(0xc0 | code_point >> 6);
		n = 2;
	} else if (code_point < 0x10000) {
		b[0] = (unsigned char)(0xe0 | code_point >> 12);
		n = 3;
	} else {
		b[0] = (unsigned char)(0xf0 | code_point >> 18);
		n = 4;
	}
	for (size_t i = 1; i < n; i++)
		b[i] = (unsigned char)(0x80 | (code_point >> (6 * (n - 1 - i)) & 0x3f));
	for (size_t i = 0; i < n; i++)
		out[i] = (char)b[i];
	return n;
}

bool utf8_is_valid(struct str s)
{
	for (size_t i = 0; i < s.n;) {
		size_t n = utf8_decode((struct str){s.p + i, s.n - i}, NULL);
		if (n == 0)
			return false;
		i += n;
	}
	return true;
}
