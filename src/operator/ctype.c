/* One parameter declaration of C, C++ or CUDA.
 * In: the tokens between two commas of a parameter list. Out: element type, pointer, const, reference, name, default.
 * A type that is not in the table is refused by name, with the line that made it when this file did.
 * Never: follows a typedef, expands a macro. */
#include "operator/ctype.h"

#include <string.h>

#include "base/buf.h"

/* Types whose size and calling convention are known. PASSED_WIDE: by value they travel in a vector register, which the
 * caller (libffi) does not do for 16-bit floats. */
enum { PASSED_WIDE = 1, VECTOR = 2, HANDLE = 4 };
struct known_type {
	const char *name;
	enum dtype dtype;
	unsigned flags;
};
static const struct known_type known_types[] = {
	{"half", DTYPE_F16, 0},
	{"__half", DTYPE_F16, 0},
	{"half_t", DTYPE_F16, 0},
	{"cutlass::half_t", DTYPE_F16, 0},
	{"cute::half_t", DTYPE_F16, 0},
	{"_Float16", DTYPE_F16, PASSED_WIDE},
	{"__fp16", DTYPE_F16, PASSED_WIDE},
	{"float16_t", DTYPE_F16, PASSED_WIDE},
	{"nv_bfloat16", DTYPE_BF16, 0},
	{"__nv_bfloat16", DTYPE_BF16, 0},
	{"bfloat16_t", DTYPE_BF16, 0},
	{"cutlass::bfloat16_t", DTYPE_BF16, 0},
	{"cute::bfloat16_t", DTYPE_BF16, 0},
	{"__bf16", DTYPE_BF16, PASSED_WIDE},
	{"__nv_fp8_e4m3", DTYPE_F8E4M3, 0},
	{"float_e4m3_t", DTYPE_F8E4M3, 0},
	{"cutlass::float_e4m3_t", DTYPE_F8E4M3, 0},
	{"cute::float_e4m3_t", DTYPE_F8E4M3, 0},
	{"__nv_fp8_e5m2", DTYPE_F8E5M2, 0},
	{"float_e5m2_t", DTYPE_F8E5M2, 0},
	{"cutlass::float_e5m2_t", DTYPE_F8E5M2, 0},
	{"cute::float_e5m2_t", DTYPE_F8E5M2, 0},
	{"__nv_fp8_storage_t", DTYPE_U8, 0},
	{"float32_t", DTYPE_F32, 0},
	{"float64_t", DTYPE_F64, 0},
	{"int8_t", DTYPE_I8, 0},
	{"uint8_t", DTYPE_U8, 0},
	{"int16_t", DTYPE_I16, 0},
	{"uint16_t", DTYPE_U16, 0},
	{"int32_t", DTYPE_I32, 0},
	{"uint32_t", DTYPE_U32, 0},
	{"int64_t", DTYPE_I64, 0},
	{"uint64_t", DTYPE_U64, 0},
	{"size_t", DTYPE_U64, 0},
	{"ssize_t", DTYPE_I64, 0},
	{"ptrdiff_t", DTYPE_I64, 0},
	{"intptr_t", DTYPE_I64, 0},
	{"uintptr_t", DTYPE_U64, 0},
	{"byte", DTYPE_U8, 0},
	{"uchar", DTYPE_U8, 0},
	{"ushort", DTYPE_U16, 0},
	{"uint", DTYPE_U32, 0},
	{"ulong", DTYPE_U64, 0},
	{"float2", DTYPE_F32, VECTOR},
	{"float3", DTYPE_F32, VECTOR},
	{"float4", DTYPE_F32, VECTOR},
	{"double2", DTYPE_F64, VECTOR},
	{"half2", DTYPE_F16, VECTOR},
	{"__half2", DTYPE_F16, VECTOR},
	{"nv_bfloat162", DTYPE_BF16, VECTOR},
	{"__nv_bfloat162", DTYPE_BF16, VECTOR},
	{"int2", DTYPE_I32, VECTOR},
	{"int4", DTYPE_I32, VECTOR},
	{"uint2", DTYPE_U32, VECTOR},
	{"uint4", DTYPE_U32, VECTOR},
	{"uchar4", DTYPE_U8, VECTOR},
	{"cudaStream_t", DTYPE_U64, HANDLE},
	{"CUstream", DTYPE_U64, HANDLE},
	{"cublasHandle_t", DTYPE_U64, HANDLE},
	{"cudnnHandle_t", DTYPE_U64, HANDLE},
};

