/* One JSON value, mended.
 * In: text that may be broken in the ways of trace writers.
 * Out: valid JSON with the same meaning.
 * Never: makes up a value; what it cannot read is left to the caller to drop. */
#include "read/kineto/mend.h"

#include <string.h>

#define MAX_DEPTH 64
#define MAX_KEYS 64 /* of one object that are looked at for a second value */

static bool blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static size_t skip(const struct mend *m, size_t at)
{
	while (at < m->end && blank(m->p[at]))
		at++;
	return at;
}

/* The quotation mark that ends the string whose text begins at p[at]; end: there is none. */
static size_t string_end(const struct mend *m, size_t at)
{
	for (; at < m->end; at++) {
		if (m->quotes ? m->quotes[at / 64] >> (at % 64) & 1 : m->p[at] == '"')
			return at;
		if (!m->quotes && m->p[at] == '\\')
			at++;
	}
	return m->end;
}

static bool is_escape(struct str s, size_t i)
{
	if (i + 1 >= s.n)
		return false;
	if (s.p[i + 1] != 'u')
		return s.p[i + 1] && strchr("\"\\/bfnrt", s.p[i + 1]);
	for (size_t k = i + 2; k < i + 6; k++) {
		if (k >= s.n || !s.p[k] || !strchr("0123456789abcdefABCDEF", s.p[k]))
			return false;
	}
	return true;
}

/* Length of the UTF-8 character at s[i]; 0: none. */
static size_t utf8_length(struct str s, size_t i)
{
	unsigned char c = (unsigned char)s.p[i];
	size_t n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
	if (i + n > s.n)
		return 0;
	for (size_t k = 1; k < n; k++) {
		if (((unsigned char)s.p[i + k] & 0xc0) != 0x80)
			return 0;
	}
	bool overlong = (c == 0xe0 && n && (unsigned char)s.p[i + 1] < 0xa0) ||
			(c == 0xf0 && n && (unsigned char)s.p[i + 1] < 0x90);
	bool beyond = (c == 0xed && n && (unsigned char)s.p[i + 1] > 0x9f) ||
		      (c == 0xf4 && n && (unsigned char)s.p[i + 1] > 0x8f);
	return overlong || beyond ? 0 : n;
}

/* Stands for itself between quotation marks. */
static bool is_plain(char c)
{
	return c >= 0x20 && c != '"' && c != '\\';
}

/* The text of a string, so that it is valid between quotation marks. */
static void put_text(struct mend *m, struct buf *out, struct str s)
{
	for (size_t i = 0, plain = 0; i < s.n; plain = i) {
		while (i < s.n && is_plain(s.p[i]))
			i++;
		buf_add(out, s.p + plain, i - plain);
		if (i == s.n)
			break;
		unsigned char c = (unsigned char)s.p[i];
		size_t n = utf8_length(s, i);
		bool ok = n && c >= 0x20 && c != '"' && (c != '\\' || is_escape(s, i));
		m->n_mended += !ok;
		if (ok) {
			n = c == '\\' ? 2 : n;
			buf_add(out, s.p + i, n);
		} else if (c == '\\' || c == '"') {
			buf_char(out, '\\');
			buf_char(out, (char)c);
		} else if (c < 0x20) {
			buf_printf(out, "\\u%04x", c);
		} else {
			buf_puts(out, "\xef\xbf\xbd");
		}
		i += n ? n : 1;
	}
}

static uint32_t hex4(struct str s, size_t i)
{
	uint32_t v = 0;
	for (size_t k = i; k < i + 4; k++) {
		char c = s.p[k];
		v = v << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return v;
}

static void put_utf8(struct buf *out, uint32_t v)
{
	static const unsigned char heads[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t n = v < 0x80 ? 1 : v < 0x800 ? 2 : v < 0x10000 ? 3 : 4;
	if (n == 1) {
		buf_char(out, (char)v);
		return;
	}
	buf_char(out, (char)(heads[n] | v >> 6 * (n - 1)));
	for (size_t k = n - 1; k-- > 0;)
		buf_char(out, (char)(0x80 | (v >> 6 * k & 63)));
}

/* The characters that the text of a string stands for; a surrogate without its partner becomes U+FFFD. */
static void decode(struct buf *out, struct str s)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != '\\' || !is_escape(s, i)) {
			buf_char(out, s.p[i]);
		} else if (s.p[i + 1] != 'u') {
			buf_char(out, to[strchr(from, s.p[++i]) - from]);
		} else {
			uint32_t v = hex4(s, i + 2), low = 0;
			bool pair = v >> 10 == 0x36 && i + 11 < s.n && s.p[i + 6] == '\\' && s.p[i + 7] == 'u' &&
				    is_escape(s, i + 6) && (low = hex4(s, i + 8)) >> 10 == 0x37;
			i += pair ? 11 : 5;
			v = pair ? 0x10000 + ((v & 0x3ff) << 10) + (low & 0x3ff) : v >> 11 == 0x1b ? 0xfffd : v;
			put_utf8(out, v);
		}
	}
}

