/* A whole process and all its children may write, or read, below the given folders only. For what another program asked for
 * (MCP): the kernel holds the border, not our reading of paths. Every call adds a layer; none can be undone. */
#ifndef ASSAY_BASE_CONFINE_H
#define ASSAY_BASE_CONFINE_H

#include "base/attr.h"

bool confine_is_possible(void); /* this kernel has Landlock; errno says why not */
/* From now on nothing outside `folders` can be created, changed or removed by this process or what it starts; /dev and
 * /proc stay writable, reading stays free. False where the kernel has no Landlock or refuses; errno says why. Allocates
 * nothing. */
MUST_USE bool confine_writes(const char *const *folders, size_t n);

struct confine_paths {
	const char *const *paths; /* absolute files and folders; one that is not there is left out */
	size_t n;
};
/* From now on nothing but `paths` (a struct confine_paths) can be read, listed or executed; writing stays as it is. The form
 * of proc_options.child_setup. Allocates nothing. */
bool confine_reads(void *paths);

#endif