static const struct known_type *find_known(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(known_types); i++) {
		if (str_is(name, known_types[i].name))
			return &known_types[i];
	}
	return NULL;
}

struct str ctype_join(struct arena *a, const struct lex_token *t, size_t n)
{
	struct buf b;
	buf_init(&b);
	for (size_t i = 0; i < n; i++) {
		bool is_tight = i == 0 || lex_is(&t[i], "::") || lex_is(&t[i - 1], "::") || lex_is(&t[i], "]") ||
				lex_is(&t[i - 1], "[") || lex_is(&t[i], ",") || lex_is(&t[i], ">") ||
				lex_is(&t[i], "<") || lex_is(&t[i - 1], "<") || lex_is(&t[i - 1], "*") ||
				lex_is(&t[i - 1], "&") || lex_is(&t[i], "[");
		if (!is_tight)
			buf_char(&b, ' ');
		buf_str(&b, t[i].text);
	}
	struct str s = arena_str(a, buf_view(&b));
	buf_release(&b);
	return s;
}

enum word { W_VOID, W_BOOL, W_CHAR, W_INT, W_FLOAT, W_DOUBLE, W_SHORT, W_LONG, W_SIGNED, W_UNSIGNED, W_COUNT };

static int word_of(const struct lex_token *t)
{
	static const struct {
		const char *name;
		enum word word;
	} words[] = {
		{"void", W_VOID}, {"bool", W_BOOL},     {"_Bool", W_BOOL},        {"char", W_CHAR},
		{"int", W_INT},   {"float", W_FLOAT},   {"double", W_DOUBLE},     {"short", W_SHORT},
		{"long", W_LONG}, {"signed", W_SIGNED}, {"__signed__", W_SIGNED}, {"unsigned", W_UNSIGNED},
	};
	for (size_t i = 0; t->kind == LEX_NAME && i < COUNT_OF(words); i++) {
		if (str_is(t->text, words[i].name))
			return (int)words[i].word;
	}
	return -1;
}

static bool is_qualifier(const struct lex_token *t)
{
	static const char *const names[] = {
		"const",    "volatile", "restrict",     "__restrict__",      "__restrict",
		"register", "__const",  "__volatile__", "__grid_constant__", "typename",
	};
	for (size_t i = 0; t->kind == LEX_NAME && i < COUNT_OF(names); i++) {
		if (str_is(t->text, names[i]))
			return true;
	}
	return false;
}

struct reading {
	struct param *out;
	struct arena *arena;
	const struct source *source;
	unsigned words[W_COUNT];
	struct str named; /* the type's name when it is no built-in word */
	const struct known_type *known;
	unsigned n_stars, n_refs;
	bool is_const; /* of the value or the pointee: seen before the first star */
};

/* The element type that the built-in words make, in any order. False: no such type. */
static bool dtype_of_words(const unsigned *w, enum dtype *out)
{
	unsigned n_long = w[W_LONG], sign = w[W_SIGNED] + w[W_UNSIGNED];
	unsigned base = w[W_BOOL] + w[W_CHAR] + w[W_FLOAT] + w[W_DOUBLE] + w[W_VOID];
	bool is_unsigned = w[W_UNSIGNED] != 0;
	for (size_t i = 0; i < W_COUNT; i++) {
		if (w[i] > (i == W_LONG ? 2u : 1u))
			return false;
	}
	if (sign > 1 || base > 1 || (base && w[W_INT]) || (w[W_SHORT] && n_long))
		return false;
	if (base && (w[W_SHORT] || n_long))
		return false; /* long double too: its 80 bits have no place in a tensor */
	if (w[W_CHAR])
		*out = is_unsigned ? DTYPE_U8 : DTYPE_I8; /* plain char is signed on x86-64 */
	else if (base && sign)
		return false;
	else if (base)
		*out = w[W_BOOL] ? DTYPE_BOOL : w[W_FLOAT] ? DTYPE_F32 : w[W_DOUBLE] ? DTYPE_F64 : DTYPE_U8;
	else if (w[W_SHORT])
		*out = is_unsigned ? DTYPE_U16 : DTYPE_I16;
	else if (n_long)
		*out = is_unsigned ? DTYPE_U64 : DTYPE_I64;
	else
		*out = is_unsigned ? DTYPE_U32 : DTYPE_I32;
	return true;
}

static unsigned macro_line(const struct source *s, struct str name)
{
	return (unsigned)(uintptr_t)map_get(&s->macros, name);
}

