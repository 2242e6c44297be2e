/* Terminal: width, colour, wrapped text, humane numbers.
 * In: a file descriptor's nature, text, numbers.
 * Out: text in a buf or an arena.
 * Never: prints. */
#include "base/term.h"

#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/utf8.h"

static bool says_utf8(const char *s)
{
	struct str text = str_from(s);
	return str_find(text, STR("UTF-8")) != SIZE_MAX || str_find(text, STR("utf8")) != SIZE_MAX ||
	       str_find(text, STR("utf-8")) != SIZE_MAX || str_find(text, STR("UTF8")) != SIZE_MAX;
}

static bool locale_is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const char *v = getenv(names[i]);
		if (v && v[0])
			return says_utf8(v);
	}
	return false;
}

void term_init(struct term *t, int fd, enum term_colour c)
{
	struct winsize size = {0};
	uint64_t columns = 0, rows = 0;
	bool is_tty = isatty(fd) == 1;
	const char *no_color = getenv("NO_COLOR"), *kind = getenv("TERM");
	if (!str_u64(str_from(getenv("COLUMNS")), &columns) || columns == 0) {
		bool known = is_tty && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
		columns = known ? size.ws_col : 80;
	}
	/* Narrower than 40 no table fits; wider than 1000 somebody joked. */
	t->width = columns < 40 ? 40 : columns > 1000 ? 1000 : (size_t)columns;
	if (!str_u64(str_from(getenv("LINES")), &rows) || rows == 0) {
		bool known = is_tty && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
		rows = known ? size.ws_row : 24;
	}
	t->height = rows < 8 ? 8 : rows > 1000 ? 1000 : (size_t)rows;
	t->is_terminal = is_tty;
	t->is_utf8 = locale_is_utf8();
	bool dumb = !kind || !kind[0] || strcmp(kind, "dumb") == 0;
	/* no-color.org: set and not empty */
	t->colour = c == TERM_ALWAYS || (c == TERM_AUTO && is_tty && !dumb && !(no_color && no_color[0]));
}

static const char *const codes[] = {
	[TERM_PLAIN] = "",        [TERM_BOLD] = "\033[1m", [TERM_DIM] = "\033[2m",
	[TERM_GOOD] = "\033[32m", [TERM_BAD] = "\033[31m", [TERM_WARN] = "\033[33m",
};
#define CODE_END "\033[0m"

void term_styled(const struct term *t, struct buf *out, enum term_style s, const char *text)
{
	if (!t->colour || s == TERM_PLAIN) {
		buf_puts(out, text);
		return;
	}
	buf_puts(out, codes[s]);
	buf_puts(out, text);
	buf_puts(out, CODE_END);
}

/* Bytes of an escape of term_styled at the start of s; 0: it is none. */
static size_t code_bytes(struct str s)
{
	for (size_t i = TERM_BOLD; i < COUNT_OF(codes); i++) {
		if (str_starts(s, codes[i]))
			return strlen(codes[i]);
	}
	return str_starts(s, CODE_END) ? strlen(CODE_END) : 0;
}

void term_safe(struct buf *out, struct str text)
{
	for (size_t i = 0, n; i < text.n; i += n) {
		unsigned char c = (unsigned char)text.p[i], next = i + 1 < text.n ? (unsigned char)text.p[i + 1] : 0;
		bool is_c1 = c == 0xc2 && next >= 0x80 && next < 0xa0; /* among them a second CSI */
		n = c == 033 ? code_bytes(str_sub(text, i, text.n)) : 1;
		if (n == 0 || is_c1 || (n == 1 && ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f))) {
			n = is_c1 ? 2 : 1;
			buf_char(out, '?');
			continue;
		}
		buf_str(out, str_sub(text, i, n));
	}
}

struct range {
	uint32_t first, last;
};

static bool in_ranges(uint32_t c, const struct range *ranges, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	}
	return false;
}

