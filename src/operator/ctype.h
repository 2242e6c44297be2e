/* One parameter declaration of C, C++ or CUDA, from tokens to type, name and default. */
#ifndef ASSAY_OPERATOR_CTYPE_H
#define ASSAY_OPERATOR_CTYPE_H

#include "operator/operator.h"
#include "operator/source.h"

/* Reads "const float *__restrict__ x = nullptr" into name, type_text, dtype, flags (POINTER, CONST, REFERENCE, UNTYPED),
 * line and value_text (a default that is plain arithmetic). The role is not set. On failure e->text is the reason alone,
 * without file, line and position; out->name is set where one was seen. */
MUST_USE bool ctype_read(struct param *out, struct arena *a, const struct source *s, const struct lex_token *t,
			 size_t n, struct err *e);
/* The tokens as text with single blanks. */
struct str ctype_join(struct arena *a, const struct lex_token *t, size_t n);

#endif
