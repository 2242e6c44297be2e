/* The MCP door: JSON-RPC lines on stdin to verbs, answers on stdout. */
#ifndef ASSAY_DOOR_MCP_MCP_H
#define ASSAY_DOOR_MCP_MCP_H

#include "base/err.h"
#include "verb/verb.h"

/* Serves until stdin ends or a signal comes. `options` is a struct mcp_options. */
MUST_USE bool mcp_serve(const void *options, struct verb_call *call, struct err *e);

#endif
