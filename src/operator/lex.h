/* Tokens of C, C++ and CUDA text, one at a time: comments, strings, raw strings, line splices and preprocessor lines are
 * understood as far as finding declarations needs it. Macros are not expanded; the branch of `#if 0` is left out, of
 * every other #if all branches are read. */
#ifndef ASSAY_OPERATOR_LEX_H
#define ASSAY_OPERATOR_LEX_H

#include "base/err.h"
#include "base/map.h"

enum lex_kind { LEX_END, LEX_NAME, LEX_NUMBER, LEX_STRING, LEX_CHAR, LEX_PUNCT };
struct lex_token {
	struct str
		text; /* as written; strings with their quotes; punctuation is one byte, or "::", "->", "...", "&&" */
	enum lex_kind kind;
	unsigned line;
	unsigned depth; /* open braces around the token; "{" and its "}" have the same depth */
};

#define LEX_MAX_IFS 256
enum lex_branch {
	LEX_LIVE,
	LEX_ONE,  /* #if 1: read, and every later branch is left out */
	LEX_ZERO, /* #if 0: left out, the next branch is read */
	LEX_SKIP  /* left out with every later branch */
};
struct lex_if {
	unsigned depth; /* of braces at the #if: every branch starts with it */
	unsigned line;
	enum lex_branch branch;
};
struct lex {
	const char *name; /* of the file, for messages */
	const char *p, *end;
	unsigned line, depth;
	bool at_line_start;
	struct lex_if ifs[LEX_MAX_IFS];
	size_t n_ifs;
	struct map macros;   /* names of #define in live branches -> line, as uintptr_t */
	struct map includes; /* "<cuda.h>" or "\"a.h\"" -> line, as uintptr_t */
};

void lex_init(struct lex *x, struct arena *a, const char *name, struct str text);
/* The next token; LEX_END at the end for ever. Fails on a comment or string that does not end, on bytes that no source
 * has (NUL), on more than LEX_MAX_IFS nested #if and on an #if without its #endif or the reverse. */
MUST_USE bool lex_next(struct lex *x, struct lex_token *out, struct err *e);

bool lex_is(const struct lex_token *t, const char *text); /* a name or punctuation with that text */

#endif
