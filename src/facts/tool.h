/* Tested versions of the tools whose output assay reads. */
#ifndef ASSAY_FACTS_TOOL_H
#define ASSAY_FACTS_TOOL_H

#include "base/str.h"

/* tool: "ncu", "nsys-schema", ...; version: "2025.3.1.0 (build 36398880)". True when a row of tool.def is the version
 * itself or its beginning up to a dot or blank. */
bool tool_is_tested(const char *tool, struct str version);

/* Whether they cover an architecture, "sm_90a" or "compute_80"; what names none is covered. */
bool tool_covers_arch(struct str arch);

#endif
