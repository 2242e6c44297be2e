/* Functions, imports and marks of a Python file, as far as text shows them. */
#ifndef ASSAY_OPERATOR_PYTHON_H
#define ASSAY_OPERATOR_PYTHON_H

#include "base/err.h"
#include "base/map.h"

enum python_flags {
	PYTHON_JIT = 1, /* @triton.jit or @gluon.jit */
	PYTHON_ASYNC = 2,
	PYTHON_VARARGS = 4, /* *args */
	PYTHON_KWARGS = 8,  /* **kwargs */
	PYTHON_KEYWORD = 16 /* of a parameter: keyword-only */
};
struct python_param {
	struct str name, annotation, default_text; /* as written; empty: none */
	unsigned line, flags;
};
struct python_function { /* of the module's top level */
	struct str name;
	unsigned line, flags;
	struct python_param *params;
	size_t n_params;
};
struct python_call {
	struct str name;
	unsigned line;
	size_t i_function; /* whose body it is in */
};
struct python_source {
	const char *name;
	struct str text;
	struct python_function *functions;
	size_t n_functions, cap_functions;
	struct python_call *calls; /* f(...) and f[...](...), not a.f(...), in bodies of top-level functions */
	size_t n_calls, cap_calls;
	struct map bound;                           /* names that occur other than as a call */
	unsigned torch_line, triton_line, jit_line; /* 0: none */
	unsigned star_import_line;                  /* from m import * */
	struct str triton_alias;
};

/* Fails on what cannot be read as lines of Python: a string or bracket that does not close ("a.py:12: ..."). */
MUST_USE bool python_read(struct python_source *out, struct arena *a, const char *name, struct str text, struct err *e);
/* The last definition of that name (later ones replace earlier ones); NULL when absent. */
const struct python_function *python_function(const struct python_source *s, const char *name);
/* A function called in the body of f that this file neither defines, imports nor assigns, and that is no built-in;
 * NULL: none. */
const struct python_call *python_missing(const struct python_source *s, const struct python_function *f);

#endif
