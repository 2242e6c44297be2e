/* Files and folders below a folder, without following any symbolic link on the way: what lies there may change while we look,
 * and a link may lead anywhere. Paths are relative, without "." and "..". */
#ifndef ASSAY_BASE_BENEATH_H
#define ASSAY_BASE_BENEATH_H

#include "base/arena.h"
#include "base/err.h"

/* Makes the folders of `path` that are not there, mode 0700; a descriptor of the last one, or -1: ERR_INPUT where a part of
 * it is a link or no folder. `root` is a folder; links on the way to it are followed. */
MUST_USE int beneath_folder(const char *root, const char *path, struct err *e);
/* Opens a regular file for reading; -1 and err for anything else. */
MUST_USE int beneath_open(const char *root, const char *path, struct err *e);

#endif
