/* What a writer that was killed leaves beside its files. */
#ifndef ASSAY_LOOP_LEFTOVER_H
#define ASSAY_LOOP_LEFTOVER_H

#include "base/attr.h"

/* Removes the temporary files of base/file (".NAME.XXXXXX") from a folder, not from folders in it. Only while no other
 * process can be writing there: the caller holds the folder's lock. */
void leftover_sweep(const char *folder);

#endif
