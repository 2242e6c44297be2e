/* The embedded documents, for doors. */
#ifndef ASSAY_VERB_DOCUMENTS_H
#define ASSAY_VERB_DOCUMENTS_H

#include "base/str.h"

/* The i-th document's path below skills/ and its bytes; false beyond the end. */
bool verb_document(size_t i, const char **path, struct str *text);

#endif
