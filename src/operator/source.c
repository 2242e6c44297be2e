/* Functions, type names and marks of a C, C++ or CUDA file.
 * In: tokens. Out: every function at namespace scope with the tokens of its declaration, and the names of types.
 * Bodies are skipped by brace depth; only extern "C" and namespace blocks are entered.
 * Never: checks that the text would compile. */
#include "operator/source.h"

#include <string.h>

enum { MAX_STATEMENT = 4096, MAX_SCOPES = 64, MAX_FUNCTIONS = 65536 };

enum scope_kind { SCOPE_EXTERN_C = 1, SCOPE_NAMESPACE = 2, SCOPE_UNNAMED = 4, SCOPE_EXTERN_CXX = 8 };
struct scope {
	unsigned kind;
	unsigned depth; /* of its brace */
};
struct walk {
	struct source *out;
	struct arena *arena;
	struct lex lex;
	struct lex_token *statement; /* MAX_STATEMENT */
	size_t n;
	size_t n_bodies;  /* braces skipped inside this statement */
	bool is_too_long; /* the statement is a table, not a function */
	struct scope scopes[MAX_SCOPES];
	size_t n_scopes;
};

size_t source_group_end(const struct lex_token *t, size_t n, size_t i)
{
	size_t depth = 0;
	for (; i < n; i++) {
		if (lex_is(&t[i], "(") || lex_is(&t[i], "[") || lex_is(&t[i], "{"))
			depth++;
		else if ((lex_is(&t[i], ")") || lex_is(&t[i], "]") || lex_is(&t[i], "}")) && --depth == 0)
			return i + 1;
	}
	return n;
}

struct str source_line(struct str text, unsigned line)
{
	struct str rest = text, s = {"", 0};
	for (unsigned i = 0; i < line; i++) {
		if (!str_split(&rest, '\n', &s))
			return (struct str){"", 0};
	}
	return str_trim(s);
}

/* Names that are followed by a group and are no function. */
static bool is_attribute(const struct lex_token *t)
{
	static const char *const names[] = {
		"__attribute__",  "__attribute", "__declspec",        "alignas",
		"_Alignas",       "decltype",    "__launch_bounds__", "__cluster_dims__",
		"__maxnreg__",    "_Pragma",     "__pragma",          "asm",
		"__asm__",        "__asm",       "noexcept",          "throw",
		"requires",       "explicit",    "__block_size__",    "static_assert",
		"_Static_assert", "typeof",      "__typeof__",        "sizeof",
	};
	for (size_t i = 0; t->kind == LEX_NAME && i < COUNT_OF(names); i++) {
		if (str_is(t->text, names[i]))
			return true;
	}
	return false;
}

/* Behind `template <...>` prefixes. */
static size_t skip_templates(const struct lex_token *t, size_t n, size_t i)
{
	while (i + 1 < n && lex_is(&t[i], "template") && lex_is(&t[i + 1], "<")) {
		size_t angle = 0;
		for (i++; i < n; i++) {
			if (lex_is(&t[i], "("))
				i = source_group_end(t, n, i) - 1;
			else if (lex_is(&t[i], "<"))
				angle++;
			else if (lex_is(&t[i], ">") && --angle == 0)
				break;
		}
		i += i < n;
	}
	return i;
}

/* Finds "name ( ... )": the last such at the top level before an "=" or a body. */
static bool find_declarator(struct source_function *f, const struct lex_token *t, size_t n)
{
	bool found = false;
	for (size_t i = skip_templates(t, n, 0); i < n;) {
		if (lex_is(&t[i], "=") || lex_is(&t[i], ":") || lex_is(&t[i], "->"))
			break;
		if (is_attribute(&t[i])) {
			i++;
			if (i < n && lex_is(&t[i], "("))
				i = source_group_end(t, n, i);
			continue;
		}
		if (t[i].kind == LEX_NAME && i + 1 < n && lex_is(&t[i + 1], "(")) {
			size_t end = source_group_end(t, n, i + 1);
			if (!lex_is(&t[end - 1], ")"))
				return false;
			f->i_name = i;
			f->i_open = i + 1;
			f->i_close = end - 1;
			found = true;
			i = end;
			continue;
		}
		i = lex_is(&t[i], "(") || lex_is(&t[i], "[") ? source_group_end(t, n, i) : i + 1;
	}
	return found;
}