/* Characters as the text of a string. */
static void encode(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n;) {
		unsigned char c = (unsigned char)s.p[i];
		size_t n = utf8_length(s, i);
		if (c == '"' || c == '\\')
			buf_char(out, '\\');
		if (c < 0x20)
			buf_printf(out, "\\u%04x", c);
		else if (n)
			buf_add(out, s.p + i, n);
		else
			buf_puts(out, "\xef\xbf\xbd");
		i += n ? n : 1;
	}
}

static void put_redacted(struct mend *m, struct buf *out, struct str s)
{
	struct buf plain, left;
	buf_init(&plain);
	buf_init(&left);
	decode(&plain, s);
	if (redact_text(m->redact, &left, buf_view(&plain)))
		encode(out, buf_view(&left));
	else
		put_text(m, out, s);
	buf_release(&plain);
	buf_release(&left);
}

static size_t put_string(struct mend *m, struct buf *out, size_t at)
{
	size_t end = string_end(m, at + 1);
	struct str text = {m->p + at + 1, end - at - 1};
	if (end >= m->end)
		return 0;
	buf_char(out, '"');
	if (m->redact)
		put_redacted(m, out, text);
	else
		put_text(m, out, text);
	buf_char(out, '"');
	return end + 1;
}

/* JSON's grammar of numbers. */
static bool is_number(struct str s)
{
	size_t i = s.n && s.p[0] == '-', from = i;
	while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
		i++;
	if (i == from || (s.p[from] == '0' && i > from + 1))
		return false;
	if (i < s.n && s.p[i] == '.') {
		from = ++i;
		while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
			i++;
		if (i == from)
			return false;
	}
	if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
		i += i + 1 < s.n && (s.p[i + 1] == '-' || s.p[i + 1] == '+') ? 2 : 1;
		from = i;
		while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
			i++;
		if (i == from)
			return false;
	}
	return i == s.n;
}

static bool ends_word(char c)
{
	return c == ',' || c == ']' || c == '}' || c == '"' || c == ':' || c == 0;
}

/* Numbers and words; what is neither becomes null. */
static size_t put_word(struct mend *m, struct buf *out, size_t at)
{
	size_t end = at;
	while (end < m->end && !blank(m->p[end]) && !ends_word(m->p[end]))
		end++;
	struct str word = {m->p + at, end - at};
	if (!word.n)
		return 0;
	if (is_number(word) || str_is(word, "true") || str_is(word, "false") || str_is(word, "null")) {
		buf_str(out, word);
		return end;
	}
	m->n_mended++;
	struct str digits = word;
	if (digits.p[0] == '+' || digits.p[0] == '-')
		digits = str_sub(digits, 1, digits.n);
	while (digits.n > 1 && digits.p[0] == '0')
		digits = str_sub(digits, 1, digits.n);
	if (is_number(digits) && digits.p[0] != '-') /* +1, 007, but not --1 */
		buf_printf(out, "%s%.*s", word.p[0] == '-' ? "-" : "", STR_ARG(digits));
	else
		buf_puts(out, "null");
	return end;
}

static size_t put_any(struct mend *m, struct buf *out, size_t at, unsigned depth, bool in_args);

struct keys { /* of one object: where they stand in the output, as they are written there */
	size_t at[MAX_KEYS], bytes[MAX_KEYS];
	size_t n;
};

static bool is_second(struct keys *k, const struct buf *out, size_t at)
{
	size_t n = out->n - at;
	for (size_t i = 0; i < k->n; i++) {
		if (k->bytes[i] == n && memcmp(out->p + k->at[i], out->p + at, n) == 0)
			return true;
	}
	if (k->n < MAX_KEYS) {
		k->at[k->n] = at;
		k->bytes[k->n++] = n;
	}
	return false;
}

