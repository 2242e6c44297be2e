/* The JSON reader: strict RFC 8259 text to a tree.
 * In: one document of at most 16 MiB.
 * Out: a tree in the caller's arena; strings in it are NUL-terminated, numbers keep their source text.
 * Never: guesses; what two readers could take differently is refused with line and column. */
#include "base/json.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_tree.h"
#include "base/utf8.h"

#define MAX_BYTES ((size_t)16 << 20)
#define MAX_LARGE ((size_t)1 << 30)
#define MAX_DEPTH 128

struct parser {
	struct arena *arena;
	struct str src;
	char *copy; /* src again: strings are decoded in place here and end in a NUL over their closing quote */
	size_t at;
	unsigned flags, depth;
	const char *name;
	struct err *e;
};

/* Always NULL. The column counts code points from 1. */
static PRINTF_LIKE(3, 4) void *fail(struct parser *p, size_t at, const char *fmt, ...)
{
	char what[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	size_t line = 1, column = 1;
	for (size_t i = 0; i < at && i < p->src.n; i++) {
		unsigned char c = (unsigned char)p->src.p[i];
		if (c == '\n') {
			line++;
			column = 1;
		} else if ((c & 0xc0) != 0x80) {
			column++;
		}
	}
	err_set(p->e, ERR_INPUT, "%s: line %zu column %zu: %s", p->name, line, column, what);
	return NULL;
}

static int peek(const struct parser *p)
{
	return p->at < p->src.n ? (unsigned char)p->src.p[p->at] : -1;
}

static void skip_space(struct parser *p)
{
	for (int c = peek(p); c == ' ' || c == '\n' || c == '\t' || c == '\r'; c = peek(p))
		p->at++;
}

static bool take(struct parser *p, const char *word)
{
	size_t n = strlen(word);
	if (p->src.n - p->at < n || memcmp(p->src.p + p->at, word, n) != 0)
		return false;
	p->at += n;
	return true;
}

/* What stands at p->at, for messages. */
static void *unexpected(struct parser *p, const char *wanted)
{
	int c = peek(p);
	if (c < 0)
		return fail(p, p->at, "the text ends where %s was expected", wanted);
	if (c < 0x20 || c > 0x7e)
		return fail(p, p->at, "byte 0x%02x where %s was expected", (unsigned)c, wanted);
	return fail(p, p->at, "'%c' where %s was expected", c, wanted);
}

static bool hex4(struct parser *p, uint32_t *out)
{
	uint32_t v = 0;
	for (int i = 0; i < 4; i++, p->at++) {
		int c = peek(p);
		uint32_t digit;
		if (c >= '0' && c <= '9')
			digit = (uint32_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (uint32_t)(c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			digit = (uint32_t)(c - 'A' + 10);
		else
			return false;
		v = v << 4 | digit;
	}
	*out = v;
	return true;
}

/* At the 'u'; appends the code point at copy[*n]. The decoded form is never longer than the escape. */
static bool unicode_escape(struct parser *p, size_t *n)
{
	size_t start = p->at - 1;
	uint32_t c, low;
	p->at++;
	if (!hex4(p, &c))
		return fail(p, start, "\\u needs four hex digits");
	if (c >= 0xdc00 && c <= 0xdfff)
		return fail(p, start, "lone surrogate \\u%04x", c);
	if (c >= 0xd800 && c <= 0xdbff) {
		if (!take(p, "\\u") || !hex4(p, &low) || low < 0xdc00 || low > 0xdfff)
			return fail(p, start, "lone surrogate \\u%04x", c);
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	*n += utf8_encode(p->copy + *n, c);
	return true;
}

static bool escape(struct parser *p, size_t *n)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	p->at++;
	int c = peek(p);
	if (c == 'u')
		return unicode_escape(p, n);
	const char *hit = c > 0 ? memchr(from, c, sizeof from - 1) : NULL;
	if (!hit)
		return fail(p, p->at - 1, "unknown escape in a string");
	p->copy[(*n)++] = to[hit - from];
	p->at++;
	return true;
}

/* At the opening quote. */
static bool parse_string(struct parser *p, struct str *out)
{
	size_t open = p->at++, n = p->at;
	for (;;) {
		int c = peek(p);
		if (c < 0)
			return fail(p, open, "string without its closing quote");
		if (c == '"')
			break;
		if (c < 0x20)
			return fail(p, p->at, "control byte 0x%02x in a string: write it as an escape", (unsigned)c);
		if (c == '\\') {
			if (!escape(p, &n))
				return false;
			continue;
		}
		size_t len = c < 0x80 ? 1 : utf8_decode((struct str){p->src.p + p->at, p->src.n - p->at}, NULL);
		if (len == 0)
			return fail(p, p->at, "invalid UTF-8 (byte 0x%02x)", (unsigned)c);
		if (n != p->at)
			memcpy(p->copy + n, p->src.p + p->at, len);
		n += len;
		p->at += len;
	}
	p->copy[n] = '\0';
	*out = (struct str){p->copy + open + 1, n - open - 1};
	p->at++;
	return true;
}

static size_t digits(struct parser *p)
{
	size_t start = p->at;
	for (int c = peek(p); c >= '0' && c <= '9'; c = peek(p))
		p->at++;
	return p->at - start;
}

/* Whole numbers of up to 20 digits; false when it fits neither int64 nor uint64. */
static bool set_integer(struct json *j, struct str text)
{
	bool negative = text.p[0] == '-';
	uint64_t v = 0;
	for (size_t i = negative; i < text.n; i++) {
		if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(text.p[i] - '0'), &v))
			return false;
	}
	if (negative ? v > (uint64_t)INT64_MAX + 1 : v > INT64_MAX) {
		if (negative)
			return false;
		j->type = JSON_UINT;
		j->u = v;
		j->real = (double)v;
		return true;
	}
	j->type = JSON_INT;
	j->i = negative ? (int64_t)(0 - v) : (int64_t)v;
	j->real = (double)j->i;
	return true;
}

/* strtod wants a NUL behind the number; almost all numbers fit the buffer. */
static double to_double(struct parser *p, struct str text)
{
	char small[64];
	if (text.n >= sizeof small)
		return strtod(arena_strndup(p->arena, text.p, text.n), NULL);
	memcpy(small, text.p, text.n);
	small[text.n] = '\0';
	return strtod(small, NULL);
}

static struct json *parse_number(struct parser *p)
{
	size_t start = p->at;
	bool whole = true;
	if (peek(p) == '-')
		p->at++;
	if (peek(p) < '0' || peek(p) > '9')
		return unexpected(p, "a digit");
	if (peek(p) == '0' && p->at + 1 < p->src.n && p->src.p[p->at + 1] >= '0' && p->src.p[p->at + 1] <= '9')
		return fail(p, start, "a number may not begin with 0");
	digits(p);
	if (peek(p) == '.') {
		whole = false;
		p->at++;
		if (digits(p) == 0)
			return unexpected(p, "a digit after the point");
	}
	if (peek(p) == 'e' || peek(p) == 'E') {
		whole = false;
		p->at++;
		if (peek(p) == '+' || peek(p) == '-')
			p->at++;
		if (digits(p) == 0)
			return unexpected(p, "a digit of the exponent");
	}
	struct json *j = json_new(p->arena, JSON_REAL);
	j->text = (struct str){p->copy + start, p->at - start};
	if (whole && set_integer(j, j->text))
		return j;
	j->real = to_double(p, j->text);
	if (!isfinite(j->real) && !(p->flags & JSON_ALLOW_NAN))
		return fail(p, start, "number beyond the range of a double");
	return j;
}

static struct json *parse_word(struct parser *p)
{
	struct json *j = json_new(p->arena, JSON_NULL);
	size_t start = p->at;
	if (take(p, "null"))
		return j;
	if (take(p, "true") || take(p, "false")) {
		j->type = JSON_BOOL;
		j->boolean = p->src.p[start] == 't';
		return j;
	}
	j->type = JSON_REAL;
	if (take(p, "NaN"))
		j->real = (double)NAN;
	else if (take(p, "Infinity"))
		j->real = HUGE_VAL;
	else if (take(p, "-Infinity"))
		j->real = -HUGE_VAL;
	else
		return unexpected(p, "a value");
	if (!(p->flags & JSON_ALLOW_NAN))
		return fail(p, start, "NaN and Infinity are no JSON numbers");
	j->text = (struct str){p->copy + start, p->at - start};
	return j;
}

static struct json *parse_value(struct parser *p);

/* Behind an element of an array or object: true when another one follows, false at the end or on an error. */
static bool another(struct parser *p, int close, bool *ok)
{
	skip_space(p);
	int c = peek(p);
	*ok = c == ',' || c == close;
	if (!*ok) {
		unexpected(p, close == ']' ? "',' or ']'" : "',' or '}'");
		return false;
	}
	p->at++;
	return c == ',';
}

static struct json *parse_array(struct parser *p)
{
	struct json *j = json_new(p->arena, JSON_ARRAY);
	bool ok = true;
	p->at++;
	skip_space(p);
	if (peek(p) == ']') {
		p->at++;
		return j;
	}
	do {
		struct json *item = parse_value(p);
		if (!item)
			return NULL;
		json_push(j, item);
	} while (another(p, ']', &ok));
	return ok ? j : NULL;
}

static bool parse_member(struct parser *p, struct json *obj)
{
	skip_space(p);
	size_t at = p->at;
	struct str key;
	if (peek(p) != '"')
		return unexpected(p, "a key in double quotes");
	if (!parse_string(p, &key))
		return false;
	skip_space(p);
	if (peek(p) != ':')
		return unexpected(p, "':'");
	p->at++;
	struct json *value = parse_value(p);
	if (!value)
		return false;
	if (!json_add_member(obj, key, value) && !(p->flags & JSON_ALLOW_DUPLICATES))
		return fail(p, at, "duplicate key \"%.*s\"", key.n < 80 ? (int)key.n : 80, key.p);
	return true;
}

static struct json *parse_object(struct parser *p)
{
	struct json *j = json_new(p->arena, JSON_OBJECT);
	bool ok = true;
	p->at++;
	skip_space(p);
	if (peek(p) == '}') {
		p->at++;
		return j;
	}
	do {
		if (!parse_member(p, j))
			return NULL;
	} while (another(p, '}', &ok));
	return ok ? j : NULL;
}

static struct json *parse_value(struct parser *p)
{
	struct json *j;
	skip_space(p);
	int c = peek(p);
	if (c == '{' || c == '[') {
		if (p->depth == MAX_DEPTH)
			return fail(p, p->at, "nested deeper than %d", MAX_DEPTH);
		p->depth++;
		j = c == '{' ? parse_object(p) : parse_array(p);
		p->depth--;
		return j;
	}
	if (c == '"') {
		j = json_new(p->arena, JSON_STRING);
		return parse_string(p, &j->text) ? j : NULL;
	}
	if ((c >= '0' && c <= '9') || (c == '-' && !(p->at + 1 < p->src.n && p->src.p[p->at + 1] == 'I')))
		return parse_number(p);
	return parse_word(p);
}

static size_t most_bytes(unsigned flags)
{
	return flags & JSON_LARGE ? MAX_LARGE : MAX_BYTES;
}

struct json *json_parse(struct arena *a, const char *name, struct str text, unsigned flags, struct err *e)
{
	if (text.n > most_bytes(flags)) {
		err_set(e, ERR_INPUT, "%s: %zu bytes; a JSON document may have at most %zu", name, text.n,
			most_bytes(flags));
		return NULL;
	}
	struct parser p = {.arena = a, .src = text, .flags = flags, .name = name, .e = e};
	if (str_starts(text, "\xef\xbb\xbf"))
		return fail(&p, 0, "begins with a byte order mark: save it as UTF-8 without one");
	p.copy = arena_strndup(a, text.p, text.n);
	struct json *j = parse_value(&p);
	if (!j)
		return NULL;
	skip_space(&p);
	if (p.at != text.n)
		return unexpected(&p, "the end");
	return j;
}

struct json *json_read_file(struct arena *a, const char *path, unsigned flags, struct err *e)
{
	struct arena scratch;
	struct str text;
	struct json *j = NULL;
	arena_init(&scratch);
	if (file_read(&scratch, &text, path, most_bytes(flags), e))
		j = json_parse(a, path, text, flags, e);
	arena_release(&scratch);
	return j;
}
