/* Fences: whole pages between the tensors of a slot that nobody may touch. An access there ends the process by the signal
 * that it is; a line on stderr says where it was. Candidate code can take fences away: they find mistakes. */
#ifndef ASSAY_PROBE_FENCE_H
#define ASSAY_PROBE_FENCE_H

#include "probe/probe.h"

#define FENCE_LINE "assay worker: fault at offset " /* of the slot, in hex; "none": elsewhere */

/* A slot in host memory. The process has fences around one slot at a time. */
void fence_install(struct probe *p, size_t slot);

#endif
