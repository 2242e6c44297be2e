/* Skills and reference documents, as the program carries them: the files of skills/ in the source tree. */
#ifndef ASSAY_KNOWLEDGE_DOCUMENT_H
#define ASSAY_KNOWLEDGE_DOCUMENT_H

#include "base/str.h"

struct document {
	const char *path; /* below skills/: "optimized-skill/reference/cuda/optim.md" */
	struct str text;
};
/* The i-th in path order; false beyond the end. */
bool document_at(struct document *out, size_t i);
bool document_find(struct document *out, struct str path);

#endif
