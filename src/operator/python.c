/* Functions, imports and marks of a Python file.
 * In: text. Out: top-level functions with their parameters, imports of torch and triton, calls inside the functions.
 * Works on logical lines: brackets, strings, comments and continuations are understood; expressions are not.
 * Never: runs Python, checks that the text would compile. */
#include "operator/python.h"

#include <stdio.h>
#include <string.h>

enum { MAX_TOKENS = 8192, MAX_PARAMS = 256, MAX_BRACKETS = 256, MAX_CALLS = 1 << 20 };

enum token_kind { T_END, T_NEWLINE, T_NAME, T_NUMBER, T_STRING, T_OP };
struct token {
	struct str text;
	enum token_kind kind;
	unsigned line;
};
struct scan {
	struct python_source *out;
	struct arena *arena;
	const char *p, *end;
	unsigned line;
	size_t n_brackets;
	char brackets[MAX_BRACKETS];
	unsigned bracket_lines[MAX_BRACKETS];
	struct token *t; /* one logical line */
	size_t n;
	size_t indent;
	struct python_param params[MAX_PARAMS]; /* of the def that is read */
	bool is_jit;                            /* a decorator before the coming def */
	size_t i_function;                      /* whose body we are in; SIZE_MAX: none */
};

static char peek(const struct scan *s, size_t ahead)
{
	return (size_t)(s->end - s->p) > ahead ? s->p[ahead] : '\0';
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is(const struct token *t, const char *text)
{
	return (t->kind == T_NAME || t->kind == T_OP) && str_is(t->text, text);
}

static bool skip_string(struct scan *s, struct err *e)
{
	char quote = *s->p;
	unsigned line = s->line;
	bool is_triple = peek(s, 1) == quote && peek(s, 2) == quote;
	s->p += is_triple ? 3 : 1;
	while (s->p < s->end) {
		char c = *s->p;
		if (c == '\\' && s->end - s->p > 1) {
			s->line += s->p[1] == '\n';
			s->p += 2;
			continue;
		}
		if (c == '\n') {
			if (!is_triple)
				break;
			s->line++;
		}
		if (c == quote && (!is_triple || (peek(s, 1) == quote && peek(s, 2) == quote))) {
			s->p += is_triple ? 3 : 1;
			return true;
		}
		s->p++;
	}
	return err_set(e, ERR_INPUT, "%s:%u: the string that starts here does not end", s->out->name, line);
}

static bool track_bracket(struct scan *s, char c, struct err *e)
{
	const char *open = strchr("([{", c), *close = strchr(")]}", c);
	if (open) {
		if (s->n_brackets == MAX_BRACKETS)
			return err_set(e, ERR_INPUT, "%s:%u: more than %d nested brackets", s->out->name, s->line,
				       MAX_BRACKETS);
		s->bracket_lines[s->n_brackets] = s->line;
		s->brackets[s->n_brackets++] = c;
	} else if (close) {
		char want = s->n_brackets ? s->brackets[s->n_brackets - 1] : '\0';
		if ((c == ')' && want != '(') || (c == ']' && want != '[') || (c == '}' && want != '{'))
			return err_set(e, ERR_INPUT, "%s:%u: '%c' closes nothing", s->out->name, s->line, c);
		s->n_brackets--;
	}
	return true;
}

/* White space, comments and continuations inside a logical line. */
static void skip_inside(struct scan *s)
{
	while (s->p < s->end) {
		char c = *s->p;
		if (c == '\\' && (peek(s, 1) == '\n' || (peek(s, 1) == '\r' && peek(s, 2) == '\n'))) {
			s->p += peek(s, 1) == '\n' ? 2 : 3;
			s->line++;
		} else if (c == '#') {
			while (s->p < s->end && *s->p != '\n')
				s->p++;
		} else if (c == '\n' && s->n_brackets) {
			s->line++;
			s->p++;
		} else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
			s->p++;
		} else {
			break;
		}
	}
}

static void set_token(struct token *t, const struct scan *s, const char *start, enum token_kind kind)
{
	t->text = (struct str){start, (size_t)(s->p - start)};
	t->kind = kind;
}

