/* Tokens of C, C++ and CUDA text.
 * In: the text of a source file. Out: one token a call, with line and brace depth; names of macros and includes.
 * Every branch of an #if starts with the brace depth of the #if, so that alternatives with braces do not unbalance.
 * Never: expands a macro, opens an include. */
#include "operator/lex.h"

#include <string.h>

void lex_init(struct lex *x, struct arena *a, const char *name, struct str text)
{
	memset(x, 0, sizeof(*x));
	x->name = name;
	x->p = text.p;
	x->end = text.p + text.n;
	x->line = 1;
	x->at_line_start = true;
	map_init(&x->macros, a);
	map_init(&x->includes, a);
	if (text.n >= 3 && memcmp(text.p, "\xef\xbb\xbf", 3) == 0)
		x->p += 3;
}

bool lex_is(const struct lex_token *t, const char *text)
{
	return (t->kind == LEX_NAME || t->kind == LEX_PUNCT) && str_is(t->text, text);
}

static char peek(const struct lex *x, size_t ahead)
{
	return (size_t)(x->end - x->p) > ahead ? x->p[ahead] : '\0';
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_char(char c)
{
	return is_name_start(c) || is_digit(c);
}

/* Length of a backslash-newline at p, else 0. */
static size_t splice_length(const struct lex *x)
{
	if (peek(x, 0) != '\\')
		return 0;
	if (peek(x, 1) == '\n')
		return 2;
	return peek(x, 1) == '\r' && peek(x, 2) == '\n' ? 3 : 0;
}

static bool skip_block_comment(struct lex *x, struct err *e)
{
	unsigned start = x->line;
	x->p += 2;
	while (x->p < x->end) {
		if (*x->p == '*' && peek(x, 1) == '/') {
			x->p += 2;
			return true;
		}
		if (*x->p == '\n')
			x->line++;
		x->p++;
	}
	return err_set(e, ERR_INPUT, "%s:%u: the comment that starts here does not end; close it with */", x->name,
		       start);
}

static void skip_line_comment(struct lex *x)
{
	while (x->p < x->end && *x->p != '\n') {
		size_t n = splice_length(x);
		if (n)
			x->line++;
		x->p += n ? n : 1;
	}
}

/* White space, splices and comments; keeps at_line_start until something else comes. */
static bool skip_blank(struct lex *x, struct err *e)
{
	while (x->p < x->end) {
		size_t n = splice_length(x);
		if (n) {
			x->line++;
			x->p += n;
		} else if (*x->p == '\n') {
			x->line++;
			x->at_line_start = true;
			x->p++;
		} else if (*x->p == ' ' || (*x->p >= '\t' && *x->p <= '\r')) {
			x->p++;
		} else if (*x->p == '/' && peek(x, 1) == '*') {
			if (!skip_block_comment(x, e))
				return false;
		} else if (*x->p == '/' && peek(x, 1) == '/') {
			skip_line_comment(x);
		} else {
			break;
		}
	}
	return true;
}

/* To the closing quote on the same line; false when the line ends first (p is then at its end). */
static bool skip_quoted(struct lex *x, char quote)
{
	x->p++;
	while (x->p < x->end && *x->p != '\n') {
		size_t n = splice_length(x);
		if (n) {
			x->line++;
			x->p += n;
			continue;
		}
		char c = *x->p;
		x->p += c == '\\' && x->end - x->p > 1 && x->p[1] != '\n' ? 2 : 1;
		if (c == quote)
			return true;
	}
	return false;
}

static bool skip_raw_string(struct lex *x, struct err *e)
{
	unsigned start = x->line;
	const char *delim = ++x->p; /* behind the quote */
	while (x->p < x->end && *x->p != '(' && x->p - delim <= 16)
		x->p++;
	size_t n = (size_t)(x->p - delim);
	for (; x->p < x->end; x->p++) {
		if (*x->p == '\n')
			x->line++;
		if (*x->p != ')' || (size_t)(x->end - x->p) < n + 2)
			continue;
		if (memcmp(x->p + 1, delim, n) == 0 && x->p[n + 1] == '"') {
			x->p += n + 2;
			return true;
		}
	}
	return err_set(e, ERR_INPUT, "%s:%u: the raw string that starts here does not end", x->name, start);
}

static bool is_dead(const struct lex *x)
{
	return x->n_ifs && x->ifs[x->n_ifs - 1].branch >= LEX_ZERO;
}

static bool push_if(struct lex *x, struct str condition, bool is_plain_if, struct err *e)
{
	if (x->n_ifs == LEX_MAX_IFS)
		return err_set(e, ERR_INPUT, "%s:%u: more than %d nested #if", x->name, x->line, LEX_MAX_IFS);
	enum lex_branch b = LEX_LIVE;
	if (is_dead(x))
		b = LEX_SKIP;
	else if (is_plain_if && str_is(condition, "0"))
		b = LEX_ZERO;
	else if (is_plain_if && str_is(condition, "1"))
		b = LEX_ONE;
	x->ifs[x->n_ifs++] = (struct lex_if){x->depth, x->line, b};
	return true;
}

/* #else, #elif...: the next branch. #endif ends it. */
static bool next_branch(struct lex *x, bool is_end, struct err *e)
{
	if (!x->n_ifs)
		return err_set(e, ERR_INPUT, "%s:%u: this #%s has no #if before it", x->name, x->line,
			       is_end ? "endif" : "else");
	struct lex_if *top = &x->ifs[x->n_ifs - 1];
	if (is_end) {
		x->n_ifs--;
		return true;
	}
	if (top->branch == LEX_ZERO || top->branch == LEX_LIVE) {
		top->branch = LEX_LIVE;
		x->depth = top->depth;
	} else {
		top->branch = LEX_SKIP;
	}
	return true;
}

static void remember(struct map *m, struct str key, unsigned line)
{
	if (key.n && !map_find(m, key))
		map_set(m, key, (void *)(uintptr_t)line);
}

static bool directive(struct lex *x, struct str word, struct str rest, struct err *e)
{
	if (str_is(word, "if") || str_is(word, "ifdef") || str_is(word, "ifndef"))
		return push_if(x, rest, str_is(word, "if"), e);
	if (str_starts(word, "el"))
		return next_branch(x, false, e);
	if (str_is(word, "endif"))
		return next_branch(x, true, e);
	if (is_dead(x))
		return true;
	size_t n = 0;
	if (str_is(word, "define")) {
		while (n < rest.n && is_name_char(rest.p[n]))
			n++;
		remember(&x->macros, str_sub(rest, 0, n), x->line);
	} else if (str_is(word, "include") && rest.n) {
		char close = rest.p[0] == '<' ? '>' : '"';
		for (n = 1; n < rest.n && rest.p[n] != close;)
			n++;
		remember(&x->includes, str_sub(rest, 0, n + 1), x->line);
	}
	return true;
}

/* At the # of a preprocessor line: reads it to its end. */
static bool read_directive(struct lex *x, struct err *e)
{
	x->p++;
	while (peek(x, 0) == ' ' || peek(x, 0) == '\t')
		x->p++;
	struct str word = {x->p, 0};
	while (x->p < x->end && is_name_char(*x->p))
		x->p++;
	word.n = (size_t)(x->p - word.p);
	const char *start = x->p, *stop = NULL; /* stop: a comment begins */
	unsigned line = x->line;
	while (x->p < x->end && *x->p != '\n') {
		size_t n = splice_length(x);
		bool is_comment = *x->p == '/' && (peek(x, 1) == '/' || peek(x, 1) == '*');
		if (is_comment && !stop)
			stop = x->p;
		if (n) {
			x->line++;
			x->p += n;
		} else if (is_comment && x->p[1] == '*') {
			if (!skip_block_comment(x, e))
				return false;
		} else if (is_comment) {
			skip_line_comment(x);
		} else if (*x->p == '"') {
			(void)skip_quoted(x, '"'); /* a lone quote in #error or #pragma ends with its line */
		} else {
			x->p++;
		}
	}
	struct str rest = str_trim((struct str){start, (size_t)((stop ? stop : x->p) - start)});
	unsigned last = x->line;
	x->line = line;
	bool ok = directive(x, word, rest, e);
	x->line = last;
	return ok;
}

static void take(struct lex *x, struct lex_token *out, size_t n, enum lex_kind kind)
{
	out->text = (struct str){x->p, n};
	out->kind = kind;
	x->p += n;
}

static void read_number(struct lex *x, struct lex_token *out)
{
	size_t n = 1;
	for (;; n++) {
		char c = peek(x, n), before = x->p[n - 1];
		bool is_sign = (c == '+' || c == '-') && strchr("eEpP", before) && before;
		bool is_separator = c == '\'' && is_name_char(peek(x, n + 1));
		if (!is_name_char(c) && c != '.' && !is_sign && !is_separator)
			break;
	}
	take(x, out, n, LEX_NUMBER);
}

static bool read_string(struct lex *x, struct lex_token *out, const char *start, struct err *e)
{
	char quote = *x->p;
	unsigned line = x->line;
	bool is_raw = quote == '"' && x->p > start && x->p[-1] == 'R';
	if (is_raw && !skip_raw_string(x, e))
		return false;
	if (!is_raw && !skip_quoted(x, quote))
		return err_set(e, ERR_INPUT, "%s:%u: the %s that starts here does not end on its line", x->name, line,
			       quote == '"' ? "string" : "character");
	out->text = (struct str){start, (size_t)(x->p - start)};
	out->kind = quote == '"' ? LEX_STRING : LEX_CHAR;
	return true;
}

static bool is_string_prefix(struct str s)
{
	return str_is(s, "L") || str_is(s, "u") || str_is(s, "U") || str_is(s, "u8") ||
	       (s.n <= 3 && s.n && s.p[s.n - 1] == 'R' && (s.n == 1 || strchr("LuU8", s.p[s.n - 2])));
}

static void read_punct(struct lex *x, struct lex_token *out)
{
	static const char *const longer[] = {"...", "::", "->", "&&"};
	for (size_t i = 0; i < COUNT_OF(longer); i++) {
		size_t n = strlen(longer[i]);
		if ((size_t)(x->end - x->p) >= n && memcmp(x->p, longer[i], n) == 0) {
			take(x, out, n, LEX_PUNCT);
			return;
		}
	}
	take(x, out, 1, LEX_PUNCT);
	if (*out->text.p == '{') {
		x->depth++;
	} else if (*out->text.p == '}') {
		x->depth -= x->depth > 0;
		out->depth = x->depth;
	}
}

static bool read_token(struct lex *x, struct lex_token *out, struct err *e)
{
	const char *start = x->p;
	out->line = x->line;
	out->depth = x->depth;
	if (is_name_start(*x->p)) {
		size_t n = 1;
		while (is_name_char(peek(x, n)))
			n++;
		char after = peek(x, n);
		if ((after != '"' && after != '\'') || !is_string_prefix((struct str){start, n})) {
			take(x, out, n, LEX_NAME);
			return true;
		}
		x->p += n;
	}
	if (*x->p == '"' || *x->p == '\'')
		return read_string(x, out, start, e);
	if (is_digit(*x->p) || (*x->p == '.' && is_digit(peek(x, 1)))) {
		read_number(x, out);
		return true;
	}
	if (*x->p == '\0')
		return err_set(e, ERR_INPUT, "%s:%u: a NUL byte: this is no source file", x->name, x->line);
	read_punct(x, out);
	return true;
}

bool lex_next(struct lex *x, struct lex_token *out, struct err *e)
{
	memset(out, 0, sizeof(*out));
	for (;;) {
		if (!skip_blank(x, e))
			return false;
		if (x->p == x->end)
			break;
		if (x->at_line_start && *x->p == '#') {
			x->at_line_start = false;
			if (!read_directive(x, e))
				return false;
			continue;
		}
		x->at_line_start = false;
		if (!is_dead(x))
			return read_token(x, out, e);
		if (*x->p == '"')
			(void)skip_quoted(x, '"');
		else
			x->p++;
	}
	out->line = x->line;
	if (x->n_ifs)
		return err_set(e, ERR_INPUT, "%s:%u: the #if of this line has no #endif", x->name,
			       x->ifs[x->n_ifs - 1].line);
	return true;
}