static void note_field(struct mend *m, struct str key, size_t from, size_t to, bool in_args)
{
	struct str value = {m->p + from, to - from};
	if (m->n_fields == sizeof(m->fields) / sizeof(*m->fields))
		return;
	if (value.n >= 2 && value.p[0] == '"')
		value = str_sub(value, 1, value.n - 2);
	m->fields[m->n_fields++] = (struct mend_field){key, value, in_args};
}

/* "key": value; returns the place behind it. A second value of a key is read and dropped. */
static size_t put_member(struct mend *m, struct buf *out, size_t at, unsigned depth, struct keys *keys, bool in_args)
{
	size_t key_end = string_end(m, at + 1), value = skip(m, key_end + 1), before = out->n;
	struct str key = {m->p + at + 1, key_end - at - 1};
	if (key_end >= m->end || value >= m->end || m->p[value] != ':')
		return 0;
	value = skip(m, value + 1);
	if (before && out->p[before - 1] != '{')
		buf_char(out, ',');
	buf_char(out, '"');
	size_t written = out->n;
	put_text(m, out, key);
	bool second = is_second(keys, out, written);
	buf_puts(out, "\":");
	size_t text = out->n, end = put_any(m, out, value, depth, depth == 1 && str_is(key, "args"));
	if (!end)
		return 0;
	if (depth == 1 || (depth == 2 && in_args))
		note_field(m, key, value, end, depth == 2);
	bool hides = m->redact && redact_key(key) && (depth > 1 || !str_is(key, "name"));
	if (hides && !second) {
		out->n = text;
		buf_puts(out, "\"" REDACTED "\"");
		m->redact->n_secrets++;
	}
	if (second) {
		out->n = before;
		m->n_mended++;
	}
	return end;
}

static size_t put_object(struct mend *m, struct buf *out, size_t at, unsigned depth, bool in_args)
{
	struct keys keys = {.n = 0};
	buf_char(out, '{');
	bool comma = true;
	for (at = skip(m, at + 1);; at = skip(m, at)) {
		if (at >= m->end)
			return 0;
		if (m->p[at] == '}') {
			m->n_mended += comma && keys.n; /* one too many */
			buf_char(out, '}');
			return at + 1;
		}
		if (m->p[at] == ',') {
			m->n_mended += comma;
			comma = true;
			at++;
			continue;
		}
		m->n_mended += !comma;
		comma = false;
		if (m->p[at] != '"' || !(at = put_member(m, out, at, depth, &keys, in_args)))
			return 0;
	}
}

static size_t put_array(struct mend *m, struct buf *out, size_t at, unsigned depth)
{
	size_t n = 0;
	bool comma = true;
	buf_char(out, '[');
	for (at = skip(m, at + 1);; at = skip(m, at)) {
		if (at >= m->end)
			return 0;
		if (m->p[at] == ']') {
			m->n_mended += comma && n;
			buf_char(out, ']');
			return at + 1;
		}
		if (m->p[at] == ',') {
			m->n_mended += comma;
			comma = true;
			at++;
			continue;
		}
		m->n_mended += !comma;
		comma = false;
		if (n++)
			buf_char(out, ',');
		if (!(at = put_any(m, out, at, depth, false)))
			return 0;
	}
}

static size_t put_any(struct mend *m, struct buf *out, size_t at, unsigned depth, bool in_args)
{
	if (at >= m->end || depth >= MAX_DEPTH)
		return 0;
	switch (m->p[at]) {
	case '{':
		return put_object(m, out, at, depth + 1, in_args);
	case '[':
		return put_array(m, out, at, depth + 1);
	case '"':
		return put_string(m, out, at);
	default:
		return put_word(m, out, at);
	}
}

size_t mend_value(struct mend *m, struct buf *out, size_t at)
{
	m->n_fields = 0;
	return put_any(m, out, at, 0, false);
}

struct str mend_field(const struct mend *m, const char *key, bool in_args)
{
	for (size_t i = 0; i < m->n_fields; i++) {
		if (m->fields[i].in_args == in_args && str_is(m->fields[i].key, key))
			return m->fields[i].value;
	}
	return (struct str){0};
}
