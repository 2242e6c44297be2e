/* The expression language: text to a tree, by recursive descent.
 * In: text of a user, an operator file, a knowledge card.
 * Out: a tree in the caller's arena, or one error with its column.
 * Never: evaluates. */
#include "base/expr.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/expr_node.h"
#include "base/utf8.h"

#define MAX_BYTES 4096
#define MAX_NESTED 64

enum level { LEVEL_OR, LEVEL_AND, LEVEL_NOT, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT, LEVEL_UNARY };

/* Longer spellings stand before those that they begin with. */
static const struct {
	const char *text;
	enum level level;
	enum expr_op op;
} operators[] = {
	{"or", LEVEL_OR, EXPR_OR},      {"and", LEVEL_AND, EXPR_AND},          {"==", LEVEL_COMPARE, EXPR_EQ},
	{"!=", LEVEL_COMPARE, EXPR_NE}, {"<=", LEVEL_COMPARE, EXPR_LE},        {">=", LEVEL_COMPARE, EXPR_GE},
	{"<", LEVEL_COMPARE, EXPR_LT},  {">", LEVEL_COMPARE, EXPR_GT},         {"+", LEVEL_SUM, EXPR_ADD},
	{"-", LEVEL_SUM, EXPR_SUB},     {"//", LEVEL_PRODUCT, EXPR_FLOOR_DIV}, {"/", LEVEL_PRODUCT, EXPR_DIV},
	{"%", LEVEL_PRODUCT, EXPR_MOD}, {"*", LEVEL_PRODUCT, EXPR_MUL},
};

static const struct {
	const char *name;
	enum expr_op op;
} calls[] = {{"min", EXPR_MIN}, {"max", EXPR_MAX}, {"ceil_div", EXPR_CEIL_DIV}};

struct parser {
	struct arena *arena;
	struct str text;
	size_t at, nested;
	struct err *e;
};

bool expr_fail(struct str text, size_t at, struct err *e, const char *fmt, ...)
{
	char what[256], shown[STR_SHOWN];
	size_t column = 1;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < at && i < text.n; i++)
		column += ((unsigned char)text.p[i] & 0xc0) != 0x80;
	return err_set(e, ERR_INPUT, "'%s': column %zu: %s", str_shown(shown, text), column, what);
}

static void *fail_at(struct parser *p, size_t at, const char *what)
{
	expr_fail(p->text, at, p->e, "%s", what);
	return NULL;
}

static int peek_at(const struct parser *p, size_t ahead)
{
	return p->at + ahead < p->text.n ? (unsigned char)p->text.p[p->at + ahead] : -1;
}

