/* Inside read/sanitizer only. */
#ifndef ASSAY_READ_SANITIZER_INTERNAL_H
#define ASSAY_READ_SANITIZER_INTERNAL_H

#include "read/sanitizer/sanitizer.h"

/* Copies a finding whose strings point into the input, and files it under its site. */
void sanitizer_add(struct sanitizer_report *r, struct arena *a, const struct sanitizer_finding *f);
void sanitizer_unmodeled(struct sanitizer_report *r, struct str what);
/* The first one is kept. */
void sanitizer_refuse(struct sanitizer_report *r, struct arena *a, struct str text, const char *why);
/* Tool, kind, space, size and access from the tool's first line. */
void sanitizer_classify(struct sanitizer_finding *f, struct str text);
/* "is out of bounds", "is misaligned" */
void sanitizer_reason(struct sanitizer_finding *f, struct str text);
void sanitizer_text(struct sanitizer_report *r, struct arena *a, struct str text);
void sanitizer_xml(struct sanitizer_report *r, struct arena *a, struct str s);

#endif
