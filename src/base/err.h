/* The error channel for "assay could not do its job". A failed kernel is never an err: it is a verdict in a record.
 * An err is caller-owned and fixed-size; functions that can fail take `struct err *e` last and return false or NULL. */
#ifndef ASSAY_BASE_ERR_H
#define ASSAY_BASE_ERR_H

#include "base/attr.h"

enum err_code {
	ERR_NONE = 0,
#define ERR(code, name, exit) ERR_##code,
#include "base/err.def"
#undef ERR
};

struct err {
	enum err_code code;
	char text[1024];
};

/* Sets the error; always returns false, so that `return err_set(e, ...)` reads well. `e` may be NULL.
 * The text names what and where ("trace.json: offset 8123: ...") and what to do. */
bool err_set(struct err *e, enum err_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* As err_set, and appends strerror(errno_value). ENOSPC and EDQUOT become ERR_NO_SPACE whatever code was given. */
bool err_errno(struct err *e, enum err_code code, int errno_value, const char *fmt, ...) PRINTF_LIKE(4, 5);
/* Puts "prefix: " before the text that is there. Always returns false. */
bool err_prefix(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The static analyzer does not look into err.c: here it sees that the three return false. */
#if defined(__clang_analyzer__) && !defined(ERR_C)
#define err_set(...) ((void)err_set(__VA_ARGS__), false)
#define err_errno(...) ((void)err_errno(__VA_ARGS__), false)
#define err_prefix(...) ((void)err_prefix(__VA_ARGS__), false)
#endif
const char *err_name(enum err_code code); /* the JSON name; "none" for ERR_NONE */
int err_exit(enum err_code code);         /* exit status of the program */

#endif
