/* What the machine code of a version shows, and what that makes of its strategy's tags. */
#ifndef ASSAY_LOOP_MACHINE_H
#define ASSAY_LOOP_MACHINE_H

#include "collect/sass.h"
#include "loop/tags.h"

/* {state: read, binary_sha256, tool, tool_version, arch, kernels[], shown[], not_shown[], contradicted[],
 * not_applicable[]}: keys of facts/mechanism.def, each with a signature in one list. Without a listing {state: unavailable,
 * reason}. `contradicted`: code with the mechanism cannot look like this code. */
struct json *machine_json(struct arena *a, const struct sass_collected *c);
/* Written to `path`: instruction counts by kernel and each finding with its instructions. */
MUST_USE bool machine_write(const char *path, struct arena *a, const struct sass_collected *c, struct err *e);
/* [{tag, mechanism, verdict}] for tags that the mechanism table knows: shown, not_shown, contradicted, not_applicable,
 * no_signature. Empty when the machine code was not read. */
struct json *machine_claims(struct arena *a, const struct json *machine_code, const struct tags *t);
/* "a, b": the tags whose claim got that verdict; NULL: none. */
const char *machine_tags(struct arena *a, const struct json *claims, const char *verdict);

#endif
