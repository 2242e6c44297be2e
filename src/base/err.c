/* The error channel.
 * In: code and text. Out: a filled struct err.
 * Table: base/err.def.
 * Never: prints, exits (bug_abort apart) or allocates. */
#define ERR_C
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	int exit_status;
} err_rows[] = {
	{"none", 0},
#define ERR(code, name, exit) {name, exit},
#include "base/err.def"
#undef ERR
};

void bug_abort(const char *file, int line, const char *what)
{
	fprintf(stderr, "assay: BUG: %s:%d: %s\n", file, line, what);
	abort();
}

static PRINTF_LIKE(3, 0) void err_vset(struct err *e, enum err_code code, const char *fmt, va_list ap)
{
	e->code = code;
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
}

bool err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	if (!e)
		return false;
	va_list ap;
	va_start(ap, fmt);
	err_vset(e, code, fmt, ap);
	va_end(ap);
	return false;
}

bool err_errno(struct err *e, enum err_code code, int errno_value, const char *fmt, ...)
{
	if (!e)
		return false;
	if (errno_value == ENOSPC || errno_value == EDQUOT)
		code = ERR_NO_SPACE;
	va_list ap;
	va_start(ap, fmt);
	err_vset(e, code, fmt, ap);
	va_end(ap);
	size_t n = strlen(e->text);
	snprintf(e->text + n, sizeof(e->text) - n, ": %s", strerror(errno_value));
	return false;
}

bool err_prefix(struct err *e, const char *fmt, ...)
{
	if (!e)
		return false;
	char old[sizeof(e->text)];
	memcpy(old, e->text, sizeof(old));
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	size_t n = strlen(e->text);
	snprintf(e->text + n, sizeof(e->text) - n, ": %s", old);
	return false;
}

const char *err_name(enum err_code code)
{
	return err_rows[code].name;
}

int err_exit(enum err_code code)
{
	return err_rows[code].exit_status;
}
