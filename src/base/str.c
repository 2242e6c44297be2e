/* Strings to read.
 * In: pointer and length. Out: views, comparisons, numbers.
 * Numbers are whole-string and overflow-checked.
 * Never: allocates. */
#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

struct str str_upto(const char *p, const char *end)
{
	return (struct str){p, (size_t)(end - p)};
}

struct str str_from(const char *s)
{
	return s ? (struct str){s, strlen(s)} : (struct str){"", 0};
}

struct str str_sub(struct str s, size_t from, size_t n)
{
	if (from > s.n)
		from = s.n;
	if (n > s.n - from)
		n = s.n - from;
	return (struct str){from ? s.p + from : s.p, n};
}

bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool str_is(struct str a, const char *b)
{
	return str_eq(a, str_from(b));
}

int str_cmp(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;
	if (c)
		return c;
	return a.n < b.n ? -1 : a.n > b.n;
}

bool str_starts(struct str s, const char *prefix)
{
	size_t n = strlen(prefix);
	return s.n >= n && memcmp(s.p, prefix, n) == 0;
}

bool str_ends(struct str s, const char *suffix)
{
	size_t n = strlen(suffix);
	return s.n >= n && memcmp(s.p + s.n - n, suffix, n) == 0;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct str str_trim(struct str s)
{
	while (s.n && is_space(s.p[0]))
		s = (struct str){s.p + 1, s.n - 1};
	while (s.n && is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

size_t str_find(struct str s, struct str what)
{
	if (what.n == 0)
		return 0;
	const char *p = s.n ? memmem(s.p, s.n, what.p, what.n) : NULL;
	return p ? (size_t)(p - s.p) : SIZE_MAX;
}

size_t str_find_char(struct str s, char c)
{
	const char *p = s.n ? memchr(s.p, c, s.n) : NULL;
	return p ? (size_t)(p - s.p) : SIZE_MAX;
}

bool str_split(struct str *rest, char sep, struct str *out)
{
	if (!rest->p)
		return false;
	size_t i = str_find_char(*rest, sep);
	if (i == SIZE_MAX) {
		*out = *rest;
		*rest = (struct str){NULL, 0};
		return true;
	}
	*out = str_sub(*rest, 0, i);
	*rest = str_sub(*rest, i + 1, rest->n);
	return true;
}

bool str_u64(struct str s, uint64_t *out)
{
	uint64_t base = 10, v = 0;
	if (s.n > 2 && s.p[0] == '0' && (s.p[1] == 'x' || s.p[1] == 'X')) {
		base = 16;
		s = str_sub(s, 2, s.n);
	}
	if (s.n == 0)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		uint64_t digit;
		if (c >= '0' && c <= '9')
			digit = (uint64_t)(c - '0');
		else if (base == 16 && c >= 'a' && c <= 'f')
			digit = (uint64_t)(c - 'a' + 10);
		else if (base == 16 && c >= 'A' && c <= 'F')
			digit = (uint64_t)(c - 'A' + 10);
		else
			return false;
		if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, digit, &v))
			return false;
	}
	*out = v;
	return true;
}

bool str_i64(struct str s, int64_t *out)
{
	bool negative = s.n && s.p[0] == '-';
	if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
		s = str_sub(s, 1, s.n);
	if (s.n > 1 && s.p[0] == '0' && (s.p[1] | 32) == 'x')
		return false;
	uint64_t v;
	if (!str_u64(s, &v))
		return false;
	if (v > (uint64_t)INT64_MAX + negative)
		return false;
	*out = negative ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

bool str_f64(struct str s, double *out)
{
	char text[128];
	if (s.n == 0 || s.n >= sizeof(text) || is_space(s.p[0]))
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = 0;
	char *end;
	errno = 0;
	double v = strtod(text, &end);
	if (end != text + s.n || (errno == ERANGE && isinf(v)))
		return false;
	*out = v;
	return true;
}

uint64_t str_hash(struct str s)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (size_t i = 0; i < s.n; i++) {
		h ^= (unsigned char)s.p[i];
		h *= 0x100000001b3u;
	}
	return h;
}

size_t str_distance(struct str a, struct str b)
{
	if (a.n > 64 || b.n > 64)
		return SIZE_MAX;
	size_t row[65];
	for (size_t j = 0; j <= b.n; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			size_t change = diagonal + (a.p[i - 1] != b.p[j - 1]);
			diagonal = row[j];
			size_t least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
			row[j] = change < least ? change : least;
		}
	}
	return row[b.n];
}

const char *str_shown(char out[STR_SHOWN], struct str s)
{
	size_t n = 0;
	for (size_t i = 0; i < s.n;) {
		size_t len = utf8_decode(str_sub(s, i, 4), NULL);
		bool plain = len > 1 || (len == 1 && s.p[i] >= 0x20 && s.p[i] != 0x7f);
		if (len == 0)
			len = 1;
		if (n + len + sizeof("...") > STR_SHOWN) {
			memcpy(out + n, "...", 3);
			n += 3;
			break;
		}
		if (plain)
			memcpy(out + n, s.p + i, len);
		else
			out[n] = '?';
		n += len;
		i += len;
	}
	out[n] = 0;
	return out;
}
