/* The entry of a .c or .cu file and its parameters.
 * In: the functions of a source file. Out: which one is called, how its symbol is linked, each parameter's type.
 * Every refusal names file, line, parameter and what to do.
 * Never: guesses a role or a size (sizes.c does, and says so). */
#include "operator/signature.h"

#include <string.h>

#include "base/buf.h"
#include "operator/ctype.h"

static const char *const entry_names[] = {"solve", "solution", "run_kernel"};

static bool is_c_symbol(const struct source_function *f, bool is_c)
{
	return is_c || (f->flags & SOURCE_EXTERN_C);
}

/* Why this function cannot be loaded and called; NULL: it can. */
static const char *unusable(const struct source_function *f)
{
	if (f->flags & SOURCE_GLOBAL)
		return "is a __global__ kernel; write a host function of that name that launches it";
	if (f->flags & SOURCE_DEVICE)
		return "is a __device__ function; write a host function of that name that launches a kernel";
	if (f->flags & SOURCE_TEMPLATE)
		return "is a template, which has no symbol; write an extern \"C\" function that calls it";
	if (f->flags & SOURCE_STATIC)
		return "is static, so it has no symbol to load; remove static";
	if (f->flags & SOURCE_INLINE)
		return "is inline, so it may have no symbol to load; remove inline";
	if (f->flags & SOURCE_MEMBER)
		return "is a member function; write an extern \"C\" function that calls it";
	if ((f->flags & SOURCE_NAMESPACE) && !(f->flags & SOURCE_EXTERN_C))
		return "is inside a namespace; put it outside, or make it extern \"C\"";
	if (!(f->flags & SOURCE_BODY))
		return "is only declared; the file must hold its body";
	return NULL;
}

struct choice {
	const struct source *source;
	const struct source_function *best, *rejected; /* rejected: the first of a wanted name that cannot be used */
	bool is_c;
};

/* Two branches of an #if may define the same function. */
static bool has_same_params(const struct source_function *a, const struct source_function *b)
{
	size_t n = a->i_close - a->i_open;
	if (n != b->i_close - b->i_open)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!str_eq(a->tokens[a->i_open + i].text, b->tokens[b->i_open + i].text))
			return false;
	}
	return true;
}

/* 0: not found, 1: found, 2: two definitions (best and the second one in rejected). */
static int find_named(struct choice *c, const char *name)
{
	c->best = NULL;
	for (size_t i = 0; i < c->source->n_functions; i++) {
		const struct source_function *f = &c->source->functions[i];
		if (!str_is(f->name, name))
			continue;
		if (unusable(f)) {
			if (!c->rejected || !(c->rejected->flags & SOURCE_BODY))
				c->rejected = f;
			continue;
		}
		if (!c->best) {
			c->best = f;
			continue;
		}
		bool was_c = is_c_symbol(c->best, c->is_c), is_c = is_c_symbol(f, c->is_c);
		if (was_c == is_c && has_same_params(c->best, f))
			continue;
		if (was_c == is_c) {
			c->rejected = f;
			return 2;
		}
		c->best = is_c ? f : c->best;
	}
	return c->best != NULL;
}

static const struct source_function *find_c_function(const struct choice *c, const char *name)
{
	for (size_t i = 0; i < c->source->n_functions; i++) {
		const struct source_function *f = &c->source->functions[i];
		if (str_is(f->name, name) && !unusable(f) && is_c_symbol(f, c->is_c))
			return f;
	}
	return NULL;
}

/* The functions that could be meant, for the message. */
static size_t list_candidates(const struct choice *c, struct buf *b, const struct source_function **only)
{
	size_t n = 0;
	for (size_t i = 0; i < c->source->n_functions; i++) {
		const struct source_function *f = &c->source->functions[i];
		if (unusable(f) || !is_c_symbol(f, c->is_c) || str_is(f->name, "setup") || str_is(f->name, "main"))
			continue;
		*only = f;
		if (n < 8)
			buf_printf(b, "%s%.*s (line %u)", n ? ", " : "", STR_ARG(f->name), f->line);
		n++;
	}
	return n;
}

static bool choose_other(struct choice *c, bool *no_entry, struct err *e)
{
	struct buf b;
	buf_init(&b);
	const struct source_function *only = NULL;
	size_t n = list_candidates(c, &b, &only);
	bool ok = n == 1 && !c->rejected;
	if (ok)
		c->best = only;
	else if (c->rejected)
		err_set(e, ERR_INPUT, "%s:%u: '%.*s' %s", c->source->name, c->rejected->line,
			STR_ARG(c->rejected->name), unusable(c->rejected));
	else if (n)
		err_set(e, ERR_INPUT,
			"%s: no solve, solution or run_kernel, and several other functions: %.*s; name one "
			"with --entry or as \"entry\" in the operator file",
			c->source->name, STR_ARG(buf_view(&b)));
	else
		err_set(e, ERR_INPUT,
			"%s: no entry; define %svoid solve(const float *in, float *out, int n) or the like in it",
			c->source->name, c->is_c ? "" : "extern \"C\" ");
	*no_entry = !ok;
	buf_release(&b);
	return ok;
}

static bool choose(struct choice *c, const char *wanted, bool *no_entry, struct err *e)
{
	const char *names[4];
	size_t n = 0;
	*no_entry = false;
	if (wanted) {
		names[n++] = wanted;
	} else {
		if (find_c_function(c, "setup") && find_c_function(c, "run_kernel"))
			names[n++] = "run_kernel";
		for (size_t i = 0; i < COUNT_OF(entry_names); i++)
			names[n++] = entry_names[i];
	}
	for (size_t i = 0; i < n; i++) {
		int found = find_named(c, names[i]);
		if (found == 1)
			return true;
		if (found == 2)
			return err_set(e, ERR_INPUT,
				       "%s:%u: '%s' is defined a second time (first in line %u); keep one definition",
				       c->source->name, c->rejected->line, names[i], c->best->line);
	}
	if (wanted && !c->rejected) {
		*no_entry = true;
		return err_set(e, ERR_INPUT, "%s: no function '%s', which is named as the entry", c->source->name,
			       wanted);
	}
	return choose_other(c, no_entry, e);
}