static bool next_token(struct scan *s, struct token *t, struct err *e)
{
	skip_inside(s);
	t->line = s->line;
	const char *start = s->p;
	if (s->p == s->end) {
		set_token(t, s, start, T_END);
		return true;
	}
	char c = *s->p;
	if (c == '\n') {
		s->p++;
		s->line++;
		set_token(t, s, start, T_NEWLINE);
		return true;
	}
	if (c == '\0')
		return err_set(e, ERR_INPUT, "%s:%u: a NUL byte: this is no source file", s->out->name, s->line);
	if (is_name_start(c)) {
		while (is_name_start(peek(s, 0)) || is_digit(peek(s, 0)))
			s->p++;
		c = peek(s, 0);
		if ((c != '"' && c != '\'') || s->p - start > 2) {
			set_token(t, s, start, T_NAME);
			return true;
		}
	}
	if (c == '"' || c == '\'') {
		if (!skip_string(s, e))
			return false;
		set_token(t, s, start, T_STRING);
		return true;
	}
	if (is_digit(c)) {
		while (is_name_start(peek(s, 0)) || is_digit(peek(s, 0)) || peek(s, 0) == '.')
			s->p++;
		set_token(t, s, start, T_NUMBER);
		return true;
	}
	if (!track_bracket(s, c, e))
		return false;
	bool is_pair = (c == '*' && peek(s, 1) == '*') || (c == '=' && peek(s, 1) == '=') ||
		       (c == '-' && peek(s, 1) == '>') || (c == ':' && peek(s, 1) == '=');
	s->p += is_pair ? 2 : 1;
	set_token(t, s, start, T_OP);
	return true;
}

/* Indentation of the next line that holds code; comments and blank lines are passed. */
static void start_line(struct scan *s)
{
	for (;;) {
		s->indent = 0;
		while (peek(s, 0) == ' ' || peek(s, 0) == '\t' || peek(s, 0) == '\f') {
			s->indent += peek(s, 0) == '\t' ? 8 - s->indent % 8 : 1;
			s->p++;
		}
		if (peek(s, 0) == '#') {
			while (s->p < s->end && *s->p != '\n')
				s->p++;
		}
		if (peek(s, 0) == '\r')
			s->p++;
		if (s->p == s->end || *s->p != '\n')
			return;
		s->p++;
		s->line++;
	}
}

/* One logical line into s->t (what is beyond MAX_TOKENS is passed over). False at the end or on an error. */
static bool read_line(struct scan *s, bool *at_end, struct err *e)
{
	start_line(s);
	s->n = 0;
	*at_end = s->p == s->end;
	while (!*at_end) {
		struct token t;
		if (!next_token(s, &t, e))
			return false;
		if (t.kind == T_END && s->n_brackets)
			return err_set(e, ERR_INPUT, "%s:%u: the bracket '%c' of this line does not close",
				       s->out->name, s->bracket_lines[s->n_brackets - 1],
				       s->brackets[s->n_brackets - 1]);
		if (t.kind == T_END || t.kind == T_NEWLINE)
			break;
		if (s->n < MAX_TOKENS)
			s->t[s->n++] = t;
	}
	return true;
}

static size_t group_end(const struct scan *s, size_t i)
{
	size_t depth = 0;
	for (; i < s->n; i++) {
		if (s->t[i].kind != T_OP)
			continue;
		char c = *s->t[i].text.p;
		if (strchr("([{", c))
			depth++;
		else if (strchr(")]}", c) && --depth == 0)
			return i + 1;
	}
	return s->n;
}

/* The source text of tokens from..to-1. */
static struct str slice(const struct scan *s, size_t from, size_t to)
{
	if (from >= to)
		return (struct str){"", 0};
	const char *p = s->t[from].text.p;
	return (struct str){p, (size_t)(s->t[to - 1].text.p + s->t[to - 1].text.n - p)};
}

