/* Inside read/ptxas only. */
#ifndef ASSAY_READ_PTXAS_INTERNAL_H
#define ASSAY_READ_PTXAS_INTERNAL_H

#include "read/ptxas/ptxas.h"

/* One line of any compiler as a message. Strings point into the line. False: the line is no message. */
bool message_parse(struct str line, struct ptxas_message *out);
/* Where a tool's own line begins after a prefix such as "[3/8] ": the text from "ptxas" or "nvlink" on, or the empty
 * text. Text in quotes or behind another message's words does not count. */
struct str message_tool_text(struct str line, const char *tool);

#endif
