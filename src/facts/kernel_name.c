/* Kernel names without what builds and autotuning change.
 * In: a kernel's name as a profiler or compiler writes it.
 * Out: the name at a step.
 * Never: demangles; a mangled name is only freed of hashes and suffixes. */
#include "facts/kernel_name.h"

#include <string.h>

#include "base/buf.h"

const char *kernel_name_step(enum kernel_name_step s)
{
	static const char *const names[] = {"exact", "build", "family"};
	return names[s];
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

/* Where the parameter list at the end begins; s.n: there is none. */
static size_t parameters_at(struct str s)
{
	size_t depth = 0;
	if (!str_ends(s, ")"))
		return s.n;
	for (size_t i = s.n; i-- > 0;) {
		if (s.p[i] == ')')
			depth++;
		else if (s.p[i] == '(' && --depth == 0)
			return str_starts(str_sub(s, i, s.n), "(anonymous namespace)") ? s.n : i;
	}
	return s.n;
}

static bool all(struct str s, bool (*is)(char))
{
	for (size_t i = 0; i < s.n; i++) {
		if (!is(s.p[i]))
			return false;
	}
	return s.n > 0;
}

/* 8 and more hexadecimal digits, not all of them letters. */
static bool is_hash(struct str token)
{
	bool digit = false;
	for (size_t i = 0; i < token.n; i++)
		digit |= is_digit(token.p[i]);
	return token.n >= 8 && digit && all(token, is_hex);
}

/* Triton's code of arguments: their numbers in order, with letters between: 0d1d2de3c */
static bool is_argument_code(struct str token)
{
	bool mark = false;
	size_t i = 0;
	for (uint64_t wanted = 0; i < token.n; wanted++) {
		uint64_t v;
		size_t from = i++;
		for (uint64_t k = wanted; k >= 10; k /= 10)
			i++;
		if (i > token.n || !str_u64(str_sub(token, from, i - from), &v) || v != wanted)
			return false;
		for (; i < token.n && (token.p[i] == 'd' || token.p[i] == 'c' || token.p[i] == 'e'); i++)
			mark = true;
	}
	return mark;
}

/* 128x64, tilesize128x128x64, 2x1 */
static bool is_tile(struct str token)
{
	size_t i = 0;
	while (i < token.n && !is_digit(token.p[i]))
		i++;
	size_t letters = i;
	for (size_t n = 0; i < token.n; n++) {
		size_t from = i;
		while (i < token.n && is_digit(token.p[i]))
			i++;
		if (i == token.n)
			return n > 0 && i > from && letters < token.n;
		if (i == from || token.p[i++] != 'x')
			return false;
	}
	return false;
}

static bool is_stages(struct str token)
{
	return (str_starts(token, "stages") && all(str_sub(token, 6, token.n), is_digit)) ||
	       (str_starts(token, "stage") && all(str_sub(token, 5, token.n), is_digit));
}

/* One word of letters, digits and underscores, token by token. */
static void put_word(struct buf *out, struct str word, enum kernel_name_step step)
{
	struct str rest = word, token;
	bool any = false;
	size_t n_tokens = 0, i = 0;
	for (struct str count = word; str_split(&count, '_', &token);)
		n_tokens++;
	while (str_split(&rest, '_', &token)) {
		bool last = ++i == n_tokens, gone = false;
		bool triton = str_starts(word, "triton_");
		if (n_tokens > 1) {
			gone = is_argument_code(token) || (last && triton && all(token, is_digit));
			gone |= step == KERNEL_NAME_FAMILY &&
				(is_tile(token) || is_stages(token) || (last && all(token, is_digit)));
		}
		if (gone && any)
			continue;
		if (i > 1)
			buf_char(out, '_');
		if (n_tokens > 1 && is_hash(token))
			buf_char(out, '*');
		else if (!gone)
			buf_str(out, token);
		any = true;
	}
}

/* Behind the template arguments that open at s[i]; i when they do not close. */
static size_t template_end(struct str s, size_t i)
{
	size_t depth = 0;
	for (size_t k = i; k < s.n; k++) {
		if (s.p[k] == '<')
			depth++;
		else if (s.p[k] == '>' && s.p[k - 1] != '-' && --depth == 0)
			return k + 1;
	}
	return i;
}

/* Suffixes behind a dot that compilers add. */
static struct str without_suffix(struct str s)
{
	static const char *const suffixes[] = {".kd", ".cold"};
	static const char *const numbered[] = {".constprop.", ".isra.", ".part.", ".llvm."};
	for (size_t i = 0; i < COUNT_OF(suffixes); i++) {
		if (str_ends(s, suffixes[i]))
			s = str_sub(s, 0, s.n - strlen(suffixes[i]));
	}
	for (size_t i = 0; i < COUNT_OF(numbered); i++) {
		size_t at = str_find(s, str_from(numbered[i]));
		if (at != SIZE_MAX && all(str_sub(s, at + strlen(numbered[i]), s.n), is_digit))
			s = str_sub(s, 0, at);
	}
	return s;
}

struct str kernel_name_at(struct arena *a, struct str name, enum kernel_name_step step)
{
	struct buf out;
	struct str s = str_trim(name);
	if (step == KERNEL_NAME_EXACT)
		return name;
	s = without_suffix(s);
	s = str_trim(str_sub(s, 0, parameters_at(s)));
	if (str_starts(s, "void "))
		s = str_sub(s, 5, s.n);
	buf_init(&out);
	for (size_t i = 0; i < s.n;) {
		size_t from = i;
		if (is_word(s.p[i])) {
			while (i < s.n && is_word(s.p[i]))
				i++;
			put_word(&out, str_sub(s, from, i - from), step);
			continue;
		}
		bool is_operator = from >= 8 && memcmp(s.p + from - 8, "operator", 8) == 0;
		if (step == KERNEL_NAME_FAMILY && s.p[i] == '<' && !is_operator)
			i = template_end(s, i);
		if (i == from)
			buf_char(&out, s.p[i++]);
	}
	struct str kept = arena_str(a, buf_view(&out));
	buf_release(&out);
	return kept.n ? kept : name;
}

/* A mangled name while it is read. */
struct mangled {
	struct str s;
	size_t at;
};

static char peek(const struct mangled *m)
{
	return m->at < m->s.n ? m->s.p[m->at] : 0;
}

/* <digits><identifier> */
static bool source_name(struct mangled *m, struct str *out)
{
	size_t n = 0, from = m->at;
	while (is_digit(peek(m)) && n < 100000)
		n = n * 10 + (size_t)(m->s.p[m->at++] - '0');
	if (m->at == from || n == 0 || n > m->s.n - m->at)
		return false;
	*out = str_sub(m->s, m->at, n);
	m->at += n;
	return true;
}

/* S_, S1_, St, Sa ...; T_, T0_ */
static void substitution(struct mangled *m)
{
	char kind = m->s.p[m->at++], next = peek(m);
	if (kind == 'S' && next >= 'a' && next <= 'z') {
		m->at++;
		return;
	}
	while (peek(m) && peek(m) != '_')
		m->at++;
	m->at += peek(m) == '_';
}

/* L <type> <value> E: past it. */
static void literal(struct mangled *m)
{
	struct str ignored;
	m->at++;
	if (is_digit(peek(m)))
		(void)source_name(m, &ignored);
	while (peek(m) && peek(m) != 'E') {
		if (peek(m) == 'N')
			for (m->at++; is_digit(peek(m)) && source_name(m, &ignored);)
				;
		m->at++;
	}
	m->at += peek(m) == 'E';
}

/* What opens here (I, N, X, J, F) up to its E. */
static void skip_group(struct mangled *m)
{
	struct str ignored;
	size_t depth = 0;
	do {
		char c = peek(m);
		if (is_digit(c)) {
			if (!source_name(m, &ignored))
				return;
		} else if (c == 'S' || c == 'T') {
			substitution(m);
		} else if (c == 'L') {
			literal(m);
		} else {
			depth += strchr("INXJF", c) != NULL && c;
			depth -= c == 'E' && depth;
			m->at++;
		}
	} while (depth && m->at < m->s.n);
}

static struct str demangled_base(struct arena *a, struct str name)
{
	struct mangled m = {name, 2};
	struct buf out;
	bool nested = peek(&m) == 'N';
	buf_init(&out);
	m.at += nested;
	while (nested && peek(&m) && strchr("rVK", peek(&m)))
		m.at++;
	for (;;) {
		struct str part;
		m.at += peek(&m) == 'L'; /* internal linkage */
		if (peek(&m) == 'S') {
			substitution(&m);
			continue;
		}
		if (peek(&m) == 'I') {
			skip_group(&m);
			continue;
		}
		if (!source_name(&m, &part))
			break;
		if (out.n)
			buf_puts(&out, "::");
		if (str_starts(part, "_GLOBAL__N_"))
			buf_puts(&out, "(anonymous namespace)");
		else
			buf_str(&out, part);
		if (!nested)
			break;
	}
	struct str kept = out.n ? arena_str(a, buf_view(&out)) : name;
	buf_release(&out);
	return kept;
}

/* "float *app::scale" -> "app::scale": a return type stands before the last blank outside of brackets. */
static struct str without_type(struct str s)
{
	size_t from = 0, depth = 0;
	for (size_t i = 0; i < s.n; i++) {
		depth += s.p[i] == '(' || s.p[i] == '<';
		depth -= (s.p[i] == ')' || s.p[i] == '>') && depth;
		if (!depth && (s.p[i] == ' ' || s.p[i] == '*' || s.p[i] == '&'))
			from = i + 1;
	}
	return from < s.n ? str_sub(s, from, s.n) : s;
}

struct str kernel_name_base(struct arena *a, struct str name)
{
	if (str_starts(name, "_Z"))
		name = demangled_base(a, name);
	return without_type(kernel_name_at(a, name, KERNEL_NAME_FAMILY));
}