/* A word in the type that is none of ours. */
static bool refuse_type(const struct reading *r, struct str name, struct err *e)
{
	unsigned line = macro_line(r->source, name);
	if (line)
		return err_set(
			e, ERR_INPUT,
			"'%.*s' is a macro of line %u, and macros are not expanded; write out what it stands for",
			STR_ARG(name), line);
	const struct source_type *type = map_get(&r->source->types, name);
	if (type && type->kind == SOURCE_TYPEDEF)
		return err_set(
			e, ERR_INPUT,
			"'%.*s' is a typedef of line %u, which is not followed; write the plain type, such as float",
			STR_ARG(name), type->line);
	if (type)
		return err_set(e, ERR_INPUT,
			       "'%.*s' is a struct, class or enum of line %u; pass plain numbers and pointers to them",
			       STR_ARG(name), type->line);
	return err_set(e, ERR_INPUT,
		       "unknown type '%.*s'; known are the C types, int8_t to uint64_t, size_t, half, __nv_bfloat16, "
		       "__nv_fp8_e4m3, __nv_fp8_e5m2 and pointers to them",
		       STR_ARG(name));
}

/* A known name that this file redefines must still mean the same. */
static bool check_redefined(const struct reading *r, struct str name, enum dtype dtype, struct err *e)
{
	if (macro_line(r->source, name))
		return refuse_type(r, name, e);
	const struct source_type *type = map_get(&r->source->types, name);
	if (!type)
		return true;
	unsigned words[W_COUNT] = {0};
	bool is_plain = type->kind == SOURCE_TYPEDEF && type->n_tokens > 0;
	const struct known_type *k = is_plain && type->n_tokens == 1 ? find_known(type->tokens[0].text) : NULL;
	for (size_t i = 0; is_plain && !k && i < type->n_tokens; i++) {
		int w = word_of(&type->tokens[i]);
		if (w < 0)
			is_plain = false;
		else
			words[w]++;
	}
	enum dtype is = k ? k->dtype : DTYPE_BOOL;
	if (is_plain && (k || (!words[W_VOID] && dtype_of_words(words, &is))) && is == dtype)
		return true;
	return refuse_type(r, name, e);
}

/* A possibly qualified name at i. Returns the index behind it; without std:: and leading ::. */
static size_t read_name(struct reading *r, const struct lex_token *t, size_t n, size_t i, struct str *out)
{
	size_t from = i;
	if (lex_is(&t[i], "::"))
		i++;
	while (i + 2 < n && t[i].kind == LEX_NAME && lex_is(&t[i + 1], "::"))
		i += 2;
	if (i < n)
		i++;
	if (lex_is(&t[from], "::") && from + 1 < i)
		from++;
	while (from + 2 < i && (lex_is(&t[from], "std") || lex_is(&t[from], "cuda")) && lex_is(&t[from + 1], "::"))
		from += 2;
	*out = ctype_join(r->arena, t + from, i - from);
	return i;
}

static bool take_named(struct reading *r, const struct lex_token *t, size_t n, size_t *i, struct err *e)
{
	struct str name;
	bool has_words = false;
	for (size_t k = 0; k < W_COUNT; k++)
		has_words = has_words || r->words[k];
	if (lex_is(&t[*i], "struct") || lex_is(&t[*i], "class") || lex_is(&t[*i], "union") || lex_is(&t[*i], "enum"))
		return err_set(e, ERR_INPUT, "'%.*s': pass plain numbers and pointers to them",
			       STR_ARG(ctype_join(r->arena, t + *i, n - *i < 2 ? n - *i : 2)));
	*i = read_name(r, t, n, *i, &name);
	if (*i < n && lex_is(&t[*i], "<"))
		return err_set(e, ERR_INPUT, "'%.*s' is a template; pass plain numbers and pointers to them",
			       STR_ARG(ctype_join(r->arena, t + *i - 1, n - *i + 1)));
	if (r->named.n || has_words || r->n_stars) {
		unsigned line = macro_line(r->source, name);
		return line ? refuse_type(r, name, e)
			    : err_set(e, ERR_INPUT, "'%.*s' is not understood between type and name", STR_ARG(name));
	}
	r->named = name;
	r->known = find_known(name);
	return r->known ? check_redefined(r, name, r->known->dtype, e) : refuse_type(r, name, e);
}