/* One parameter in tokens from..to-1 (without its comma). */
static void read_param(struct scan *s, struct python_function *f, size_t from, size_t to, unsigned *flags)
{
	if (from >= to || is(&s->t[from], "/"))
		return;
	if (is(&s->t[from], "*") || is(&s->t[from], "**")) {
		bool is_kwargs = is(&s->t[from], "**");
		f->flags |= is_kwargs ? PYTHON_KWARGS : to - from > 1 ? PYTHON_VARARGS : 0u;
		*flags = PYTHON_KEYWORD;
		return;
	}
	if (s->t[from].kind != T_NAME || f->n_params == MAX_PARAMS)
		return;
	size_t colon = to, equal = to;
	for (size_t i = from + 1; i < to;) {
		if (is(&s->t[i], ":") && colon == to && equal == to)
			colon = i;
		else if (is(&s->t[i], "=") && equal == to)
			equal = i;
		i = s->t[i].kind == T_OP && strchr("([{", *s->t[i].text.p) ? group_end(s, i) : i + 1;
	}
	f->params[f->n_params++] = (struct python_param){
		.name = s->t[from].text,
		.annotation = slice(s, colon + 1, equal),
		.default_text = slice(s, equal + 1, to),
		.line = s->t[from].line,
		.flags = *flags,
	};
}

/* i: at the "(" of a def. */
static void read_params(struct scan *s, struct python_function *f, size_t i)
{
	size_t end = group_end(s, i), from = i + 1, stop = end > i ? end - 1 : i;
	unsigned flags = 0;
	f->params = s->params;
	for (size_t k = from; k <= stop;) {
		if (k == stop || is(&s->t[k], ",")) {
			read_param(s, f, from, k, &flags);
			from = ++k;
		} else {
			k = s->t[k].kind == T_OP && strchr("([{", *s->t[k].text.p) ? group_end(s, k) : k + 1;
			k = k > stop ? stop : k;
		}
	}
	f->params = ARENA_ARRAY(s->arena, f->n_params + 1, struct python_param);
	memcpy(f->params, s->params, f->n_params * sizeof(*f->params));
}

static void *grow(struct arena *a, void *items, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return items;
	size_t more = *cap ? *cap * 2 : 16;
	void *p = arena_array(a, more, size);
	if (n)
		memcpy(p, items, n * size);
	*cap = more;
	return p;
}

/* i: at "def". */
static void read_def(struct scan *s, size_t i)
{
	if (i + 2 >= s->n || s->t[i + 1].kind != T_NAME || !is(&s->t[i + 2], "("))
		return;
	struct python_source *out = s->out;
	struct python_function f = {.name = s->t[i + 1].text, .line = s->t[i + 1].line};
	f.flags = (s->is_jit ? PYTHON_JIT : 0u) | (i ? PYTHON_ASYNC : 0u);
	read_params(s, &f, i + 2);
	out->functions = grow(s->arena, out->functions, out->n_functions, &out->cap_functions, sizeof(f));
	s->i_function = out->n_functions;
	out->functions[out->n_functions++] = f;
}

static void read_import(struct scan *s)
{
	struct python_source *out = s->out;
	bool is_from = is(&s->t[0], "from");
	for (size_t i = 1; i < s->n; i++) {
		bool is_module = s->t[i].kind == T_NAME && (i == 1 || (!is_from && is(&s->t[i - 1], ",")));
		if (is_from && is(&s->t[i], "*") && !out->star_import_line)
			out->star_import_line = s->t[i].line;
		if (!is_module)
			continue;
		if (str_is(s->t[i].text, "torch") && !out->torch_line)
			out->torch_line = s->t[i].line;
		if (!str_is(s->t[i].text, "triton"))
			continue;
		if (!out->triton_line)
			out->triton_line = s->t[i].line;
		if (!is_from && i + 2 < s->n && is(&s->t[i + 1], "as"))
			out->triton_alias = s->t[i + 2].text;
	}
}

static void read_decorator(struct scan *s)
{
	bool is_ours = s->n >= 2 && (is(&s->t[1], "triton") || is(&s->t[1], "gluon") ||
				     (s->out->triton_alias.n && str_eq(s->t[1].text, s->out->triton_alias)));
	size_t last = 1;
	while (last + 2 < s->n && is(&s->t[last + 1], "."))
		last += 2;
	bool is_jit = last < s->n && is(&s->t[last], "jit") && (is_ours || (last == 1 && s->out->triton_line));
	if (is_jit && !s->out->jit_line)
		s->out->jit_line = s->t[0].line;
	s->is_jit = s->is_jit || is_jit;
}

