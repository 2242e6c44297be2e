/* The JSON writer: a tree to text with sorted keys, and doubles as Python's repr.
 * In: a tree of any origin; strings may hold any bytes.
 * Out: valid UTF-8 (ASCII in JSON_PYTHON); bytes that are not UTF-8 become U+FFFD.
 * Never: writes NaN or Infinity, except in JSON_PYTHON, whose model does. */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

struct writer {
	struct buf *out;
	enum json_style style;
	struct arena scratch; /* sorted members of the open objects */
	size_t depth;
};

/* The decimal with n digits that is nearest to v, as digits and the exponent of the first one; false when it does not
 * read back as v. Around a power of two the gap below is half the gap above: there the decimal above may read back
 * where the nearest one, below v, does not (2**-44). */
static bool digits_of(double v, int n, char digits[20], int *exponent)
{
	char text[40];
	snprintf(text, sizeof text, "%.*e", n - 1, v);
	if (strtod(text, NULL) != v) {
		int unused;
		if (frexp(v, &unused) != 0.5)
			return false;
		size_t i = n > 1 ? (size_t)n : 0; /* the last digit; text[1] is the point */
		if (text[i] == '9')
			return false;
		text[i]++;
		if (strtod(text, NULL) != v)
			return false;
	}
	digits[0] = text[0];
	if (n > 1)
		memcpy(digits + 1, text + 2, (size_t)n - 1);
	const char *e = strchr(text, 'e');
	*exponent = (int)strtol(e + 1, NULL, 10);
	return true;
}

/* Shortest digits of v > 0 without trailing zeros; returns their number. */
static size_t shortest(double v, char digits[20], int *exponent)
{
	/* A normal double that any decimal of at most 15 digits reads as prints as that decimal with 15 digits. */
	int n = v < 2.2250738585072014e-308 ? 1 : 15;
	while (!digits_of(v, n, digits, exponent))
		n++;
	while (n > 1 && digits[n - 1] == '0')
		n--;
	return (size_t)n;
}

