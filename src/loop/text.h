/* iteration_summary.md of one version. From records only. */
#ifndef ASSAY_LOOP_TEXT_H
#define ASSAY_LOOP_TEXT_H

#include "loop/run.h"

MUST_USE bool text_iteration(const struct run *r, size_t i, struct err *e);
/* "passed", "failed" or "not checked": without a reference nothing is said about results. */
const char *text_correct(const struct run *r, const struct json *it);
bool text_has_reference(const struct run *r);
const char *text_or(struct arena *a, const struct json *j, const char *key, const char *fallback);
/* "3.25 ms" with all digits, or "-". */
const char *text_ms(struct arena *a, const struct json *j, const char *key);

#endif
