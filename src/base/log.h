/* Progress and notes: stderr only, quiet when asked. Results never go through here. */
#ifndef ASSAY_BASE_LOG_H
#define ASSAY_BASE_LOG_H

#include "base/attr.h"

enum log_level { LOG_QUIET, LOG_NORMAL, LOG_VERBOSE };
void log_level(enum log_level level);
void log_note(const char *fmt, ...) PRINTF_LIKE(1, 2); /* one line: "assay: ..." */
void log_debug(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* A progress line that overwrites itself on a terminal and is printed nowhere else; NULL ends it. */
void log_progress(const char *fmt, ...) PRINTF_LIKE(1, 2);
void log_progress_end(void);
void log_progress_as_lines(void); /* from now on, terminal or not: for a parent that reads them */

#endif
