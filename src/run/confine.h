/* A whole process and all its children may write below the given folders only. For verbs that another program asked for
 * (MCP): the kernel holds the border, not our reading of paths. */
#ifndef ASSAY_RUN_CONFINE_H
#define ASSAY_RUN_CONFINE_H

#include "base/attr.h"

bool confine_is_possible(void); /* this kernel has Landlock; errno says why not */
/* From now on nothing outside `folders` can be created, changed or removed by this process or what it starts; /dev and
 * /proc stay writable, reading stays free. False where the kernel has no Landlock or refuses; errno says why. Cannot be
 * undone. Allocates nothing. */
MUST_USE bool confine_writes(const char *const *folders, size_t n);

#endif
