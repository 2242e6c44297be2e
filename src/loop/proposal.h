/* A proposal: the Markdown file in iter_vI that decides version I+1 (docs/FORMATS.md, "State and proposal"). This header is
 * about its form; loop/lint.h holds it against the report and the strategy memory. */
#ifndef ASSAY_LOOP_PROPOSAL_H
#define ASSAY_LOOP_PROPOSAL_H

#include "base/err.h"
#include "loop/evidence.h"
#include "loop/tags.h"

#define PROPOSAL_MAX_BYTES (4u << 20)
#define PROPOSAL_MAX_ITEMS 256     /* lines of one kind that are looked at */
#define PROPOSAL_MAX_ANSWERS 16384 /* one for each preferred strategy of a scope */

enum proposal_heading {
	PROPOSAL_REFERENCES,
	PROPOSAL_BOTTLENECKS,
	PROPOSAL_EVIDENCE,
	PROPOSAL_PIPELINING,
	PROPOSAL_CHANGE,
	PROPOSAL_PREFERRED,
	PROPOSAL_TAGS,
	PROPOSAL_HEADINGS
};
const char *proposal_heading_name(enum proposal_heading h); /* "Primary references" */

struct proposal_section {
	unsigned line;   /* of the heading; 0: it is not there */
	unsigned n;      /* times that the heading stands in the file */
	struct str body; /* without comments, trimmed */
};
struct proposal_evidence { /* "- metric = value unit" */
	unsigned line;
	struct str text;
	struct evidence_claim claim; /* metric empty: not of this form */
};
enum proposal_status { PROPOSAL_OPEN, PROPOSAL_ADOPTED, PROPOSAL_DOES_NOT_FIT, PROPOSAL_CONFLICTS };
struct proposal_reference { /* a row of the table */
	unsigned line;
	struct str item, status_text, reason;
	enum proposal_status status; /* OPEN: empty or another word */
};
struct proposal_answer { /* "- FINGERPRINT: merged; ..." or "- FINGERPRINT: not merged; reason" */
	unsigned line;
	struct str fingerprint, text, reason;
	bool is_answered, is_merged;
};
struct proposal_tag {
	unsigned line;
	struct str written;
};
struct proposal {
	const char *path;
	struct proposal_section sections[PROPOSAL_HEADINGS];
	struct proposal_evidence *evidence;
	struct proposal_reference *references;
	struct proposal_answer *answers;
	struct proposal_tag *written; /* tags as they stand there */
	size_t n_evidence, n_references, n_answers, max_answers, n_written;
	size_t n_bottlenecks;
	struct tags tags; /* in normal form */
	int64_t from;     /* I of "# From vI to vJ", -1: no such title */
};

/* ERR_INPUT: cannot be read, or is no UTF-8 text. What is wrong in the form is for lint to say. */
MUST_USE bool proposal_read(struct proposal *out, struct arena *a, const char *path, struct err *e);
/* The same over bytes in memory. */
void proposal_parse(struct proposal *out, struct arena *a, const char *path, struct str text);
/* Nothing was filled in: no tag, no change. */
bool proposal_is_template(const struct proposal *p);
const struct proposal_answer *proposal_answer(const struct proposal *p, struct str fingerprint); /* NULL: none */

#endif
