/* Inside inspect/: knowledge-input-v1, answered at once from the cards that the program carries. */
#ifndef ASSAY_INSPECT_KNOWLEDGE_H
#define ASSAY_INSPECT_KNOWLEDGE_H

#include "protocol/target.h"

#define KNOWLEDGE_INPUT PROTOCOL("knowledge-input-v1")
#define KNOWLEDGE_CODE "knowledge_query_invalid"

/* {status, matches, context_bytes, truncated, provenance, identity_source}. Nothing is written. p->root is NULL for an identity that
 * the request states itself. */
MUST_USE bool knowledge_answer(struct json **answer, struct protocol *p, const struct json *request, struct err *e);

#endif