static bool take_punct(struct reading *r, const struct lex_token *t, struct err *e)
{
	if (lex_is(t, "*")) {
		r->n_stars++;
		return r->n_refs ? err_set(e, ERR_INPUT, "a pointer to a reference is no type") : true;
	}
	if (lex_is(t, "&")) {
		r->n_refs++;
		return true;
	}
	if (lex_is(t, "&&"))
		return err_set(e, ERR_INPUT, "an rvalue reference (&&); pass the value");
	if (lex_is(t, "..."))
		return err_set(e, ERR_INPUT, "variable arguments (...); name each parameter");
	if (lex_is(t, "("))
		return err_set(e, ERR_INPUT, "a pointer to a function or an array; pass a plain pointer");
	if (t->kind == LEX_STRING || t->kind == LEX_CHAR)
		return err_set(e, ERR_INPUT, "a string is not understood in a parameter");
	return err_set(e, ERR_INPUT, "'%.*s' is not understood in a parameter", STR_ARG(t->text));
}

static bool read_type(struct reading *r, const struct lex_token *t, size_t n, struct err *e)
{
	for (size_t i = 0; i < n;) {
		int w = word_of(&t[i]);
		if (w >= 0) {
			if (r->named.n || r->n_stars)
				return err_set(e, ERR_INPUT, "'%.*s' is not understood there", STR_ARG(t[i].text));
			if (!check_redefined(r, t[i].text, DTYPE_COUNT, e))
				return false;
			r->words[w]++;
			i++;
		} else if (is_qualifier(&t[i])) {
			if (!r->n_stars && (lex_is(&t[i], "const") || lex_is(&t[i], "__const")))
				r->is_const = true;
			if (macro_line(r->source, t[i].text))
				return refuse_type(r, t[i].text, e);
			i++;
		} else if (t[i].kind == LEX_NAME || lex_is(&t[i], "::")) {
			if (!take_named(r, t, n, &i, e))
				return false;
		} else if (!take_punct(r, &t[i++], e)) {
			return false;
		}
	}
	return true;
}

/* What the words and stars mean together. */
static bool conclude(struct reading *r, bool is_array, struct err *e)
{
	struct param *p = r->out;
	unsigned n_stars = r->n_stars + is_array;
	unsigned known_flags = r->known ? r->known->flags : 0;
	bool is_void = !r->known && r->words[W_VOID];
	if (r->known)
		p->dtype = r->known->dtype;
	else if (!dtype_of_words(r->words, &p->dtype))
		return err_set(e, ERR_INPUT, "'%.*s' is no element type; use float, double, half or an integer type",
			       STR_ARG(p->type_text));
	if (known_flags & VECTOR)
		return err_set(e, ERR_INPUT, "vector type '%.*s'; take a pointer to the element type and cast inside",
			       STR_ARG(r->named));
	if (known_flags & HANDLE)
		return err_set(e, ERR_INPUT,
			       "'%.*s': the entry gets no stream or handle; launch on the default stream and make "
			       "handles inside",
			       STR_ARG(r->named));
	if (n_stars > 1)
		return err_set(e, ERR_INPUT, "a pointer to a pointer; pass each tensor as its own pointer");
	if (r->n_refs && n_stars)
		return err_set(e, ERR_INPUT, "a reference to a pointer; pass the pointer");
	if (is_void && !n_stars)
		return err_set(e, ERR_INPUT, "'void' is no value; use void * or a number");
	if ((known_flags & PASSED_WIDE) && !n_stars && !r->n_refs)
		return err_set(e, ERR_INPUT, "'%.*s' by value is not supported; pass a float", STR_ARG(r->named));
	p->flags |= n_stars ? PARAM_POINTER : 0u;
	p->flags |= r->is_const ? PARAM_CONST : 0u;
	p->flags |= r->n_refs ? PARAM_REFERENCE : 0u;
	p->flags |= is_void ? PARAM_UNTYPED : 0u;
	return true;
}

/* One number of a default, in the form that expressions take. False: none that they take. */
static bool plain_number(struct buf *b, struct str s)
{
	bool is_hex = s.n > 2 && s.p[0] == '0' && (s.p[1] == 'x' || s.p[1] == 'X');
	bool is_real = !is_hex && (str_find_char(s, '.') != SIZE_MAX || str_find_char(s, 'e') != SIZE_MAX ||
				   str_find_char(s, 'E') != SIZE_MAX);
	while (s.n && strchr(is_hex ? "lLuUzZ" : "fFlLuUzZ", s.p[s.n - 1]))
		s.n--;
	if (str_find_char(s, '\'') != SIZE_MAX || (!is_hex && !is_real && s.n > 1 && s.p[0] == '0'))
		return false;
	uint64_t u;
	double v;
	if (is_real && str_f64(s, &v)) {
		char text[32];
		buf_add(b, text, json_repr(text, v));
		return true;
	}
	if (is_real || !str_u64(s, &u) || u > INT64_MAX)
		return false;
	buf_printf(b, "%llu", (unsigned long long)u);
	return true;
}

