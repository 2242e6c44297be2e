/* Words of verdicts: one table (facts/verdict.def). A verdict is data in a result record, never a struct err. */
#ifndef ASSAY_FACTS_VERDICT_H
#define ASSAY_FACTS_VERDICT_H

#include "base/str.h"

enum verdict_stage {
	VERDICT_STAGE_CHECK,
	VERDICT_STAGE_BUILD,
	VERDICT_STAGE_RUN,
	VERDICT_STAGE_CORRECTNESS,
	VERDICT_STAGE_INTEGRITY,
	VERDICT_STAGE_FLAG, /* a fact that is no fault unless it is forbidden; never the verdict of a run */
	VERDICT_STAGE_COMPARISON
};
enum verdict {
#define VERDICT(stage, id, word, exit, text) VERDICT_##id,
#include "facts/verdict.def"
#undef VERDICT
	VERDICT_COUNT
};
const char *verdict_word(enum verdict v);
const char *verdict_text(enum verdict v);
int verdict_exit(enum verdict v); /* exit status of the program when this is the outcome */
enum verdict_stage verdict_stage(enum verdict v);
const char *verdict_stage_name(enum verdict_stage s);  /* "check", "build", ... */
bool verdict_flag(struct str name, enum verdict *out); /* by its word without "flagged:" */
enum verdict verdict_forbidden(enum verdict flag);     /* what a flag becomes when it is forbidden */
bool verdict_from_word(struct str word, enum verdict *out);

#endif
