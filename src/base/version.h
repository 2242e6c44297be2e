/* What this program is: version and commit, set by the build. */
#ifndef ASSAY_BASE_VERSION_H
#define ASSAY_BASE_VERSION_H

#include "base/json.h"

const char *version_number(void); /* "0.1.0" */
const char *version_commit(void); /* twelve hex digits, "+dirty" behind it where the tree had changes; or "unknown" */
struct json *version_json(struct arena *a); /* {"name":"assay","version":...,"commit":...} */

#endif