static void skip_space(struct parser *p)
{
	for (int c = peek_at(p, 0); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = peek_at(p, 0))
		p->at++;
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool is_name(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Whether `word` comes next (as a whole word if it is one). Takes nothing. */
static bool comes(struct parser *p, const char *word)
{
	size_t n = strlen(word);
	skip_space(p);
	if (p->text.n - p->at < n || memcmp(p->text.p + p->at, word, n) != 0)
		return false;
	int next = peek_at(p, n);
	return !is_name((unsigned char)word[0]) || !(is_name(next) || is_digit(next) || next == '.');
}

static bool take(struct parser *p, const char *word)
{
	if (!comes(p, word))
		return false;
	p->at += strlen(word);
	return true;
}

static void *unexpected(struct parser *p, const char *wanted)
{
	skip_space(p);
	int c = peek_at(p, 0);
	if (c < 0)
		expr_fail(p->text, p->at, p->e, "it ends where %s was expected", wanted);
	else if (c > 0x20 && c < 0x7f)
		expr_fail(p->text, p->at, p->e, "'%c' where %s was expected", c, wanted);
	else
		expr_fail(p->text, p->at, p->e, "byte 0x%02x where %s was expected", (unsigned)c, wanted);
	return NULL;
}

static struct expr_node *node(struct parser *p, enum expr_op op, size_t at)
{
	struct expr_node *n = ARENA_NEW(p->arena, struct expr_node);
	n->op = op;
	n->at = at;
	return n;
}

static struct expr_node *parse_level(struct parser *p, enum level level);

static bool nest(struct parser *p)
{
	if (p->nested == MAX_NESTED)
		return fail_at(p, p->at, "nested deeper than 64");
	p->nested++;
	return true;
}

static struct expr_node *parse_number(struct parser *p)
{
	struct expr_node *n = node(p, EXPR_CONST, p->at);
	size_t i = 0;
	bool whole = true;
	while (is_digit(peek_at(p, i)))
		i++;
	if (peek_at(p, i) == '.') {
		whole = false;
		if (!is_digit(peek_at(p, ++i)))
			return fail_at(p, p->at + i, "a digit is missing after the point");
		while (is_digit(peek_at(p, i)))
			i++;
	}
	if (peek_at(p, i) == 'e' || peek_at(p, i) == 'E') {
		whole = false;
		i++;
		if (peek_at(p, i) == '+' || peek_at(p, i) == '-')
			i++;
		if (!is_digit(peek_at(p, i)))
			return fail_at(p, p->at + i, "a digit of the exponent is missing");
		while (is_digit(peek_at(p, i)))
			i++;
	}
	if (is_name(peek_at(p, i)))
		return fail_at(p, p->at + i, "a letter directly behind a number");
	struct str text = str_sub(p->text, p->at, i);
	n->value.type = whole ? EXPR_INT : EXPR_REAL;
	if (whole ? !str_i64(text, &n->value.i) : !str_f64(text, &n->value.real))
		return fail_at(p, p->at, whole ? "the number does not fit 64 bits" : "the number is beyond a double");
	p->at += i;
	return n;
}

static struct expr_node *parse_string(struct parser *p)
{
	struct expr_node *n = node(p, EXPR_CONST, p->at);
	int quote = peek_at(p, 0);
	size_t i = 1;
	while (peek_at(p, i) >= 0x20 && peek_at(p, i) != quote)
		i++;
	if (peek_at(p, i) != quote)
		return fail_at(p, p->at, "string without its closing quote");
	n->value.type = EXPR_STRING;
	n->value.text = str_sub(p->text, p->at + 1, i - 1);
	p->at += i + 1;
	return n;
}

/* Behind the name of a call. */
static struct expr_node *parse_call(struct parser *p, struct str name, size_t at)
{
	for (size_t i = 0; i < COUNT_OF(calls); i++) {
		if (!str_is(name, calls[i].name))
			continue;
		struct expr_node *n = node(p, calls[i].op, at);
		if (!take(p, "(") || !nest(p) || !(n->left = parse_level(p, LEVEL_OR)))
			return NULL;
		if (!take(p, ","))
			return unexpected(p, "',' and a second argument");
		if (!(n->right = parse_level(p, LEVEL_OR)))
			return NULL;
		p->nested--;
		return take(p, ")") ? n : unexpected(p, "')' behind two arguments");
	}
	return fail_at(p, at, "no such function; there are min, max and ceil_div");
}

static struct expr_node *parse_name(struct parser *p)
{
	static const char *const reserved[] = {"and", "or", "not"};
	size_t at = p->at, i = 0;
	while (is_name(peek_at(p, i)) || is_digit(peek_at(p, i)) ||
	       (peek_at(p, i) == '.' && (is_name(peek_at(p, i + 1)) || is_digit(peek_at(p, i + 1)))))
		i++;
	struct str name = str_sub(p->text, at, i);
	for (size_t k = 0; k < COUNT_OF(reserved); k++) {
		if (str_is(name, reserved[k]))
			return unexpected(p, "a value");
	}
	p->at += i;
	if (comes(p, "("))
		return parse_call(p, name, at);
	struct expr_node *n = node(p, EXPR_NAME, at);
	if (str_is(name, "true") || str_is(name, "false")) {
		n->op = EXPR_CONST;
		n->value.type = EXPR_BOOL;
		n->value.boolean = name.p[0] == 't';
	} else {
		n->value.text = name;
	}
	return n;
}

static struct expr_node *parse_atom(struct parser *p)
{
	skip_space(p);
	int c = peek_at(p, 0);
	if (is_digit(c))
		return parse_number(p);
	if (c == '"' || c == '\'')
		return parse_string(p);
	if (is_name(c))
		return parse_name(p);
	if (!take(p, "("))
		return unexpected(p, "a value");
	if (!nest(p))
		return NULL;
	struct expr_node *n = parse_level(p, LEVEL_OR);
	p->nested--;
	if (n && !take(p, ")"))
		return unexpected(p, "')' or an operator");
	return n;
}

/* -x and x ** y; ** binds closer than - on its left and takes a signed right side. */
static struct expr_node *parse_unary(struct parser *p)
{
	struct expr_node *n;
	skip_space(p);
	size_t at = p->at;
	if (take(p, "-")) {
		n = node(p, EXPR_NEG, at);
		if (!nest(p) || !(n->left = parse_unary(p)))
			return NULL;
		p->nested--;
		return n;
	}
	struct expr_node *base = parse_atom(p);
	if (!base || !comes(p, "**"))
		return base;
	n = node(p, EXPR_POW, p->at);
	p->at += 2;
	n->left = base;
	if (!nest(p) || !(n->right = parse_unary(p)))
		return NULL;
	p->nested--;
	return n;
}

static bool take_operator(struct parser *p, enum level level, enum expr_op *op)
{
	if (comes(p, "**")) /* never "*" and "*" */
		return false;
	for (size_t i = 0; i < COUNT_OF(operators); i++) {
		if (operators[i].level == level && take(p, operators[i].text)) {
			*op = operators[i].op;
			return true;
		}
	}
	return false;
}

static struct expr_node *parse_level(struct parser *p, enum level level)
{
	struct expr_node *n, *left;
	enum expr_op op = EXPR_CONST;
	if (level == LEVEL_UNARY)
		return parse_unary(p);
	skip_space(p);
	size_t at = p->at;
	if (level == LEVEL_NOT && take(p, "not")) {
		n = node(p, EXPR_NOT, at);
		if (!nest(p) || !(n->left = parse_level(p, LEVEL_NOT)))
			return NULL;
		p->nested--;
		return n;
	}
	left = parse_level(p, level + 1);
	for (bool first = true; left; first = false) {
		skip_space(p);
		at = p->at;
		if (!take_operator(p, level, &op))
			return left;
		if (level == LEVEL_COMPARE && !first)
			return fail_at(p, at, "comparisons in a row: join them with and");
		n = node(p, op, at);
		n->left = left;
		n->right = parse_level(p, level + 1);
		left = n->right ? n : NULL;
	}
	return NULL;
}

struct expr *expr_parse(struct arena *a, struct str text, struct err *e)
{
	struct parser p = {.arena = a, .text = text, .e = e};
	if (text.n > MAX_BYTES)
		return fail_at(&p, 0, "longer than 4096 bytes");
	if (!utf8_is_valid(text))
		return fail_at(&p, 0, "invalid UTF-8");
	struct expr *x = ARENA_NEW(a, struct expr);
	x->text = p.text = arena_str(a, text);
	x->root = parse_level(&p, LEVEL_OR);
	if (!x->root)
		return NULL;
	skip_space(&p);
	return p.at == text.n ? x : unexpected(&p, "an operator or the end");
}
