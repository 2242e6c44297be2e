/* What the recorded collection commands of a version name stays in its folder, so that each can be run again. */
#ifndef ASSAY_LOOP_REPLAY_H
#define ASSAY_LOOP_REPLAY_H

#include "loop/profile.h"

#define REPLAY_GUEST "collect"     /* folder: probe.so, script and description of a kernel in Python */
#define REPLAY_DATA "profile.data" /* inputs of the case that is profiled, where they come from a setup() */

enum { REPLAY_MOST_MIB = 1024 }; /* larger inputs are not kept */

/* After the collection. Files that equal those of `first`, version 0's folder, become links to them: a run holds them
 * once. The entry gets `replayable` and `replay_reason`. Nothing collected: the inputs are removed. */
void replay_keep(struct profile *s, const char *first);

#endif
