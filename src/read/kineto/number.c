/* Numbers of a trace: times as exact nanoseconds, integers in every form that writers used.
 * In: the text of a value inside an event.
 * Out: the number; oddities are counted.
 * Never goes through a double where the text fits 64 bits. */
#include "read/kineto/event.h"

#include <stdlib.h>
#include <string.h>

static inline bool is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* 95 years: three of them fit 64 bits, so that no start, end or distance of two of them runs over. */
#define MOST_NS INT64_C(3000000000000000000)

/* digits with an exponent, or more than fit: the slow way */
static bool slow_time(struct kineto_trust *trust, const char *p, const char *end, int64_t *ns)
{
	char text[64], *stop;
	size_t n = (size_t)(end - p) < sizeof text - 1 ? (size_t)(end - p) : sizeof text - 1;
	memcpy(text, p, n);
	text[n] = 0;
	double us = strtod(text, &stop);
	trust->n_precision++;
	if (stop == text || !(us > -(double)MOST_NS / 1e3 && us < (double)MOST_NS / 1e3)) {
		trust->n_bad_numbers++;
		return false;
	}
	*ns = (int64_t)(us * 1000.0);
	return true;
}

bool kineto_time(struct kineto_trust *trust, const char *p, const char *end, int64_t *ns)
{
	const char *start = p;
	bool negative = false;
	if (p < end && *p == '"') {
		trust->n_string_numbers++;
		start = ++p;
	}
	if (p < end && *p == '-') {
		negative = true;
		p++;
	}
	uint64_t v = 0, scale = 1000;
	const char *digits = p;
	for (; p < end && is_digit(*p) && p - digits < 17; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	if (p == digits) {
		bool word = p < end && ((*p | 0x20) == 'n' || (*p | 0x20) == 'i'); /* nan, NaN, inf, null */
		trust->n_not_finite += word;
		trust->n_bad_numbers += !word;
		return false;
	}
	v *= 1000;
	if (p < end && *p == '.') {
		for (p++; p < end && is_digit(*p); p++) {
			scale /= 10;
			if (scale)
				v += scale * (uint64_t)(*p - '0');
			else if (*p != '0') {
				trust->n_precision++;
				while (p < end && is_digit(*p))
					p++;
				break;
			}
		}
	}
	if (v > (uint64_t)MOST_NS || (p < end && (is_digit(*p) || *p == 'e' || *p == 'E')))
		return slow_time(trust, start, end, ns);
	*ns = negative ? -(int64_t)v : (int64_t)v;
	return true;
}

bool kineto_integer(struct kineto_trust *trust, const char *p, const char *end, int64_t *out)
{
	bool negative = false, text = *p == '"', named = false;
	if (text) {
		p++;
		named = end - p > 7 && memcmp(p, "stream ", 7) == 0;
		p += named ? 7 : 0;
	}
	if (p < end && *p == '-') {
		negative = true;
		p++;
	}
	uint64_t v = 0;
	const char *digits = p;
	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x') {
		for (p += 2;
		     p < end && (is_digit(*p) || ((*p | 0x20) >= 'a' && (*p | 0x20) <= 'f')) && v <= INT64_MAX >> 4;
		     p++)
			v = v << 4 | (uint64_t)(is_digit(*p) ? *p - '0' : (*p | 0x20) - 'a' + 10);
	} else {
		for (; p < end && is_digit(*p) && p - digits < 19; p++)
			v = v * 10 + (uint64_t)(*p - '0');
	}
	/* more digits than fit, or an exponent: the beginning is another number */
	if (p == digits || v > INT64_MAX || (p < end && (is_digit(*p) || (*p | 0x20) == 'e')))
		return false;
	trust->n_string_numbers += text && !named;
	*out = negative ? -(int64_t)v : (int64_t)v;
	return true;
}

bool kineto_triple(const char *p, const char *end, uint32_t out[3])
{
	if (*p == '"')
		p++;
	if (p == end || *p != '[')
		return false;
	p++;
	for (unsigned i = 0; i < 3; i++) {
		uint64_t v = 0;
		while (p < end && (*p == ' ' || *p == ',' || *p == '\n'))
			p++;
		if (p == end || !is_digit(*p))
			return false;
		for (; p < end && is_digit(*p) && v <= UINT32_MAX; p++)
			v = v * 10 + (uint64_t)(*p - '0');
		out[i] = v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
	}
	return true;
}
