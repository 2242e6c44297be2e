/* Functions, type names and marks of a C, C++ or CUDA file, as far as text shows them. */
#ifndef ASSAY_OPERATOR_SOURCE_H
#define ASSAY_OPERATOR_SOURCE_H

#include "operator/lex.h"

enum source_function_flags {
	SOURCE_EXTERN_C = 1, /* extern "C" before it, around it, or at another declaration of it */
	SOURCE_STATIC = 2,   /* static, inline or in an unnamed namespace: no symbol to load */
	SOURCE_INLINE = 4,
	SOURCE_GLOBAL = 8,  /* __global__ */
	SOURCE_DEVICE = 16, /* __device__ without __host__ */
	SOURCE_TEMPLATE = 32,
	SOURCE_BODY = 64,       /* defined here, not only declared */
	SOURCE_NAMESPACE = 128, /* inside a named namespace */
	SOURCE_MEMBER = 256,    /* A::f */
};
struct source_function {
	struct str name;
	unsigned line;
	unsigned flags;
	const struct lex_token *tokens;           /* from the first specifier to the token before "{" or ";" */
	size_t n_tokens, i_name, i_open, i_close; /* name, "(" and ")" of the parameter list */
};

enum source_type_kind { SOURCE_TYPEDEF = 1, SOURCE_CLASS };
struct source_type { /* a type name made in this file */
	enum source_type_kind kind;
	unsigned line;
	const struct lex_token *tokens; /* of a plain typedef: the type it names; NULL: more than names */
	size_t n_tokens;
};

struct source {
	const char *name; /* of the file, for messages */
	struct source_function *functions;
	size_t n_functions, cap_functions;
	struct map types;      /* name -> struct source_type * */
	struct map macros;     /* name -> line, as uintptr_t */
	struct map includes;   /* "<cuda.h>" -> line */
	unsigned global_line;  /* first __global__; 0: none */
	unsigned cutlass_line; /* first cutlass:: or cute:: */
	struct str text;
};

/* Reads all of `text`. Fails only where lex_next does. */
MUST_USE bool source_read(struct source *out, struct arena *a, const char *name, struct str text, struct err *e);
/* The text of a line (from 1), trimmed; for reports. */
struct str source_line(struct str text, unsigned line);
/* Index behind the group that opens at i with (, [ or {; n when it does not close. */
size_t source_group_end(const struct lex_token *t, size_t n, size_t i);

#endif
