/* Words of verdicts: one table (facts/verdict.def). A verdict is data in a result record, never a struct err. */
#ifndef ASSAY_FACTS_VERDICT_H
#define ASSAY_FACTS_VERDICT_H

#include "base/str.h"

enum verdict_stage {
	VERDICT_STAGE_CHECK,
	VERDICT_STAGE_BUILD,
	VERDICT_STAGE_RUN,
	VERDICT_STAGE_CORRECTNESS,
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
bool verdict_from_word(struct str word, enum verdict *out);

#endif
