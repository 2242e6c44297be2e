/* Attributes, small macros and the ban list. Every .c of assay sees this through any base header. */
#ifndef ASSAY_BASE_ATTR_H
#define ASSAY_BASE_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/* Seen before the ban below, so that their own declarations do not trip it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, first) __attribute__((format(printf, fmt, first)))
#define NORETURN __attribute__((noreturn))
#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/* Impossible state: prints the place and aborts. Never for input. */
#define BUG(what) bug_abort(__FILE__, __LINE__, (what))
NORETURN void bug_abort(const char *file, int line, const char *what);

#pragma GCC poison strcpy strcat sprintf vsprintf strtok atoi atof gets

#endif