/* The main blocks of Unicode 15's EastAsianWidth W and F, and of the general categories Mn, Me and Cf. */
static const struct range wide[] = {
	{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},
	{0xa000, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
	{0xff01, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
	{0x20000, 0x2fffd}, {0x30000, 0x3fffd},
};
static const struct range zero[] = {
	{0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f}, {0x200b, 0x200f},
	{0x202a, 0x202e}, {0x2060, 0x2064}, {0x20d0, 0x20f0}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff},
};

/* Bytes of a CSI escape (ESC [ parameters final) at the start of s, else 0. */
static size_t escape_bytes(struct str s)
{
	if (s.n < 2 || s.p[0] != '\033' || s.p[1] != '[')
		return 0;
	size_t i = 2;
	while (i < s.n && s.p[i] >= 0x20 && s.p[i] < 0x40)
		i++;
	return i < s.n ? i + 1 : i;
}

/* Columns of what s begins with: an escape, a code point or a byte that is neither. */
static size_t next_columns(struct str s, size_t *bytes)
{
	uint32_t c;
	*bytes = escape_bytes(s);
	if (*bytes > 0)
		return 0;
	*bytes = utf8_decode(s, &c);
	if (*bytes == 0) {
		*bytes = 1; /* shown as one replacement sign */
		return 1;
	}
	if (c < 0x20 || c == 0x7f || in_ranges(c, zero, COUNT_OF(zero)))
		return 0;
	return in_ranges(c, wide, COUNT_OF(wide)) ? 2 : 1;
}

size_t term_columns(struct str s)
{
	size_t columns = 0, bytes;
	for (size_t i = 0; i < s.n; i += bytes)
		columns += next_columns(str_sub(s, i, s.n), &bytes);
	return columns;
}

size_t term_fit(struct str s, size_t columns)
{
	size_t bytes, i = 0;
	for (; i < s.n; i += bytes) {
		size_t more = next_columns(str_sub(s, i, s.n), &bytes);
		if (more > columns)
			break;
		columns -= more;
	}
	return i;
}

void term_wrap(struct buf *out, struct str text, size_t at, size_t indent, size_t width)
{
	struct str word;
	bool first = true;
	while (str_split(&text, ' ', &word)) {
		if (word.n == 0)
			continue;
		size_t columns = term_columns(word);
		if (!first && at + 1 + columns > width) {
			buf_char(out, '\n');
			buf_repeat(out, ' ', indent);
			at = indent;
		} else if (!first) {
			buf_char(out, ' ');
			at++;
		}
		buf_str(out, word);
		at += columns;
		first = false;
	}
}

void term_lines(struct buf *out, const struct term *t, struct str lines, size_t indent)
{
	struct str line;
	while (lines.n && str_split(&lines, '\n', &line)) {
		bool is_kept = !t->is_terminal || term_columns(line) <= t->width || str_starts(line, "command ");
		size_t head = line.n < indent ? line.n : indent; /* the label and its padding stay as they are */
		while (head < line.n && line.p[head] == ' ')
			head++;
		buf_str(out, is_kept ? line : str_sub(line, 0, head));
		if (!is_kept)
			term_wrap(out, str_sub(line, head, line.n), head, indent, t->width);
		buf_char(out, '\n');
	}
}

/* v with three significant digits and the unit whose scale leaves 1 <= number < step. `units` are `step` apart, the
 * first one is for values below it too. */
static const char *scaled(struct arena *a, double v, double step, const char *const *units, size_t n)
{
	char number[32];
	size_t i = 0;
	if (!isfinite(v))
		return arena_printf(a, "%s %s", isnan(v) ? "nan" : v < 0 ? "-inf" : "inf", units[0]);
	double magnitude = fabs(v);
	/* 999.5 would print as 1000: it belongs to the next unit already. */
	while (i + 1 < n && magnitude >= (step == 1000 ? 999.5 : step)) {
		magnitude /= step;
		i++;
	}
	int decimals = magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0;
	snprintf(number, sizeof number, "%.*f", decimals, magnitude);
	return arena_printf(a, "%s%s %s", v < 0 ? "-" : "", number, units[i]);
}

const char *term_time(struct arena *a, double ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	return scaled(a, ns, 1000, units, COUNT_OF(units));
}

const char *term_bytes(struct arena *a, double bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	if (fabs(bytes) < 1024 && bytes == floor(bytes))
		return arena_printf(a, "%.0f B", bytes);
	return scaled(a, bytes, 1024, units, COUNT_OF(units));
}

const char *term_rate(struct arena *a, double per_second, const char *unit)
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
	const char *units[COUNT_OF(prefixes)];
	for (size_t i = 0; i < COUNT_OF(prefixes); i++)
		units[i] = arena_printf(a, "%s%s/s", prefixes[i], unit);
	return scaled(a, per_second, 1000, units, COUNT_OF(units));
}
