/* Words of a command line as one text that a shell reads back as the same words. */
#ifndef ASSAY_BASE_SHELL_H
#define ASSAY_BASE_SHELL_H

#include "base/arena.h"
#include "base/buf.h"

/* Appends one word, after a blank unless it is the first. */
void shell_word(struct buf *out, const char *word);
/* env: "NAME=value" lines that stand before it with `env`; NULL-terminated, NULL or empty: none. */
const char *shell_line(struct arena *a, const char *const *env, const char *const *argv);

#endif