static unsigned flags_of(const struct walk *w, const struct source_function *f)
{
	unsigned flags = 0;
	bool is_host = false;
	for (size_t i = 0; i < w->n_scopes; i++) {
		unsigned k = w->scopes[i].kind;
		flags |= k & SCOPE_NAMESPACE ? SOURCE_NAMESPACE : 0u;
		flags |= k & SCOPE_UNNAMED ? SOURCE_STATIC : 0u;
		if (k & (SCOPE_EXTERN_C | SCOPE_EXTERN_CXX))
			flags = k & SCOPE_EXTERN_C ? flags | SOURCE_EXTERN_C : flags & ~(unsigned)SOURCE_EXTERN_C;
	}
	const struct lex_token *t = f->tokens;
	for (size_t i = 0; i < f->i_name; i++) {
		if (lex_is(&t[i], "extern") && t[i + 1].kind == LEX_STRING)
			flags = str_is(t[i + 1].text, "\"C\"") ? flags | SOURCE_EXTERN_C
							       : flags & ~(unsigned)SOURCE_EXTERN_C;
		else if (lex_is(&t[i], "static"))
			flags |= SOURCE_STATIC;
		else if (lex_is(&t[i], "inline") || lex_is(&t[i], "__inline__") || lex_is(&t[i], "__forceinline__"))
			flags |= SOURCE_INLINE;
		else if (lex_is(&t[i], "__global__"))
			flags |= SOURCE_GLOBAL;
		else if (lex_is(&t[i], "__device__"))
			flags |= SOURCE_DEVICE;
		else if (lex_is(&t[i], "__host__"))
			is_host = true;
		else if (lex_is(&t[i], "template"))
			flags |= SOURCE_TEMPLATE;
	}
	if (is_host)
		flags &= ~(unsigned)SOURCE_DEVICE;
	if (f->i_name && lex_is(&t[f->i_name - 1], "::"))
		flags |= SOURCE_MEMBER;
	return flags;
}

static void add_function(struct walk *w, bool has_body)
{
	struct source *out = w->out;
	struct source_function f = {0};
	if (w->is_too_long || out->n_functions == MAX_FUNCTIONS || !find_declarator(&f, w->statement, w->n))
		return;
	struct lex_token *copy = ARENA_ARRAY(w->arena, w->n, struct lex_token);
	memcpy(copy, w->statement, w->n * sizeof(*copy));
	f.tokens = copy;
	f.n_tokens = w->n;
	f.name = copy[f.i_name].text;
	f.line = copy[f.i_name].line;
	f.flags = flags_of(w, &f) | (has_body ? SOURCE_BODY : 0u);
	if (out->n_functions == out->cap_functions) {
		size_t cap = out->cap_functions ? out->cap_functions * 2 : 16;
		struct source_function *more = ARENA_ARRAY(w->arena, cap, struct source_function);
		if (out->n_functions)
			memcpy(more, out->functions, out->n_functions * sizeof(*more));
		out->functions = more;
		out->cap_functions = cap;
	}
	out->functions[out->n_functions++] = f;
}

static void add_type(struct walk *w, const struct lex_token *name, enum source_type_kind kind, size_t from, size_t to)
{
	if (name->kind != LEX_NAME || map_find(&w->out->types, name->text))
		return;
	struct source_type *type = ARENA_NEW(w->arena, struct source_type);
	type->kind = kind;
	type->line = name->line;
	if (kind == SOURCE_TYPEDEF && to > from) {
		struct lex_token *copy = ARENA_ARRAY(w->arena, to - from, struct lex_token);
		memcpy(copy, w->statement + from, (to - from) * sizeof(*copy));
		type->tokens = copy;
		type->n_tokens = to - from;
	}
	map_set(&w->out->types, name->text, type);
}

/* typedef T name; using name = T; struct name */
static void add_types(struct walk *w)
{
	struct lex_token *t = w->statement;
	size_t n = w->n;
	for (size_t i = 0; i + 1 < n; i++) {
		if (lex_is(&t[i], "struct") || lex_is(&t[i], "class") || lex_is(&t[i], "union") ||
		    lex_is(&t[i], "enum"))
			add_type(w, &t[i + 1 + (lex_is(&t[i + 1], "class") && i + 2 < n)], SOURCE_CLASS, 0, 0);
		if (lex_is(&t[i], "("))
			break;
	}
	if (n >= 3 && lex_is(&t[0], "using") && lex_is(&t[2], "="))
		add_type(w, &t[1], SOURCE_TYPEDEF, 3, n);
	if (n < 3 || !lex_is(&t[0], "typedef"))
		return;
	size_t last = n - 1;
	while (last > 1 && t[last].kind != LEX_NAME)
		last--; /* arrays and function pointers: their name, or a wrong one, which only costs a hint */
	add_type(w, &t[last], SOURCE_TYPEDEF, 1, last == n - 1 ? last : 1);
}

static void end_statement(struct walk *w)
{
	w->n = w->n_bodies = 0;
	w->is_too_long = false;
}

