/* Session details and source data of a .ncu-rep. */
#ifndef ASSAY_READ_NCU_SESSION_H
#define ASSAY_READ_NCU_SESSION_H

#include "read/ncu/ncu.h"

/* Merges one SessionDetails message into r->session (they are spread over many blocks). */
void session_merge(struct ncu_report *r, struct str body);
/* Adds one SourceData message to r->sources. False: it does not parse. */
MUST_USE bool session_source(struct ncu_report *r, struct str body, const struct ncu_process *process);

struct ncu_attribute {
	struct str name;
	struct ncu_metric value;
};
/* Attributes of a device, decoded; NULL and *n 0 when there are none. */
struct ncu_attribute *ncu_device_attributes(const struct ncu_device *d, struct arena *a, size_t *n);
/* "Linux", "x86_64", ...: field of HostSystemInfo or TargetSystemInfo (1 OS, 2 build, 3 processor, 4 architecture,
 * 5 computer); empty when not said. */
struct str ncu_system_field(struct str raw, uint32_t field);

#endif
