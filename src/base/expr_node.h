/* The parsed form, shared by expr_parse.c and expr_eval.c. */
#ifndef ASSAY_BASE_EXPR_NODE_H
#define ASSAY_BASE_EXPR_NODE_H

#include "base/expr.h"

enum expr_op {
	EXPR_CONST,
	EXPR_NAME,
	EXPR_NEG,
	EXPR_NOT,
	EXPR_ADD,
	EXPR_SUB,
	EXPR_MUL,
	EXPR_DIV,
	EXPR_FLOOR_DIV,
	EXPR_MOD,
	EXPR_POW,
	EXPR_EQ,
	EXPR_NE,
	EXPR_LT,
	EXPR_LE,
	EXPR_GT,
	EXPR_GE,
	EXPR_AND,
	EXPR_OR,
	EXPR_MIN,
	EXPR_MAX,
	EXPR_CEIL_DIV,
};

struct expr_node {
	enum expr_op op;
	size_t at;               /* offset of the operator, name or constant in the text */
	struct expr_value value; /* EXPR_CONST; EXPR_NAME: its text */
	struct expr_node *left, *right;
};

struct expr {
	struct str text;
	struct expr_node *root;
};

/* Sets "'M*(N': column 5: ..." from the offset `at`. Always false. */
bool expr_fail(struct str text, size_t at, struct err *e, const char *fmt, ...) PRINTF_LIKE(4, 5);

#endif