static struct str read_default(struct arena *a, const struct lex_token *t, size_t n)
{
	struct buf b;
	buf_init(&b);
	bool ok = n > 0 && n <= 32;
	for (size_t i = 0; i < n && ok; i++) {
		if (t[i].kind == LEX_NUMBER)
			ok = plain_number(&b, t[i].text);
		else if (lex_is(&t[i], "true") || lex_is(&t[i], "false"))
			buf_char(&b, lex_is(&t[i], "true") ? '1' : '0');
		else if (t[i].kind == LEX_PUNCT && t[i].text.n == 1 && strchr("+-*()", *t[i].text.p))
			buf_str(&b, t[i].text);
		else
			ok = false;
	}
	struct str s = ok ? arena_str(a, buf_view(&b)) : (struct str){"", 0};
	buf_release(&b);
	return s;
}

/* Copies the declaration without attributes and default. Returns the number of tokens; *i_default: behind the "=". */
static size_t strip(struct lex_token *to, const struct lex_token *t, size_t n, size_t *i_default)
{
	size_t m = 0;
	*i_default = n;
	for (size_t i = 0; i < n;) {
		if (lex_is(&t[i], "=")) {
			*i_default = i + 1;
			break;
		}
		bool is_group = i + 1 < n && lex_is(&t[i + 1], "(") &&
				(lex_is(&t[i], "__attribute__") || lex_is(&t[i], "__declspec") ||
				 lex_is(&t[i], "alignas") || lex_is(&t[i], "_Alignas") || lex_is(&t[i], "__align__"));
		if (is_group)
			i = source_group_end(t, n, i + 1);
		else if (i + 1 < n && lex_is(&t[i], "[") && lex_is(&t[i + 1], "["))
			i = source_group_end(t, n, i);
		else
			to[m++] = t[i++];
	}
	return m;
}

bool ctype_read(struct param *out, struct arena *a, const struct source *s, const struct lex_token *t, size_t n,
		struct err *e)
{
	memset(out, 0, sizeof(*out));
	out->line = n ? t[0].line : 0;
	size_t i_default, m;
	struct lex_token *d = ARENA_ARRAY(a, n + 1, struct lex_token);
	m = strip(d, t, n, &i_default);
	bool is_array = false;
	size_t n_type = m;
	for (size_t i = 0; i < m; i++) {
		if (lex_is(&d[i], "[")) {
			is_array = true;
			n_type = i;
			break;
		}
	}
	for (size_t i = n_type; i < m; i = source_group_end(d, m, i)) {
		if (!lex_is(&d[i], "["))
			return err_set(e, ERR_INPUT, "something stands behind the array; write it as \"float x[]\"");
	}
	const struct lex_token *last = n_type ? &d[n_type - 1] : NULL;
	if (last && n_type > 1 && last->kind == LEX_NAME && word_of(last) < 0 && !is_qualifier(last) &&
	    !lex_is(&d[n_type - 2], "::")) {
		out->name = last->text;
		out->line = last->line;
		n_type--;
	}
	struct reading r = {.out = out, .arena = a, .source = s};
	out->type_text = ctype_join(a, d, n_type);
	if (!n_type)
		return err_set(e, ERR_INPUT, "nothing stands between two commas; write type and name");
	if (!read_type(&r, d, n_type, e))
		return false;
	bool has_type = r.known != NULL;
	for (size_t i = 0; i < W_COUNT; i++)
		has_type = has_type || r.words[i];
	if (!has_type)
		return err_set(e, ERR_INPUT, "has no type; write type and name");
	if (!out->name.n)
		return err_set(e, ERR_INPUT, "'%.*s' has no name; sizes and data are matched by name",
			       STR_ARG(out->type_text));
	if (!conclude(&r, is_array, e))
		return false;
	if (is_array)
		out->type_text = ctype_join(a, d, m); /* with its brackets, and so its name */
	out->value_text = i_default < n ? read_default(a, t + i_default, n - i_default) : (struct str){"", 0};
	return true;
}
