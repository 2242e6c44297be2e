/* Inside inspect/: compiler artifacts that a request names, from a Target's materials or from what a driver left. */
#ifndef ASSAY_INSPECT_ARTIFACT_H
#define ASSAY_INSPECT_ARTIFACT_H

#include "inspect/family.h"
#include "read/elf/stage.h"

/* Checks artifact_ref and adds artifact_ref, artifact {object_ref, relative_path, stage, dialect, sha256}, source_binding,
 * environment_binding and, for a candidate, mechanism_key to i->frozen. `stages`: "a|b" of those that the family reads; the request
 * names its stage unless `stage_of_kind` (then the material's dialect or the artifact's kind does). */
MUST_USE bool artifact_freeze(struct inspection *i, const char *stages, bool stage_of_kind, struct err *e);

struct artifact {
	const char *path;
	enum stage stage;
	char sha256[SHA256_HEX];
	uint64_t bytes;
	struct str text; /* the file */
};
/* The frozen artifact's bytes, hashed again (artifact_changed). Mapped until the process ends. */
MUST_USE bool artifact_open(struct artifact *out, struct inspection *i, struct err *e);

#endif