/* void and int (also cudaError_t: 0 is success). */
static bool read_return(struct signature *out, const struct source *s, const struct source_function *f, struct err *e)
{
	const struct lex_token *t = f->tokens;
	bool has_void = false, has_int = false;
	for (size_t i = 0; i < f->i_name; i++) {
		has_void = has_void || lex_is(&t[i], "void");
		has_int = has_int || lex_is(&t[i], "int") || lex_is(&t[i], "cudaError_t");
		bool is_other = lex_is(&t[i], "*") || lex_is(&t[i], "&") || lex_is(&t[i], "float") ||
				lex_is(&t[i], "double") || lex_is(&t[i], "long") || lex_is(&t[i], "short") ||
				lex_is(&t[i], "unsigned") || lex_is(&t[i], "char") || lex_is(&t[i], "bool");
		if (is_other)
			return err_set(e, ERR_INPUT, "%s:%u: '%.*s' must return void, or int with 0 for success",
				       s->name, f->line, STR_ARG(f->name));
	}
	for (size_t i = f->i_close + 1; i + 1 < f->n_tokens; i++) {
		if (lex_is(&t[i], "->") && i + 2 == f->n_tokens) {
			has_void = lex_is(&t[i + 1], "void");
			has_int = lex_is(&t[i + 1], "int") || lex_is(&t[i + 1], "cudaError_t");
		}
	}
	if (has_void == has_int)
		return err_set(e, ERR_INPUT,
			       "%s:%u: what '%.*s' returns is not understood; return void, or int with 0 "
			       "for success",
			       s->name, f->line, STR_ARG(f->name));
	out->returns_int = has_int;
	return true;
}

/* End of the parameter that starts at i: the index of its comma or n. */
static size_t param_end(const struct lex_token *t, size_t n, size_t i)
{
	size_t angle = 0;
	bool in_default = false;
	while (i < n) {
		if (lex_is(&t[i], "(") || lex_is(&t[i], "[") || lex_is(&t[i], "{")) {
			i = source_group_end(t, n, i);
			continue;
		}
		if (lex_is(&t[i], ",") && !angle)
			return i;
		in_default = in_default || lex_is(&t[i], "=");
		if (lex_is(&t[i], "<") && !in_default)
			angle++;
		else if (lex_is(&t[i], ">") && angle)
			angle--;
		i++;
	}
	return n;
}

static bool read_param(struct signature *out, struct arena *a, const struct source *s, const struct lex_token *t,
		       size_t n, struct err *e)
{
	struct param *p = &out->params[out->n_params];
	if (!ctype_read(p, a, s, t, n, e)) {
		struct str name = p->name;
		unsigned line = p->line ? p->line : out->line;
		return name.n ? err_prefix(e, "%s:%u: parameter %zu '%.*s'", s->name, line, out->n_params + 1,
					   STR_ARG(name))
			      : err_prefix(e, "%s:%u: parameter %zu", s->name, line, out->n_params + 1);
	}
	for (size_t i = 0; i < out->n_params; i++) {
		if (str_eq(out->params[i].name, p->name))
			return err_set(e, ERR_INPUT,
				       "%s:%u: parameter %zu '%.*s': parameter %zu has that name already; rename one",
				       s->name, p->line, out->n_params + 1, STR_ARG(p->name), i + 1);
	}
	out->n_params++;
	return true;
}

static bool read_params(struct signature *out, struct arena *a, const struct source *s, const struct source_function *f,
			struct err *e)
{
	const struct lex_token *t = f->tokens + f->i_open + 1;
	size_t n = f->i_close - f->i_open - 1;
	out->params = ARENA_ARRAY(a, OPERATOR_MAX_PARAMS, struct param);
	if (n == 0 || (n == 1 && lex_is(&t[0], "void")))
		return err_set(e, ERR_INPUT,
			       "%s:%u: '%.*s' takes no parameters, so there is nothing to fill or compare; "
			       "pass inputs and outputs as pointers",
			       s->name, f->line, STR_ARG(f->name));
	for (size_t i = 0; i <= n;) {
		size_t end = param_end(t, n, i);
		if (out->n_params == OPERATOR_MAX_PARAMS)
			return err_set(e, ERR_INPUT, "%s:%u: '%.*s' has more than %d parameters", s->name, f->line,
				       STR_ARG(f->name), OPERATOR_MAX_PARAMS);
		if (!read_param(out, a, s, t + i, end - i, e))
			return false;
		i = end + 1;
	}
	return true;
}

bool signature_read(struct signature *out, struct arena *a, const struct source *s, const char *wanted, bool is_c,
		    struct err *e)
{
	memset(out, 0, sizeof(*out));
	struct choice c = {.source = s, .is_c = is_c};
	const struct source_function *f = find_c_function(&c, "setup");
	out->setup_line = f ? f->line : 0;
	f = find_c_function(&c, "run_kernel");
	out->run_kernel_line = f ? f->line : 0;
	if (!choose(&c, wanted, &out->no_entry, e))
		return false;
	f = c.best;
	out->entry = f->name;
	out->line = f->line;
	out->linkage = is_c_symbol(f, is_c) ? LINKAGE_C : LINKAGE_CXX;
	return read_return(out, s, f, e) && read_params(out, a, s, f, e);
}
