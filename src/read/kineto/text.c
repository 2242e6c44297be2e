/* Text between and around events, byte by byte: values of any kind, and events that are broken.
 * In: text that may be cut or wrong.
 * Out: where a value ends, where the next event begins.
 * Never used on the fast path: valid traces pass through structure.c. */
#include "read/kineto/internal.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static void mark(uint64_t *quotes, size_t i)
{
	if (quotes)
		quotes[i >> 6] |= (uint64_t)1 << (i & 63);
}

/* The closing mark of the string that opens at p[at]: in valid JSON the first unescaped one, which is always followed by
 * one of , : } ]; a mark that is not belongs to the text. n: it does not close. */
static size_t string_end(const char *p, size_t at, size_t n)
{
	for (size_t i = at + 1; i < n; i++) {
		if (p[i] == '\\') {
			i++;
			continue;
		}
		if (p[i] != '"')
			continue;
		size_t next = i + 1;
		while (next < n && is_blank(p[next]))
			next++;
		if (next == n || p[next] == ',' || p[next] == ':' || p[next] == '}' || p[next] == ']')
			return i;
	}
	return n;
}

static size_t nested_end(const char *p, size_t at, size_t n, uint64_t *quotes)
{
	size_t depth = 0;
	for (size_t i = at; i < n; i++) {
		if (p[i] == '"') {
			mark(quotes, i);
			i = string_end(p, i, n);
			if (i < n)
				mark(quotes, i);
		} else if (p[i] == '{' || p[i] == '[') {
			depth++;
		} else if ((p[i] == '}' || p[i] == ']') && --depth == 0) {
			return i + 1;
		}
	}
	return 0;
}

size_t scan_value_end(const char *p, size_t at, size_t n)
{
	if (at >= n)
		return 0;
	if (p[at] == '"') {
		size_t end = string_end(p, at, n);
		return end < n ? end + 1 : 0;
	}
	if (p[at] == '{' || p[at] == '[')
		return nested_end(p, at, n, NULL);
	size_t i = at;
	while (i < n && p[i] != ',' && p[i] != '}' && p[i] != ']' && !is_blank(p[i]))
		i++;
	return i < n && i > at ? i : 0;
}

size_t scan_tolerant(const char *p, size_t at, size_t n, uint64_t *quotes)
{
	if (p[at] != '{')
		return 0;
	for (size_t i = at; i < n;) { /* clear what was set by a reading that went wrong */
		if ((i & 63) == 0 && n - i >= 64) {
			quotes[i >> 6] = 0;
			i += 64;
		} else {
			quotes[i >> 6] &= ~((uint64_t)1 << (i & 63));
			i++;
		}
	}
	size_t end = nested_end(p, at, n, quotes);
	size_t next = end;
	while (next < n && is_blank(p[next]))
		next++;
	/* behind an event stands a comma or the end of the array */
	return end && next < n && (p[next] == ',' || p[next] == ']') ? end : 0;
}

size_t scan_event_head(const char *p, size_t from, size_t n)
{
	static const char *const keys[] = {"ph", "cat", "name", "pid", "tid", "ts", "dur", "args", "id", "bp", "s"};
	for (size_t i = from; i < n; i++) {
		const char *brace = memchr(p + i, '{', n - i);
		if (!brace)
			return n;
		i = (size_t)(brace - p);
		size_t k = i + 1;
		while (k < n && is_blank(p[k]))
			k++;
		if (k >= n || p[k] != '"')
			continue;
		const char *close = memchr(p + k + 1, '"', n - k - 1 < 8 ? n - k - 1 : 8);
		for (size_t j = 0; close && j < COUNT_OF(keys); j++)
			if (strlen(keys[j]) == (size_t)(close - p) - k - 1 &&
			    memcmp(p + k + 1, keys[j], strlen(keys[j])) == 0)
				return i;
	}
	return n;
}
