/* Progress and notes on stderr.
 * In: formatted lines. Out: stderr.
 * The level and the progress line are this program's only log state.
 * Never: writes to stdout. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/term.h"

static enum log_level level_now = LOG_NORMAL;
static bool has_progress, as_lines;

void log_level(enum log_level level)
{
	level_now = level;
}

void log_progress_end(void)
{
	if (has_progress)
		fputs("\r\033[K", stderr);
	has_progress = false;
}

/* On a terminal without what would steer it: texts of files and of their names come by here. */
static void put(const char *before, struct str text, const char *after)
{
	struct buf safe;
	buf_init(&safe);
	if (isatty(STDERR_FILENO) == 1)
		term_safe(&safe, text);
	else
		buf_str(&safe, text);
	fprintf(stderr, "%s%s%s", before, safe.n ? safe.p : "", after);
	buf_release(&safe);
}

static PRINTF_LIKE(1, 0) void log_line(const char *fmt, va_list ap)
{
	char line[8192]; /* two paths and what is said of them */
	log_progress_end();
	vsnprintf(line, sizeof(line), fmt, ap);
	put("assay: ", str_from(line), "\n");
}

void log_note(const char *fmt, ...)
{
	if (level_now < LOG_NORMAL)
		return;
	va_list ap;
	va_start(ap, fmt);
	log_line(fmt, ap);
	va_end(ap);
}

void log_debug(const char *fmt, ...)
{
	if (level_now < LOG_VERBOSE)
		return;
	va_list ap;
	va_start(ap, fmt);
	log_line(fmt, ap);
	va_end(ap);
}

void log_progress_as_lines(void)
{
	as_lines = true;
}

void log_progress(const char *fmt, ...)
{
	if (level_now < LOG_NORMAL || (!as_lines && !isatty(STDERR_FILENO)))
		return;
	char line[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (as_lines) {
		fprintf(stderr, "%s\n", line);
	} else { /* one that wraps could not be taken back */
		struct term t;
		term_init(&t, STDERR_FILENO, TERM_NEVER);
		put("\r\033[K", str_sub(str_from(line), 0, term_fit(str_from(line), t.width - 1)), "");
	}
	fflush(stderr);
	has_progress = !as_lines;
}
