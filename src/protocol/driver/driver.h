/* The user's workload driver as it is frozen in a Target: its command, the files that the command names, its identity. */
#ifndef ASSAY_PROTOCOL_DRIVER_DRIVER_H
#define ASSAY_PROTOCOL_DRIVER_DRIVER_H

#include "protocol/evidence.h"

#define DRIVER_PROTOCOL "cuda-kernel-optimizer/driver-v2"
#define DRIVER_REQUEST "cuda-kernel-optimizer/driver-request-v2"
#define DRIVER_RESULT "cuda-kernel-optimizer/driver-result-v2"

/* From a request's description to the record in target.json: command with absolute paths, source_files [{path, sha256,
 * size_bytes, mode}], identity. argv[0] stays the link that it is, so that a virtual environment's python finds its packages;
 * what is hashed is the file behind it. */
MUST_USE bool driver_freeze(struct protocol *p, const struct json *description, struct json **record, struct err *e);
/* ERR_INPUT when a source file is not as it was. `stamps` (may be NULL) remembers size, time and inode of files that were
 * hashed, so that unchanged ones are not read again. */
struct driver_stamps {
	char text[SHA256_HEX]; /* "" at first */
};
MUST_USE bool driver_unchanged(struct protocol *p, const struct json *record, struct driver_stamps *stamps,
			       struct err *e);
bool driver_has(const struct json *record, const char *capability); /* evidence or profiler capability */

#endif