static bool enter(struct walk *w, unsigned kind, unsigned depth, struct err *e)
{
	if (w->n_scopes == MAX_SCOPES)
		return err_set(e, ERR_INPUT, "%s:%u: more than %d nested namespace and extern blocks", w->lex.name,
			       w->lex.line, MAX_SCOPES);
	w->scopes[w->n_scopes++] = (struct scope){kind, depth};
	end_statement(w);
	return true;
}

static void mark(struct walk *w, const struct lex_token *t)
{
	if (t->kind != LEX_NAME)
		return;
	if (!w->out->global_line && str_is(t->text, "__global__"))
		w->out->global_line = t->line;
	if (!w->out->cutlass_line && (str_is(t->text, "cutlass") || str_is(t->text, "cute")))
		w->out->cutlass_line = t->line;
}

static bool skip_body(struct walk *w, const struct lex_token *open, struct err *e)
{
	struct lex_token t;
	do {
		if (!lex_next(&w->lex, &t, e))
			return false;
		mark(w, &t);
		if (t.kind == LEX_END)
			return err_set(e, ERR_INPUT, "%s:%u: the { of this line has no }", w->lex.name, open->line);
	} while (!lex_is(&t, "}") || t.depth != open->depth);
	return true;
}

/* At a "{" of namespace scope. */
static bool open_brace(struct walk *w, const struct lex_token *open, struct err *e)
{
	const struct lex_token *t = w->statement;
	size_t n = w->n;
	if (n == 2 && lex_is(&t[0], "extern") && t[1].kind == LEX_STRING)
		return enter(w, str_is(t[1].text, "\"C\"") ? SCOPE_EXTERN_C : SCOPE_EXTERN_CXX, open->depth, e);
	size_t i = n && lex_is(&t[0], "inline");
	if (i < n && lex_is(&t[i], "namespace"))
		return enter(w, i + 1 < n ? SCOPE_NAMESPACE : SCOPE_UNNAMED, open->depth, e);
	struct source_function f = {0};
	bool is_function = !w->is_too_long && find_declarator(&f, t, n);
	for (size_t k = 0; is_function && k < n; k++) {
		if ((k < f.i_open || k > f.i_close) && lex_is(&t[k], "="))
			is_function = false; /* an initialiser */
	}
	if (is_function)
		add_function(w, true);
	else
		add_types(w);
	if (!skip_body(w, open, e))
		return false;
	/* Only `typedef struct { ... } name;` goes on behind its braces; the bound keeps hostile text linear. */
	if (is_function || !n || !lex_is(&t[0], "typedef") || ++w->n_bodies > 8)
		end_statement(w);
	return true;
}

static bool step(struct walk *w, const struct lex_token *t, struct err *e)
{
	mark(w, t);
	if (lex_is(t, "{"))
		return open_brace(w, t, e);
	if (lex_is(t, "}")) {
		if (w->n_scopes && w->scopes[w->n_scopes - 1].depth == t->depth)
			w->n_scopes--;
		end_statement(w);
	} else if (lex_is(t, ";")) {
		add_types(w);
		if (!w->n || (!lex_is(&w->statement[0], "typedef") && !lex_is(&w->statement[0], "using")))
			add_function(w, false);
		end_statement(w);
	} else if (w->n < MAX_STATEMENT) {
		w->statement[w->n++] = *t;
	} else {
		w->is_too_long = true;
	}
	return true;
}

/* An extern "C" declaration gives its linkage to the definition that stands elsewhere without it. */
static void spread_linkage(struct source *s, struct arena *a)
{
	struct map c_names;
	map_init(&c_names, a);
	for (size_t i = 0; i < s->n_functions; i++) {
		if (s->functions[i].flags & SOURCE_EXTERN_C)
			map_set(&c_names, s->functions[i].name, s);
	}
	for (size_t i = 0; i < s->n_functions; i++) {
		struct source_function *f = &s->functions[i];
		if (!(f->flags & (SOURCE_NAMESPACE | SOURCE_MEMBER)) && map_find(&c_names, f->name))
			f->flags |= SOURCE_EXTERN_C;
	}
}

bool source_read(struct source *out, struct arena *a, const char *name, struct str text, struct err *e)
{
	memset(out, 0, sizeof(*out));
	out->name = name;
	out->text = text;
	map_init(&out->types, a);
	struct walk *w = ARENA_NEW(a, struct walk);
	w->out = out;
	w->arena = a;
	w->statement = ARENA_ARRAY(a, MAX_STATEMENT, struct lex_token);
	lex_init(&w->lex, a, name, text);
	for (;;) {
		struct lex_token t;
		if (!lex_next(&w->lex, &t, e))
			return false;
		if (t.kind == LEX_END)
			break;
		if (!step(w, &t, e))
			return false;
	}
	spread_linkage(out, a);
	out->macros = w->lex.macros;
	out->includes = w->lex.includes;
	return true;
}