/* Which names are called and which are bound in the line. */
static void read_names(struct scan *s)
{
	struct python_source *out = s->out;
	for (size_t i = 0; i < s->n; i++) {
		const struct token *t = &s->t[i];
		if (t->kind != T_NAME || (i && is(&s->t[i - 1], ".")))
			continue;
		bool is_call = i + 1 < s->n && is(&s->t[i + 1], "(");
		if (i + 1 < s->n && is(&s->t[i + 1], "[")) {
			size_t behind = group_end(s, i + 1);
			is_call = behind < s->n && is(&s->t[behind], "(");
		}
		bool is_made = i && (is(&s->t[i - 1], "def") || is(&s->t[i - 1], "class"));
		if (!is_call || is_made) {
			map_intern(&out->bound, t->text, NULL)->value = out;
			continue;
		}
		if (s->i_function == SIZE_MAX || out->n_calls == MAX_CALLS)
			continue;
		out->calls = grow(s->arena, out->calls, out->n_calls, &out->cap_calls, sizeof(*out->calls));
		out->calls[out->n_calls++] = (struct python_call){t->text, t->line, s->i_function};
	}
}

static void take_line(struct scan *s)
{
	if (!s->n)
		return;
	if (is(&s->t[0], "import") || is(&s->t[0], "from"))
		read_import(s);
	if (is(&s->t[0], "@")) {
		if (!s->indent)
			s->i_function = SIZE_MAX;
		read_decorator(s);
		read_names(s);
		return;
	}
	if (!s->indent) {
		s->i_function = SIZE_MAX;
		size_t i = is(&s->t[0], "async");
		if (i < s->n && is(&s->t[i], "def"))
			read_def(s, i);
	}
	read_names(s);
	s->is_jit = false;
}

bool python_read(struct python_source *out, struct arena *a, const char *name, struct str text, struct err *e)
{
	memset(out, 0, sizeof(*out));
	out->name = name;
	out->text = text;
	map_init(&out->bound, a);
	struct scan *s = ARENA_NEW(a, struct scan);
	s->out = out;
	s->arena = a;
	s->p = text.p;
	s->end = text.p + text.n;
	s->line = 1;
	s->t = ARENA_ARRAY(a, MAX_TOKENS, struct token);
	s->i_function = SIZE_MAX;
	if (text.n >= 3 && memcmp(text.p, "\xef\xbb\xbf", 3) == 0)
		s->p += 3;
	for (bool at_end = false; !at_end;) {
		if (!read_line(s, &at_end, e))
			return false;
		take_line(s);
	}
	return true;
}

const struct python_function *python_function(const struct python_source *s, const char *name)
{
	for (size_t i = s->n_functions; i-- > 0;) {
		if (str_is(s->functions[i].name, name))
			return &s->functions[i];
	}
	return NULL;
}

/* Keywords that may stand before a bracket, and the built-in functions; a blank on both sides of each. */
static const char builtins[] =
	" and assert await case del elif except for if in is lambda match not or print raise return while "
	"with yield abs all any ascii bin bool bytearray bytes callable chr classmethod complex delattr dict "
	"dir divmod enumerate eval exec filter float format frozenset getattr globals hasattr hash hex id "
	"input int isinstance issubclass iter len list locals map max memoryview min next object oct open ord "
	"pow property range repr reversed round set setattr slice sorted staticmethod str sum super tuple "
	"type vars zip __import__ Exception ValueError TypeError RuntimeError NotImplementedError "
	"AssertionError KeyError IndexError else from import AttributeError ImportError StopIteration "
	"breakpoint compile aiter anext global SystemExit KeyboardInterrupt BaseException ";

static bool is_builtin(struct str name)
{
	char word[40];
	int n = snprintf(word, sizeof(word), " %.*s ", STR_ARG(name));
	if (n > 0 && (size_t)n < sizeof(word) && strstr(builtins, word))
		return true;
	return str_ends(name, "Error") || str_ends(name, "Warning");
}

const struct python_call *python_missing(const struct python_source *s, const struct python_function *f)
{
	if (s->star_import_line)
		return NULL;
	for (size_t i = 0; i < s->n_calls; i++) {
		const struct python_call *c = &s->calls[i];
		if (&s->functions[c->i_function] == f && !map_find(&s->bound, c->name) && !is_builtin(c->name))
			return c;
	}
	return NULL;
}