static size_t layout(char *out, const char *digits, size_t n, int exponent)
{
	size_t at = 0;
	if (exponent < -4 || exponent >= 16) {
		out[at++] = digits[0];
		if (n > 1) {
			out[at++] = '.';
			memcpy(out + at, digits + 1, n - 1);
			at += n - 1;
		}
		return at + (size_t)snprintf(out + at, 8, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
	}
	if (exponent < 0) {
		out[at++] = '0';
		out[at++] = '.';
		for (int i = -1; i > exponent; i--)
			out[at++] = '0';
		memcpy(out + at, digits, n);
		at += n;
	} else {
		size_t n_whole = (size_t)exponent + 1;
		for (size_t i = 0; i < n_whole; i++)
			out[at++] = i < n ? digits[i] : '0';
		out[at++] = '.';
		if (n <= n_whole)
			out[at++] = '0';
		for (size_t i = n_whole; i < n; i++)
			out[at++] = digits[i];
	}
	out[at] = '\0';
	return at;
}

size_t json_repr(char out[32], double v)
{
	char digits[20];
	int exponent;
	size_t at = 0;
	if (isnan(v))
		return (size_t)snprintf(out, 32, "nan");
	if (signbit(v))
		out[at++] = '-';
	v = fabs(v);
	if (isinf(v))
		return at + (size_t)snprintf(out + at, 31, "inf");
	if (v < 1e15 && v == floor(v))
		return at + (size_t)snprintf(out + at, 31, "%" PRId64 ".0", (int64_t)v);
	size_t n = shortest(v, digits, &exponent);
	return at + layout(out + at, digits, n, exponent);
}

static void write_escape(struct buf *out, uint32_t c)
{
	switch (c) {
	case '"':
		buf_puts(out, "\\\"");
		return;
	case '\\':
		buf_puts(out, "\\\\");
		return;
	case '\n':
		buf_puts(out, "\\n");
		return;
	case '\r':
		buf_puts(out, "\\r");
		return;
	case '\t':
		buf_puts(out, "\\t");
		return;
	case '\b':
		buf_puts(out, "\\b");
		return;
	case '\f':
		buf_puts(out, "\\f");
		return;
	default:
		if (c >= 0x10000) {
			c -= 0x10000;
			buf_printf(out, "\\u%04x", 0xd800 + (c >> 10));
			c = 0xdc00 + (c & 0x3ff);
		}
		buf_printf(out, "\\u%04x", c);
	}
}

static void write_string(struct writer *w, struct str s)
{
	buf_char(w->out, '"');
	for (size_t i = 0; i < s.n;) {
		size_t run = i;
		while (run < s.n && s.p[run] >= 0x20 && s.p[run] < 0x7f && s.p[run] != '"' && s.p[run] != '\\')
			run++;
		buf_add(w->out, s.p + i, run - i);
		i = run;
		if (i == s.n)
			break;
		uint32_t c;
		size_t n = utf8_decode((struct str){s.p + i, s.n - i}, &c);
		if (n == 0) {
			c = 0xfffd;
			i++;
		}
		i += n;
		char bytes[4];
		if (c >= 0x7f && w->style != JSON_PYTHON)
			buf_add(w->out, bytes, utf8_encode(bytes, c));
		else
			write_escape(w->out, c);
	}
	buf_char(w->out, '"');
}

static void write_real(struct writer *w, const struct json *j)
{
	char text[32];
	if (!isfinite(j->real)) {
		bool python = w->style == JSON_PYTHON;
		const char *word = isnan(j->real) ? "NaN" : j->real < 0 ? "-Infinity" : "Infinity";
		buf_puts(w->out, python ? word : "null");
		return;
	}
	/* A whole number that fits no 64-bit type keeps its digits. */
	size_t i = 0;
	while (i < j->text.n && (j->text.p[i] == '-' || (j->text.p[i] >= '0' && j->text.p[i] <= '9')))
		i++;
	if (i > 0 && i == j->text.n)
		buf_str(w->out, j->text);
	else
		buf_add(w->out, text, json_repr(text, j->real));
}

static int by_key(const void *a, const void *b)
{
	const struct json_member *const *x = a, *const *y = b;
	return str_cmp((*x)->key, (*y)->key);
}

static const struct json_member **sorted(struct writer *w, const struct json *j)
{
	const struct json_member **m = ARENA_ARRAY(&w->scratch, j->n, const struct json_member *);
	bool in_order = true;
	for (size_t i = 0; i < j->n; i++) {
		m[i] = &j->members[i];
		in_order = in_order && (i == 0 || str_cmp(m[i - 1]->key, m[i]->key) < 0);
	}
	if (!in_order)
		qsort(m, j->n, sizeof *m, by_key);
	return m;
}

static void new_line(struct writer *w)
{
	buf_char(w->out, '\n');
	buf_repeat(w->out, ' ', 2 * w->depth);
}

/* Before element i of an open array or object. */
static void separate(struct writer *w, size_t i, bool one_line)
{
	if (i > 0)
		buf_char(w->out, ',');
	if (w->style == JSON_PRETTY && !one_line)
		new_line(w);
	else if (i > 0 && w->style != JSON_COMPACT)
		buf_char(w->out, ' ');
}

static void write_value(struct writer *w, const struct json *j);

static void write_array(struct writer *w, const struct json *j)
{
	bool one_line = true;
	for (size_t i = 0; i < j->n; i++)
		one_line = one_line && json_is_number(j->items[i]) && isfinite(j->items[i]->real);
	buf_char(w->out, '[');
	w->depth++;
	for (size_t i = 0; i < j->n; i++) {
		separate(w, i, one_line);
		write_value(w, j->items[i]);
	}
	w->depth--;
	if (w->style == JSON_PRETTY && !one_line)
		new_line(w);
	buf_char(w->out, ']');
}

static void write_object(struct writer *w, const struct json *j)
{
	struct arena_mark mark = arena_mark(&w->scratch);
	const struct json_member **m = sorted(w, j);
	buf_char(w->out, '{');
	w->depth++;
	for (size_t i = 0; i < j->n; i++) {
		separate(w, i, false);
		write_string(w, m[i]->key);
		buf_puts(w->out, w->style == JSON_COMPACT ? ":" : ": ");
		write_value(w, m[i]->value);
	}
	w->depth--;
	if (w->style == JSON_PRETTY && j->n > 0)
		new_line(w);
	buf_char(w->out, '}');
	arena_reset(&w->scratch, mark);
}

static void write_value(struct writer *w, const struct json *j)
{
	if (w->depth > 1000)
		BUG("json tree without end");
	switch (j->type) {
	case JSON_NULL:
		buf_puts(w->out, "null");
		return;
	case JSON_BOOL:
		buf_puts(w->out, j->boolean ? "true" : "false");
		return;
	case JSON_INT:
		buf_printf(w->out, "%" PRId64, j->i);
		return;
	case JSON_UINT:
		buf_printf(w->out, "%" PRIu64, j->u);
		return;
	case JSON_REAL:
		write_real(w, j);
		return;
	case JSON_STRING:
		write_string(w, j->text);
		return;
	case JSON_ARRAY:
		write_array(w, j);
		return;
	case JSON_OBJECT:
		write_object(w, j);
		return;
	}
	BUG("json type");
}

void json_write(struct buf *out, const struct json *j, enum json_style style)
{
	struct writer w = {.out = out, .style = style};
	arena_init(&w.scratch);
	write_value(&w, j);
	if (style == JSON_PRETTY)
		buf_char(out, '\n');
	arena_release(&w.scratch);
}
