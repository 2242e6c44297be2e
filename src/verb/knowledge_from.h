/* A profile as what conditions of cards are evaluated over: one subject a launch. */
#ifndef ASSAY_VERB_KNOWLEDGE_FROM_H
#define ASSAY_VERB_KNOWLEDGE_FROM_H

#include "base/err.h"
#include "base/json.h"
#include "knowledge/card.h"

#define KNOWLEDGE_MAX_SUBJECTS 16

struct knowledge_source;
struct knowledge_subject {
	struct str name; /* kernel */
	size_t i;        /* launch in the report */
	int64_t sm;      /* 90 for 9.0; 0: not said */
	const struct knowledge_source *source;
};
/* Opens an iteration folder (its full report, else its targeted one), a report or a trace. */
MUST_USE struct knowledge_source *knowledge_open(const char *path, struct err *e);
void knowledge_close(struct knowledge_source *s);
const char *knowledge_path(const struct knowledge_source *s); /* the file that was read */
size_t knowledge_subjects(const struct knowledge_source *s, struct knowledge_subject *out, size_t max);
card_lookup knowledge_lookup; /* ctx: struct knowledge_subject */

#endif
