/* Files that a user names for a result. What is there and is no regular file stays as it is: a rename would put a file in the
 * place of a device, a pipe or a link. */
#ifndef ASSAY_BASE_OUTPUT_H
#define ASSAY_BASE_OUTPUT_H

#include "base/arena.h"
#include "base/err.h"

/* The file that is to be replaced: `path`, or what it links to (no link is followed inside a border). NULL and ERR_INPUT, before anything is measured: its folder
 * cannot be written, or a folder, a device, a pipe, a link to nothing or what stdout is lies there. */
char *output_place(struct arena *a, const char *path, struct err *e);
/* Replaces that file atomically; one that was there keeps its mode. */
MUST_USE bool output_write(const char *path, struct str s, struct err *e);

#endif
