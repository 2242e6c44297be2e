/* Inside read/sanitizer only. */
#ifndef ASSAY_READ_SANITIZER_INTERNAL_H
#define ASSAY_READ_SANITIZER_INTERNAL_H

#include "read/sanitizer/sanitizer.h"

/* Copies a finding whose strings point into the input, and files it under its site. */
void report_add(struct sanitizer_report *r, struct arena *a, const struct sanitizer_finding *f);
/* Tool, kind, space, size and access from the tool's first line. */
void finding_classify(struct sanitizer_finding *f, struct str text);
/* "is out of bounds", "is misaligned" */
void finding_reason(struct sanitizer_finding *f, struct str text);
void text_read(struct sanitizer_report *r, struct arena *a, struct str text);
void xml_read(struct sanitizer_report *r, struct arena *a, struct str s);

#endif
