/* Options of `assay mcp`: the door is door/mcp/. */
#ifndef ASSAY_VERB_MCP_H
#define ASSAY_VERB_MCP_H

#include "verb/verb.h"

struct mcp_options {
	struct verb_common common;
	const char *root; /* NULL: the working folder */
};

#endif
